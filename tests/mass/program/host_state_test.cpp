#include <mass/program/host_state.hpp>

#include "../../support/make_mass.hpp"
#include "../../support/temporary_folder.hpp"

#include <mass/mass.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

namespace {

using mass::testing::TemporaryFolder;

/// Field that grows in summer.
class Field : public mass::Place<1> {
 public:
  std::int32_t grass = 0;
  using Attributes = mass::Attributes<&Field::grass>;

  MASS_FN void grow(std::int32_t by) { grass += by; }
};

using SetUp = void (*)(mass::Mass&, mass::Simulation&);

/// Declares fields with numbers of the run of each type.
void setUp(mass::Mass& mass, mass::Simulation& run) {
  const auto fields = mass.createPlaces<Field>({8});
  auto& warmth = run.state<double>("warmth", 0.1);
  auto& years = run.state<std::int64_t>("years");
  auto& isSummer = run.state<bool>("isSummer");
  run.step([=, &warmth, &years, &isSummer] {
    warmth = 3.7 * warmth * (1 - warmth);
    isSummer = warmth > 0.5;
    if (isSummer) --years;
    fields.callAll<&Field::grow>(isSummer ? 1 : 0);
  });
  run.observe("grass", [=] { return fields.reduce<&Field::grass>(mass::sum); });
}

/// Declares one number of another type.
void setUpOther(mass::Mass& mass, mass::Simulation& run) {
  const auto fields = mass.createPlaces<Field>({8});
  run.state<double>("years");
  run.step([=] { fields.callAll<&Field::grow>(1); });
}

/// Declares none.
void setUpWithout(mass::Mass& mass, mass::Simulation& run) {
  const auto fields = mass.createPlaces<Field>({8});
  run.step([=] { fields.callAll<&Field::grow>(1); });
}

mass::Run runOf(SetUp model, int devices = 2) {
  mass::Settings settings;
  mass::testing::setDevices(settings, devices);
  settings.set("steps=20");
  return {{"seasons", "Seasons.", mass::Schema::library(), model}, settings};
}

std::string messageOf(const std::function<void()>& function) {
  try {
    function();
  } catch (const mass::Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(HostState, IsInTheTableInTheOrderOfDeclaration) {
  mass::Run run = runOf(&setUp);
  EXPECT_EQ(run.row().names, (std::vector<std::string>{"warmth", "years", "isSummer", "grass"}));
  EXPECT_EQ(run.row().values, (std::vector<double>{0.1, 0, 0, 0}));
  run.step(3);
  const auto values = run.row().values;
  EXPECT_NEAR(values[0], 0.54182, 1e-6);  // 0.1, 0.333, 0.82181
  EXPECT_EQ(values[1], -2);
  EXPECT_EQ(values[2], 1);
}

TEST(HostState, IsInHashes) {
  mass::Mass mass{mass::Settings{}};
  mass::Simulation run(mass, "seasons");
  EXPECT_EQ(run.hash(), mass.hash()) << "hashes of runs without numbers are those of before";
  auto& warmth = run.state<double>("warmth");
  const std::uint64_t cold = run.hash();
  warmth = 1e-300;
  EXPECT_NE(run.hash(), cold);
  warmth = 0;
  EXPECT_EQ(run.hash(), cold);
  run.state<bool>("isSummer");
  EXPECT_NE(run.hash(), cold);
}

TEST(HostState, ContinuesFromACheckpointBitForBit) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "c.h5";
  mass::Run run = runOf(&setUp);
  run.step(9);
  run.save(file);
  const std::uint64_t hash = run.hash();
  run.step(8);
  const std::uint64_t end = run.hash();
  mass::Run other = runOf(&setUp, 3);
  other.restore(file);
  EXPECT_EQ(other.hash(), hash);
  other.step(8);
  EXPECT_EQ(other.hash(), end);
  EXPECT_EQ(other.row().values, run.row().values);
  run.restore(file);
  EXPECT_EQ(run.hash(), hash);
}

TEST(HostState, OfAnotherVersionIsRefusedAndChangesNothing) {
  const TemporaryFolder folder;
  mass::Run run = runOf(&setUp), other = runOf(&setUpOther), without = runOf(&setUpWithout);
  run.step(2);
  other.step(2);
  run.save(folder.path() / "run.h5");
  other.save(folder.path() / "other.h5");
  const std::uint64_t hash = run.hash();
  run.step(0);
  EXPECT_NE(messageOf([&] {
              run.restore(folder.path() / "other.h5");
            }).find("no value of the run's number 'isSummer'"),
            std::string::npos);
  EXPECT_EQ(run.hash(), hash);
  EXPECT_NE(messageOf([&] {
              without.restore(folder.path() / "run.h5");
            }).find("has 3 numbers of a run; this program has 0"),
            std::string::npos);
}

TEST(HostState, NeedsANameOfItsOwn) {
  mass::Mass mass{mass::Settings{}};
  mass::Simulation run(mass, "seasons");
  run.state<double>("season");
  EXPECT_EQ(messageOf([&] { run.state<bool>("season"); }),
            "Simulation::state: there are two numbers 'season'");
  EXPECT_EQ(messageOf([&] { run.state<bool>(""); }), "Simulation::state: a number needs a name");
}

/// Runs the program. @return the text of its table and its record
std::string filesOf(const std::filesystem::path& folder, const std::string& restart,
                    const std::string& steps) {
  mass::Settings settings;
  mass::testing::setDevices(settings, 1);
  settings.set("steps=" + steps);
  settings.set("output.folder=" + folder.string());
  settings.set("output.table_every=1");
  settings.set("checkpoint.file=" + (folder / "c.h5").string());
  settings.set("checkpoint.every=5");
  mass::Mass mass(settings);
  mass::Simulation run(mass, "seasons");
  setUp(mass, run);
  if (!restart.empty()) run.restart(folder / restart);
  EXPECT_EQ(run.run(), 0);
  std::string text;
  std::ifstream table(folder / "seasons.csv"), record(folder / "run.json");
  text.assign(std::istreambuf_iterator<char>(table), {});
  const std::string json{std::istreambuf_iterator<char>(record), {}};
  const std::size_t hash = json.find("\"hash\"");
  return text + json.substr(hash, 30);
}

TEST(HostState, IsTheSameAfterARestartOfTheProgram) {
  const TemporaryFolder whole, parts;
  const std::string expected = filesOf(whole.path(), "", "14");
  filesOf(parts.path(), "", "9");  // its last checkpoint is at step 5
  filesOf(parts.path(), "c.h5", "10");
  EXPECT_EQ(filesOf(parts.path(), "c.h5", "14"), expected);
}

}  // namespace
