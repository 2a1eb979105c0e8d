#include <mass/mass.hpp>

#include <mass/program/change_replay.hpp>
#include <mass/program/model_run.hpp>
#include <mass/program/run_record.hpp>
#include <mass/program/steering.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <tests/support/mass_on_ranks.hpp>
#include <tests/support/temporary_folder.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using mass::SettingValue;
using mass::detail::ModelRun;
using mass::detail::RunRecord;
using mass::detail::SettingChange;
using mass::detail::SteeringPlan;
using mass::testing::contains;
using mass::testing::TemporaryFolder;
using Values = std::vector<double>;

class Rod : public mass::Place<1> {
 public:
  double heat = 0;
  using Attributes = mass::Attributes<&Rod::heat>;

  MASS_FN void advance(const mass::Neighborhood<Rod>& near, double gain) {
    heat = gain * (heat + near(1).heat) + near.random().uniform();
  }
};

mass::Schema schema() {
  mass::Schema schema = mass::Schema::library();
  schema.add("rows", 40, "places", "length").atLeast(8);
  schema.add("gain", 0.25, "", "gain of a step").between(0, 1).live();
  schema.add("most", 0.5, "", "largest gain").live();
  schema.add("delay", 3, "", "divisor").between(1, 1 << 20).live();
  schema.add("mode", "plain", "", "sign").oneOf({"plain", "turned"}).live();
  schema.add("weights_of_steps", Values{1, 1}, "", "factors").live();
  schema.add("half", false, "", "halves the gain").live();
  return schema;
}

/// Returns the gain of the settings. @throws SettingsError if it is more than `most`
double gainOf(const mass::Settings& settings) {
  const auto gain = settings.get<double>("gain");
  if (gain > settings.get<double>("most")) settings.reject("gain", "is more than 'most'");
  double product = gain / settings.get<int>("delay");
  for (const double weight : settings.get<Values>("weights_of_steps")) product *= weight;
  if (settings.get<bool>("half")) product /= 2;
  return settings.get<std::string>("mode") == "plain" ? product : -product;
}

void setUp(mass::Mass& mass, mass::Simulation& run) {
  const mass::Settings& settings = mass.settings();
  const auto rod = mass.createPlaces<Rod>({settings.get<std::int64_t>("rows")});
  const auto gain = std::make_shared<double>(gainOf(settings));
  run.onChange([=, &settings] { *gain = gainOf(settings); });
  run.advance([=](mass::Steps steps) { rod.callAll<&Rod::advance>(steps, *gain); });
  run.observe("heat", [=] { return rod.reduce<&Rod::heat>(mass::sum); });
}

const mass::Program program{"rod", "Heat in a rod.", schema(), &setUp};

mass::Settings settingsFor(int devices, const std::vector<std::string>& more = {}) {
  mass::Settings settings(schema());
  mass::testing::setDevices(settings, devices);
  settings.set("steps=20");
  for (const std::string& assignment : more) settings.set(assignment);
  return settings;
}

/// Returns the message of the SettingsError of a change; "none" if it was made.
std::string refusalOf(mass::Run& run, const std::string& assignment) {
  try {
    run.set(assignment);
  } catch (const mass::SettingsError& error) {
    return error.what();
  }
  return "none";
}

TEST(Change, ActsFromTheNextStepOnOnAnyDevices) {
  mass::Run unchanged(program, settingsFor(1));
  unchanged.step(20);
  std::vector<std::uint64_t> hashes;
  for (const int devices : {1, 2, 3}) {
    if (!mass::testing::haveDevices(devices)) continue;
    mass::Run given(program, settingsFor(devices, {"gain=0.5"}));
    mass::Run run(program, settingsFor(devices));
    run.set("gain=0.5");
    given.step(7), run.step(7);
    EXPECT_EQ(run.hash(), given.hash());
    run.set("mode=turned");
    given.step(13), run.step(13);
    EXPECT_NE(run.hash(), given.hash());
    hashes.push_back(run.hash());
    EXPECT_EQ(run.hash(), hashes.front()) << devices << " devices";
  }
  EXPECT_NE(hashes.front(), unchanged.hash());
}

