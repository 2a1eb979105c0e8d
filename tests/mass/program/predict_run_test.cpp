#include <mass/program/predict_run.hpp>

#include "../../support/mass_on_ranks.hpp"
#include "../../support/temporary_folder.hpp"

#include <mass/mass.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace {

/// Place with rules that read 2 + 8 bytes of neighbours up to 2 away, and one that reads none.
class Rock : public mass::Place<3> {
 public:
  static constexpr int reach = 2;
  double strain = 1;
  std::int16_t kind = 1;
  float heat = 0;
  using Attributes = mass::Attributes<&Rock::strain, &Rock::kind, &Rock::heat>;

  MASS_FN void bend(const mass::Neighborhood<Rock>& near) {
    strain = (near({2, 0, 0}).strain + near({0, 2, 0}).strain) / 2;
    kind = static_cast<std::int16_t>(near({0, 0, 1}).kind + 1);
  }
  MASS_FN void warm() { heat += static_cast<float>(strain); }
};

void setUp(mass::Mass& mass, mass::Simulation& run) {
  const auto rocks = mass.createPlaces<Rock>({12, 10, 8});
  run.advance([=](mass::Steps steps) {
    for (std::int64_t i = 0; i < steps.count; ++i) {
      rocks.callAll<&Rock::bend>(mass::writes<&Rock::strain, &Rock::kind>);
      rocks.callAll<&Rock::warm>(mass::writes<&Rock::heat>);
    }
  });
}

const mass::Program program{"rocks", "Rocks.", mass::Schema::library(), &setUp};

mass::Settings settingsIn(const mass::testing::TemporaryFolder& folder) {
  mass::Settings settings;
  mass::testing::setDevices(settings, 1);
  settings.set("output.folder=" + folder.path().string());
  settings.set("predict.seconds=0.01");
  return settings;
}

TEST(PredictRun, TellsTheBytesAcrossAFaceAndTheTimes) {
  const mass::testing::TemporaryFolder folder;
  mass::Settings settings = settingsIn(folder);
  settings.set("predict.latency=1e-6");
  settings.set("predict.bandwidth=1e9");
  const std::string text =
      mass::detail::predictRun(program, settings, std::make_shared<mass::detail::Ranks>(), {64, 4});
  // All attributes are sent when another rule has written them, each to a distance of 2.
  EXPECT_NE(text.find("rocks: 12 x 10 x 8 places on 1 "), std::string::npos) << text;
  EXPECT_NE(text.find(", 28 bytes across a face"), std::string::npos) << text;
  EXPECT_NE(text.find("\n        4      4x1 "), std::string::npos) << text;
  EXPECT_NE(text.find("\n       64      8x8           too few rows "), std::string::npos) << text;
  std::ifstream csv(folder.path() / "rocks-prediction.csv");
  std::string line;
  std::vector<std::string> lines;
  while (std::getline(csv, line)) lines.push_back(line.substr(0, line.find(',')));
  EXPECT_EQ(lines, (std::vector<std::string>{"devices", "4", "64"}));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "rocks-prediction.png"));
}

TEST(PredictRun, TakesTheRateOfOtherDevices) {
  const mass::testing::TemporaryFolder folder;
  mass::Settings settings = settingsIn(folder);
  settings.set("predict.latency=1e-6");
  settings.set("predict.bandwidth=1e12");
  settings.set("predict.rate=480000");  // 2 ms a step of a device alone
  const std::string text =
      mass::detail::predictRun(program, settings, std::make_shared<mass::detail::Ranks>(), {1, 2});
  EXPECT_NE(text.find("4.8e+05 places/s of a device, 28 bytes"), std::string::npos) << text;
  EXPECT_NE(text.find("\n        1      1x1      0.002 s  100.0 %"), std::string::npos) << text;
  EXPECT_NE(text.find("\n        2      2x1      0.001 s"), std::string::npos) << text;
}

TEST(PredictRun, MeasuresTheNetworkBetweenRanks) {
  const mass::testing::TemporaryFolder folder;
  mass::testing::runOnThreadRanks(2, [&](mass::detail::Ranks& ranks) {
    const std::shared_ptr<mass::detail::Ranks> shared(std::shared_ptr<void>(), &ranks);
    const std::string text = mass::detail::predictRun(program, settingsIn(folder), shared, {8});
    EXPECT_EQ(text.find(", 0 s an exchange"), std::string::npos) << text;
    EXPECT_NE(text.find("places on 2 "), std::string::npos) << text;
  });
}

TEST(PredictRun, NeedsANetwork) {
  const mass::testing::TemporaryFolder folder;
  try {
    mass::detail::predictRun(program, settingsIn(folder), std::make_shared<mass::detail::Ranks>(),
                             {8});
    FAIL();
  } catch (const mass::SettingsError& error) {
    EXPECT_EQ(std::string(error.what()),
              "--predict measures the network between ranks: start several (mpirun), or give "
              "'predict.latency' and 'predict.bandwidth'");
  }
}

}  // namespace
