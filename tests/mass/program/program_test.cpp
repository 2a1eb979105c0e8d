#include <mass/program/program.hpp>

#include "../../support/make_mass.hpp"
#include "../../support/temporary_folder.hpp"

#include <mass/io/image.hpp>
#include <mass/mass.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

using mass::testing::contains;
using mass::testing::readBytes;
using mass::testing::TemporaryFolder;

/// Heat that diffuses, with random sources.
class Drift : public mass::Place<2> {
 public:
  float heat = 0;
  using Attributes = mass::Attributes<&Drift::heat>;

  MASS_FN void advance(const mass::Neighborhood<Drift>& near) {
    heat = 0.5F * near(-1, 0).heat + 0.3F * near(0, 1).heat + near.random().uniform<float>();
  }
};

struct Outcome {
  int code;
  std::string out, err;

  std::string hash() const {
    const auto at = out.find("state hash");
    return at == std::string::npos ? "none" : out.substr(at, out.find('\n', at) - at);
  }
};

class Programs : public ::testing::Test {
 protected:
  TemporaryFolder folder;
  std::int64_t killedAt = -1;  ///< step at which SIGTERM is raised
  std::int64_t badAt = -1;     ///< step from which check() throws
  std::vector<std::int64_t> checked;
  bool advances = true;
  bool hasStepColumn = true;  ///< false: "double" instead
  bool hasOldKey = false;     ///< adds a settings key that other runs lack
  std::string reads;          ///< input file of the model
  std::string formerName;     ///< former name of the program; empty: none

  mass::Program program(const std::string& name) {
    mass::Program program;
    program.name = name;
    program.about = "drifting heat";
    program.schema.add("rows", 9, "places", "height").atLeast(1);
    program.schema.add("start", "0", "", "initial heat");
    if (hasOldKey) program.schema.add("wind", 1.0, "", "of an older version");
    program.setUp = [this](mass::Mass& mass, mass::Simulation& simulation) {
      auto places = mass.createPlaces<Drift>({mass.settings().get<std::int64_t>("rows"), 6});
      const float start = std::stof(mass.settings().get<std::string>("start"));
      places.initialise<&Drift::heat>([=](const auto&) { return start; });
      if (!formerName.empty()) simulation.formerName(formerName);
      if (!reads.empty()) (void)mass.settings().resolve(reads);
      simulation.observe("total", [=] { return places.reduce<&Drift::heat>(mass::sum); });
      if (hasStepColumn) {
        simulation.observe("step", [=] { return static_cast<double>(places.step()); });
      } else {
        simulation.observe("double", [=] { return 2 * places.reduce<&Drift::heat>(mass::sum); });
      }
      simulation.picture<&Drift::heat>(places, 0, 2);
      simulation.data<&Drift::heat>(places, 0.5);
      simulation.check([this, &simulation] {
        checked.push_back(simulation.step());
        if (badAt >= 0 && simulation.step() >= badAt) throw mass::ModelError("it is bad");
      });
      if (!advances) return;
      simulation.advance([this, places](mass::Steps steps) {
        const auto before = static_cast<std::int64_t>(places.step());
        places.callAll<&Drift::advance>(steps);
        if (before <= killedAt && killedAt < before + steps.count) (void)std::raise(SIGTERM);
      });
    };
    return program;
  }

  /// Runs the program with its results in `results` and further command line options.
  Outcome run(const std::string& results, const std::vector<std::string>& options = {},
              const std::string& name = "drift") {
    mass::testing::writeBytes(folder / "drift.yaml",
                              "backend: " + mass::testing::testBackend() +
                                  "\nsteps: 20\noutput:\n  table_every: 2\n  frame_every: 5\n"
                                  "  data_every: 10\ncheckpoint:\n  every: 7\n");
    std::vector<std::string> arguments = {name, (folder / "drift.yaml").string(), "--set",
                                          "output.folder=" + (folder / results).string()};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return runWith(arguments, name);
  }

  Outcome runWith(const std::vector<std::string>& arguments, const std::string& name = "drift") {
    std::vector<const char*> argv;
    for (const auto& argument : arguments) argv.push_back(argument.c_str());
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const int code = mass::runProgram(static_cast<int>(argv.size()), argv.data(), program(name));
    std::string out = ::testing::internal::GetCapturedStdout();
    return {code, std::move(out), ::testing::internal::GetCapturedStderr()};
  }

