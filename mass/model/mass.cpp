#include <mass/model/mass.hpp>

#include <mass/backend/gpus.hpp>
#include <mass/dispatch/cpu_executor.hpp>
#include <mass/dispatch/gpu_executor.hpp>
#include <mass/dispatch/launch_cache.hpp>
#include <mass/exchange/local_halo_transport.hpp>
#include <mass/io/checkpoint_file.hpp>
#include <mass/memory/repartition.hpp>
#include <mass/model/agent_checkpoint.hpp>
#include <mass/random/philox.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <utility>

namespace mass {
namespace {

/// Checkpoints move this many bytes at a time, so that they need no copy of the world.
constexpr std::int64_t pieceBytes = std::int64_t{64} << 20;

bool onGpus(const Settings& settings) {
  const auto backend = settings.get<std::string>("backend");
  return backend == "cuda" || (backend == "auto" && detail::usableGpus() > 0);
}

/// The setting `devices`, with a number for auto.
int deviceCount(const Settings& settings) {
  const int devices = settings.get<int>("devices");
  return devices > 0 ? devices : onGpus(settings) ? std::max(detail::usableGpus(), 1) : 1;
}

detail::GpuOptions gpuOptions(const Settings& settings) {
  static const std::map<std::string, detail::HaloMode> exchanges{
      {"auto", detail::HaloMode::automatic},
      {"store", detail::HaloMode::store},
      {"copy", detail::HaloMode::copy},
      {"nccl", detail::HaloMode::nccl},
      {"host", detail::HaloMode::host}};
  detail::GpuOptions options{exchanges.at(settings.get<std::string>("exchange")), {}};
  const auto tile = settings.get<std::string>("tile");
  if (tile != "auto") {
    options.tile = detail::parseShape(tile);
    if (!options.tile) {
      settings.reject(
          "tile",
          "is auto, or four powers of two as in 4x1x128x2: rows (at most 16) and columns "
          "(1, 2 or 4) a thread, threads of a block along a line and along the rows (at "
          "most 256 in all), and perhaps a fifth, lines in turn; or, in 3-D, as in 64x1x128x8m: "
          "blocks of so many rows that go from row to row");
    }
  }
  return options;
}

/// Says whether what is streamed is to move within one buffer, where it can.
void setStreaming(detail::Domain& domain, const Settings& settings,
                  const detail::DeviceConfig& devices) {
  const bool isMirrored = std::find(domain.borders.begin(), domain.borders.end(),
                                    Border::mirrored) != domain.borders.end();
  if (isMirrored) return;
  const auto streaming = settings.get<std::string>("streaming");
  const bool isAuto = streaming == "auto";
  domain.streamsInPlace = streaming == "in_place" || (isAuto && !devices.areGpus());
  // As far as GPUs can do it.
  const auto exchange = settings.get<std::string>("exchange");
  const bool mayStore = exchange == "auto" || exchange == "store";
  const bool canStore = devices.size() == 1 || (mayStore && devices.reachEachOther());
  domain.mayStreamInPlace =
      isAuto && canStore && (domain.dimensions < 3 || domain.shape[1] <= detail::maxAaLines);
}

std::shared_ptr<detail::Engine> makeRuntime(const Settings& settings) {
  const int devices = deviceCount(settings);
  const auto weights = settings.get<std::vector<double>>("weights");
  if (!weights.empty() && static_cast<int>(weights.size()) != devices) {
    settings.reject("weights",
                    fmt::format("as many as 'devices', {}, are needed, or none; there are {}",
                                devices, weights.size()));
  }
  const detail::GpuOptions options = gpuOptions(settings);
  const auto seed = settings.get<std::uint64_t>("seed");
  if (onGpus(settings)) {
    return std::make_shared<detail::Engine>(
        detail::DeviceConfig::gpus(devices, weights),
        [&](const detail::DeviceConfig& gpus) { return makeGpuExecutor(gpus, options); }, seed);
  }
  return std::make_shared<detail::Engine>(
      detail::DeviceConfig::cpu(devices, settings.get<int>("threads"), weights),
      [](const detail::DeviceConfig&) {
        return std::make_unique<detail::CpuExecutor>(
            std::make_unique<detail::LocalHaloTransport>());
      },
      seed);
}

/// The extents of the axes that there are.
std::span<const std::int64_t> axesOf(const detail::Domain& domain) {
  return std::span(domain.shape).first(static_cast<std::size_t>(domain.dimensions));
}

/// Every component of a population as an array of a checkpoint.
std::vector<detail::ArrayInfo> arraysOf(const detail::PlacesState& population) {
  const detail::Domain& domain = population.fields->domain();
  const auto axes = axesOf(domain);
  const std::vector<std::uint64_t> shape(axes.begin(), axes.end());
  std::vector<detail::ArrayInfo> arrays;
  for (const detail::AttributeInfo& attribute : population.attributes) {
    for (int k = 0; k < attribute.components; ++k) {
      auto name = fmt::format("{}.{}", population.name, attribute.name);
      if (attribute.isArray) name += fmt::format(".{}", k);
      arrays.push_back({std::move(name), attribute.type, attribute.elementSize, shape});
    }
  }
  return arrays;
}

/// @throws UsageError for more places than random numbers tell apart (see RandomKey): far fewer
/// than numbers count, so that nothing that is computed from the shape overflows.
void requireCountable(const std::string& name, const detail::Domain& domain) {
  constexpr auto most = static_cast<std::int64_t>(detail::RandomKey::indices);
  std::int64_t places = 1;
  for (const std::int64_t along : domain.shape) {
    if (along > most / places) {
      throw UsageError("a world '{}' of {} places is too large: {} are the most", name,
                       fmt::join(axesOf(domain), " x "), most);
    }
    places *= along;
  }
}

/// How many rows of an array make a piece.
std::int64_t rowsAPiece(const detail::ArrayInfo& array) {
  const auto rowBytes = static_cast<std::int64_t>(array.rowBytes());
  return std::clamp<std::int64_t>(pieceBytes / std::max<std::int64_t>(rowBytes, 1), 1,
                                  static_cast<std::int64_t>(array.shape[0]));
}

/// Calls body(first row, count, buffer) for pieces of an array's rows.
template <class Body>
void forEachRowPiece(const detail::ArrayInfo& array, Body&& body) {
  const auto rows = static_cast<std::int64_t>(array.shape[0]);
  const auto rowBytes = static_cast<std::int64_t>(array.rowBytes());
  const std::int64_t most = rowsAPiece(array);
  std::vector<char> buffer(static_cast<std::size_t>(most * rowBytes));
  for (std::int64_t first = 0; first < rows; first += most) {
    body(first, std::min(most, rows - first), buffer.data());
  }
}

std::string stepCounter(const detail::PlacesState& population) {
  return population.name + ".step";
}

std::string spilledCounter(const detail::PlacesState& population) {
  return population.name + ".spilled";
}

/// How the messages end that refuse a checkpoint of a run with other settings.
constexpr const char* whatToDo =
    "go on with the settings of the run that wrote it, or start a new one";

void requireSameTexts(const detail::CheckpointReader& file, const std::filesystem::path& path,
                      const std::map<std::string, std::string>& ours) {
  for (const auto& [what, theirs] : file.header().texts) {
    const auto mine = ours.find(what);
    if (mine == ours.end() || mine->second == theirs) continue;
    throw CheckpointError("{} was written with another {}: '{}', not '{}'; {}", path.string(), what,
                          theirs, mine->second, whatToDo);
  }
}

/// Where a place is along each axis.
std::string positionOf(const detail::Domain& domain, std::int64_t place) {
  std::vector<std::int64_t> at;
  for (int axis = domain.dimensions - 1; axis >= 0; --axis) {
    const std::int64_t along = domain.shape[static_cast<std::size_t>(axis)];
    at.insert(at.begin(), place % along);
    place /= along;
  }
  return fmt::format("[{}]", fmt::join(at, ", "));
}

/// Constant attributes are what the model has made of its settings, as has all else that a rule is
/// given: a checkpoint with others is of another world, of which only a part would go on.
void requireSameConstants(const detail::CheckpointReader& file, const std::filesystem::path& path,
                          const detail::PlacesState& population) {
  const detail::PlaceFields& fields = population.settled();
  int component = -1;
  for (const detail::ArrayInfo& array : arraysOf(population)) {
    if (!fields.component(++component).constant) continue;
    const auto rowBytes = static_cast<std::size_t>(array.rowBytes());
    std::vector<char> ours(static_cast<std::size_t>(rowsAPiece(array)) * rowBytes);
    std::int64_t different = 0, firstOne = 0;
    forEachRowPiece(array, [&](std::int64_t first, std::int64_t count, char* theirs) {
      file.rows(array.name, static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(count),
                theirs);
      readRows(fields, component, first, count, ours.data());
      const std::size_t bytes = static_cast<std::size_t>(count) * rowBytes;
      if (std::memcmp(theirs, ours.data(), bytes) == 0) return;
      const auto before = first * static_cast<std::int64_t>(rowBytes / array.elementSize);
      for (std::size_t at = 0; at < bytes; at += array.elementSize) {
        if (std::memcmp(theirs + at, ours.data() + at, array.elementSize) == 0) continue;
        if (different++ == 0) firstOne = before + static_cast<std::int64_t>(at / array.elementSize);
      }
    });
    if (different == 0) continue;
    const detail::Domain& domain = fields.domain();
    throw CheckpointError(
        "{} was written with another '{}', which does not change in a run: at {} of {} places, "
        "first at {}; {}",
        path.string(), array.name, different, domain.shape[0] * domain.shape[1] * domain.shape[2],
        positionOf(domain, firstOne), whatToDo);
  }
}

/// All but what is constant, and so the same already.
void restorePopulation(const detail::CheckpointReader& file, detail::PlacesState& population) {
  detail::PlaceFields& fields = population.settled();
  int component = 0;
  std::optional<std::uint64_t> expected;  // none when a place has no attributes
  for (const detail::ArrayInfo& array : arraysOf(population)) {
    if (!fields.component(component).constant) {
      forEachRowPiece(array, [&](std::int64_t first, std::int64_t count, void* buffer) {
        file.rows(array.name, static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(count),
                  buffer);
        writeRows(fields, component, first, count, buffer);
      });
      fields.refreshPadding(component);
    }
    expected = file.hash(array.name);
    ++component;
  }
  const auto& counters = file.header().counters;
  fields.step = counters.at(stepCounter(population));
  if (const auto spilled = counters.find(spilledCounter(population)); spilled != counters.end()) {
    fields.overflowedWords = spilled->second;
  }
  if (expected && hashOf(fields) != *expected) {
    throw CheckpointError(
        "the places '{}' read from the checkpoint are not those that were written",
        population.name);
  }
}

}  // namespace

Mass::Mass(Settings settings) : settings_(std::move(settings)), engine_(makeRuntime(settings_)) {}

std::shared_ptr<detail::PlacesState> Mass::addPopulation(
    std::string name, const detail::Domain& domain, std::vector<detail::Component> components,
    std::vector<detail::AttributeInfo> attributes) {
  for (int axis = 0; axis < domain.dimensions; ++axis) {
    const std::int64_t places = domain.shape[static_cast<std::size_t>(axis)];
    if (places < 1)
      throw UsageError("places '{}' need at least 1 place along axis {}, got {}", name, axis,
                       places);
  }
  requireCountable(name, domain);
  if (domain.reach > settings_.get<int>("MAX_PLACE_EXCHANGE")) {
    settings_.reject("MAX_PLACE_EXCHANGE",
                     fmt::format("the rules of '{}' read {} places far: set it to {} or more", name,
                                 domain.reach, domain.reach));
  }
  if (devices().size() > domain.shape[0]) {
    const std::int64_t rows = domain.shape[0];
    const char* const plural = rows == 1 ? "" : "s";
    settings_.reject(
        "devices",
        fmt::format("'{}' has only {} row{}, and each of the {} devices{} needs one: use at "
                    "most {} device{}",
                    name, rows, plural, devices().size(),
                    settings_.get<int>("devices") == 0 ? ", all GPUs that there are," : "", rows,
                    plural));
  }
  requireAnother(name);
  auto population = std::make_shared<detail::PlacesState>();
  population->name = std::move(name);
  population->number = static_cast<std::uint32_t>(populations_.size());
  population->attributes = std::move(attributes);
  population->engine = engine_;
  detail::Domain ours = domain;
  setStreaming(ours, settings_, engine_->devices);
  population->fields =
      std::make_unique<detail::PlaceFields>(engine_->devices, ours, std::move(components));
  populations_.push_back(population);
  return population;
}

std::shared_ptr<detail::AgentsState> Mass::makeAgents(
    std::string name, std::shared_ptr<detail::PlacesState> home, detail::AgentTraits traits,
    std::vector<detail::AttributeInfo> attributes) {
  if (home->engine != engine_) {
    throw UsageError("agents '{}' and the places they are to live on belong to two Mass objects",
                     name);
  }
  if (std::min<std::int64_t>({traits.capacity, traits.travel, traits.reach, traits.offspring}) <
      0) {
    throw UsageError(
        "agents '{}' need capacity, travel, reach and offspring of 0 or more; they are {}, {}, {} "
        "and {}",
        name, traits.capacity, traits.travel, traits.reach, traits.offspring);
  }
  if (traits.travel != anywhere && traits.travel > settings_.get<int>("MAX_AGENT_TRAVEL")) {
    settings_.reject("MAX_AGENT_TRAVEL", fmt::format("agents '{}' travel {} places far: set it to "
                                                     "{} or more",
                                                     name, traits.travel, traits.travel));
  }
  if (traits.reach > settings_.get<int>("MAX_PLACE_EXCHANGE")) {
    settings_.reject("MAX_PLACE_EXCHANGE",
                     fmt::format("rules read agents '{}' {} places far: set it to {} or more", name,
                                 traits.reach, traits.reach));
  }
  requireAnother(name);
  auto population = std::make_shared<detail::AgentsState>();
  population->name = std::move(name);
  // Numbered from the other end than places, whose random numbers are others.
  population->number =
      static_cast<std::uint32_t>(detail::RandomKey::populations - 1 - agents_.size());
  population->attributes = std::move(attributes);
  population->engine = engine_;
  population->fields = std::make_unique<detail::AgentFields>(*home->fields, std::move(traits));
  population->home = std::move(home);
  return population;
}

void Mass::requireAnother(const std::string& name) const {
  if (populations_.size() + agents_.size() == detail::RandomKey::populations) {
    throw UsageError(
        "'{}' would be one more than {} Places and Agents of one Mass, which are the most that "
        "random numbers tell apart: make another Mass, or fewer of them",
        name, detail::RandomKey::populations);
  }
  if (name.find('/') != std::string::npos) {
    throw UsageError(
        "Places and Agents cannot be named '{}': the name is part of file names, so leave out '/'",
        name);
  }
  // Others have these in checkpoints: counters "simulation.step", arrays "NAME.agents.id".
  if (name == "simulation" || name.starts_with("simulation.") || name.ends_with(".agents")) {
    throw UsageError(
        "Places and Agents cannot be named '{}': checkpoints keep what is named 'simulation' or "
        "NAME.agents for themselves; give another name",
        name);
  }
  const auto isTaken = [&](const auto& other) { return other->name == name; };
  if (std::any_of(populations_.begin(), populations_.end(), isTaken) ||
      std::any_of(agents_.begin(), agents_.end(), isTaken)) {
    throw UsageError("there are two Places or Agents named '{}': give one another name", name);
  }
}

std::vector<detail::AgentFields*> Mass::residentsOf(const detail::PlacesState& places) const {
  std::vector<detail::AgentFields*> residents;
  for (const auto& agents : agents_) {
    if (agents->home.get() == &places) residents.push_back(&agents->settled());
  }
  return residents;
}

void Mass::splitAnew(detail::PlacesState& places, const std::vector<std::int64_t>& rows) {
  if (places.engine != engine_) {
    throw UsageError("the places '{}' belong to another Mass, which alone can split them anew",
                     places.name);
  }
  mass::detail::repartition(places.settled(), residentsOf(places), RowPartition::ofBands(rows));
}

std::vector<Rebalance> Mass::rebalance(detail::Balance by, double threshold) {
  std::vector<Rebalance> results;
  for (const auto& places : populations_) {
    const std::vector<detail::AgentFields*> residents = residentsOf(*places);
    if (by == detail::Balance::time && !places->times) places->times.emplace(engine_->devices);
    const std::vector<double> costs = by == detail::Balance::time
                                          ? costsByTime(places->settled(), *places->times)
                                          : costsByAgents(places->settled(), residents);
    if (places->times) places->times->reset();
    if (std::all_of(costs.begin(), costs.end(), [](double cost) { return cost == 0; })) continue;
    results.push_back(mass::detail::rebalance(places->settled(), residents, costs, threshold));
    results.back().places = places->name;
  }
  return results;
}

std::uint64_t Mass::hash() const {
  std::uint64_t total = 0;
  for (const auto& population : populations_) total = total * 31 + hashOf(population->settled());
  for (const auto& population : agents_) total = total * 31 + hashOf(population->settled());
  return total;
}

std::vector<std::string> Mass::placesNames() const {
  std::vector<std::string> names;
  for (const auto& population : populations_) names.push_back(population->name);
  return names;
}

std::int64_t Mass::size() const {
  std::int64_t places = 0;
  for (const auto& population : populations_) {
    const auto& shape = population->fields->domain().shape;
    places += shape[0] * shape[1] * shape[2];
  }
  return places;
}

std::vector<AgentCapacity> Mass::agentCapacities() const {
  std::vector<AgentCapacity> rooms;
  for (const auto& population : agents_) {
    for (int device = 0; device < devices().size(); ++device) {
      const detail::AgentBand& band = population->fields->band(device);
      rooms.push_back(
          {population->name, devices().device(device).name(), band.capacity(), band.bytes()});
    }
  }
  return rooms;
}

void Mass::requireOnRestart(const std::string& what, std::string text) {
  engine_->sameOnRestart[what] = std::move(text);
}

void Mass::saveCheckpoint(const std::filesystem::path& file, const std::string& model,
                          const std::map<std::string, std::uint64_t>& counters) const {
  detail::CheckpointHeader header{model, settings_.print(), counters, {}, engine_->sameOnRestart};
  for (const auto& population : populations_) {
    header.counters[stepCounter(*population)] = population->fields->step;
    header.counters[spilledCounter(*population)] = population->fields->overflowedWords;
  }
  for (const auto& population : agents_) header.counters.merge(detail::agentCounters(*population));
  detail::CheckpointWriter writer(file, header);
  for (const auto& population : populations_) {
    const std::uint64_t hash = hashOf(population->settled());
    int component = 0;
    for (const detail::ArrayInfo& array : arraysOf(*population)) {
      writer.begin(array);
      forEachRowPiece(array, [&](std::int64_t first, std::int64_t count, void* buffer) {
        readRows(population->settled(), component, first, count, buffer);
        writer.rows(static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(count), buffer);
      });
      writer.end(hash);
      ++component;
    }
  }
  for (const auto& population : agents_) detail::writeAgents(writer, *population);
  writer.commit();
}

std::map<std::string, std::uint64_t> Mass::restoreCheckpoint(const std::filesystem::path& file,
                                                             const std::string& model) {
  const detail::CheckpointReader reader(file);
  if (reader.header().model != model) {
    throw CheckpointError("{} is a checkpoint of the model '{}', not of '{}'", file.string(),
                          reader.header().model, model);
  }
  requireSameTexts(reader, file, engine_->sameOnRestart);
  std::size_t arrays = 0;
  for (const auto& population : populations_) {
    if (!reader.header().counters.contains(stepCounter(*population))) {
      throw CheckpointError("{} does not hold the places '{}'", file.string(), population->name);
    }
    for (const detail::ArrayInfo& array : arraysOf(*population)) {
      reader.require(array);
      ++arrays;
    }
  }
  for (const auto& population : agents_) {
    for (const detail::ArrayInfo& array :
         detail::agentArrays(*population, detail::agentsIn(reader, *population))) {
      reader.require(array);
      ++arrays;
    }
  }
  if (arrays != reader.arrays().size()) {
    throw CheckpointError(
        "{} holds {} arrays, this model has {}: it was written by another version of the model",
        file.string(), reader.arrays().size(), arrays);
  }
  for (const auto& population : populations_) requireSameConstants(reader, file, *population);
  for (const auto& population : populations_) restorePopulation(reader, *population);
  for (const auto& population : agents_) detail::restoreAgents(reader, *population);
  return reader.header().counters;
}

}  // namespace mass
