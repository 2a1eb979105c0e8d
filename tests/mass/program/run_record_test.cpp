#include <mass/program/run_record.hpp>

#include "../../support/make_mass.hpp"
#include "../../support/temporary_folder.hpp"
#include "../../support/thread_ranks.hpp"

#include <mass/io/schema.hpp>
#include <mass/program/again.hpp>
#include <mass/program/earlier_run.hpp>
#include <mass/support/error.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace {

namespace fs = std::filesystem;
using mass::detail::Again;
using mass::detail::EarlierRun;
using mass::detail::OutputNames;
using mass::detail::RunRecord;
using mass::detail::RunState;
using mass::testing::contains;
using mass::testing::readBytes;
using mass::testing::TemporaryFolder;
using mass::testing::writeBytes;

constexpr mass::detail::Compilation compilation{true, "GCC 1.2", "-O9"};

mass::Schema schema() {
  mass::Schema schema = mass::Schema::library();
  schema.add("density", 0.5, "", "share of living cells");
  schema.add("edges", "periodic", "", "border");
  schema.add("weightings", std::vector<double>{1, 2}, "", "weights of the model");
  schema.add("names", std::vector<std::string>{}, "", "names of the model");
  schema.add("others", std::vector<std::string>{"x"}, "", "names of the model");
  schema.add("loud", false, "", "messages");
  schema.addTree("model", "species");
  return schema;
}

constexpr std::string_view yaml =
    "seed: 7\ndensity: 1\nedges: ' odd \"text\"'\nweightings: [1e-5, 3]\nnames: [a, b]\nothers: "
    "[]\n"
    "model:\n  species: {A: 1 um, B: [x, 2]}\n";

/// Record of a run with the settings above, in the folder `folder`.
class Records : public ::testing::Test {
 protected:
  TemporaryFolder folder;

  mass::Settings settings(const std::string& name = "some/life.yaml") const {
    mass::Settings settings = mass::Settings::parse(yaml, name, schema());
    mass::testing::setDevices(settings, 1);
    settings.set("output.folder=" + (folder / "out").string());
    settings.set("loud=true");
    return settings;
  }

  RunRecord finished(mass::Settings of) const {
    const mass::Mass mass(std::move(of));
    RunRecord record = RunRecord::of(mass, "life", compilation, {});
    record.state = RunState::finished;
    record.end = "2024-05-01T12:00:00Z";
    record.computeSeconds = 1.5;
    record.step = record.steps = 100;
    record.hash = "00000000000000ff";
    record.files = {"life.csv", "frames/000000000.png"};
    record.checkpoint = "checkpoint.h5";
    return record;
  }

  void write(const std::string& name, std::string_view bytes = "x") const {
    fs::create_directories((folder / name).parent_path());
    writeBytes(folder / name, bytes);
  }
};

TEST_F(Records, HaveTheOriginOfEverySetting) {
  const std::string json = finished(settings()).json();
  for (const std::string_view part :
       {"\"seed\": {\n      \"value\": 7,\n      \"from\": \"some/life.yaml:1\"",
        "\"value\": 1.0,\n      \"from\": \"some/life.yaml:2\"",
        "\"loud\": {\n      \"value\": true,\n      \"from\": \"--set\"",
        "\"MAX_AGENT_TRAVEL\": {\n      \"value\": ", "\"from\": \"default\"", "\"A\": \"1 um\"",
        "\"from\": \"some/life.yaml:7\"", "\"compiler\": \"GCC 1.2\"", "\"flags\": \"-O9\"",
        "\"state\": \"finished\"", "\"hash\": \"00000000000000ff\"",
        "\"files\": [\n    \"life.csv\",\n    \"frames/000000000.png\"\n  ]"}) {
    EXPECT_TRUE(contains(json, std::string(part))) << part << " in " << json;
  }
}