  std::vector<std::string> filesIn(const std::string& name) const {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder / name)) {
      files.push_back(entry.path().filename().string());
    }
    std::sort(files.begin(), files.end());
    return files;
  }
};

TEST_F(Programs, WriteATablePicturesAnAnimationDataAndACheckpoint) {
  const Outcome run = this->run("a");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(filesIn("a/frames"),
            (std::vector<std::string>{"000000000.png", "000000005.png", "000000010.png",
                                      "000000015.png", "000000020.png"}));
  for (const char* const file :
       {"a/drift.csv", "a/drift.gif", "a/checkpoint.h5", "a/Drift.vtkhdf"}) {
    EXPECT_TRUE(std::filesystem::exists(folder / file)) << file;
    EXPECT_EQ(contains(run.out, (folder / file).string()), file != std::string("a/checkpoint.h5"));
  }
  std::istringstream table(readBytes(folder / "a/drift.csv"));
  std::string line;
  std::getline(table, line);
  EXPECT_EQ(line, "step,total,step");
  for (int step = 0; step <= 20; step += 2) {
    ASSERT_TRUE(std::getline(table, line)) << step;
    EXPECT_EQ(line.substr(0, line.find(',') + 1), std::to_string(step) + ",");
    EXPECT_EQ(line.substr(line.rfind(',')), "," + std::to_string(step));
  }
  EXPECT_FALSE(std::getline(table, line)) << line;
  EXPECT_TRUE(contains(run.out, "step 20 of 20, "));
  const bool onGpu = mass::testing::testBackend() == "cuda";
  EXPECT_TRUE(contains(run.out, onGpu ? " places, 1 GPU device (" : " places, 1 CPU device, "));
}

TEST_F(Programs, DrawPicturesInTheColoursOfTheSettings) {
  for (const std::string palette : {"gray", "ice", "viridis"}) {
    ASSERT_EQ(
        run(palette, {"--set", "output.palette=" + palette, "--set", "output.legend=false"}).code,
        0);
    const auto picture = mass::readPng(folder / palette / "frames/000000005.png");
    EXPECT_EQ(picture.colorMap, mass::ColorMap::named(palette));
  }
}

TEST_F(Programs, DrawALegendBelowThePictures) {
  ASSERT_EQ(run("a").code, 0);
  ASSERT_EQ(run("b", {"--set", "output.legend=false"}).code, 0);
  const auto with = mass::readPng(folder / "a/frames/000000005.png").image;
  const auto without = mass::readPng(folder / "b/frames/000000005.png").image;
  EXPECT_EQ(without.width, 54 * 6);
  EXPECT_EQ(without.height, 54 * 9);
  EXPECT_EQ(with.width, 400);  // the legend of a narrow picture
  EXPECT_GT(with.height, without.height + 40);
}

TEST_F(Programs, GoOnWithoutAnAnimationIfEarlierFramesHaveAnotherSize) {
  ASSERT_EQ(run("a", {"--set", "output.legend=false"}).code, 0);
  const Outcome again = run("a", {"--restart", (folder / "a/checkpoint.h5").string()});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_TRUE(contains(again.err, "there is no animation of all frames: frame '")) << again.err;
  EXPECT_FALSE(contains(again.out, "drift.gif"));
}

TEST_F(Programs, PlotColumnsOfTheTable) {
  hasStepColumn = false;
  const std::string plot = "output.plot=[total, double]";
  const Outcome straight = run("a", {"--set", plot});
  ASSERT_EQ(straight.code, 0) << straight.err;
  for (const char* const file : {"a/drift.plot.svg", "a/drift.plot.png"}) {
    EXPECT_TRUE(std::filesystem::exists(folder / file)) << file;
    EXPECT_TRUE(contains(straight.out, (folder / file).string())) << straight.out;
  }
  const std::string svg = readBytes(folder / "a/drift.plot.svg");
  for (const char* const text : {">total</text>", ">double</text>", ">step</text>", ">20</text>"})
    EXPECT_TRUE(contains(svg, text)) << text;
  // A restarted run plots the rows of the earlier run, too.
  std::filesystem::copy(folder / "a", folder / "b", std::filesystem::copy_options::recursive);
  const Outcome again =
      run("b", {"--set", plot, "--restart", (folder / "a/checkpoint.h5").string()});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(readBytes(folder / "b/drift.plot.svg"), svg);
  EXPECT_EQ(readBytes(folder / "b/drift.plot.png"), readBytes(folder / "a/drift.plot.png"));
  EXPECT_FALSE(contains(run("c").out, "plot"));
}

