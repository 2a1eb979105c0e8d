#include <mass/model/agent_output.hpp>

#include "../../support/mass_on_ranks.hpp"
#include "../../support/temporary_folder.hpp"

#include <mass/io/hdf5.hpp>
#include <mass/mass.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace {

using mass::testing::contains;
using mass::testing::messageOf;
using mass::testing::readBytes;
using mass::testing::TemporaryFolder;

class Ground : public mass::Place<2> {
 public:
  using Attributes = mass::Attributes<>;
};

/// Agent that moves at random, has children at times, and dies at an age.
class Walker : public mass::Agent<Ground> {
 public:
  static constexpr int offspring = 1;
  int age = 0;
  float speed[2] = {0, 0};
  bool isOdd = false;
  std::uint8_t lifespan = 6;
  using Attributes =
      mass::Attributes<&Walker::age, &Walker::speed, &Walker::isOdd, &Walker::lifespan>;

  MASS_FN void walk(mass::Intent<Walker>& intent) {
    auto random = intent.random();
    for (float& along : speed) along = random.uniform<float>();
    ++age;
    isOdd = age % 2 == 1;
    if (age > lifespan) return intent.kill();
    intent.move({static_cast<int>(random.below(3)) - 1, static_cast<int>(random.below(3)) - 1});
    if (random.bernoulli(0.02)) intent.spawn(Walker{});
  }
  MASS_FN bool isOld() const { return age >= 5; }
};

/// Cell of a 1-D or 3-D world.
template <int D>
class Cell : public mass::Place<D> {
 public:
  using Attributes = mass::Attributes<>;
};
template <int D>
class Mite : public mass::Agent<Cell<D>> {
 public:
  using Attributes = mass::Attributes<>;
};

mass::Settings settingsIn(const std::filesystem::path& folder, int devices,
                          const std::vector<std::string>& more = {}) {
  mass::Settings settings;
  mass::testing::setDevices(settings, devices);
  settings.set("output.folder=" + folder.string());
  settings.set("output.table_every=0");
  settings.set("output.agents_every=2");
  settings.set("steps=10");
  for (const std::string& assignment : more) settings.set(assignment);
  return settings;
}

/// Runs walkers and returns the exit code. `stopAt`: step at which SIGTERM is raised.
int runWalkers(const mass::Settings& settings, std::int64_t count, std::int64_t stopAt = -1,
               const std::filesystem::path& checkpoint = {}) {
  mass::Mass mass(settings);
  const auto ground = mass.createPlaces<Ground>({11, 7});
  const auto walkers = mass.createAgents<Walker>(ground, count, "walkers");
  mass::Simulation run(mass, "walk");
  run.agentTable<&Walker::age, &Walker::speed, &Walker::isOdd, &Walker::lifespan>(walkers);
  run.data<&Walker::age, &Walker::speed>(walkers);
  run.advance([=](mass::Steps steps) {
    for (std::int64_t step = 0; step < steps.count; ++step) {
      walkers.callAll<&Walker::walk>();
      walkers.manageAll();
      // A step is two rounds: the rule and manageAll.
      if (static_cast<std::int64_t>(walkers.step()) == 2 * stopAt) (void)std::raise(SIGTERM);
    }
  });
  if (!checkpoint.empty()) run.restart(checkpoint);
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  const int code = run.run();
  ::testing::internal::GetCapturedStdout();
  ::testing::internal::GetCapturedStderr();
  return code;
}

TEST(AgentOutput, AxesAreNamedAsInTheWorld) {
  EXPECT_EQ(mass::detail::axisName(1, 0), "row");
  EXPECT_EQ(mass::detail::axisName(2, 0), "row");
  EXPECT_EQ(mass::detail::axisName(2, 1), "column");
  EXPECT_EQ(mass::detail::axisName(3, 1), "line");
  EXPECT_EQ(mass::detail::axisName(3, 2), "column");
}