TEST(Change, IsAnEventUnlessItIsThePresentValue) {
  mass::Run run(program, settingsFor(1));
  run.set("gain = 0.25");
  EXPECT_TRUE(run.changes().empty());
  run.set("gain=0.5");
  run.set("gain=0.125");
  run.step(3);
  run.set("gain=0.125");
  run.setAll({"half=true", "weights_of_steps=[2, 0.5]", "mode=turned", "delay=1"});
  const std::vector<SettingChange> expected{{0, "gain", 0.5},
                                            {0, "gain", 0.125},
                                            {3, "half", true},
                                            {3, "weights_of_steps", Values{2, 0.5}},
                                            {3, "mode", std::string("turned")},
                                            {3, "delay", std::int64_t{1}}};
  EXPECT_EQ(run.changes(), expected);
  EXPECT_EQ(run.mass().settings().get<double>("gain"), 0.125);
}

TEST(Change, ThatIsRefusedLeavesTheRunAsItWas) {
  mass::Run run(program, settingsFor(1));
  mass::Run other(program, settingsFor(1));
  run.step(3), other.step(3);
  const std::string settings = run.mass().settings().print();
  const std::string live = "gain, most, delay, mode, weights_of_steps, half";
  const std::vector<std::pair<std::string, std::string>> table{
      {"gian=0.5", "gian=0.5: unknown key 'gian'; did you mean 'gain'?"},
      {"rows=50", "rows=50: 'rows' cannot change during a run; keys that can are " + live},
      {"steps=50", "steps=50: 'steps' cannot change during a run; keys that can are " + live},
      {"gain=1.5", "gain=1.5: must be 0 to 1"},
      {"gain=much", "gain=much: expected a number, got 'much'"},
      {"gain=", "gain= has no value; expected a number"},
      {"gain", "gain: expected key=value, such as seed=7"},
      {"delay=0.5", "delay=0.5: expected an integer, got '0.5'"},
      {"mode=turnd", "mode=turnd: must be plain or turned; did you mean 'turned'?"},
      {"weights_of_steps=[1",
       "weights_of_steps=[1: expected a list of numbers such as [1, 2.5], "
       "got '[1'"},
      {"output=3", "output=3: 'output' is a section; its keys are "},
      {"gain=0.75", "gain=0.75: is more than 'most'"}};
  for (const auto& [assignment, message] : table)
    EXPECT_EQ(refusalOf(run, assignment).substr(0, message.size()), message);
  EXPECT_THROW(run.setAll({"half=true", "gain=0.75"}), mass::SettingsError);
  EXPECT_EQ(run.mass().settings().print(), settings);
  EXPECT_TRUE(run.changes().empty());
  run.step(5), other.step(5);
  EXPECT_EQ(run.hash(), other.hash());
}

TEST(Change, OfSeveralSettingsIsCheckedTogether) {
  mass::Run run(program, settingsFor(1));
  EXPECT_NE(refusalOf(run, "gain=0.75"), "none");
  run.setAll({"gain=0.75", "most=0.8"});
  EXPECT_EQ(run.changes().size(), 2U);
}

TEST(Change, IsRefusedIfNoKeyOfTheProgramIsLive) {
  const mass::Program still{
      "still", "", mass::Schema::library(),
      [](mass::Mass&, mass::Simulation& run) { run.advance([](mass::Steps) {}); }};
  mass::Run run(still, mass::Settings());
  EXPECT_EQ(refusalOf(run, "seed=3"),
            "seed=3: 'seed' cannot change during a run; no key of this program can");
}

/// Saves a run at step 8 after two changes. @return the state hash at step 20 with a third change
std::uint64_t saveChanged(const fs::path& checkpoint) {
  mass::Run run(program, settingsFor(2));
  run.step(4);
  run.set("gain=0.5");
  run.step(4);
  run.set("mode=turned");
  run.save(checkpoint);
  run.step(2);
  run.set("gain=0.125");
  run.step(10);
  return run.hash();
}