TEST_F(Programs, RefuseAPlotOfColumnsThatTheTableLacks) {
  hasStepColumn = false;
  const auto refused = [&](const std::string& assignment) {
    const Outcome run = this->run("a", {"--set", "output.plot=total", "--set", assignment});
    EXPECT_EQ(run.code, 2);
    EXPECT_FALSE(std::filesystem::exists(folder / "a"));
    return run.err;
  };
  EXPECT_TRUE(contains(refused("output.plot=[total, doubel]"),
                       "the table has no column 'doubel'; did you mean 'double'?"));
  EXPECT_TRUE(contains(refused("output.plot=xyzzyplugh"), "the columns are total, double"));
  EXPECT_TRUE(contains(refused("output.table_every=0"), "'drift' writes no table"));
  EXPECT_TRUE(contains(refused("checkpoint.file=" + (folder / "a/drift.plot.png").string()),
                       "is used for the plot"));
  hasStepColumn = true;
  EXPECT_TRUE(contains(refused("output.plot=total"), "the table has two columns 'step'"));
}

TEST_F(Programs, ARestartOnAnotherNumberOfDevicesGivesTheSameResultsByteForByte) {
  if (!mass::testing::haveDevices(4)) GTEST_SKIP() << "needs 4 GPUs";
  const Outcome straight = run("a");
  ASSERT_EQ(straight.code, 0) << straight.err;
  for (const char* const devices : {"devices=1", "devices=4"}) {
    std::filesystem::remove_all(folder / "b");
    std::filesystem::copy(folder / "a", folder / "b", std::filesystem::copy_options::recursive);
    // The restart at step 14 removes the output of later steps and writes it again.
    const Outcome again =
        run("b", {"--set", devices, "--restart", (folder / "a/checkpoint.h5").string()});
    ASSERT_EQ(again.code, 0) << again.err;
    EXPECT_EQ(again.hash(), straight.hash());
    EXPECT_NE(again.hash(), "none");
    EXPECT_EQ(readBytes(folder / "b/drift.csv"), readBytes(folder / "a/drift.csv"));
    EXPECT_EQ(filesIn("b/frames"), filesIn("a/frames"));
    for (const auto& frame : filesIn("a/frames")) {
      EXPECT_EQ(readBytes(folder / "b/frames" / frame), readBytes(folder / "a/frames" / frame));
    }
    EXPECT_EQ(readBytes(folder / "b/drift.gif"), readBytes(folder / "a/drift.gif"));
  }
}

TEST_F(Programs, BalancingChangesNoResult) {
  if (!mass::testing::haveDevices(3)) GTEST_SKIP() << "needs 3 GPUs";
  const Outcome usual = run("a", {"--set", "devices=3"});
  EXPECT_FALSE(contains(usual.out, "balance"));
  const Outcome balanced =
      run("b", {"--set", "devices=3", "--set", "balance.every=3", "--set", "balance.threshold=0"});
  ASSERT_EQ(balanced.code, 0) << balanced.err;
  EXPECT_TRUE(contains(balanced.out, " of 6 checks")) << balanced.out;
  const std::string rows = readBytes(folder / "b/balance-Drift.csv");
  EXPECT_TRUE(rows.starts_with("step,imbalance,expected,rows.0,rows.1,rows.2\n3,")) << rows;
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 7) << rows;
  EXPECT_EQ(balanced.hash(), usual.hash());
  EXPECT_EQ(readBytes(folder / "b/drift.csv"), readBytes(folder / "a/drift.csv"));
  EXPECT_FALSE(
      contains(run("c", {"--set", "devices=1", "--set", "balance.every=3"}).out, "checks"));
}