template <int D>
std::vector<std::vector<std::int64_t>> placesOf(const mass::Shape<D>& shape,
                                                const std::vector<mass::Coordinates<D>>& where) {
  auto mass = mass::testing::makeMass(2);
  const auto cells = mass.createPlaces<Cell<D>>(shape);
  const auto mites = mass.createAgents<Mite<D>>(cells, where);
  const auto frame = mass::detail::agentRows(mites.population(), {}, {});
  EXPECT_EQ(frame.rows, where.size());
  std::vector<std::vector<std::int64_t>> axes;
  for (std::size_t i = 1; i < frame.arrays.size(); ++i) {
    const auto* const values = static_cast<const std::int64_t*>(frame.arrays[i].data);
    axes.push_back({values, values + frame.rows});
  }
  return axes;
}

TEST(AgentOutput, KnowsThePlacesOfAgentsInWorldsOfOneAndThreeAxes) {
  using Axes = std::vector<std::vector<std::int64_t>>;
  EXPECT_EQ(placesOf<1>({9}, {{8}, {0}, {4}}), (Axes{{0, 4, 8}}));
  EXPECT_EQ(placesOf<3>({3, 4, 5}, {{2, 3, 4}, {0, 1, 2}, {2, 0, 0}}),
            (Axes{{0, 2, 2}, {1, 0, 3}, {2, 0, 4}}));
}

/// World with agents at positions in continuous space.
class Speck : public mass::Agent<Ground> {
 public:
  float at[2] = {0, 0};
  double deep[3] = {0, 0, 0};
  using Attributes = mass::Attributes<&Speck::at, &Speck::deep>;
};

template <class T>
std::vector<T> valuesOf(const mass::detail::FieldArray& array, std::size_t rows) {
  const auto* const values = static_cast<const T*>(array.data);
  return {values, values + rows * array.components};
}

TEST(AgentOutput, PointsAreInTheMiddleOfPlacesAndXIsTheLastAxis) {
  auto mass = mass::testing::makeMass(2);
  const auto ground = mass.createPlaces<Ground>({5, 4});
  const auto walkers =
      mass.createAgents<Walker>(ground, std::vector<mass::Coordinates<2>>{{4, 3}, {0, 1}});
  const auto frame = mass::detail::agentPoints(walkers.population(), {0}, 2);
  ASSERT_EQ(frame.rows, 2U);
  ASSERT_EQ(frame.arrays.size(), 3U);
  EXPECT_EQ(valuesOf<double>(frame.arrays[0], 2), (std::vector<double>{3, 1, 0, 7, 9, 0}));
  EXPECT_EQ(frame.arrays[1].name, "id");
  EXPECT_EQ(valuesOf<std::uint64_t>(frame.arrays[1], 2), (std::vector<std::uint64_t>{1, 0}));
  EXPECT_EQ(frame.arrays[2].name, "age");
}

TEST(AgentOutput, PointsAreWhereAnAttributeSays) {
  auto mass = mass::testing::makeMass(2);
  const auto ground = mass.createPlaces<Ground>({5, 4});
  const auto specks =
      mass.createAgents<Speck>(ground, std::vector<mass::Coordinates<2>>{{0, 0}, {4, 3}});
  specks.upload<&Speck::at>(std::vector<std::array<float, 2>>{{0.5F, 1}, {4, 3.5F}});
  specks.upload<&Speck::deep>(std::vector<std::array<double, 3>>{{1, 2, 3}, {4, 5, 6}});
  const auto flat = mass::detail::agentPointsAt(specks.population(), {}, 0);
  EXPECT_EQ(valuesOf<float>(flat.arrays[0], 2), (std::vector<float>{1, 0.5F, 0, 3.5F, 4, 0}));
  const auto deep = mass::detail::agentPointsAt(specks.population(), {}, 1);
  EXPECT_EQ(valuesOf<double>(deep.arrays[0], 2), (std::vector<double>{3, 2, 1, 6, 5, 4}));
}

/// Records the bytes of the arrays of a frame, which rank 0 has.
void record(mass::testing::Record& record, const mass::detail::AgentFrame& frame,
            const std::string& name) {
  for (std::size_t i = 0; i < frame.arrays.size(); ++i) {
    const auto& array = frame.arrays[i];
    EXPECT_EQ(array.data, frame.values[i].data());
    EXPECT_EQ(frame.values[i].size(), frame.rows * array.components * sizeOf(array.type));
    record.add(name + "." + array.name, frame.values[i]);
  }
}