TEST(Checkpoint, ContinuesWithTheChangedValuesAndTheHistory) {
  const TemporaryFolder folder;
  const std::uint64_t hash = saveChanged(folder / "c.h5");
  for (const int devices : {1, 3}) {
    if (!mass::testing::haveDevices(devices)) continue;
    mass::Run run(program, settingsFor(devices, {"gain=0.3"}));
    run.step(2);
    run.set("half=true");
    run.restore(folder / "c.h5");
    const std::vector<SettingChange> history{{4, "gain", 0.5}, {8, "mode", std::string("turned")}};
    EXPECT_EQ(run.changes(), history);
    EXPECT_EQ(run.mass().settings().get<double>("gain"), 0.5);
    EXPECT_FALSE(run.mass().settings().get<bool>("half"));
    run.step(2);
    run.set("gain=0.125");
    run.save(folder / "d.h5");
    run.step(10);
    EXPECT_EQ(run.hash(), hash);
    mass::Run next(program, settingsFor(1));
    next.restore(folder / "d.h5");
    EXPECT_EQ(next.changes(), run.changes());
    next.step(10);
    EXPECT_EQ(next.hash(), hash);
  }
}

TEST(Checkpoint, WithoutChangesUndoesThoseOfTheRun) {
  const TemporaryFolder folder;
  mass::Run run(program, settingsFor(1));
  run.step(4);
  run.save(folder / "c.h5");
  run.step(8);
  const std::uint64_t hash = run.hash();
  run.set("gain=0.5");
  run.restore(folder / "c.h5");
  EXPECT_TRUE(run.changes().empty());
  run.step(8);
  EXPECT_EQ(run.hash(), hash);
}

TEST(Checkpoint, WithValuesThatTheModelRefusesIsNotRestored) {
  const TemporaryFolder folder;
  (void)saveChanged(folder / "c.h5");
  mass::Run run(program, settingsFor(1, {"most=0.25"}));
  run.step(1);
  run.set("gain=0.125");
  mass::Run same(program, settingsFor(1, {"most=0.25"}));
  same.step(1);
  same.set("gain=0.125");
  try {
    run.restore(folder / "c.h5");
    ADD_FAILURE() << "it was restored";
  } catch (const mass::CheckpointError& error) {
    EXPECT_EQ(std::string(error.what()),
              (folder / "c.h5").string() +
                  " has changes of settings that cannot be continued: gain=0.5: is more than "
                  "'most'");
  }
  EXPECT_EQ(run.step(), 1);
  EXPECT_EQ(run.changes(), same.changes());
  run.step(5), same.step(5);
  EXPECT_EQ(run.hash(), same.hash());
}

TEST(Checkpoint, WithADamagedHistoryIsRefused) {
  const TemporaryFolder folder;
  mass::Run run(program, settingsFor(1));
  run.set("gain=0.125");
  const std::vector<SettingChange> changes = run.changes();
  for (const std::string text :
       {"", "[", "7", "{}", "[7]", R"([{"step": 4, "key": "gain"}])",
        R"([{"step": 21, "key": "gain", "value": 0.5}])",
        R"([{"step": -1, "key": "gain", "value": 0.5}])",
        R"([{"step": 4, "key": "rows", "value": 50}])",
        R"([{"step": 4, "key": "gain", "value": "x"}])",
        R"([{"step": 4, "key": "gain", "value": 0.5}, {"step": 3, "key": "gain", "value": 0}])"}) {
    run.mass().saveCheckpoint(folder / "c.h5", "rod", {{mass::detail::stepCounter, 20}},
                              {{mass::detail::changesText, text}});
    EXPECT_THROW(run.restore(folder / "c.h5"), mass::CheckpointError) << text;
    EXPECT_EQ(run.changes(), changes);
    EXPECT_EQ(run.mass().settings().get<double>("gain"), 0.125);
  }
}

/// Commands of a user at one step.
struct Commands {
  std::vector<std::string> assignments{};
  SteeringPlan plan{};
  int pauses = 0;  ///< number of times that it pauses before
};

/// Steering that carries commands out at their steps.
class Script : public mass::detail::Steering {
 public:
  explicit Script(std::map<std::int64_t, Commands> commands) : commands_(std::move(commands)) {}

