#include <mass/program/run.hpp>

#include <mass/io/checkpoint_file.hpp>
#include <mass/program/model_run.hpp>
#include <mass/program/run_record.hpp>
#include <mass/program/simulation.hpp>
#include <mass/support/error.hpp>

#include <system_error>
#include <utility>

namespace mass {

/// Model of a Run. `simulation` and the model's functions refer to `mass`.
struct Run::State {
  State(const Program& program, Settings settings)
      : mass(std::move(settings)), simulation(mass, program.name), model(simulation.model()) {
    model.warn = [this](const std::string& text) { warnings.push_back(text); };
    program.setUp(mass, simulation);
    model.requireSteps();
  }

  Mass mass;
  Simulation simulation;
  detail::ModelRun& model;
  std::filesystem::path checkpoint{};  ///< file of the last restore(); empty if there was none
  std::vector<std::string> warnings{};
};

Run::Run(const Program& program, Settings settings)
    : state_(std::make_unique<State>(program, std::move(settings))) {}
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
  model.advanceTo(model.step + count);
  if (wasBeforeEnd && finished()) model.runCheck();
}

std::int64_t Run::step() const {
  return state_->model.step;
}

std::int64_t Run::lastStep() const {
  return state_->model.steps;
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
  Picture picture = state_->model.picture();
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
  state_->mass.saveCheckpoint(
      checkpoint, name(), {{detail::stepCounter, static_cast<std::uint64_t>(step())}},
      state_->model.checkpointTexts(), record.reproducibleJson(state_->mass.settings().schema()));
}

void Run::restore(const std::filesystem::path& checkpoint) {
  state_->model.restore(checkpoint);
  state_->checkpoint = checkpoint;
}

std::uint64_t Run::hash() const {
  return state_->mass.hash();
}

}  // namespace mass