/// Records the frames of walkers on rank 0, and expects that the other ranks have no rows.
void recordFrames(mass::Mass& mass, std::int64_t count, mass::testing::Record& frames) {
  const auto ground = mass.createPlaces<Ground>({17, 4});
  const auto walkers = mass.createAgents<Walker>(ground, count, "walkers");
  const auto ids = walkers.ids();
  walkers.initialise<&Walker::age>([](std::uint64_t id) { return static_cast<int>(id % 8); });
  walkers.initialise<&Walker::speed>([](std::uint64_t id) {
    return std::array<float, 2>{static_cast<float>(id), 0.5F};
  });
  const auto& population = walkers.population();
  const auto old = mass::detail::mapReportedAgents<Walker, &Walker::isOld>(population);
  const auto all = mass::detail::agentRows(population, {0, 1, 2}, {});
  const auto some = mass::detail::agentRows(population, {1}, old);
  const auto points = mass::detail::agentPoints(population, {3}, 0.5);
  const auto at = mass::detail::agentPointsAt(population, {0}, 1);
  const bool isFirst = mass.devices().ranks().isFirst();
  EXPECT_EQ(all.rows, isFirst ? ids.size() : 0);
  EXPECT_EQ(some.rows, isFirst ? ids.size() / 8 * 3 : 0);
  EXPECT_EQ(points.rows, all.rows);
  EXPECT_EQ(at.rows, all.rows);
  if (!isFirst) return;
  record(frames, all, "all");
  record(frames, some, "some");
  record(frames, points, "points");
  record(frames, at, "at");
}

TEST(AgentOutput, OfAllRanksIsOnTheFirst) {
  for (const std::int64_t count : {0, 1, 2, 64}) {
    mass::testing::Record expected;
    mass::testing::onRanks({}, [&](mass::Mass& mass) { recordFrames(mass, count, expected); });
    for (const mass::testing::RankSetup& setup : mass::testing::usualRanks()) {
      mass::testing::Record frames;
      mass::testing::onRanks(setup, [&](mass::Mass& mass) {
        mass::testing::Record here;
        recordFrames(mass, count, here);
        if (mass.devices().ranks().isFirst()) frames = here;
      });
      EXPECT_TRUE(areEqual(frames, expected)) << setup.text() << "; " << count << " agents";
    }
  }
}

/// Returns the numbers of a dataset of a file.
std::vector<double> numbersIn(const std::filesystem::path& path, const std::string& name) {
  const auto file = mass::detail::hdf5::openFile(path);
  const mass::detail::hdf5::Id set(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose, "H5Dopen2");
  std::size_t count = 1;
  for (const auto extent : mass::detail::hdf5::shapeOf(set)) count *= extent;
  std::vector<double> values(count);
  mass::detail::hdf5::readDataset(file, name, H5T_NATIVE_DOUBLE, count, values.data());
  return values;
}

TEST(AgentData, IsTheSameOnEveryNumberOfDevicesAndAfterARestart) {
  const TemporaryFolder folder;
  const std::vector<std::string> more{"output.data_every=5", "checkpoint.every=5", "steps=20"};
  ASSERT_EQ(runWalkers(settingsIn(folder / "1", 1, more), 25), 0);
  for (const int devices : {2, 3, 5}) {
    ASSERT_EQ(runWalkers(settingsIn(folder / "2", devices, more), 25), 0);
    ASSERT_EQ(runWalkers(settingsIn(folder / "3", 1, more), 25, 8), 128 + SIGTERM);
    ASSERT_EQ(
        runWalkers(settingsIn(folder / "3", devices, more), 25, -1, folder / "3" / "checkpoint.h5"),
        0);
    for (const std::string name : {"Points", "PointData/id", "PointData/age", "PointData/speed",
                                   "NumberOfPoints", "Steps/PointOffsets", "Steps/Values"}) {
      const auto expected = numbersIn(folder / "1" / "walkers.vtkhdf", "VTKHDF/" + name);
      EXPECT_EQ(numbersIn(folder / "2" / "walkers.vtkhdf", "VTKHDF/" + name), expected) << name;
      EXPECT_EQ(numbersIn(folder / "3" / "walkers.vtkhdf", "VTKHDF/" + name), expected) << name;
    }
  }
  const auto counts = numbersIn(folder / "1" / "walkers.vtkhdf", "VTKHDF/NumberOfPoints");
  ASSERT_EQ(counts.size(), 5U);
  EXPECT_EQ(counts.front(), 25);
  EXPECT_EQ(counts.back(), 0);  // all have died
}

