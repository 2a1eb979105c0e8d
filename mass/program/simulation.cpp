#include <mass/program/simulation.hpp>

#include <mass/io/checkpoint_file.hpp>
#include <mass/io/point_series.hpp>
#include <mass/model/rank_checkpoint.hpp>
#include <mass/program/simulation_state.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace mass {
namespace detail {
namespace {

/// Returns the folder of the results.
/// @throws SettingsError if there is none
std::filesystem::path resultsFolder(const Settings& settings) {
  std::filesystem::path folder = settings.get<std::string>("output.folder");
  if (folder.empty())
    settings.reject("output.folder", "must name a folder; '.' is the working directory");
  return folder;
}

}  // namespace

SimulationState::SimulationState(Mass& owner, std::string program, const Compilation& options)
    : mass(owner),
      name(std::move(program)),
      folder(resultsFolder(owner.settings())),
      steps(owner.settings().get<std::int64_t>("steps")),
      tableEvery(owner.settings().get<std::int64_t>("output.table_every")),
      dataEvery(owner.settings().get<std::int64_t>("output.data_every")),
      agentsEvery(owner.settings().get<std::int64_t>("output.agents_every")),
      checkpointEvery(owner.settings().get<std::int64_t>("checkpoint.every")),
      checkpointFile(owner.settings().get<std::string>("checkpoint.file")),
      pictures(owner.settings(), folder, name),
      compilation(options),
      capacityNotes(owner, name),
      balanceMonitor(owner),
      eventMonitor(owner),
      finiteCheck(owner.settings()),
      plot(owner.settings()) {
  if (checkpointFile.empty()) checkpointFile = folder / "checkpoint.h5";
}

}  // namespace detail

Simulation::Simulation(Mass& mass, std::string name)
    : Simulation(mass, std::move(name), detail::compilationOfCaller()) {}

Simulation::Simulation(Mass& mass, std::string name, const detail::Compilation& compilation)
    : state_(std::make_unique<detail::SimulationState>(mass, std::move(name), compilation)) {}

Simulation::~Simulation() = default;

void Simulation::advance(std::function<void(Steps)> advance) {
  state_->advance = std::move(advance);
}

void Simulation::check(std::function<void()> check) {
  state_->check = std::move(check);
}

void Simulation::observe(std::string column, std::function<double()> value) {
  observe(std::vector{std::move(column)},
          [value = std::move(value)] { return std::vector{value()}; });
}

void Simulation::observe(std::vector<std::string> columns,
                         std::function<std::vector<double>()> values) {
  state_->columns.push_back({std::move(columns), std::move(values)});
}

void Simulation::evaluate(std::function<std::string(const std::filesystem::path& table)> evaluate) {
  state_->evaluate = std::move(evaluate);
}

void Simulation::picture(std::function<Picture()> picture, const std::string& palette) {
  state_->pictures.setSource(std::move(picture), palette);
}

void Simulation::timeStep(double seconds) {
  state_->timeStep = seconds;
}

void Simulation::duration(double seconds) {
  constexpr double most = 0x1p62;
  const double steps = std::ceil(seconds / state_->timeStep * (1 - 1e-12));
  if (!(seconds >= 0 && steps < most)) {
    throw UsageError("a duration of {} s is {} steps of {} s; it must be from 0 to 2^62 steps",
                     seconds, steps, state_->timeStep);
  }
  if (steps > 0 && !state_->mass.settings().given("steps"))
    state_->steps = static_cast<std::int64_t>(steps);
}

void Simulation::formerName(std::string name) {
  state_->formerNames.push_back(std::move(name));
}

std::int64_t Simulation::step() const {
  return state_->step;
}

void Simulation::addData(const std::string& name, const detail::FieldGeometry& geometry,
                         std::function<DataFrame()> frame) {
  const auto series = std::make_shared<detail::FieldSeries>(state_->folder, name, geometry);
  state_->data.push_back(detail::DataSource::of(series));
  state_->data.back().write = [this, series, name, geometry, frame = std::move(frame)](
                                  std::int64_t step, double time) {
    const DataFrame written = frame();
    if (!state_->ownsFiles()) return;  // arrays of the library have no values there
    state_->finiteCheck.requireArrays(
        step, written.arrays, geometry.places(), [&](std::size_t place) {
          return fmt::format("'{}' at ({})", name, fmt::join(geometry.coordinates(place), ", "));
        });
    series->add(step, time, written.arrays);
  };
}