TEST_F(Programs, ASignalLeavesACheckpointAndSaysHowToGoOn) {
  if (!mass::testing::haveDevices(2)) GTEST_SKIP() << "needs 2 GPUs";
  const Outcome straight = run("a");
  killedAt = 11;
  const Outcome killed = run("b", {"--set", "devices=2"});
  EXPECT_EQ(killed.code, 128 + SIGTERM) << killed.err;
  const auto checkpoint = (folder / "b/checkpoint.h5").string();
  EXPECT_TRUE(contains(killed.err, "--restart " + checkpoint));
  EXPECT_NE(killed.hash(), straight.hash());
  killedAt = -1;
  const Outcome again = run("b", {"--restart", checkpoint});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.hash(), straight.hash());
  EXPECT_EQ(readBytes(folder / "b/drift.csv"), readBytes(folder / "a/drift.csv"));
  EXPECT_EQ(filesIn("b/frames"), filesIn("a/frames"));
}

TEST_F(Programs, ASignalWithoutCheckpointsSaysThatThereIsNone) {
  killedAt = 3;
  const Outcome killed = run("a", {"--set", "checkpoint.every=0"});
  EXPECT_EQ(killed.code, 128 + SIGTERM);
  EXPECT_TRUE(contains(killed.err, "No checkpoint"));
  EXPECT_FALSE(std::filesystem::exists(folder / "a/checkpoint.h5"));
}

TEST_F(Programs, ASignalInTheLastStepsComesTooLateToStopThem) {
  const Outcome straight = run("a");
  killedAt = 19;
  const Outcome late = run("b");
  EXPECT_EQ(late.code, 0) << late.err;
  EXPECT_EQ(late.err, straight.err);
  EXPECT_EQ(late.hash(), straight.hash());
}

TEST(Duration, IsSoManyStepsUnlessTheyAreGiven) {
  for (const auto& [given, expected] : {std::pair{"", 7}, {"steps=3", 3}, {"steps=30", 30}}) {
    const TemporaryFolder folder;
    mass::Settings settings;
    mass::testing::setDevices(settings, 1);
    settings.set("output.folder=" + folder.path().string());
    if (*given != '\0') settings.set(given);
    mass::Mass mass(settings);
    mass::Simulation run(mass, "clock");
    std::int64_t steps = 0;
    run.timeStep(0.3);
    run.duration(2.1);  // 2.1 / 0.3 is slightly above 7 in double
    run.advance([&](mass::Steps more) { steps += more.count; });
    ::testing::internal::CaptureStdout();
    EXPECT_EQ(run.run(), 0);
    ::testing::internal::GetCapturedStdout();
    EXPECT_EQ(steps, expected) << given;
  }
}

TEST(Columns, AreComputedForTheirRowsOnly) {
  const TemporaryFolder folder;
  mass::Settings settings;
  mass::testing::setDevices(settings, 1);
  for (const char* const assignment : {"steps=10", "output.table_every=5", "checkpoint.every=2"})
    settings.set(assignment);
  settings.set("output.folder=" + folder.path().string());
  mass::Mass mass(settings);
  mass::Simulation run(mass, "counter");
  int calls = 0;
  run.observe("calls", [&] { return static_cast<double>(++calls); });
  run.advance([](mass::Steps) {});
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(run.run(), 0);
  ::testing::internal::GetCapturedStdout();
  EXPECT_EQ(readBytes(folder / "counter.csv"), "step,calls\n0,1\n5,2\n10,3\n");
}

TEST_F(Programs, AreCheckedBeforeAnythingButARowIsWritten) {
  EXPECT_EQ(run("a").code, 0);
  EXPECT_EQ(checked, (std::vector<std::int64_t>{0, 5, 7, 10, 14, 15, 20}));
  checked.clear();
  const Outcome silent = run("b", {"--set", "output.table_every=0", "--set", "output.frame_every=0",
                                   "--set", "output.data_every=0", "--set", "checkpoint.every=0"});
  EXPECT_EQ(silent.code, 0) << silent.err;
  EXPECT_EQ(checked, (std::vector<std::int64_t>{20}));
}

