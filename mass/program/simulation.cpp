#include <mass/program/simulation.hpp>

#include <mass/io/print.hpp>
#include <mass/program/ending.hpp>
#include <mass/program/simulation_run.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace mass {
namespace detail {

/// Declarations of a Simulation, and the checkpoint that it continues.
struct SimulationState {
  ModelRun model;
  Compilation compilation;
  std::optional<RestoredCheckpoint> restored{};
};

}  // namespace detail

Simulation::Simulation(Mass& mass, std::string name)
    : Simulation(mass, std::move(name), detail::compilationOfCaller()) {}

Simulation::Simulation(Mass& mass, std::string name, const detail::Compilation& compilation)
    : state_(std::make_unique<detail::SimulationState>(
          detail::SimulationState{{mass, std::move(name)}, compilation})) {
  if (mass.settings().get<std::string>("output.folder").empty())
    mass.settings().reject("output.folder", "must name a folder; '.' is the working directory");
  if (!mass.settings().get<std::string>("until").empty())
    steer(std::make_shared<detail::TableEnding>(mass.settings()));
  model().warn = [program = model().name](const std::string& text) {
    printError(fmt::format("{}: warning: {}\n", program, text));
  };
}

Simulation::~Simulation() = default;

detail::ModelRun& Simulation::model() const {
  return state_->model;
}

void Simulation::advance(std::function<void(Steps)> advance) {
  model().advance = std::move(advance);
  model().runEvents = nullptr;
}

/// Sets a step to scheduled events of some places.
void Simulation::setEvents(std::shared_ptr<detail::PlacesState> places, std::function<void()> run) {
  model().advance = nullptr;
  model().runEvents = std::move(run);
  model().eventPlaces = std::move(places);
}

void Simulation::until(std::string reason, std::function<bool()> holds, std::int64_t every) {
  if (every < 1 || reason.empty()) {
    throw UsageError("Simulation::until takes a reason and at least 1 step, not '{}' and {}",
                     reason, every);
  }
  steer(std::make_shared<detail::FunctionEnding>(std::move(reason), std::move(holds), every));
}

void Simulation::step(const std::function<void()>& step) {
  advance([step](Steps steps) {
    for (std::int64_t i = 0; i < steps.count; ++i) step();
  });
}

void Simulation::onChange(std::function<void()> changed) {
  model().onChange = std::move(changed);
}

void Simulation::steer(std::shared_ptr<detail::Steering> steering) {
  model().steerings.push_back(std::move(steering));
}

void Simulation::check(std::function<void()> check) {
  model().check = std::move(check);
}

void Simulation::observe(std::string column, std::function<double()> value) {
  observe(std::vector{std::move(column)},
          [value = std::move(value)] { return std::vector{value()}; });
}

void Simulation::observe(std::vector<std::string> columns,
                         std::function<std::vector<double>()> values) {
  std::vector<std::string> all = model().columnNames();
  all.insert(all.end(), columns.begin(), columns.end());
  std::ranges::sort(all);
  if (const auto same = std::ranges::adjacent_find(all); same != all.end())
    throw UsageError("two columns of the table are called '{}'", *same);
  model().columns.push_back({std::move(columns), std::move(values)});
}

detail::HostState::Value& Simulation::addState(const std::string& name,
                                               detail::HostState::Value initial) {
  detail::HostState& all = model().state;
  detail::HostState::Value& value = all.add(name, initial);
  observe(name, [&all, name] { return all.number(name); });
  return value;
}

std::uint64_t Simulation::hash() const {
  return model().hash();
}

void Simulation::evaluate(std::function<std::string(const std::filesystem::path& table)> evaluate) {
  model().evaluate = std::move(evaluate);
}

void Simulation::picture(std::function<Picture()> picture, const std::string& palette) {
  model().picture = std::move(picture);
  model().pictureField.reset();
  model().palette = palette;
}

void Simulation::pictureOf(const std::shared_ptr<detail::PlacesState>& places,
                           std::string_view attribute, Picture style, const std::string& palette) {
  const auto field =
      std::make_shared<detail::PictureField>(places, std::string(attribute), std::move(style));
  picture([field] { return field->picture(); }, palette);
  model().pictureField = field;
}

void Simulation::slices(const Shape<3>& shape,
                        std::function<Picture(int axis, std::int64_t at)> plane) {
  model().slices = {{shape[0], shape[1], shape[2]}, nullptr, std::move(plane)};
}