TEST(AgentData, HasTheTimesThatStepsAreOf) {
  const TemporaryFolder folder;
  mass::Mass mass(settingsIn(folder.path(), 1, {"output.agents_every=0", "output.data_every=4"}));
  const auto walkers = mass.createAgents<Walker>(mass.createPlaces<Ground>({5, 4}), 3, "walkers");
  mass::Simulation run(mass, "walk");
  run.timeStep(0.25);
  run.data<&Walker::age>(walkers);
  run.advance([](mass::Steps) {});
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(run.run(), 0);
  ::testing::internal::GetCapturedStdout();
  EXPECT_EQ(numbersIn(folder / "walkers.vtkhdf", "VTKHDF/Steps/Values"),
            (std::vector<double>{0, 1, 2}));
}

TEST(AgentTables, HaveARowForEachAgentAtEverySoManySteps) {
  const TemporaryFolder folder;
  auto settings = settingsIn(folder.path(), 2);
  mass::Mass mass(settings);
  const auto ground = mass.createPlaces<Ground>({5, 4});
  const auto walkers = mass.createAgents<Walker>(
      ground, std::vector<mass::Coordinates<2>>{{4, 3}, {0, 1}, {4, 3}}, "walkers");
  walkers.initialise<&Walker::age>([](std::uint64_t id) { return static_cast<int>(10 * id); });
  walkers.initialise<&Walker::speed>([](std::uint64_t id) {
    return std::array<float, 2>{0.1F + static_cast<float>(id), -0.5F};
  });
  mass::Simulation run(mass, "walk");
  run.agentTable<&Walker::age, &Walker::speed, &Walker::isOdd, &Walker::lifespan>(walkers);
  run.advance([](mass::Steps) {});
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(run.run(), 0);
  EXPECT_TRUE(contains(::testing::internal::GetCapturedStdout(),
                       "agent table " + (folder / "walkers.csv").string()));
  std::string expected = "step,id,row,column,age,speed.0,speed.1,isOdd,lifespan\n";
  for (const std::string step : {"0", "2", "4", "6", "8", "10"}) {
    expected += step + ",1,0,1,10,1.1,-0.5,0,6\n";
    expected += step + ",0,4,3,0,0.1,-0.5,0,6\n";
    expected += step + ",2,4,3,20,2.1,-0.5,0,6\n";
  }
  EXPECT_EQ(readBytes(folder / "walkers.csv"), expected);
}

TEST(AgentTables, AreTheSameOnEveryNumberOfDevices) {
  const TemporaryFolder folder;
  for (const int devices : {1, 2, 3, 5}) {
    if (!mass::testing::haveDevices(devices)) continue;
    const auto results = folder / std::to_string(devices);
    ASSERT_EQ(runWalkers(settingsIn(results, devices), 40), 0);
    EXPECT_EQ(readBytes(results / "walkers.csv"), readBytes(folder / "1" / "walkers.csv"));
  }
  const std::string table = readBytes(folder / "1" / "walkers.csv");
  EXPECT_GT(std::count(table.begin(), table.end(), '\n'), 4 * 40);
}

TEST(AgentTables, OnlyHaveTheAgentsThatAFilterAccepts) {
  const TemporaryFolder folder;
  mass::Mass mass(settingsIn(folder.path(), 3, {"steps=0"}));
  const auto ground = mass.createPlaces<Ground>({11, 7});
  const auto walkers = mass.createAgents<Walker>(ground, 30);
  walkers.initialise<&Walker::age>([](std::uint64_t id) { return static_cast<int>(id % 7); });
  mass::Simulation run(mass, "walk");
  run.agentTable<&Walker::age>(walkers, mass::only<&Walker::isOld>);
  run.advance([](mass::Steps) {});
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(run.run(), 0);
  ::testing::internal::GetCapturedStdout();
  const auto ids = walkers.ids();
  const auto places = walkers.coordinates();
  std::string expected = "step,id,row,column,age\n";
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] % 7 < 5) continue;
    expected += fmt::format("0,{},{},{},{}\n", ids[i], places[i][0], places[i][1], ids[i] % 7);
  }
  EXPECT_EQ(readBytes(folder / "Walker.csv"), expected);
}