TEST_F(Records, ReadBackToTheSame) {
  const RunRecord written = finished(settings());
  written.write(folder.path());
  const RunRecord read = RunRecord::read(folder / RunRecord::fileName);
  EXPECT_EQ(read.json(), written.json());
  const mass::Settings restored =
      mass::Settings::restored("some/life.yaml", schema(), read.settings);
  EXPECT_EQ(restored.differences(settings()), std::vector<std::string>{});
  EXPECT_EQ(restored.print(), settings().print());
  EXPECT_TRUE(restored.given("seed"));
  EXPECT_FALSE(restored.given("steps"));
  EXPECT_EQ(restored.origin("seed"), "some/life.yaml:1");
  EXPECT_EQ(restored.origin("loud"), "--set");
  EXPECT_EQ(restored.origin("model"), "some/life.yaml:7");
  EXPECT_EQ(restored.origin("steps"), "default");
}

TEST_F(Records, KeepEachFieldApart) {
  RunRecord record = finished(settings());
  record.version = "1.2.3";
  record.commit = "abc";
  record.workingFolder = "/work";
  record.restart = "old.h5";
  record.continued = 10;
  record.models = {"a GPU"};
  record.seed = 11;
  record.ranks = 19;
  record.devices = 12;
  record.threads = 13;
  record.computeSeconds = 14.5;
  record.outputSeconds = 15.5;
  record.firstStep = 16;
  record.step = 17;
  record.steps = 18;
  const std::vector<std::pair<RunState, std::string>> states{{RunState::running, "running"},
                                                             {RunState::finished, "finished"},
                                                             {RunState::interrupted, "interrupted"},
                                                             {RunState::failed, "failed"}};
  for (const auto& [state, name] : states) {
    record.state = state;
    const std::string json = record.json();
    for (const std::string& part :
         {"\"state\": \"" + name + "\"", std::string("\"version\": \"1.2.3\""),
          std::string("\"commit\": \"abc\""), std::string("\"working_folder\": \"/work\""),
          std::string("\"restart\": \"old.h5\""), std::string("\"continued\": 10"),
          std::string("\"seed\": 11"), std::string("\"ranks\": 19"), std::string("\"devices\": 12"),
          std::string("\"threads\": 13"), std::string("\"compute_seconds\": 14.5"),
          std::string("\"output_seconds\": 15.5"), std::string("\"first_step\": 16"),
          std::string("\"step\": 17"), std::string("\"steps\": 18"),
          std::string("\"checkpoint\": \"checkpoint.h5\"")})
      EXPECT_TRUE(contains(json, part)) << part;
    record.write(folder.path());
    const RunRecord read = RunRecord::read(folder / RunRecord::fileName);
    EXPECT_EQ(read.state, state);
    EXPECT_EQ(read.json(), json);
  }
}

TEST_F(Records, HaveTheDevicesAndThreadsOfTheRun) {
  mass::Settings given = settings();
  mass::testing::setDevices(given, 2, 5);
  const mass::Mass mass(given);
  const RunRecord record = RunRecord::of(mass, "life", compilation, {});
  EXPECT_EQ(record.devices, mass.devices().size());
  EXPECT_EQ(record.threads, 5);
  EXPECT_EQ(record.seed, 7U);
}

TEST_F(Records, HaveTheNumberOfRanksIfThereAreSeveral) {
  EXPECT_FALSE(contains(finished(settings()).json(), "\"ranks\": 1"));
  mass::Settings given = settings();
  given.set("backend=cpu");
  std::array<RunRecord, 3> records;
  mass::testing::runOnThreadRanks(3, [&](mass::detail::Ranks& ranks) {
    const mass::Mass mass(given, {std::shared_ptr<void>(), &ranks});
    records.at(static_cast<std::size_t>(ranks.number())) =
        RunRecord::of(mass, "life", compilation, {});
  });
  for (const RunRecord& record : records) {
    EXPECT_EQ(record.ranks, 3);
    EXPECT_EQ(record.devices, 3);
  }
  write("run.json", records[0].json());
  EXPECT_EQ(RunRecord::read(folder / "run.json").ranks, 3);
  write("run.json", finished(settings()).json());
  EXPECT_EQ(RunRecord::read(folder / "run.json").ranks, 1);
}

