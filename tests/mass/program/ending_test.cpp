#include <mass/program/ending.hpp>

#include "../../support/make_mass.hpp"
#include "../../support/mass_on_ranks.hpp"
#include "../../support/temporary_folder.hpp"

#include <mass/mass.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

using mass::testing::TemporaryFolder;

/// Well that loses a litre in each step.
class Well : public mass::Place<1> {
 public:
  std::int32_t water = 23;
  using Attributes = mass::Attributes<&Well::water>;

  MASS_FN void drain() { water -= water > 0 ? 1 : 0; }
};

void addSteps(mass::Mass& mass, mass::Simulation& run, bool hasCondition) {
  const auto well = mass.createPlaces<Well>({8});
  run.advance([=](mass::Steps steps) { well.callAll<&Well::drain>(steps); });
  run.observe("water", [=] { return well.reduce<&Well::water>(mass::sum) / 8; });
  if (!hasCondition) return;
  run.until(
      "the well is dry", [=] { return well.reduce<&Well::water>(mass::sum) == 0; }, 5);
}
void setUp(mass::Mass& mass, mass::Simulation& run) {
  addSteps(mass, run, false);
}
void setUpWithCondition(mass::Mass& mass, mass::Simulation& run) {
  addSteps(mass, run, true);
}

/// Returns a run of the model with settings. @param hasCondition it ends when the well is dry
mass::Run runOf(bool hasCondition, const std::vector<std::string>& assignments) {
  const mass::Program program{"well", "A well.", mass::Schema::library(),
                              hasCondition ? &setUpWithCondition : &setUp};
  mass::Settings settings;
  mass::testing::setDevices(settings, 2);
  for (const std::string& assignment : assignments) settings.set(assignment);
  return {program, settings};
}

TEST(Ending, ByAFunctionIsAtTheFirstMultipleWhereItHolds) {
  mass::Run run = runOf(true, {"steps=100"});
  run.step(10);
  EXPECT_FALSE(run.finished());
  run.step(90);
  EXPECT_EQ(run.step(), 25);
  EXPECT_EQ(run.lastStep(), 25);
  EXPECT_TRUE(run.finished());
  EXPECT_EQ(run.endedBy(), "the well is dry");
  run.step(10);
  EXPECT_EQ(run.step(), 25);
}

TEST(Ending, ByTheTableIsAtTheFirstRowWhereItHolds) {
  const auto lastStep = [](const std::string& condition, const std::string& every) {
    mass::Run run = runOf(false, {"steps=40", "until=" + condition, "output.table_every=" + every});
    run.step(40);
    return run.step();
  };
  EXPECT_EQ(lastStep("water < 3", "1"), 21);
  EXPECT_EQ(lastStep("water<=3", "1"), 20);
  EXPECT_EQ(lastStep(" water == 3 ", "1"), 20);
  EXPECT_EQ(lastStep("water < 3", "4"), 24);
  EXPECT_EQ(lastStep("water > 22.5", "1"), 40) << "it holds at step 0 only";
  EXPECT_EQ(lastStep("water > 22.5", "4"), 40) << "the row of step 0 is the last one until step 4";
  EXPECT_EQ(lastStep("water < -1", "1"), 40) << "never";
}

TEST(Ending, ARestoredRunGoesOnToItsOwnEnd) {
  const TemporaryFolder folder;
  mass::Run run = runOf(true, {"steps=100"});
  run.step(7);
  run.save(folder.path() / "early.h5");
  run.step(90);
  run.save(folder.path() / "end.h5");
  const std::uint64_t hash = run.hash();
  run.restore(folder.path() / "early.h5");
  EXPECT_EQ(run.lastStep(), 100);
  run.step(90);
  EXPECT_EQ(run.step(), 25);
  EXPECT_EQ(run.hash(), hash);
  mass::Run other = runOf(true, {"steps=100"});
  other.restore(folder.path() / "end.h5");
  other.step(50);
  EXPECT_EQ(other.step(), 25) << "the condition holds where the checkpoint was written";
}

TEST(Ending, ByTheTableIsKnownToARestoredRun) {
  const TemporaryFolder folder;
  const auto run = [&](const std::string& condition) {
    return runOf(false, {"steps=40", "until=" + condition});
  };
  mass::Run ended = run("water == 3");
  ended.step(40);
  ASSERT_EQ(ended.step(), 20);
  ended.save(folder.path() / "end.h5");
  mass::Run same = run("water == 3");
  same.restore(folder.path() / "end.h5");
  same.step(40);
  EXPECT_EQ(same.step(), 20) << "water is 2 after another step";
  EXPECT_EQ(same.endedBy(), "water == 3");
  mass::Run other = run("water < 1");
  other.restore(folder.path() / "end.h5");
  other.step(40);
  EXPECT_EQ(other.step(), 23);
}

/// Runs the model with output in a folder. @return its record
std::string recordOf(mass::Mass& mass) {
  mass::Simulation simulation(mass, "well");
  setUp(mass, simulation);
  EXPECT_EQ(simulation.run(), 0);
  std::ifstream file(mass.settings().get<std::string>("output.folder") + "/run.json");
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Ending, IsInTheRecordAndTheSameOnRanks) {
  const TemporaryFolder folder;
  const std::vector<std::string> settings{"steps=100", "until=water < 3",
                                          "output.folder=" + folder.path().string()};
  for (const auto& devices : {std::vector{1}, std::vector{3}, std::vector{1, 2}}) {
    mass::testing::onRanks({.devices = devices, .more = settings}, [](mass::Mass& mass) {
      const std::string record = recordOf(mass);
      if (!mass.devices().ranks().isFirst()) return;  // rank 0 has the files
      EXPECT_NE(record.find("\"ended_by\": \"water < 3\""), std::string::npos) << record;
      EXPECT_NE(record.find("\"step\": 21,"), std::string::npos) << record;
      EXPECT_NE(record.find("\"state\": \"finished\""), std::string::npos) << record;
    });
  }
}

TEST(Ending, AConditionThatCannotBeIsAnError) {
  const auto errorOf = [](const std::string& condition, const std::string& every = "1") {
    try {
      (void)runOf(false, {"until=" + condition, "output.table_every=" + every});
    } catch (const mass::SettingsError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  for (const std::string condition :
       {"water", "water <", "water < x", "water < 3 4", "water < nan", "< 3", "a = 3"})
    EXPECT_NE(errorOf(condition).find("for example 'sheep < 1'"), std::string::npos) << condition;
  EXPECT_NE(errorOf("watr < 3").find("no column 'watr'; it has water"), std::string::npos);
  EXPECT_NE(errorOf("water < 3", "0").find("output.table_every"), std::string::npos);
}

}  // namespace