TEST(AgentTables, OfNoAgentsHaveNoRows) {
  const TemporaryFolder folder;
  ASSERT_EQ(runWalkers(settingsIn(folder / "csv", 3), 0), 0);
  EXPECT_EQ(readBytes(folder / "csv" / "walkers.csv"),
            "step,id,row,column,age,speed.0,speed.1,isOdd,lifespan\n");
  EXPECT_EQ(runWalkers(settingsIn(folder / "hdf5", 3, {"output.agents_format=hdf5"}), 0), 0);
  EXPECT_TRUE(std::filesystem::exists(folder / "hdf5" / "walkers.h5"));
}

class Restarted : public ::testing::TestWithParam<const char*> {
 protected:
  mass::Settings settingsOf(const std::string& name, int devices,
                            std::vector<std::string> more = {}) {
    more.insert(more.end(), {"checkpoint.every=3", "steps=20",
                             std::string("output.agents_format=") + GetParam()});
    return settingsIn(folder / name, devices, more);
  }
  void expectSameTables(const std::string& a, const std::string& b) {
    if (std::string(GetParam()) == "csv") {
      EXPECT_EQ(readBytes(folder / a / "walkers.csv"), readBytes(folder / b / "walkers.csv"));
    } else {
      EXPECT_EQ(columnsIn(a), columnsIn(b));
    }
  }
  /// Returns the columns of an HDF5 table as numbers.
  std::map<std::string, std::vector<double>> columnsIn(const std::string& name) {
    const auto file = mass::detail::hdf5::openFile(folder / name / "walkers.h5");
    std::map<std::string, std::vector<double>> columns;
    for (const std::string& column : mass::detail::hdf5::memberNames(file)) {
      columns[column] = numbersIn(folder / name / "walkers.h5", column);
    }
    EXPECT_EQ(columns.size(), 8U);
    EXPECT_GT(columns["id"].size(), 100U);
    return columns;
  }

  TemporaryFolder folder;
};

TEST_P(Restarted, GoesOnAsIfItHadNeverStoppedAlsoWhenAllHaveDied) {
  ASSERT_EQ(runWalkers(settingsOf("whole", 1), 25), 0);
  if (std::string(GetParam()) == "csv") {
    EXPECT_TRUE(contains(readBytes(folder / "whole" / "walkers.csv"), "\n10,"));
    EXPECT_FALSE(contains(readBytes(folder / "whole" / "walkers.csv"), "\n18,"));
  }
  for (const std::int64_t stop : {4, 7, 15}) {
    std::filesystem::remove_all(folder / "parts");
    EXPECT_EQ(runWalkers(settingsOf("parts", 2), 25, stop), 128 + SIGTERM);
    EXPECT_EQ(runWalkers(settingsOf("parts", 3), 25, -1, folder / "parts" / "checkpoint.h5"), 0);
    expectSameTables("parts", "whole");
  }
}

TEST_P(Restarted, DropsRowsAfterTheCheckpoint) {
  ASSERT_EQ(runWalkers(settingsOf("whole", 1), 25), 0);
  std::filesystem::copy(folder / "whole", folder / "parts",
                        std::filesystem::copy_options::recursive);
  // The restart at step 18 removes the rows of later steps and writes them again.
  EXPECT_EQ(runWalkers(settingsOf("parts", 2), 25, -1, folder / "whole" / "checkpoint.h5"), 0);
  expectSameTables("parts", "whole");
}

