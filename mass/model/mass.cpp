#include <mass/model/mass.hpp>

#include <mass/io/checkpoint_file.hpp>
#include <mass/launch/gpu_launch.hpp>
#include <mass/model/agent_checkpoint.hpp>
#include <mass/model/graph_checkpoint.hpp>
#include <mass/model/model_settings.hpp>
#include <mass/model/partition_setting.hpp>
#include <mass/model/rank_checkpoint.hpp>
#include <mass/model/schedule_checkpoint.hpp>
#include <mass/model/shared_cuts.hpp>
#include <mass/model/together.hpp>
#include <mass/random/philox.hpp>
#include <mass/support/error.hpp>
#include <mass/support/hash.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <utility>

namespace mass {
namespace {

/// True if a distance exceeds a limit of the settings. @param limit 0: none
bool isAbove(int distance, int limit) {
  return limit > 0 && distance > limit;
}

/// Returns the extents of the axes of the world.
std::span<const std::int64_t> axesOf(const detail::Domain& domain) {
  return std::span(domain.shape).first(static_cast<std::size_t>(domain.dimensions));
}

/// Returns the arrays of a checkpoint for these places, one for each component.
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

/// @throws SettingsError if a world has fewer rows than all ranks have devices. Its text is the
/// same on all ranks, whose values of `devices` may differ.
void requireRowOfEachDevice(const std::string& name, std::int64_t rows, const Settings& settings,
                            const detail::DeviceConfig& devices) {
  if (devices.size() <= rows) return;
  const bool areSeveral = devices.ranks().count() > 1;
  const bool areAll = settings.get<int>("devices") == 0;
  const char* const plural = rows == 1 ? "" : "s";
  const std::string text = fmt::format(
      "'{}' has only {} row{}, and each of the {} devices{} needs one: use at most {} device{}",
      name, rows, plural, devices.size(),
      areSeveral ? " of all ranks"
      : areAll   ? ", all GPUs of this machine,"
                 : "",
      rows, plural);
  if (areSeveral) throw SettingsError("devices: {}", text);
  settings.reject("devices", text);
}

/// Limits the number of places to RandomKey::indices, which also keeps products of the shape from
/// overflowing.
/// @throws UsageError if the world is larger
void requireCountable(const std::string& name, const detail::Domain& domain) {
  constexpr auto most = static_cast<std::int64_t>(detail::RandomKey::indices);
  std::int64_t places = 1;
  for (const std::int64_t along : domain.shape) {
    if (along > most / places) {
      throw UsageError("the world '{}' of {} places is too large; it may have at most {}", name,
                       fmt::join(axesOf(domain), " x "), most);
    }
    places *= along;
  }
}

/// Returns the name of the counter of steps in checkpoints.
std::string stepCounter(const detail::PlacesState& population) {
  return population.name + ".step";
}

/// Returns the name of the counter of overflowed words in checkpoints.
std::string overflowCounter(const detail::PlacesState& population) {
  return population.name + ".spilled";
}

/// End of the messages about a checkpoint of a run with other settings.
constexpr const char* restartAdvice =
    "restart with the settings of the run that wrote it, or start a new run";

/// Compares the texts of a checkpoint (Mass::requireOnRestart) with those of this run.
/// @throws CheckpointError if a text differs
void requireSameTexts(const detail::CheckpointHeader& header, const std::filesystem::path& path,
                      const std::map<std::string, std::string>& ours) {
  for (const auto& [name, written] : header.texts) {
    const auto own = ours.find(name);
    if (own == ours.end() || own->second == written) continue;
    throw CheckpointError("{} was written with another {}: '{}', not '{}'; {}", path.string(), name,
                          written, own->second, restartAdvice);
  }
}

/// Returns the coordinates of the place with index `place` as "[row, column]".
std::string positionOf(const detail::Domain& domain, std::int64_t place) {
  std::vector<std::int64_t> at;
  for (int axis = domain.dimensions - 1; axis >= 0; --axis) {
    const std::int64_t along = domain.shape[static_cast<std::size_t>(axis)];
    at.insert(at.begin(), place % along);
    place /= along;
  }
  return fmt::format("[{}]", fmt::join(at, ", "));
}

/// Compares the constant attributes of a checkpoint with those of the model. They come from the
/// model's settings, as do the arguments of its rules, so a difference means another world.
/// @throws CheckpointError if a value differs
void requireSameConstants(const detail::RankCheckpoint& file, const std::filesystem::path& path,
                          const detail::PlacesState& population) {
  const detail::PlaceFields& fields = *population.fields;
  int component = -1;
  for (const detail::ArrayInfo& array : arraysOf(population)) {
    if (fields.component(++component).storage != detail::Storage::single) continue;
    const auto rowBytes = static_cast<std::size_t>(array.rowBytes());
    std::vector<char> ours;
    std::int64_t different = 0, firstDifferent = 0;
    file.forEachPiece(array, [&](std::int64_t first, std::int64_t count, const char* written) {
      const std::size_t bytes = static_cast<std::size_t>(count) * rowBytes;
      ours.resize(bytes);
      readRowsOnFirstRank(fields, component, first, count, ours.data());
      if (!fields.devices().ranks().isFirst()) return;
      if (std::memcmp(written, ours.data(), bytes) == 0) return;
      const auto before = first * static_cast<std::int64_t>(rowBytes / array.elementSize);
      for (std::size_t at = 0; at < bytes; at += array.elementSize) {
        if (std::memcmp(written + at, ours.data() + at, array.elementSize) == 0) continue;
        if (different++ == 0)
          firstDifferent = before + static_cast<std::int64_t>(at / array.elementSize);
      }
    });
    if (different == 0) continue;
    const detail::Domain& domain = fields.domain();
    throw CheckpointError(
        "{} was written with another '{}', a constant attribute: {} of {} places differ, first {}; "
        "{}",
        path.string(), array.name, different, domain.shape[0] * domain.shape[1] * domain.shape[2],
        positionOf(domain, firstDifferent), restartAdvice);
  }
}

/// Reads the attributes of places that are not constant, and their counters.
/// @throws CheckpointError if the hash differs from the one that was written
void restorePopulation(const detail::RankCheckpoint& file, detail::PlacesState& population) {
  detail::PlaceFields& fields = *population.fields;
  int component = 0;
  std::optional<std::uint64_t> expected;  // empty if a place has no attributes
  for (const detail::ArrayInfo& array : arraysOf(population)) {
    if (fields.component(component).storage != detail::Storage::single) {
      file.forEachPiece(array, [&](std::int64_t first, std::int64_t count, char* packed) {
        writeRowsFromFirstRank(fields, component, first, count, packed);
      });
      fields.refreshPadding(component);
    }
    expected = file.hash(array.name);
    ++component;
  }
  const auto& counters = file.header().counters;
  fields.step = counters.at(stepCounter(population));
  if (const auto spilled = counters.find(overflowCounter(population)); spilled != counters.end()) {
    fields.overflowedWords = spilled->second;
  }
  if (expected && hashOf(fields) != *expected) {
    throw CheckpointError("the hash of the places '{}' differs from the one in the checkpoint",
                          population.name);
  }
}

}  // namespace

Mass::Mass(Settings settings, std::shared_ptr<detail::Ranks> ranks)
    : settings_(std::move(settings)), engine_(detail::makeEngine(settings_, std::move(ranks))) {}

std::shared_ptr<detail::PlacesState> Mass::addPlaces(
    std::string name, const detail::Domain& domain, std::vector<detail::Component> components,
    std::vector<detail::AttributeInfo> attributes, std::shared_ptr<const detail::Network> network) {
  for (int axis = 0; axis < domain.dimensions; ++axis) {
    const std::int64_t places = domain.shape[static_cast<std::size_t>(axis)];
    if (places < 1)
      throw UsageError("the world '{}' has {} places along axis {}; it needs at least 1", name,
                       places, axis);
  }
  requireCountable(name, domain);
  if (isAbove(domain.reach, settings_.get<int>("MAX_PLACE_EXCHANGE"))) {
    settings_.reject("MAX_PLACE_EXCHANGE",
                     fmt::format("rules of '{}' read places up to {} away: set it to at least {}",
                                 name, domain.reach, domain.reach));
  }
  if (devices().areMixed()) detail::requireMixable(name, domain, components, network != nullptr);
  detail::Domain ours = domain;
  if (network == nullptr) detail::setPartition(ours, components, name, settings_, engine_->devices);
  if (!isInBlocks(ours)) requireRowOfEachDevice(name, domain.shape[0], settings_, devices());
  requireFreeName(name);
  auto population = std::make_shared<detail::PlacesState>();
  population->name = std::move(name);
  population->number = population->cutGroup = static_cast<std::uint32_t>(places_.size());
  population->attributes = std::move(attributes);
  population->engine = engine_;
  // Threads of a march load whole packs.
  if (devices().anyGpus() && domain.dimensions > 1 && domain.reach == 1)
    ours.alignment = std::max<std::int64_t>(domain.alignment, detail::marchWidth);
  // GPUs march on whole words, but not beside processors.
  const bool marchesOnBits = !devices().areMixed() && domain.shape[1] % detail::bitMarchWidth == 0;
  if (devices().anyGpus() && !marchesOnBits)
    for (detail::Component& component : components)
      if (component.storage == detail::Storage::bits) storeAsBytes(component);
  detail::setStreaming(ours, components, settings_, engine_->devices);
  if (network == nullptr && std::ranges::none_of(components, &detail::Component::isStreamed))
    detail::setGhostRows(ours, components, settings_, engine_->devices);
  population->fields = std::make_unique<detail::PlaceFields>(
      engine_->devices, ours, std::move(components), std::move(network));
  places_.push_back(population);
  engine_->places.push_back(population);
  return population;
}

std::shared_ptr<detail::PlacesState> Mass::addPlaces(
    std::string name, detail::PlaceMask mask, const detail::Domain& box,
    std::vector<detail::Component> components, std::vector<detail::AttributeInfo> attributes) {
  requireCountable(name, box);
  const std::int64_t places = box.shape[0] * box.shape[1] * box.shape[2];
  for (std::size_t i = 0; i < mask.indices.size(); ++i) {
    const std::int64_t index = mask.indices[i];
    if (index < 0 || index >= places || (i > 0 && index <= mask.indices[i - 1])) {
      throw UsageError(
          "'{}': the index of place {} is {}; indices ascend and are below {}, the "
          "places of the box",
          name, i, index, places);
    }
  }
  detail::Domain domain = box;
  domain.shape = {static_cast<std::int64_t>(mask.indices.size()), 1, 1};
  domain.reach = 0;
  domain.alignment = 1;
  const std::uint64_t hash =
      detail::hashBytes(reinterpret_cast<const char*>(mask.indices.data()),
                        mask.indices.size() * sizeof(mask.indices[0]), mask.indices.size());
  requireOnRestart("places of '" + name + "'", fmt::format("{:016x}", hash));
  auto population =
      addPlaces(std::move(name), domain, std::move(components), std::move(attributes));
  population->mask = std::move(mask);
  return population;
}

std::shared_ptr<detail::PlacesState> Mass::addNodes(std::string name, Graph graph,
                                                    std::vector<detail::Component> components,
                                                    std::vector<detail::AttributeInfo> attributes) {
  requireRowOfEachDevice(name, graph.nodes(), settings_, devices());
  detail::Domain domain;
  domain.shape[0] = graph.nodes();
  domain.borders[0] = Border::fixed;
  domain.reach = 1;
  requireOnRestart("network of '" + name + "'", fmt::format("{:016x}", graph.hash()));
  return addPlaces(std::move(name), domain, std::move(components), std::move(attributes),
                   detail::networkOn(devices(), std::move(graph)));
}

std::shared_ptr<detail::AgentsState> Mass::makeAgents(
    std::string name, std::shared_ptr<detail::PlacesState> home, detail::AgentTraits traits,
    std::vector<detail::AttributeInfo> attributes) {
  if (home->engine != engine_) {
    throw UsageError(
        "agents '{}' cannot live on the places '{}', which belong to another Mass; create "
        "them with the Mass of the places",
        name, home->name);
  }
  if (devices().areMixed()) {
    throw UsageError(
        "agents '{}': agents move in another order of messages on ranks of processors than on "
        "ranks of GPUs; set 'ranks.cpu' to 0 and the same 'backend' on all ranks",
        name);
  }
  detail::requireAllPlaces(*home, "agents");
  detail::requireRowCuts(*home, "agents");
  if (std::min<std::int64_t>({traits.capacity, traits.travel, traits.reach, traits.offspring}) <
      0) {
    throw UsageError(
        "agents '{}' have capacity {}, travel {}, reach {} and offspring {}; each must be 0 or "
        "more",
        name, traits.capacity, traits.travel, traits.reach, traits.offspring);
  }
  if (traits.travel != anywhere && isAbove(traits.travel, settings_.get<int>("MAX_AGENT_TRAVEL"))) {
    settings_.reject("MAX_AGENT_TRAVEL",
                     fmt::format("agents '{}' travel up to {} places: set it to "
                                 "at least {}",
                                 name, traits.travel, traits.travel));
  }
  if (isAbove(traits.reach, settings_.get<int>("MAX_PLACE_EXCHANGE"))) {
    settings_.reject(
        "MAX_PLACE_EXCHANGE",
        fmt::format("rules read agents '{}' up to {} places away: set it to at least {}", name,
                    traits.reach, traits.reach));
  }
  requireFreeName(name);
  auto population = std::make_shared<detail::AgentsState>();
  population->name = std::move(name);
  // Agents count down from the last number and places up from 0, so their random numbers differ.
  population->number =
      static_cast<std::uint32_t>(detail::RandomKey::populations - 1 - agents_.size());
  population->attributes = std::move(attributes);
  population->engine = engine_;
  home->fields->storeAsBytes();  // rules of agents read places
  population->fields = std::make_unique<detail::AgentFields>(*home->fields, std::move(traits));
  population->home = std::move(home);
  return population;
}

void Mass::requireFreeName(const std::string& name) const {
  if (places_.size() + agents_.size() == detail::RandomKey::populations) {
    throw UsageError(
        "cannot create '{}': a Mass has at most {} Places and Agents; use fewer, or another Mass",
        name, detail::RandomKey::populations);
  }
  if (name.find('/') != std::string::npos) {
    throw UsageError(
        "Places and Agents cannot be named '{}': the name is part of file names; leave out '/'",
        name);
  }
  // Checkpoints use these names: counters "simulation.step", arrays "NAME.agents.id".
  if (name == "simulation" || name.starts_with("simulation.") || name.ends_with(".agents")) {
    throw UsageError(
        "Places and Agents cannot be named '{}': checkpoints reserve 'simulation', 'simulation.*' "
        "and '*.agents'; choose another name",
        name);
  }
  const auto isTaken = [&](const auto& other) { return other->name == name; };
  if (std::any_of(places_.begin(), places_.end(), isTaken) ||
      std::any_of(agents_.begin(), agents_.end(), isTaken)) {
    throw UsageError("there are two Places or Agents named '{}': rename one of them", name);
  }
}

void Mass::together(const std::function<void()>& rules) const {
  detail::runTogether(*engine_, rules);
}

void Mass::repartitionRows(detail::PlacesState& places, const std::vector<std::int64_t>& rows) {
  if (places.engine != engine_) {
    throw UsageError("the places '{}' belong to another Mass: call repartition of that one",
                     places.name);
  }
  detail::moveCuts(places, rows);
}

namespace {

/// Returns the cost of each row of some places by a cost model, or nothing.
std::vector<double> costsOf(const detail::PlacesState& places,
                            std::span<detail::AgentFields* const> residents, Balance by) {
  switch (by) {
    case Balance::time:
      return costsByTime(*places.fields, *places.times);
    case Balance::agents:
      return costsByAgents(*places.fields, residents);
    case Balance::rate:
      break;
  }
  if (places.events == nullptr) return {};
  return places.events->costsOfRows(*places.fields);
}

/// Returns the cost of each row, or nothing, and begins the next measurement of times.
std::vector<double> measuredCosts(detail::PlacesState& places, Balance by) {
  if (by == Balance::time && !places.times) places.times.emplace(places.engine->devices);
  std::vector<double> costs = costsOf(places, detail::residentsOf(places), by);
  if (places.times) places.times->reset();
  return costs;
}

bool isFree(const std::vector<double>& costs) {
  return std::ranges::all_of(costs, [](double cost) { return cost == 0; });
}

}  // namespace

std::vector<Rebalance> Mass::rebalance(Balance by, double threshold) {
  detail::requireAlone(*engine_, "rebalance");
  if (by == Balance::rate && std::none_of(places_.begin(), places_.end(), [](const auto& places) {
        return places->events != nullptr;
      }))
    throw UsageError("rebalance by rate (balance.by: rate): no class of places has events");
  std::vector<Rebalance> results;
  for (const auto& places : places_) {
    const detail::CutGroup group = detail::cutGroupOf(*places);
    if (group.front() != places) continue;  // with the first of its group
    if (devices().areMixed() && by == Balance::time) {
      std::ranges::copy(detail::balanceSpeeds(group, threshold), std::back_inserter(results));
      continue;
    }
    if (places->fields->areBlocks()) {
      if (by != Balance::time)
        detail::requireRowCuts(*places, "balances by other costs than times");
      std::ranges::copy(detail::balanceBlocks(group, threshold), std::back_inserter(results));
      continue;
    }
    std::vector<std::vector<double>> costs;
    for (const auto& member : group) costs.push_back(measuredCosts(*member, by));
    if (std::ranges::all_of(costs, isFree)) continue;
    std::ranges::copy(detail::balanceCuts(group, costs, threshold), std::back_inserter(results));
  }
  return results;
}

namespace {
bool hasEvents(const detail::PlacesState& places) {
  return places.events != nullptr || places.schedule != nullptr;
}
}  // namespace

std::vector<EventReport> Mass::eventReports() const {
  std::vector<EventReport> reports;
  for (const auto& population : places_) {
    if (!hasEvents(*population)) continue;
    reports.push_back(population->schedule ? population->schedule->report()
                                           : population->events->report());
    reports.back().places = population->name;
    reports.back().size = placesIn(*population->fields);
  }
  return reports;
}

std::vector<ExchangeReport> Mass::exchangeReports() const {
  return engine_->dispatcher.exchangeReports();
}

std::uint64_t Mass::hash() const {
  std::uint64_t total = 0;
  for (const auto& population : places_) {
    total = total * 31 + hashOf(*population->fields);
    if (population->schedule != nullptr) total += population->schedule->hash();
  }
  for (const auto& population : agents_)
    total = total * 31 + hashOf(population->synchronizedFields());
  return total;
}

std::vector<AnyPlaces> Mass::places() const {
  return {places_.begin(), places_.end()};
}

std::vector<AnyAgents> Mass::agents() const {
  return {agents_.begin(), agents_.end()};
}

std::vector<std::string> Mass::placesNames(bool withEvents) const {
  std::vector<std::string> names;
  for (const auto& population : places_)
    if (!withEvents || hasEvents(*population)) names.push_back(population->name);
  return names;
}

std::int64_t Mass::size() const {
  std::int64_t places = 0;
  for (const auto& population : places_) places += placesIn(*population->fields);
  return places;
}

std::int64_t Mass::agentCount() const {
  std::int64_t agents = agents_.empty() ? -1 : 0;
  for (const auto& population : agents_) agents += population->synchronizedFields().alive();
  return agents;
}

std::vector<AgentCapacity> Mass::agentCapacities() const {
  std::vector<AgentCapacity> capacities;
  for (const auto& population : agents_) {
    for (const int device : devices().local()) {
      const detail::AgentBand& band = population->fields->band(device);
      capacities.push_back(
          {population->name, devices().device(device).name(), band.capacity(), band.bytes()});
    }
  }
  return capacities;
}

std::vector<std::pair<std::string, std::uint64_t>> Mass::missingAgents() const {
  std::vector<std::pair<std::string, std::uint64_t>> missing;
  for (const auto& population : agents_) {
    const std::uint64_t count = detail::missingIdentities(*population);
    if (count > 0) missing.emplace_back(population->name, count);
  }
  return missing;
}

std::vector<std::string> Mass::pendingAgents() const {
  std::vector<std::string> names;
  for (const auto& population : agents_) {
    if (population->hasPendingRequests()) names.push_back(population->name);
  }
  return names;
}

void Mass::requireOnRestart(const std::string& name, std::string text) {
  engine_->restartTexts[name] = std::move(text);
}

void Mass::saveCheckpoint(const std::filesystem::path& file, const std::string& model,
                          const std::map<std::string, std::uint64_t>& counters,
                          const std::map<std::string, std::string>& texts,
                          const std::string& run) const {
  detail::requireAlone(*engine_, "a checkpoint");
  const detail::ScheduleCheckpoint schedules(places_);
  detail::CheckpointHeader header{model, settings_.print(),     counters,
                                  {},    engine_->restartTexts, run};
  header.texts.insert(texts.begin(), texts.end());
  schedules.addTo(header);
  for (const auto& population : places_) {
    header.counters[stepCounter(*population)] = population->fields->step;
    header.counters[overflowCounter(*population)] = population->fields->overflowedWords;
    detail::addLinkCounter(*population, header.counters);
  }
  for (const auto& population : agents_) header.counters.merge(detail::agentCounters(*population));
  detail::RankCheckpointWriter writer(devices().ranks(), file, header, engine_->pieceBytes);
  for (const auto& population : places_) {
    const detail::PlaceFields& fields = *population->fields;
    const std::uint64_t hash = hashOf(fields);
    int component = 0;
    for (const detail::ArrayInfo& array : arraysOf(*population)) {
      writer.add(array, hash, [&](std::int64_t first, std::int64_t count, char* packed) {
        readRowsOnFirstRank(fields, component, first, count, packed);
      });
      ++component;
    }
  }
  for (const auto& population : places_) detail::writeLinks(writer, *population);
  schedules.write(writer);
  for (const auto& population : agents_) detail::writeAgents(writer, *population);
  writer.commit();
}

std::map<std::string, std::uint64_t> Mass::restoreCheckpoint(const std::filesystem::path& file,
                                                             const std::string& model) {
  detail::requireAlone(*engine_, "a restart");
  const detail::RankCheckpoint checkpoint(devices().ranks(), file, engine_->pieceBytes);
  const detail::CheckpointHeader& header = checkpoint.header();
  if (header.model != model) {
    throw CheckpointError("{} is a checkpoint of the model '{}', not of '{}'", file.string(),
                          header.model, model);
  }
  requireSameTexts(header, file, engine_->restartTexts);
  std::vector<detail::ArrayInfo> arrays;
  for (const auto& population : places_) {
    if (!header.counters.contains(stepCounter(*population))) {
      throw CheckpointError("{} has no places '{}'", file.string(), population->name);
    }
    for (const detail::ArrayInfo& array : arraysOf(*population)) arrays.push_back(array);
    std::ranges::copy(detail::linkArrays(*population, header.counters), std::back_inserter(arrays));
    std::ranges::copy(detail::scheduleArrays(*population, header), std::back_inserter(arrays));
  }
  for (const auto& population : agents_) {
    for (const detail::ArrayInfo& array :
         detail::agentArrays(*population, detail::agentCountIn(header, *population)))
      arrays.push_back(array);
  }
  checkpoint.requireArrays(arrays);
  for (const auto& population : places_) requireSameConstants(checkpoint, file, *population);
  for (const auto& population : places_) detail::restoreLinks(checkpoint, *population);
  for (const auto& population : places_) restorePopulation(checkpoint, *population);
  for (const auto& population : places_) detail::restoreSchedule(checkpoint, *population);
  for (const auto& population : agents_) detail::restoreAgents(checkpoint, *population);
  return header.counters;
}

}  // namespace mass