TEST_F(Records, OfAnotherSchemaAreRefusedWithTheKey) {
  for (const auto& [value, says] :
       {std::pair<mass::SettingValue, const char*>{std::int64_t{1}, "unknown key 'densit'"},
        {std::string("x"), "expected an integer, got x"},
        {std::int64_t{-1}, "at least 0"}}) {
    const std::string key = contains(says, "unknown") ? "densit" : "seed";
    try {
      (void)mass::Settings::restored({}, schema(), {{key, value, "life.yaml:3"}});
      FAIL() << says;
    } catch (const mass::SettingsError& error) {
      EXPECT_TRUE(contains(error.what(), says)) << error.what();
      EXPECT_TRUE(contains(error.what(), "life.yaml:3")) << error.what();
    }
  }
}

TEST_F(Records, HaveAReproduciblePartThatDependsOnWhatAffectsResults) {
  const auto textOf = [](const RunRecord& record) { return record.reproducibleJson(schema()); };
  const std::string text = textOf(finished(settings()));
  mass::Settings moved = settings("else/where/life.yaml");
  for (const char* const change : {"output.folder=elsewhere", "steps=7", "checkpoint.every=3"})
    moved.set(change);
  RunRecord other = finished(moved);
  other.begin = other.end = "2000-01-01T00:00:00Z";
  other.hash = "1";
  other.threads = 77;
  other.restart = "checkpoint.h5";
  other.inputs.push_back({"checkpoint.h5", "0123456789abcdef"});
  EXPECT_EQ(textOf(other), text);
  for (const std::string_view part : {"\"program\": \"life\"", "\"seed\"", "life.yaml:2", "1 um"})
    EXPECT_TRUE(contains(text, std::string(part))) << part << " in " << text;
  for (const std::string_view part : {"some/", "out", "threads", "begin", "hash"})
    EXPECT_FALSE(contains(text, '"' + std::string(part))) << part << " in " << text;
  mass::Settings changed = settings();
  changed.set("seed=8");
  EXPECT_NE(textOf(finished(changed)), text);
}

TEST_F(Records, ListInputsWithChecksumsOnce) {
  write("life.yaml", "seed: 3\n");
  write("p.rle", "3o!");
  mass::Settings given = mass::Settings::load(folder / "life.yaml", schema());
  mass::testing::setDevices(given, 1);
  for (const char* const file : {"p.rle", "p.rle", "missing.rle"}) (void)given.resolve(file);
  const auto inputs = finished(given).inputs;
  ASSERT_EQ(inputs.size(), 3U);
  EXPECT_EQ(inputs[0].file, folder / "life.yaml");
  EXPECT_EQ(inputs[1].file, folder / "p.rle");
  EXPECT_EQ(inputs[1].checksum, mass::detail::fileChecksum(folder / "p.rle"));
  EXPECT_EQ(inputs[1].checksum.size(), 16U);
  EXPECT_NE(inputs[1].checksum, inputs[0].checksum);
  EXPECT_EQ(inputs[2].checksum, "");
}

TEST_F(Records, ThatAreNoneAreRefused) {
  const std::string good = finished(settings()).json();
  for (const std::string& bytes :
       {std::string(), std::string("[]"), std::string("7"), std::string("{\"files\": []}"),
        good.substr(0, good.size() / 2), std::string(100000, '[')}) {
    writeBytes(folder / "run.json", bytes);
    EXPECT_THROW((void)RunRecord::read(folder / "run.json"), mass::InputError) << bytes;
  }
  EXPECT_THROW((void)RunRecord::read(folder / "none.json"), mass::InputError);
  EXPECT_THROW((void)RunRecord::read(folder.path()), mass::InputError);
}