TEST_P(Restarted, RefusesATableThatIsNotOfTheRun) {
  ASSERT_EQ(runWalkers(settingsOf("a", 1), 25), 0);
  ASSERT_EQ(runWalkers(settingsOf("b", 1, {"checkpoint.every=0", "output.agents_every=1000"}), 25),
            0);
  const std::string message = messageOf<mass::OutputError>(
      [&] { (void)runWalkers(settingsOf("b", 1), 25, -1, folder / "a" / "checkpoint.h5"); });
  (void)::testing::internal::GetCapturedStdout();
  (void)::testing::internal::GetCapturedStderr();
  EXPECT_TRUE(contains(message, "cannot continue the table"));
  EXPECT_TRUE(contains(message, "of step ")) << message;
  EXPECT_TRUE(contains(message, "another run wrote it")) << message;
}

INSTANTIATE_TEST_SUITE_P(AgentTables, Restarted, ::testing::Values("csv", "hdf5"));

TEST(Output, ThatAModelDoesNotHaveIsRefused) {
  const auto refusal = [](const std::string& assignment) {
    const TemporaryFolder folder;
    mass::Settings settings = settingsIn(folder.path(), 1, {"output.agents_every=0", assignment});
    mass::Mass mass(settings);
    mass::Simulation run(mass, "walk");
    run.advance([](mass::Steps) {});
    const auto message = messageOf<mass::SettingsError>([&] { (void)run.run(); });
    EXPECT_TRUE(folder.names().empty());
    return message;
  };
  for (const std::string kind : {"table", "frame", "data", "agents"}) {
    const std::string key = "output." + kind + "_every";
    EXPECT_TRUE(contains(refusal(key + "=2"), "--set " + key + "=2: 'walk' has no "));
  }
  EXPECT_TRUE(contains(refusal("output.agents_every=2"), "leave it out, or set it to 0"));
}

TEST(AgentTables, NeedFilesOfTheirOwn) {
  const TemporaryFolder folder;
  mass::Mass mass(settingsIn(folder.path(), 1));
  const auto ground = mass.createPlaces<Ground>({5, 4});
  const auto walkers = mass.createAgents<Walker>(ground, 3, "walk");
  mass::Simulation run(mass, "walk");
  EXPECT_TRUE(contains(messageOf<mass::UsageError>([&] { run.agentTable(walkers); }),
                       "rename the agents 'walk'"));
  mass::Simulation other(mass, "other");
  other.agentTable(walkers);
  EXPECT_THROW(other.agentTable<&Walker::age>(walkers), mass::UsageError);
}

TEST(AgentTables, CannotHaveTheFilesOfTheLoadBalance) {
  const TemporaryFolder folder;
  mass::Mass mass(settingsIn(folder.path(), 1));
  const auto ground = mass.createPlaces<Ground>({5, 4});
  const auto walkers = mass.createAgents<Walker>(ground, 3, "balance-Ground");
  const auto others = mass.createAgents<Walker>(ground, 3, "balance");
  mass::Simulation run(mass, "walk");
  EXPECT_TRUE(contains(messageOf<mass::UsageError>([&] { run.agentTable(walkers); }),
                       "agents named 'balance-Ground' cannot have a table"));
  EXPECT_NO_THROW(run.agentTable(others));
}

TEST(AgentTables, ACheckpointCannotTakeTheirFiles) {
  const TemporaryFolder folder;
  for (const std::string format : {"csv", "hdf5"}) {
    const auto file = folder / (format == "csv" ? "walkers.csv" : "walkers.h5");
    const auto message = messageOf<mass::SettingsError>([&] {
      (void)runWalkers(settingsIn(folder.path(), 1,
                                  {"output.agents_format=" + format, "checkpoint.every=3",
                                   "checkpoint.file=" + file.string()}),
                       5);
    });
    (void)::testing::internal::GetCapturedStdout();
    (void)::testing::internal::GetCapturedStderr();
    EXPECT_TRUE(contains(message, "the table of agents"));
  }
  const auto within = messageOf<mass::SettingsError>([&] {
    (void)runWalkers(settingsIn(folder.path(), 1,
                                {"output.agents_format=hdf5", "checkpoint.every=3",
                                 "checkpoint.file=" + (folder / "walkers/a.h5").string()}),
                     5);
  });
  (void)::testing::internal::GetCapturedStdout();
  (void)::testing::internal::GetCapturedStderr();
  EXPECT_TRUE(contains(within, "the folder of the table of agents"));
}

}  // namespace