  SteeringPlan plan(ModelRun& model) override {
    asked_.push_back(model.step);
    const auto found = commands_.find(model.step);
    if (found != commands_.end() && found->second.pauses > 0) {
      --found->second.pauses;
      return {.pauses = true};
    }
    SteeringPlan plan;
    if (found != commands_.end()) {
      model.change(found->second.assignments);
      plan = found->second.plan;
      commands_.erase(found);
    }
    if (const auto next = commands_.upper_bound(model.step); next != commands_.end())
      plan.stop = next->first;
    return plan;
  }
  void begin(ModelRun& model) override { begun_.push_back(model.step); }
  void tableRow(std::int64_t step, std::span<const double> values) override {
    rows_.emplace_back(step, values.front());
  }
  /// Steps at which it was asked.
  const std::vector<std::int64_t>& asked() const { return asked_; }
  /// Steps of the calls of begin().
  const std::vector<std::int64_t>& begun() const { return begun_; }
  /// Steps and first values of the rows.
  const std::vector<std::pair<std::int64_t, double>>& rows() const { return rows_; }

 private:
  std::map<std::int64_t, Commands> commands_;
  std::vector<std::int64_t> asked_, begun_;
  std::vector<std::pair<std::int64_t, double>> rows_;
};

TEST(SteeredRun, MakesTheStepsThatItsCallerAsksForUnlessOneEndsThem) {
  mass::Run run(program, settingsFor(1));
  const auto script = std::make_shared<Script>(std::map<std::int64_t, Commands>{
      {4, {{"gain=0.5"}, {}, 3}}, {9, {{"mode=turned"}, {.ends = true}}}});
  run.steer(script);
  run.step(30);
  EXPECT_EQ(run.step(), 9);
  EXPECT_EQ(std::ranges::count(script->asked(), 4), 4);
  run.step(5);
  EXPECT_EQ(run.step(), 14);
  EXPECT_EQ(script->asked().back(), 14);
  const std::vector<SettingChange> changes{{4, "gain", 0.5}, {9, "mode", std::string("turned")}};
  EXPECT_EQ(run.changes(), changes);
  mass::Run alone(program, settingsFor(1));
  alone.step(4);
  alone.set("gain=0.5");
  alone.step(5);
  alone.set("mode=turned");
  alone.step(5);
  EXPECT_EQ(run.hash(), alone.hash());
}

TEST(SteeredRun, DoesNotWaitAtTheEndOfACall) {
  mass::Run run(program, settingsFor(1));
  run.steer(std::make_shared<Script>(std::map<std::int64_t, Commands>{{6, {{}, {}, 2}}}));
  run.step(6);
  EXPECT_EQ(run.step(), 6);
  run.step(1);
  EXPECT_EQ(run.step(), 7);
}

TEST(SteeredRun, HandsOnTheRowsOfItsTable) {
  const TemporaryFolder folder;
  mass::Run run(program, settingsFor(1, {"output.table_every=3"}));
  const auto script = std::make_shared<Script>(std::map<std::int64_t, Commands>{});
  run.steer(script);
  run.step(7);
  run.save(folder / "c.h5");
  run.restore(folder / "c.h5");
  run.step(2);
  EXPECT_EQ(script->begun(), (std::vector<std::int64_t>{0, 7}));
  ASSERT_EQ(script->rows().size(), 3U);
  EXPECT_EQ(script->rows()[0].first, 3);
  EXPECT_EQ(script->rows()[1].first, 6);
  EXPECT_EQ(script->rows()[2], (std::pair<std::int64_t, double>{9, run.row().values.front()}));
}

struct Outcome {
  int code;
  std::string out, err;
};

/// Programs that a Script steers, and their repetitions.
class SteeredPrograms : public ::testing::Test {
 protected:
  TemporaryFolder folder;