TEST_F(Records, NameTheMemberThatIsNoneOfARecord) {
  using Json = nlohmann::ordered_json;
  using Pointer = Json::json_pointer;
  RunRecord record = finished(settings());
  record.inputs.push_back({"p.rle", "0123456789abcdef"});
  const Json good = Json::parse(record.json());
  const auto refusal = [&](const Json& json) -> std::string {
    writeBytes(folder / "run.json", json.dump());
    try {
      (void)RunRecord::read(folder / "run.json");
    } catch (const mass::InputError& error) {
      return error.what();
    }
    return "none";
  };
  const std::string start = "'" + (folder / "run.json").string() + "' is no record of a run: ";
  for (const auto& [name, value] : good.items()) {
    Json without = good;
    without.erase(name);
    EXPECT_EQ(refusal(without), start + "it has no member '" + name + "'");
    Json other = good;
    other[name] = true;  // no member is a truth value
    EXPECT_EQ(refusal(other), start + "'" + name + "' is no value of a record");
  }
  for (const auto& [pointer, value, path] :
       {std::tuple<const char*, Json, const char*>{"/settings/seed", 3, "settings.seed"},
        {"/settings/seed/value", nullptr, "settings.seed.value"},
        {"/settings/seed/value", std::uint64_t{1} << 63, "settings.seed.value"},
        {"/settings/seed/from", 5, "settings.seed.from"},
        {"/settings/weightings/value/1", "x", "settings.weightings.value.1"},
        {"/settings/others/value", {"a", 1}, "settings.others.value.1"},
        {"/settings/model/value/species/A", 7, "settings.model.species.A"},
        {"/inputs/0", "life.yaml", "inputs.0"},
        {"/inputs/0/checksum", 5, "inputs.0.checksum"},
        {"/files/1", nullptr, "files.1"},
        {"/state", "ended", "state"},
        {"/seed", -1, "seed"},
        {"/devices", std::int64_t{1} << 31, "devices"},
        {"/step", 1.5, "step"},
        {"/hash", 5, "hash"}}) {
    Json other = good;
    other[Pointer(pointer)] = value;
    EXPECT_EQ(refusal(other), start + "'" + path + "' is no value of a record") << value;
  }
  EXPECT_EQ(refusal(Json::array()), start + "it is no JSON object");
  EXPECT_EQ(refusal(good), "none");
}

TEST_F(Records, RepeatARestartFromTheSameCheckpointOnly) {
  write("old.h5", "a checkpoint");
  RunRecord record = finished(settings());
  const auto restartOf = [&] {
    fs::create_directories(folder / "out");
    record.write(folder / "out");
    return Again(folder / "out/run.json", "life").restart();
  };
  EXPECT_EQ(restartOf(), fs::path());
  record.restart = folder / "old.h5";
  EXPECT_EQ(restartOf(), fs::path()) << "without a checksum";
  record.inputs.push_back({folder / "old.h5", mass::detail::fileChecksum(folder / "old.h5")});
  EXPECT_EQ(restartOf(), folder / "old.h5");
  write("old.h5", "A checkpoint");
  EXPECT_EQ(restartOf(), fs::path());
  fs::remove(folder / "old.h5");
  EXPECT_EQ(restartOf(), fs::path());
}

TEST_F(Records, AreRepeatedInAFolderOfTheirOwn) {
  RunRecord record = finished(settings());
  record.step = 60;  // interrupted
  fs::create_directories(folder / "out");
  record.write(folder / "out");
  const Again again(folder / "out/run.json", "life");
  mass::Settings repeated = again.settings(schema());
  EXPECT_EQ(repeated.get<std::string>("output.folder"), (folder / "out/again").string());
  EXPECT_EQ(repeated.get<std::int64_t>("steps"), 60);
  again.requireOtherFiles(repeated);
  repeated.set("output.folder=" + (folder / "out/../out/.").string());
  EXPECT_THROW(again.requireOtherFiles(repeated), mass::SettingsError);
  repeated = again.settings(schema());
  repeated.set("checkpoint.file=" + (folder / "out/life.csv").string());
  EXPECT_THROW(again.requireOtherFiles(repeated), mass::SettingsError);
  EXPECT_TRUE(again.isReproduced(0xff));
  EXPECT_FALSE(again.isReproduced(0xfe));
  EXPECT_TRUE(contains(again.difference(0xfe, {true, "Clang 9", "-O9"}),
                       "00000000000000ff, now 00000000000000fe; the program differs: compiler "
                       "'GCC 1.2', now 'Clang 9'"));
  EXPECT_THROW(Again(folder / "out/run.json", "heat2d"), mass::InputError);
}

