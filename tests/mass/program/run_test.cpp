#include <mass/mass.hpp>

#include <gtest/gtest.h>
#include <tests/support/make_mass.hpp>
#include <tests/support/temporary_folder.hpp>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <thread>
#include <vector>

namespace {

using mass::testing::TemporaryFolder;

class Meadow : public mass::Place<2> {
 public:
  float grass = 0;
  using Attributes = mass::Attributes<&Meadow::grass>;

  MASS_FN void grow(const mass::Neighborhood<Meadow>& near, const mass::Here<2>& here) {
    grass = (grass + near(0, 1).grass + near(-1, 0).grass) / 3 + here.random().uniform<float>();
  }
};

class Sheep : public mass::Agent<Meadow> {
 public:
  float food = 0;
  using Attributes = mass::Attributes<&Sheep::food>;

  MASS_FN void eat(const mass::Neighborhood<Meadow>& near) { food += near(0, 0).grass; }
};

/// Declares meadows with sheep. Warns at step 5, and is invalid from step 100 on.
void setUp(mass::Mass& mass, mass::Simulation& run) {
  const auto meadows = mass.createPlaces<Meadow>({12, 9});
  const auto sheep = mass.createAgents<Sheep>(meadows, 20);
  run.describe("  meadows     12 x 9\n");
  run.timeStep(0.5);
  run.advance([=, &run](mass::Steps steps) {
    for (std::int64_t i = 0; i < steps.count; ++i) {
      meadows.callAll<&Meadow::grow>();
      sheep.callAll<&Sheep::eat>();
      if (run.step() + i + 1 == 5) run.warn("the fifth step is made");
    }
  });
  run.check([&run] {
    if (run.step() >= 100) throw mass::ModelError("the grass has withered");
  });
  run.observe("grass", [=] { return meadows.reduce<&Meadow::grass>(mass::sum); });
  run.observe({"food", "sheep"}, [=] {
    return std::vector<double>{sheep.reduce<&Sheep::food>(mass::sum),
                               static_cast<double>(sheep.size())};
  });
  run.picture<&Meadow::grass>(meadows, 0, 1);
  run.data<&Meadow::grass>(meadows);
  run.data<&Sheep::food>(sheep);
}

const mass::Program program{"meadows", "Meadows with sheep.", mass::Schema::library(), &setUp};

mass::Settings settingsFor(int devices, const std::vector<std::string>& more = {}) {
  mass::Settings settings;
  mass::testing::setDevices(settings, devices);
  settings.set("steps=30");
  for (const std::string& assignment : more) settings.set(assignment);
  return settings;
}

/// Runs the program to its last step. @return its final hash
std::uint64_t simulate(const TemporaryFolder& folder, mass::Settings settings,
                       const std::filesystem::path& checkpoint = {}) {
  settings.set("output.folder=" + folder.path().string());
  mass::Mass mass(settings);
  mass::Simulation simulation(mass, program.name);
  setUp(mass, simulation);
  if (!checkpoint.empty()) simulation.restart(checkpoint);
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(simulation.run(), 0);
  const std::string report = ::testing::internal::GetCapturedStdout();
  EXPECT_TRUE(report.starts_with("  meadows     12 x 9\nmeadows: step 30 of 30")) << report;
  const std::string warnings = ::testing::internal::GetCapturedStderr();
  if (checkpoint.empty()) {
    EXPECT_TRUE(mass::testing::contains(warnings, "meadows: warning: the fifth step is made\n"));
  }
  return mass.hash();
}

TEST(Run, HasTheStateAndTheRowsOfASimulation) {
  const TemporaryFolder folder;
  const std::uint64_t hash =
      simulate(folder, settingsFor(1, {"output.table_every=10", "output.frame_every=0"}));
  for (const int devices : {1, 2, 3}) {
    if (!mass::testing::haveDevices(devices)) continue;
    mass::Run run(program, settingsFor(devices));
    EXPECT_EQ(run.step(), 0);
    EXPECT_EQ(run.lastStep(), 30);
    mass::CsvReader table(folder / "meadows.csv");
    for (const std::int64_t count : {0, 1, 9, 10, 7, 3}) {
      run.step(count);
      if (run.step() % 10 != 0 || count == 1) continue;
      ASSERT_TRUE(table.next());
      EXPECT_EQ(table.number<std::int64_t>(0), run.step());
      const mass::Run::Row row = run.row();
      EXPECT_EQ(row.names, (std::vector<std::string>{"grass", "food", "sheep"}));
      for (std::size_t i = 0; i < 3; ++i)
        EXPECT_EQ(table.number<double>(i + 1), row.values[i]) << row.names[i];
    }
    EXPECT_FALSE(table.next());
    EXPECT_TRUE(run.finished());
    EXPECT_EQ(run.time(), 15);
    EXPECT_EQ(run.hash(), hash);
  }
}

TEST(Run, TouchesNoFileAndPrintsNothing) {
  const TemporaryFolder folder;
  const auto results = folder / "results";
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  {
    mass::Run run(program, settingsFor(1, {"checkpoint.every=1", "output.table_every=1",
                                           "output.folder=" + results.string()}));
    run.step(10);
    EXPECT_EQ(run.description(), "  meadows     12 x 9\n");
    EXPECT_EQ(run.takeWarnings(), std::vector<std::string>{"the fifth step is made"});
    EXPECT_TRUE(run.takeWarnings().empty());
  }
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_FALSE(std::filesystem::exists(results));
}

TEST(Run, ShowsPicturesAndData) {
  mass::Run run(program, settingsFor(2));
  run.step(3);
  const auto pictures = run.pictures();
  ASSERT_EQ(pictures.size(), 1U);
  EXPECT_EQ(pictures[0].name, "grass");
  EXPECT_EQ(pictures[0].rows, 12);
  const auto data = run.data();
  ASSERT_EQ(data.size(), 2U);
  const auto& grass = data.at("Meadow").arrays;
  ASSERT_EQ(grass.size(), 1U);
  EXPECT_EQ(static_cast<const float*>(grass[0].data)[5], pictures[0].values[5]);
  const auto& sheep = data.at("Sheep").arrays;
  ASSERT_GE(sheep.size(), 3U);
  EXPECT_EQ(sheep[0].components, 3U) << "positions";
  EXPECT_EQ(sheep.back().name, "food");
}

TEST(Run, ContinuesACheckpointOnOtherDevices) {
  const TemporaryFolder folder;
  mass::Run run(program, settingsFor(1));
  run.step(12);
  const std::uint64_t before = run.hash();
  run.save(folder / "a.h5");
  run.step(18);
  mass::Run other(program, settingsFor(2));
  other.step(25);
  other.restore(folder / "a.h5");
  EXPECT_EQ(other.step(), 12);
  EXPECT_EQ(other.hash(), before);
  other.step(18);
  EXPECT_EQ(other.hash(), run.hash());
  // The program continues it, too.
  EXPECT_EQ(simulate(folder, settingsFor(1, {"output.table_every=10"}), folder / "a.h5"),
            run.hash());
  EXPECT_THROW(other.restore(folder / "none.h5"), mass::CheckpointError);
  EXPECT_EQ(other.hash(), run.hash());
}

TEST(Run, GoesOnBeyondTheLastStep) {
  mass::Run run(program, settingsFor(1));
  run.step(40);
  EXPECT_EQ(run.step(), 40);
  EXPECT_TRUE(run.finished());
}

TEST(Run, ChecksTheStateAtItsEndAndBeforeACheckpoint) {
  const TemporaryFolder folder;
  mass::Run run(program, settingsFor(1, {"steps=120"}));
  run.step(110);
  EXPECT_THROW(run.save(folder / "a.h5"), mass::ModelError);
  EXPECT_FALSE(std::filesystem::exists(folder / "a.h5"));
  EXPECT_THROW(run.step(10), mass::ModelError);
}

TEST(Run, RefusesBadInput) {
  mass::Run run(program, settingsFor(1));
  EXPECT_THROW(run.step(-1), mass::UsageError);
  EXPECT_EQ(run.step(), 0);
  const mass::Program idle{"idle", "", mass::Schema::library(),
                           [](mass::Mass&, mass::Simulation&) {}};
  EXPECT_THROW(mass::Run(idle, settingsFor(1)), mass::UsageError);
  EXPECT_THROW(mass::Run(program, settingsFor(1, {"weights=[1, 2, 3]"})), mass::SettingsError);
}

TEST(Run, MovesWithItsModel) {
  mass::Run first(program, settingsFor(1));
  first.step(4);
  const std::uint64_t hash = first.hash();
  mass::Run second(std::move(first));
  EXPECT_EQ(second.hash(), hash);
  second.step(1);
  EXPECT_EQ(second.takeWarnings().size(), 1U);
  second = mass::Run(program, settingsFor(1));
  EXPECT_EQ(second.step(), 0);
}

TEST(Run, MayExistTwiceOnTwoThreads) {
  const TemporaryFolder folder;
  mass::Run alone(program, settingsFor(1));
  alone.step(60);
  std::vector<std::uint64_t> hashes(2);
  const auto work = [&](std::size_t number) {
    const auto file = folder / std::to_string(number);
    mass::Run run(program, settingsFor(1 + static_cast<int>(number)));
    for (int part = 0; part < 12; ++part) {
      run.step(5);
      (void)run.row();
      run.save(file);
      run.restore(file);
    }
    hashes[number] = run.hash();
  };
  { const std::jthread first(work, 0), second(work, 1); }
  EXPECT_EQ(hashes, (std::vector<std::uint64_t>{alone.hash(), alone.hash()}));
}

}  // namespace