void Simulation::slicesOf(const std::shared_ptr<detail::PlacesState>& places,
                          std::string_view attribute, Picture style) {
  const auto field =
      std::make_shared<detail::PictureField>(places, std::string(attribute), std::move(style));
  const auto shape = field->shape();
  model().slices = {{shape[0], shape[1], shape[2]}, field, nullptr};
}

void Simulation::points(std::string name, Rgb color, std::function<std::int64_t()> count,
                        std::function<std::vector<std::array<float, 2>>()> positions) {
  model().points.push_back({std::move(name), color, std::move(count), std::move(positions)});
}

void Simulation::addLayer(std::string name, Rgb color, std::function<std::int64_t()> count,
                          std::function<std::vector<std::array<float, 2>>()> positions) {
  points(std::move(name), color, std::move(count), std::move(positions));
  model().points.back().isLayer = true;
}

void Simulation::timeStep(double seconds) {
  model().timeStep = seconds;
}

void Simulation::duration(double seconds) {
  constexpr double most = 0x1p62;
  const double steps = std::ceil(seconds / model().timeStep * (1 - 1e-12));
  if (!(seconds >= 0 && steps < most)) {
    throw UsageError("a duration of {} s is {} steps of {} s; it must be from 0 to 2^62 steps",
                     seconds, steps, model().timeStep);
  }
  if (steps > 0 && !model().mass.settings().given("steps"))
    model().steps = static_cast<std::int64_t>(steps);
}

void Simulation::formerName(std::string name) {
  model().formerNames.push_back(std::move(name));
}

void Simulation::describe(const std::string& lines) {
  model().description += lines;
}

void Simulation::warn(const std::string& text) const {
  model().warn(text);
}

std::int64_t Simulation::step() const {
  return model().step;
}

void Simulation::addData(const std::string& name, const detail::FieldGeometry& geometry,
                         std::function<DataFrame()> frame) {
  const std::filesystem::path folder = model().mass.settings().get<std::string>("output.folder");
  (void)detail::FieldSeries(folder, name, geometry);  // refuses invalid ones
  model().data.push_back({name, geometry, std::move(frame), nullptr});
}

void Simulation::addPoints(const std::string& name, std::function<detail::AgentFrame()> frame) {
  model().data.push_back({name, std::nullopt, nullptr, std::move(frame)});
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
  const auto file = detail::agentTableFile(model().mass.settings(), name);
  const auto hasName = [&](const auto& other) { return other.name == name; };
  if (file.filename() == model().name + ".csv" ||
      std::ranges::any_of(model().agentTables, hasName)) {
    throw UsageError("there are two tables '{}': rename the agents '{}'", file.string(), name);
  }
  model().agentTables.push_back({name, std::move(columns), std::move(rows)});
}

void Simulation::restart(const std::filesystem::path& checkpoint) {
  state_->restored = model().restore(checkpoint);
  const std::int64_t step = model().step;
  if (step > model().steps) {
    model().mass.settings().reject(
        "steps", fmt::format("{} was written at step {}, beyond 'steps': set it to at least {}",
                             checkpoint.string(), step, step));
  }
}

int Simulation::run() {
  if (!model().description.empty()) printResult(model().description);
  return detail::SimulationRun(model(), state_->compilation, state_->restored).run();
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

Picture styleOf(float low, float high, const std::string& unit) {
  Picture style{{}, 0, 0, low, high};
  style.unit = unit;
  return style;
}

Picture styleOf(std::vector<std::string> categories, std::vector<Rgb> colors) {
  Picture style;
  style.categories = std::move(categories);
  style.colors = std::move(colors);
  return style;
}

void requireLayer(std::size_t names, std::size_t colors) {
  if (names != colors || names > mostLayers) {
    throw UsageError(
        "a layer of agents has {} categories and {} colours: give one colour for each of at most "
        "{} categories",
        names, colors, mostLayers);
  }
}

std::vector<std::array<float, 2>> centresOf(const std::shared_ptr<AgentsState>& population) {
  const AnyAgents agents(population);
  const auto shape = agents.home().shape();
  const auto coordinates = agents.coordinates();
  std::vector<std::array<float, 2>> centres(coordinates.front().size());
  for (std::size_t i = 0; i < centres.size(); ++i) {
    for (std::size_t axis = 0; axis < 2; ++axis) {
      centres[i][axis] =
          (static_cast<float>(coordinates[axis][i]) + 0.5F) / static_cast<float>(shape[axis]);
    }
  }
  return centres;
}

}  // namespace detail
}  // namespace mass