TEST_F(Records, WithoutAFinalStateAreNotRepeated) {
  RunRecord record = finished(settings());
  for (const RunState state : {RunState::running, RunState::failed}) {
    record.state = state;
    record.write(folder.path());
    EXPECT_THROW(Again(folder / "run.json", "life"), mass::InputError);
  }
}

TEST_F(Records, ChangeToFailedInPlace) {
  RunRecord record = finished(settings());
  record.state = RunState::running;
  record.end.clear();
  record.write(folder.path());
  const auto bytes = fs::file_size(folder / "run.json");
  const fs::path link = folder / "same";
  fs::create_hard_link(folder / "run.json", link);
  RunRecord::markFailed(folder.path());
  record.state = RunState::failed;
  EXPECT_EQ(RunRecord::read(link).json(), record.json());
  EXPECT_EQ(fs::file_size(link), bytes);
  EXPECT_THROW(RunRecord::markFailed(folder.path()), mass::InputError) << "it is no longer running";
  fs::remove(folder / "run.json");
  EXPECT_THROW(RunRecord::markFailed(folder.path()), mass::InputError);
}

/// Files of an earlier run, and others.
class EarlierRuns : public Records {
 protected:
  const OutputNames names{{"life.csv", "life.csv.partial", "life.gif"}, {{"frames", ".png", 9}}};

  void writeRecord(const std::string& state, const std::string& files) {
    write("run.json", "{\"state\": \"" + state +
                          "\", \"checkpoint\": \"checkpoint.h5\", \"files\": [" + files + "]}");
  }
  std::string remove(const std::vector<fs::path>& inputs = {}) const {
    return EarlierRun(folder.path(), names).remove(inputs);
  }
  bool exists(const std::string& name) const {
    return fs::exists(fs::symlink_status(folder / name));
  }
};

TEST_F(EarlierRuns, AreRemovedAsTheirRecordListsThem) {
  for (const char* const file : {"life.csv", "life.gif", "frames/000000000.png",
                                 "frames/000000005.png", "notes.txt", "checkpoint.h5"})
    write(file);
  writeRecord("finished", R"("life.csv", "frames/000000000.png", "checkpoint.h5", "gone.csv")");
  EXPECT_EQ(remove(),
            "removed 2 files of the earlier run (frames/000000000.png, life.csv), renamed its "
            "checkpoint to checkpoint.previous.h5");
  for (const char* const kept :
       {"life.gif", "frames/000000005.png", "notes.txt", "run.json", "checkpoint.previous.h5"})
    EXPECT_TRUE(exists(kept)) << kept;
  for (const char* const gone : {"life.csv", "frames/000000000.png", "checkpoint.h5"})
    EXPECT_FALSE(exists(gone)) << gone;
  EXPECT_EQ(remove(), "");
}

TEST_F(EarlierRuns, AreKeptIfAFolderIsWhereTheCheckpointMustGo) {
  for (const char* const file : {"life.csv", "checkpoint.h5", "checkpoint.previous.h5/x"})
    write(file);
  writeRecord("finished", R"("life.csv", "checkpoint.h5")");
  try {
    remove();
    FAIL();
  } catch (const mass::OutputError& error) {
    EXPECT_TRUE(contains(error.what(), (folder / "checkpoint.previous.h5").string()));
  }
  EXPECT_TRUE(exists("life.csv"));
  fs::remove(folder / "checkpoint.h5");
  EXPECT_EQ(remove(), "removed 1 file of the earlier run (life.csv)");
}