  /// Runs the program. @param script commands of a user; nullptr: nobody steers
  Outcome run(const std::vector<std::string>& options, std::shared_ptr<Script> script = nullptr) {
    mass::Program steered = program;
    steered.setUp = [script](mass::Mass& mass, mass::Simulation& simulation) {
      setUp(mass, simulation);
      if (script) simulation.steer(script);
    };
    std::vector<const char*> argv{"rod"};
    for (const std::string& option : options) argv.push_back(option.c_str());
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const int code = mass::runProgram(static_cast<int>(argv.size()), argv.data(), steered, {true});
    std::string out = ::testing::internal::GetCapturedStdout();
    return {code, std::move(out), ::testing::internal::GetCapturedStderr()};
  }
  std::vector<std::string> optionsFor(const std::string& results, int devices) const {
    return {"--set", "steps=20",
            "--set", "output.table_every=3",
            "--set", "checkpoint.every=7",
            "--set", "backend=" + mass::testing::testBackend(),
            "--set", "devices=" + std::to_string(devices),
            "--set", "output.folder=" + (folder / results).string()};
  }
  /// Runs the program with its results in `results`, and further options.
  Outcome runIn(const std::string& results, std::map<std::int64_t, Commands> commands,
                const std::vector<std::string>& more = {}) {
    auto options = optionsFor(results, 1);
    options.insert(options.end(), more.begin(), more.end());
    return run(options, std::make_shared<Script>(std::move(commands)));
  }
  RunRecord recordOf(const std::string& results) const {
    return RunRecord::read(folder / results / "run.json");
  }
  Outcome again(const std::string& results, int devices = 1) {
    return run({"--again", (folder / results / "run.json").string(), "--set",
                "devices=" + std::to_string(devices)});
  }
};

TEST_F(SteeredPrograms, AreRepeatedFromTheirRecordOnAnyDevices) {
  const Outcome steered =
      runIn("a", {{0, {{"half=true"}}}, {5, {{"gain=0.5", "mode=turned"}}}, {20, {{"delay=9"}}}});
  ASSERT_EQ(steered.code, 0) << steered.err;
  const RunRecord record = recordOf("a");
  ASSERT_EQ(record.changes.size(), 4U);
  EXPECT_EQ(record.changes[1], (SettingChange{5, "gain", 0.5}));
  EXPECT_EQ(mass::Settings::restored("", schema(), record.settings).get<double>("gain"), 0.25);
  ASSERT_EQ(runIn("plain", {}).code, 0);
  EXPECT_NE(recordOf("plain").hash, record.hash);
  for (const int devices : {1, 2, 3}) {
    if (!mass::testing::haveDevices(devices)) continue;
    const Outcome repeated = again("a", devices);
    EXPECT_EQ(repeated.code, 0) << repeated.err;
    EXPECT_TRUE(contains(repeated.out, "reproduced"));
    EXPECT_EQ(recordOf("a/again").changes, record.changes);
    EXPECT_EQ(mass::testing::readBytes(folder / "a/rod.csv"),
              mass::testing::readBytes(folder / "a/again/rod.csv"));
  }
}

TEST_F(SteeredPrograms, AreRepeatedFromTheCheckpointThatTheyContinued) {
  ASSERT_EQ(runIn("a", {{7, {{"gain=0.5"}}}, {13, {{"mode=turned"}, {.ends = true}}}}).code, 0);
  EXPECT_EQ(recordOf("a").step, 13);
  EXPECT_EQ(recordOf("a").state, mass::detail::RunState::interrupted);
  const std::string checkpoint = (folder / "a/checkpoint.h5").string();
  const Outcome continued =
      runIn("b", {{13, {{"half=true"}}}, {16, {{"gain=0.125"}}}}, {"--restart", checkpoint});
  ASSERT_EQ(continued.code, 0) << continued.err;
  EXPECT_TRUE(contains(continued.err,
                       "was written after changes of settings, with which this run "
                       "goes on: gain=0.5, mode=turned"))
      << continued.err;
  EXPECT_EQ(recordOf("b").changes.size(), 4U);
  EXPECT_EQ(again("a", 2).code, 0);
  EXPECT_EQ(again("b", 2).code, 0);
  EXPECT_EQ(recordOf("b/again").firstStep, 13);
  fs::remove(checkpoint);
  const Outcome whole = again("b", 3);
  EXPECT_EQ(whole.code, 0) << whole.err;
  EXPECT_EQ(recordOf("b/again").firstStep, 0);
}