void Simulation::addPoints(const std::string& name, std::function<detail::AgentFrame()> frame) {
  const auto series = std::make_shared<detail::PointSeries>(state_->folder, name);
  state_->data.push_back(detail::DataSource::of(series));
  state_->data.back().write = [this, series, name, frame = std::move(frame)](std::int64_t step,
                                                                             double time) {
    const detail::AgentFrame points = frame();
    detail::requireFinite(state_->finiteCheck, step, name, points);
    if (!state_->ownsFiles()) return;
    series->add(step, time, points.rows, points.arrays.front(),
                std::span(points.arrays).subspan(1));
  };
}

void Simulation::addAgentTable(const std::string& name, std::vector<detail::FieldArray> columns,
                               std::function<detail::AgentFrame()> rows) {
  // Checked without regard to the settings, so that a name is valid for every run of a model.
  for (const auto prefix :
       {detail::BalanceMonitor::tablePrefix, detail::EventMonitor::tablePrefix}) {
    if (!name.starts_with(prefix)) continue;
    throw UsageError(
        "agents named '{}' cannot have a table: names with the prefix '{}' are for tables of "
        "places; "
        "rename the agents",
        name, prefix);
  }
  const bool asHdf5 = state_->mass.settings().get<std::string>("output.agents_format") == "hdf5";
  const auto file = state_->folder / (name + (asHdf5 ? ".h5" : ".csv"));
  const auto isTaken = [&](const detail::AgentTableSource& other) { return other.file == file; };
  if (file == state_->tableFile() ||
      std::any_of(state_->agents.begin(), state_->agents.end(), isTaken)) {
    throw UsageError("there are two tables '{}': rename the agents '{}'", file.string(), name);
  }
  state_->agents.push_back({name, file, std::move(columns), std::move(rows)});
}

void Simulation::restart(const std::filesystem::path& checkpoint) {
  const auto& former = state_->formerNames;
  const detail::CheckpointHeader header =
      detail::RankCheckpoint(state_->mass.devices().ranks(), checkpoint).header();
  const std::string& writer = header.model;
  const bool isFormer = std::find(former.begin(), former.end(), writer) != former.end();
  state_->writer = isFormer ? writer : state_->name;
  const auto counters = state_->mass.restoreCheckpoint(checkpoint, state_->writer);
  const auto step = counters.find(detail::stepCounter);
  if (step == counters.end()) {
    throw CheckpointError("{} has no step; it was not written by a Simulation",
                          checkpoint.string());
  }
  state_->step = state_->firstStep = static_cast<std::int64_t>(step->second);
  if (state_->step > state_->steps) {
    state_->mass.settings().reject(
        "steps", fmt::format("{} was written at step {}, beyond 'steps': set it to at least {}",
                             checkpoint.string(), state_->step, state_->step));
  }
  if (const auto row = counters.find(detail::lastRowCounter); row != counters.end()) {
    state_->lastRow = static_cast<std::int64_t>(row->second);
  }
  for (detail::AgentTableSource& source : state_->agents) {
    const auto row = counters.find(detail::lastRowCounterOf(source.name));
    if (row != counters.end()) source.lastRow = static_cast<std::int64_t>(row->second);
  }
  for (const auto& [name, text] : header.texts) {
    if (name.starts_with(detail::frameListOf(""))) state_->frameLists[name] = text;
  }
  state_->restarted = true;
  state_->restartFile = checkpoint;
  state_->settingsNote = state_->changesSince(checkpoint, header.settings);
}

int Simulation::run() {
  detail::SimulationState& state = *state_;
  if (!state.advance)
    throw UsageError("the program '{}' has not called Simulation::advance", state.name);
  const detail::InterruptGuard interrupts;
  state.prepareOutput();
  state.note(state.settingsNote);
  try {
    const int signal = state.runSteps(interrupts);
    return state.finish(signal, interrupts);
  } catch (...) {
    state.recordFailure();
    throw;
  }
}

namespace detail {

FieldGeometry geometryOf(const PlacesState& population, double spacing) {
  const Domain& domain = population.fields->domain();
  const auto& lengths = population.mask ? population.mask->shape : domain.shape;
  FieldGeometry geometry;
  for (int axis = 0; axis < domain.dimensions; ++axis) {
    geometry.shape.push_back(lengths[static_cast<std::size_t>(axis)]);
    geometry.spacing.push_back(spacing);
    geometry.origin.push_back(0);
  }
  return geometry;
}

}  // namespace detail
}  // namespace mass