TEST_F(Programs, KeepWhatWasWrittenWhenTheModelWasStillGood) {
  badAt = 11;
  const Outcome failed = run("a");
  EXPECT_EQ(failed.code, 2);
  EXPECT_TRUE(contains(failed.err, "it is bad")) << failed.err;
  EXPECT_EQ(filesIn("a/frames").size(), 3U);  // steps 0, 5 and 10
  const auto checkpoint = readBytes(folder / "a/checkpoint.h5");
  killedAt = 11;  // a signal asks for a checkpoint of step 12
  const Outcome killed = run("a", {"--restart", (folder / "a/checkpoint.h5").string()});
  EXPECT_EQ(killed.code, 2);
  EXPECT_TRUE(contains(killed.err, "it is bad")) << killed.err;
  EXPECT_EQ(readBytes(folder / "a/checkpoint.h5"), checkpoint);
}

TEST_F(Programs, ZeroStepsShowTheStart) {
  const Outcome run = this->run("a", {"--set", "steps=0"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(readBytes(folder / "a/drift.csv"), "step,total,step\n0,0,0\n");
  EXPECT_EQ(filesIn("a/frames").size(), 1U);
}

TEST_F(Programs, ANewRunLeavesNothingOfAnOlderOne) {
  (void)run("a");
  const Outcome shorter = run("a", {"--set", "steps=6"});
  EXPECT_EQ(shorter.code, 0) << shorter.err;
  EXPECT_EQ(filesIn("a/frames"), (std::vector<std::string>{"000000000.png", "000000005.png"}));
}

TEST_F(Programs, AreReproducedFromTheirRecord) {
  ASSERT_EQ(run("a").code, 0);
  const std::string table = readBytes(folder / "a/drift.csv");
  const auto record = (folder / "a/run.json").string();
  const Outcome again = runWith({"drift", "--again", record});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_TRUE(contains(again.out, "reproduced  " + record)) << again.out;
  EXPECT_EQ(readBytes(folder / "a/again/drift.csv"), table);
  const Outcome other = runWith({"drift", "--again", record, "--set", "seed=99"});
  EXPECT_EQ(other.code, 2);
  EXPECT_TRUE(contains(other.err, "is not reproduced: its state hash is")) << other.err;
  EXPECT_EQ(readBytes(folder / "a/drift.csv"), table);
}

TEST_F(Programs, DescribeTheRunInDataAndCheckpoints) {
  ASSERT_EQ(run("a").code, 0);
  for (const char* const file :
       {"a/Drift.vtkhdf", "a/Drift/000000000010.vtkhdf", "a/checkpoint.h5"}) {
    EXPECT_TRUE(contains(readBytes(folder / file), "{\n  \"program\": \"drift\"")) << file;
  }
}

TEST_F(Programs, NothingAskedForNothingWritten) {
  const Outcome run =
      this->run("a", {"--set", "output.table_every=0", "--set", "output.frame_every=0", "--set",
                      "output.data_every=0", "--set", "checkpoint.every=0"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_FALSE(std::filesystem::exists(folder / "a"));
}

TEST_F(Programs, EveryErrorIsOneLineAndExitCode2) {
  const auto expectError = [&](const Outcome& outcome, const std::string& part) {
    EXPECT_EQ(outcome.code, 2);
    EXPECT_TRUE(contains(outcome.err, part));
    EXPECT_EQ(outcome.err.substr(0, 7), "drift: ") << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(folder / "e/drift.csv"));
  };
  expectError(run("e", {"--set", "rowz=3"}), "rows");
  expectError(run("e", {"--set", "rows=0"}), "at least 1");
  expectError(run("e", {"--set", "rows=3", "--set", "backend=cpu", "--set", "devices=5"}),
              "only 3 rows");
  expectError(run("e", {"--set", "rows=100000000000"}), "make the world smaller");
  expectError(run("e", {"--set", "rows=9000000000000000000"}), "too large");
  expectError(run("e", {"--restart", (folder / "none.h5").string()}), "none.h5");
  expectError(runWith({"drift", (folder / "none.yaml").string()}), "none.yaml");
  expectError(runWith({"drift", (folder / "line\nbreak.yaml").string()}), "line?break.yaml");
  advances = false;
  expectError(run("e"), "has called neither Simulation::advance, step nor events");
}

TEST_F(Programs, ACheckpointTakesThePlaceOfNoDevice) {
  const auto pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const Outcome outcome = run("p", {"--set", "checkpoint.file=" + pipe.string()});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(contains(outcome.err, "exists and is no file")) << outcome.err;
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  EXPECT_FALSE(std::filesystem::exists(folder / "p"));
}

TEST_F(Programs, ACheckpointTakesThePlaceOfNoFileThatTheModelReads) {
  const auto input = folder / "geometry.h5";
  mass::testing::writeBytes(input, "what the model reads");
  reads = input.string();
  const Outcome outcome = run("p", {"--set", "checkpoint.file=" + input.string()});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(
      contains(outcome.err, "geometry.h5' is used for the model's input: name another file"))
      << outcome.err;
  EXPECT_EQ(mass::testing::readBytes(input), "what the model reads");
  EXPECT_EQ(run("p").code, 0);
}

TEST_F(Programs, AreNotBalancedByAgentsThatTheyDoNotHave) {
  const Outcome outcome = run("p", {"--set", "balance.by=agents"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(contains(outcome.err, "'drift' has no agents: set it to time")) << outcome.err;
}

TEST_F(Programs, ACheckpointOfAnotherProgramOrShapeIsRefused) {
  const auto checkpoint = (folder / "a/checkpoint.h5").string();
  ASSERT_EQ(run("a").code, 0);
  const Outcome shape = run("b", {"--set", "rows=10", "--restart", checkpoint});
  EXPECT_EQ(shape.code, 2);
  EXPECT_TRUE(contains(shape.err, "Drift.heat"));
  const Outcome model = run("b", {"--restart", checkpoint}, "flow");
  EXPECT_EQ(model.code, 2);
  EXPECT_TRUE(contains(model.err, "'drift'"));
  EXPECT_FALSE(std::filesystem::exists(folder / "b"));
}

TEST_F(Programs, ACheckpointAndATableOfAFormerNameAreContinued) {
  const Outcome whole = run("a");
  ASSERT_EQ(run("b", {"--set", "steps=14"}).code, 0);
  formerName = "drift";
  const Outcome rest = run("b", {"--restart", (folder / "b/checkpoint.h5").string()}, "flow");
  EXPECT_EQ(rest.code, 0) << rest.err;
  EXPECT_EQ(rest.hash(), whole.hash());
  EXPECT_EQ(readBytes(folder / "b/flow.csv"), readBytes(folder / "a/drift.csv"));
  EXPECT_FALSE(std::filesystem::exists(folder / "b/drift.csv"));
}

TEST_F(Programs, ACheckpointWithSettingsOfAnotherVersionIsUsedAndNoted) {
  hasOldKey = true;
  ASSERT_EQ(run("a").code, 0);
  hasOldKey = false;
  const Outcome again = run("b", {"--restart", (folder / "a/checkpoint.h5").string()});
  EXPECT_EQ(again.code, 0);
  EXPECT_EQ(again.err.substr(0, 13), "drift: note: ") << again.err;
  EXPECT_TRUE(contains(again.err, "cannot be compared"));
  EXPECT_TRUE(contains(again.err, "unknown key 'wind'"));
}

TEST_F(Programs, RunWithTheDefaultsWithoutASettingsFile) {
  const auto output = "output.folder=" + (folder / "a").string();
  const Outcome bare = runWith({"drift", "--set", output});
  EXPECT_EQ(bare.code, 0) << bare.err;
  EXPECT_TRUE(contains(bare.out, "step 100 of 100"));
  mass::testing::writeBytes(folder / "empty.yaml", "# nothing yet\n");
  const Outcome empty = runWith({"drift", (folder / "empty.yaml").string(), "--set", output});
  EXPECT_EQ(empty.code, 0) << empty.err;
  EXPECT_EQ(empty.hash(), bare.hash());
}

TEST_F(Programs, EndWhenAValueIsNotFinite) {
  const std::vector<std::vector<std::string>> outputs = {
      {"output.frame_every=0", "output.data_every=0"},
      {"output.table_every=0", "output.data_every=0"},
      {"output.table_every=0", "output.frame_every=0"},
      {"output.table_every=0", "output.frame_every=0", "output.data_every=0", "steps=0"}};
  const std::vector<std::string> named = {"step 0: the column 'total' of the table is inf",
                                          "step 0: the picture at (0, 0) is inf",
                                          "step 0: 'heat' of 'Drift' at (0, 0) is inf",
                                          "step 0: the column 'total' of the table is inf"};
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    std::vector<std::string> options = {"--set", "start=inf", "--set", "checkpoint.every=0"};
    for (const std::string& output : outputs[i]) {
      options.insert(options.end(), {"--set", output});
    }
    const Outcome failed = run("a", options);
    EXPECT_EQ(failed.code, 2);
    EXPECT_TRUE(contains(failed.err, named[i]));
    EXPECT_TRUE(contains(failed.err, "output.allow_nan"));
    options.insert(options.end(), {"--set", "output.allow_nan=true"});
    EXPECT_EQ(run("b", options).code, 0);
  }
}

/// Agent that draws numbers, and requests a move if asked to.
class Wanderer : public mass::Agent<Drift> {
 public:
  std::int32_t drawn = 0;
  using Attributes = mass::Attributes<&Wanderer::drawn>;

  MASS_FN void draw(mass::Intent<Wanderer>& intent, bool moves) {
    drawn = static_cast<std::int32_t>(intent.random().below(100));
    if (moves) intent.move({1, 0});
  }
};

/// Runs a program whose agents never migrate, for 30 steps.
Outcome runWanderers(const TemporaryFolder& folder, bool moves, bool checkpoints) {
  mass::Settings settings;
  mass::testing::setDevices(settings, 1);
  settings.set("steps=30");
  settings.set("output.folder=" + folder.path().string());
  if (checkpoints) settings.set("checkpoint.every=10");
  mass::Mass mass(settings);
  auto places = mass.createPlaces<Drift>({6, 6});
  auto agents = mass.createAgents<Wanderer>(places, 9);
  mass::Simulation simulation(mass, "wander");
  simulation.advance([&](mass::Steps steps) {
    for (std::int64_t i = 0; i < steps.count; ++i) agents.callAll<&Wanderer::draw>(moves);
  });
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  std::string error;
  int code = 2;
  try {
    code = simulation.run();
  } catch (const mass::UsageError& thrown) {
    error = thrown.what();
  }
  std::string out = ::testing::internal::GetCapturedStdout();
  return {code, std::move(out), error + ::testing::internal::GetCapturedStderr()};
}

TEST(Wanderers, ThatRequestNothingAreCheckpointed) {
  const TemporaryFolder folder;
  const Outcome outcome = runWanderers(folder, false, true);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(std::filesystem::exists(folder / "checkpoint.h5"));
}

TEST(Wanderers, WhoseRequestsAreNeverCarriedOutEndTheRunAtItsStart) {
  const TemporaryFolder folder;
  const Outcome outcome = runWanderers(folder, true, true);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(contains(outcome.err, "'Wanderer'"));
  EXPECT_TRUE(contains(outcome.err, "call manageAll at the end of a step"));
  EXPECT_FALSE(std::filesystem::exists(folder / "checkpoint.h5"));
}

TEST(Wanderers, WhoseRequestsAreNeverCarriedOutAreNotedAtTheEnd) {
  const TemporaryFolder folder;
  const Outcome outcome = runWanderers(folder, true, false);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(contains(outcome.err, "note: requests of the agents 'Wanderer' were never"));
}

TEST(Compilation, WithoutOptimisationIsNoted) {
  mass::Program program;
  program.name = "slow";
  program.setUp = [](mass::Mass&, mass::Simulation& run) { run.advance([](mass::Steps) {}); };
  const char* const arguments[] = {"slow", "--set", "steps=1"};
  for (const bool isOptimised : {true, false}) {
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(mass::runProgram(3, arguments, program, {isOptimised}), 0);
    ::testing::internal::GetCapturedStdout();
    const std::string notes = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(notes.find("without optimisation") == std::string::npos, isOptimised) << notes;
  }
}

TEST_F(Programs, HelpAndSettingsAreNoRuns) {
  const Outcome help = runWith({"drift", "--help"});
  EXPECT_EQ(help.code, 0) << help.err;
  EXPECT_TRUE(contains(help.out, "drifting heat"));
  EXPECT_TRUE(contains(help.out, "rows"));
  const Outcome printed = runWith({"drift", "--print-settings"});
  EXPECT_EQ(printed.code, 0) << printed.err;
  EXPECT_TRUE(contains(printed.out, "rows: 9"));
}

}  // namespace
