#include <mass/program/player.hpp>

#include <mass/io/checkpoint_file.hpp>
#include <mass/io/csv_reader.hpp>
#include <mass/io/print.hpp>
#include <mass/model/rank_checkpoint.hpp>
#include <mass/program/change_replay.hpp>
#include <mass/program/simulation.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mass::detail {
namespace {

constexpr int failureCode = 2;
/// Compute time of the steps between two looks for signals.
constexpr double secondsOfScene = 0.1;

}  // namespace

/// Model at a step of the run. `simulation` refers to `mass`.
struct Player::Scene {
  Scene(const Program& program, const Compilation& compilation, const Settings& settings)
      : mass(settings), simulation(mass, program.name, compilation) {
    program.setUp(mass, simulation);
  }

  Mass mass;
  Simulation simulation;
};

Player::Player(const Program& program, const Compilation& compilation, Again record,
               Settings settings, std::shared_ptr<live::View> view)
    : program_(program),
      compilation_(compilation),
      record_(std::move(record)),
      settings_(std::move(settings)),
      view_(std::move(view)) {
  if (const auto differences = record_.differences(compilation); !differences.empty())
    note(fmt::format("the program is not that of the run, and may show other states: {}",
                     differences));
}

Player::~Player() = default;

int Player::play() {
  findStarts();
  open(starts_.front());
  view_->begin(model());
  showTable();
  for (;;) {
    StepLoop loop(model(), *this, secondsOfScene);
    loop.wait(loop.makeSteps(model().steps));
    if (const int signal = interrupts_.signal(); signal != 0) return 128 + signal;
    const auto goal = view_->takeGoal();
    if (!goal) return isSame_.value_or(true) ? 0 : failureCode;
    goTo(*goal);
  }
}

ModelRun& Player::model() const {
  return scene_->simulation.model();
}

/// Lists the states from which steps can be made: the beginning of the run, and its checkpoint.
void Player::findStarts() {
  starts_ = {{}};
  if (record_.isRestart()) {
    const std::filesystem::path restart = record_.restart();
    if (restart.empty())
      note("the checkpoint that the run continued has changed since: it is shown from step 0");
    else
      starts_ = {{record_.firstStep(), restart}};
  }
  addCheckpoint();
}

/// Adds the checkpoint in the folder of the run, if the run has written it.
void Player::addCheckpoint() {
  const std::filesystem::path file = record_.checkpoint();
  if (file.empty()) return;
  try {
    Ranks alone;
    const CheckpointHeader header = RankCheckpoint(alone, file).header();
    const auto step = header.counters.find(stepCounter);
    const auto text = header.texts.find(changesText);
    if (step == header.counters.end()) throw CheckpointError("it has no step");
    const auto at = static_cast<std::int64_t>(step->second);
    const auto made = text == header.texts.end() ? std::vector<SettingChange>{}
                                                 : changesFromJson(text->second, at);
    const bool isOfRun =
        at <= record_.lastStep() && areBefore(made, at, record_.changes(settings_));
    if (!isOfRun) throw CheckpointError("it is not one of this run");
    if (at > starts_.back().step) starts_.push_back({at, file});
  } catch (const Error& error) {
    note(fmt::format("the checkpoint '{}' is not used: {}", file.string(), error.what()));
  }
}

/// Returns the latest state at or before a step; the first one if there is none.
const Player::Start& Player::startBefore(std::int64_t step) const {
  const auto after = std::ranges::upper_bound(starts_, step, {}, &Start::step);
  return after == starts_.begin() ? starts_.front() : *(after - 1);
}

/// Sets the model up anew, at the step of a state.
void Player::open(const Start& start) {
  scene_.reset();  // frees its memory before
  scene_ = std::make_unique<Scene>(program_, compilation_, settings_);
  model().requireSteps();
  record_.requireSameInputs(scene_->mass.settings());
  model().steps = record_.lastStep();
  if (!start.checkpoint.empty()) scene_->simulation.restart(start.checkpoint);
  model().steerings = {
      std::make_shared<ChangeReplay>(record_.changes(scene_->mass.settings()), record_.file(),
                                     scene_->mass.devices().ranks()),
      view_};
}

void Player::goTo(std::int64_t step) {
  const Start& start = startBefore(step);
  const std::int64_t goal = std::max(step, start.step);
  if (goal < model().step || start.step > model().step) open(start);
  view_->jump(model(), goal);
}

std::int64_t Player::nextStop(std::int64_t chunk, std::int64_t limit) const {
  return model().step + std::min(chunk, limit - model().step);
}

/// Compares the final state with that of the run, when it is first reached.
void Player::chunkMade() {
  if (model().step < model().steps || isSame_) return;
  const std::uint64_t hash = model().hash();
  isSame_ = record_.isReproduced(hash);
  if (*isSame_)
    printResult(fmt::format("  reproduced  {}\n", record_.file().string()));
  else
    note(record_.difference(hash, compilation_));
}

/// Shows the rows of the table of the run, if there is one.
void Player::showTable() {
  const auto file = record_.folder() / (program_.name + ".csv");
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(file, unknown)) return;
  try {
    CsvReader csv(file);
    std::vector<std::string> names = model().columnNames();
    names.insert(names.begin(), "step");
    if (csv.columns() != names) return;
    std::vector<double> row(names.size() - 1);
    while (csv.next()) {
      for (std::size_t i = 0; i < row.size(); ++i) row[i] = csv.number<double>(i + 1);
      view_->tableRow(csv.number<std::int64_t>(0), row);
    }
  } catch (const InputError& error) {
    note(fmt::format("the curves end there: {}", error.what()));
  }
}

void Player::note(const std::string& text) const {
  printError(fmt::format("{}: note: {}\n", program_.name, text));
}

}  // namespace mass::detail