TEST_F(EarlierRuns, LoseNothingOutsideTheFolderOrThroughLinks) {
  write("out/run.json");
  write("out/empty/x");
  write("out/life.csv/x");
  write("victim");
  write("elsewhere/victim");
  fs::create_symlink("../victim", folder / "out/link");
  fs::create_symlink("../elsewhere", folder / "out/folder");
  write("out/run.json",
        "{\"state\": \"finished\", \"checkpoint\": \"../victim\", \"files\": [\"../victim\", \"" +
            (folder / "victim").string() +
            "\", \"link\", \"folder/victim\", \"empty\", \"empty/../../victim\", "
            "\"./life.csv/x\", \"\", \"run.json\", \"life.csv\", 7, null, \"empty/\"]}");
  const EarlierRun earlier(folder / "out", names);
  EXPECT_EQ(earlier.files(), std::vector<fs::path>{});
  EXPECT_EQ(earlier.remove({}), "");
  for (const char* const kept : {"victim", "elsewhere/victim", "out/link", "out/folder",
                                 "out/empty/x", "out/life.csv/x", "out/run.json"})
    EXPECT_TRUE(exists(kept)) << kept;
}

TEST_F(EarlierRuns, WithoutARecordAreFoundByTheNamesOfTheProgram) {
  for (const char* const file :
       {"life.csv.partial", "life.gif", "frames/000000005.png", "frames/000000006.png.partial",
        "frames/5.png", "frames/mine.png", "frames/00000000x.png", "other.csv", "checkpoint.h5"})
    write(file);
  EXPECT_TRUE(contains(remove(), "removed 4 files"));
  for (const char* const kept : {"frames/5.png", "frames/mine.png", "frames/00000000x.png",
                                 "other.csv", "checkpoint.previous.h5"})
    EXPECT_TRUE(exists(kept)) << kept;
  EXPECT_FALSE(exists("frames/000000006.png.partial"));
  EXPECT_FALSE(exists("checkpoint.h5"));
}

TEST_F(EarlierRuns, ThatWereKilledAreFoundByBoth) {
  write("listed.csv");
  write("frames/000000005.png");
  writeRecord("running", "\"listed.csv\"");
  const EarlierRun earlier(folder.path(), names);
  EXPECT_TRUE(earlier.wasKilled());
  EXPECT_EQ(earlier.files(), (std::vector<fs::path>{"frames/000000005.png", "listed.csv"}));
  writeRecord("finished", "\"listed.csv\"");
  EXPECT_FALSE(EarlierRun(folder.path(), names).wasKilled());
}

TEST_F(EarlierRuns, ThatEndedOnAFullDiskAreFoundByBoth) {
  write("listed.csv");
  write("frames/000000005.png");
  writeRecord("failed", "\"listed.csv\"");
  const EarlierRun earlier(folder.path(), names);
  EXPECT_FALSE(earlier.wasKilled());
  EXPECT_EQ(earlier.files(), (std::vector<fs::path>{"frames/000000005.png", "listed.csv"}));
  write("run.json",
        R"({"state": "failed", "end": "2024-05-01T12:00:00Z", "files": ["listed.csv"]})");
  EXPECT_EQ(EarlierRun(folder.path(), names).files(), std::vector<fs::path>{"listed.csv"});
}

TEST_F(EarlierRuns, WithADamagedRecordCountAsThoseWithout) {
  for (const std::string& bytes : {std::string(), std::string("{\"files\": 3}"), std::string("[1]"),
                                   std::string("\0\xff", 2)}) {
    write("life.gif");
    write("run.json", bytes);
    const EarlierRun earlier(folder.path(), names);
    EXPECT_TRUE(earlier.isRecordUnreadable()) << bytes;
    EXPECT_EQ(earlier.files(), std::vector<fs::path>{"life.gif"}) << bytes;
  }
  fs::remove(folder / "run.json");
  EXPECT_FALSE(EarlierRun(folder.path(), names).isRecordUnreadable());
}

TEST_F(EarlierRuns, KeepInputsOfThePresentRun) {
  write("life.csv");
  write("life.gif");
  writeRecord("finished", R"("life.csv", "life.gif")");
  EXPECT_EQ(remove({folder / "./life.csv", "missing"}),
            "removed 1 file of the earlier run (life.gif)");
  EXPECT_TRUE(exists("life.csv"));
}

}  // namespace