TEST_F(SteeredPrograms, PauseSaveAndStopAtNearerSteps) {
  const auto script = std::make_shared<Script>(std::map<std::int64_t, Commands>{
      {4, {{}, {.wantsCheckpoint = true}, 3}}, {5, {}}, {20, {{"gain=0.5"}, {}, 2}}});
  const Outcome outcome = run(optionsFor("a", 1), script);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::map<std::int64_t, int> asked;
  for (const std::int64_t step : script->asked()) ++asked[step];
  EXPECT_EQ(asked[0], 1);
  EXPECT_EQ(asked[4], 4);
  EXPECT_EQ(asked[5], 1);
  EXPECT_EQ(asked[20], 3);
  EXPECT_EQ(recordOf("a").changes, (std::vector<SettingChange>{{20, "gain", 0.5}}));
  EXPECT_TRUE(contains(outcome.out, "step 20 of 20"));
}

/// Writes a record with other changes. @return path of the record
std::string writeChanges(const fs::path& folder, const fs::path& of, const Json& changes) {
  Json record = Json::parse(mass::testing::readBytes(of));
  record["changes"] = changes;
  fs::create_directories(folder);
  mass::testing::writeBytes(folder / "run.json", record.dump());
  return (folder / "run.json").string();
}

TEST_F(SteeredPrograms, AreNotRepeatedFromABadListOfChanges) {
  ASSERT_EQ(runIn("a", {{5, {{"gain=0.5"}}}}).code, 0);
  const auto change = [](const Json& step, const Json& key, const Json& value) {
    return Json{{"step", step}, {"key", key}, {"value", value}};
  };
  const Json good = change(5, "gain", 0.5);
  const std::string list = "no record of a run: ";
  const std::string bad = "the change at step 5 is invalid: ";
  const std::vector<std::pair<std::vector<Json>, std::string>> table{
      {{5}, list + "'changes.0' is no value of a record"},
      {{good, {{"step", 5}, {"key", "gain"}}}, list + "it has no member 'changes.1.value'"},
      {{change(-1, "gain", 0.5)},
       list + "'changes.0.step' is -1; the steps of changes ascend from "
              "0 to 20"},
      {{change(21, "gain", 0.5)}, list + "'changes.0.step' is 21; the steps of changes ascend"},
      {{good, change(4, "gain", 0.1)}, list + "'changes.1.step' is 4; the steps of changes ascend"},
      {{change(5.5, "gain", 0.5)}, list + "'changes.0.step' is no value of a record"},
      {{change("5", "gain", 0.5)}, list + "'changes.0.step' is no value of a record"},
      {{change(std::numeric_limits<std::uint64_t>::max(), "gain", 0.5)},
       list + "'changes.0.step' is no value of a record"},
      {{change(5, 3, 0.5)}, list + "'changes.0.key' is no value of a record"},
      {{change(5, "gain", nullptr)}, list + "'changes.0.value' is no value of a record"},
      {{change(5, "gain", Json::object())}, list + "'changes.0.value' is no value of a record"},
      {{change(5, "gain", {0.5, "x"})}, list + "'changes.0.value.1' is no value of a record"},
      {{change(5, "gian", 0.5)}, bad + "gian=0.5: unknown key 'gian'; did you mean 'gain'?"},
      {{change(5, std::string(100000, 'g'), 0.5)}, bad + "gggggg"},
      {{change(5, "rows", 50)}, bad + "rows=50: 'rows' cannot change during a run"},
      {{change(5, "gain", "much")}, bad + "gain=much: expected a number"},
      {{change(5, "gain", true)}, bad + "gain=true: expected a number"},
      {{change(5, "gain", 2)}, bad + "gain=2: must be 0 to 1"},
      {{change(5, "gain", 1e308)}, bad + "gain=1e+308: must be 0 to 1"},
      {{change(5, "mode", std::string(1 << 20, 'x'))}, bad + "mode=xxx"},
      {{change(5, "gain", 0.75)}, bad + "gain=0.75: is more than 'most'"}};
  for (const auto& [changes, message] : table) {
    const std::string record = writeChanges(folder / "bad", folder / "a/run.json", changes);
    const Outcome outcome = run({"--again", record});
    EXPECT_EQ(outcome.code, 2) << message;
    EXPECT_TRUE(contains(outcome.err, message)) << outcome.err.substr(0, 1000);
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err.substr(0, 1000);
    EXPECT_LT(outcome.err.size(), 1000U);
  }
  for (const Json& none : {Json(7), good}) {
    const Outcome outcome =
        run({"--again", writeChanges(folder / "bad", folder / "a/run.json", none)});
    EXPECT_TRUE(contains(outcome.err, list + "'changes' is no value of a record")) << outcome.err;
  }
  const std::string record =
      writeChanges(folder / "bad", folder / "a/run.json", std::vector<Json>{good});
  EXPECT_EQ(run({"--again", record}).code, 0);
}

