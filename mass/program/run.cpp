#include <mass/program/run.hpp>

#include <mass/io/checkpoint_file.hpp>
#include <mass/program/model_run.hpp>
#include <mass/program/run_record.hpp>
#include <mass/program/simulation.hpp>
#include <mass/program/steering.hpp>
#include <mass/program/step_loop.hpp>
#include <mass/support/error.hpp>

#include <algorithm>
#include <system_error>
#include <utility>

namespace mass {
namespace {

/// Compute time of the steps between two questions to a Steering.
constexpr double secondsOfChunk = 0.05;

}  // namespace

/// Model of a Run, in `own` or a Mass of the caller. `simulation` and the model's functions refer
/// to `mass`.
struct Run::State : private detail::StepOwner {
  /// @param opened devices of the model; null: `mass` is a Mass of the caller
  State(const Program& program, std::unique_ptr<Mass> opened, Mass& shared)
      : own(std::move(opened)),
        mass(shared),
        simulation(mass, program.name),
        model(simulation.model()) {
    model.addSettings(program.schema);
    model.warn = [this](const std::string& text) { warnings.push_back(text); };
    program.setUp(mass, simulation);
    model.requireSteps();
    for (const auto& steering : model.steerings) steering->begin(model);
    tableEvery = mass.settings().get<std::int64_t>("output.table_every");
  }

  bool goesOn(std::int64_t&) override { return true; }
  /// Returns `limit` without a Steering, which would be asked between chunks.
  std::int64_t nextStop(std::int64_t chunk, std::int64_t limit) const override {
    if (model.steerings.empty()) return limit;
    const std::int64_t left = tableEvery > 0 ? tableEvery - model.step % tableEvery : chunk;
    return model.step + std::min({chunk, left, limit - model.step});
  }
  void chunkMade() override {
    if (model.steerings.empty() || tableEvery == 0 || model.step % tableEvery != 0) return;
    const std::vector<double> row = model.row();
    for (const auto& steering : model.steerings) steering->tableRow(model.step, row);
  }
  void checkpointWanted() override { model.warn("a Run has no file for a checkpoint"); }

  std::unique_ptr<Mass> own;
  Mass& mass;
  Simulation simulation;
  detail::ModelRun& model;
  std::int64_t tableEvery = 0;
  detail::StepLoop loop{model, *this, secondsOfChunk};
  std::filesystem::path checkpoint{};  ///< file of the last restore(); empty if there was none
  std::vector<std::string> warnings{};
};

Run::Run(const Program& program, Settings settings) {
  auto mass = std::make_unique<Mass>(std::move(settings));
  Mass& opened = *mass;
  state_ = std::make_unique<State>(program, std::move(mass), opened);
}
Run::Run(const Program& program, Mass& mass)
    : state_(std::make_unique<State>(program, nullptr, mass)) {}
Run::~Run() = default;
Run::Run(Run&&) noexcept = default;
Run& Run::operator=(Run&&) noexcept = default;

const std::string& Run::name() const {
  return state_->model.name;
}

Mass& Run::mass() {
  return state_->mass;
}

const Mass& Run::mass() const {
  return state_->mass;
}

const std::string& Run::description() const {
  return state_->model.description;
}

void Run::step(std::int64_t count) {
  detail::ModelRun& model = state_->model;
  if (count < 0) throw UsageError("Run::step: {} steps were asked for; give 0 or more", count);
  if (count == 0) return;
  const bool wasBeforeEnd = !finished();
  (void)state_->loop.makeSteps(model.step + count);
  if (wasBeforeEnd && finished()) model.runCheck();
}

std::int64_t Run::step() const {
  return state_->model.step;
}

std::int64_t Run::lastStep() const {
  return state_->model.steps;
}

const std::string& Run::endedBy() const {
  return state_->model.endedBy;
}

double Run::time() const {
  return static_cast<double>(step()) * state_->model.timeStep;
}

void Run::set(std::string_view assignment) {
  setAll({std::string(assignment)});
}

void Run::setAll(const std::vector<std::string>& assignments) {
  state_->model.change(assignments);
}

const std::vector<Run::Change>& Run::changes() const {
  return state_->model.changes;
}

Run::Row Run::row() const {
  return {state_->model.columnNames(), state_->model.row()};
}

std::vector<Picture> Run::pictures() const {
  if (!state_->model.picture) return {};
  Picture picture = state_->model.pictureWithLayers();
  const auto chosen = state_->mass.settings().get<std::string>("output.palette");
  picture.palette = chosen == "automatic" ? state_->model.palette : chosen;
  return {std::move(picture)};
}

std::map<std::string, DataFrame> Run::data() const {
  std::map<std::string, DataFrame> frames;
  for (const detail::DataDeclaration& data : state_->model.data)
    frames[data.name] = data.grid ? data.arrays() : detail::dataOf(data.points());
  return frames;
}

std::vector<std::string> Run::takeWarnings() {
  return std::exchange(state_->warnings, {});
}

void Run::save(const std::filesystem::path& checkpoint) const {
  std::error_code unknown;
  if (std::filesystem::exists(checkpoint, unknown) && !detail::beginsAsCheckpoint(checkpoint))
    throw OutputError("'{}' is no checkpoint: it is not replaced", checkpoint.string());
  state_->model.runCheck();
  auto record = detail::RunRecord::of(state_->mass, name(), detail::compilationOfCaller(),
                                      state_->checkpoint);
  record.changes = changes();
  state_->mass.saveCheckpoint(checkpoint, name(), state_->model.checkpointCounters(),
                              state_->model.checkpointTexts(),
                              record.reproducibleJson(state_->mass.settings().schema()));
}

void Run::restore(const std::filesystem::path& checkpoint) {
  state_->model.restore(checkpoint);
  state_->checkpoint = checkpoint;
  for (const auto& steering : state_->model.steerings) steering->begin(state_->model);
}

std::uint64_t Run::hash() const {
  return state_->model.hash();
}

void Run::steer(std::shared_ptr<detail::Steering> steering) {
  steering->begin(state_->model);
  state_->model.steerings.push_back(std::move(steering));
}

}  // namespace mass