TEST_F(SteeredPrograms, AreNotRepeatedFromACheckpointWithOtherChanges) {
  ASSERT_EQ(runIn("a", {{5, {{"gain=0.5"}}}, {13, {{}, {.ends = true}}}}).code, 0);
  ASSERT_EQ(runIn("b", {}, {"--restart", (folder / "a/checkpoint.h5").string()}).code, 0);
  const Json made{{"step", 5}, {"key", "gain"}, {"value", 0.5}};
  const Json other{{"step", 5}, {"key", "gain"}, {"value", 0.4}};
  const Json earlier{{"step", 12}, {"key", "mode"}, {"value", "turned"}};
  int number = 0;
  for (const Json& changes : {Json::array({other}), Json::array({made, earlier})}) {
    const fs::path copy = folder / std::to_string(++number);
    const Outcome outcome = run({"--again", writeChanges(copy, folder / "b/run.json", changes)});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_TRUE(contains(outcome.err, "the checkpoint of the run has other changes of settings"))
        << outcome.err;
  }
}

TEST(ChangeReplay, OfRankZeroIsThatOfAllRanks) {
  if (mass::testing::testBackend() != "cpu") GTEST_SKIP() << "ranks of threads run on CPUs";
  const TemporaryFolder folder;
  const std::vector<SettingChange> changes{
      {0, "half", true}, {5, "gain", 0.5}, {5, "delay", std::int64_t{1}}, {9, "gain", 0.125}};
  mass::Run alone(program, settingsFor(1));
  alone.set("half=true");
  alone.step(5);
  alone.setAll({"gain=0.5", "delay=1"});
  alone.step(4);
  alone.set("gain=0.125");
  alone.step(11);
  const std::uint64_t hash = alone.hash();
  mass::testing::runOnThreadRanks(3, [&](mass::detail::Ranks& ranks) {
    mass::Mass mass(settingsFor(ranks.number() == 1 ? 2 : 1),
                    std::shared_ptr<mass::detail::Ranks>(std::shared_ptr<void>(), &ranks));
    const auto rod = mass.createPlaces<Rod>({40});
    ModelRun model(mass, "rod");
    model.advance = [&](mass::Steps steps) {
      rod.callAll<&Rod::advance>(steps, gainOf(mass.settings()));
    };
    mass::detail::ChangeReplay replay(ranks.isFirst() ? changes : std::vector<SettingChange>{},
                                      "run.json", ranks);
    while (model.step < model.steps)
      model.advanceTo(std::min(replay.plan(model).stop, model.steps));
    EXPECT_EQ(mass.hash(), hash);
    EXPECT_EQ(model.changes, changes);
    mass.saveCheckpoint(folder / "c.h5", "rod", {{mass::detail::stepCounter, 20}},
                        model.checkpointTexts());
    model.change({"gain=0.25"});
    (void)model.restore(folder / "c.h5");
    EXPECT_EQ(model.changes, changes);
    EXPECT_EQ(mass.settings().get<double>("gain"), 0.125);
  });
}

}  // namespace
