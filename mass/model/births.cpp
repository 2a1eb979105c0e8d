#include <mass/model/births.hpp>

#include <mass/dispatch/migration/create_agents.hpp>
#include <mass/model/rule_arguments.hpp>
#include <mass/support/error.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

namespace mass::detail {
namespace {

/// Returns the bytes of an element of each component.
std::vector<std::size_t> elementSizesOf(const AgentFields& agents) {
  std::vector<std::size_t> sizes;
  for (const Component& component : agents.traits().components)
    sizes.push_back(component.elementSize);
  return sizes;
}

/// Returns the number of places or agents on a device that run the rule.
std::int64_t parentsOn(const AnyBirthSource& births, const PlacesState& reader, int device) {
  if (births.parents != nullptr) return births.parents->fields->band(device).own;
  const Layout& layout = reader.fields->layout(device);
  return layout.rows * layout.lines * layout.columns;
}

/// Appends the agents of a list to `all`, in the order of their parents, and empties the list.
/// @return number of agents refused
std::uint64_t takeSorted(BirthList& list, const std::vector<std::size_t>& elementSizes,
                         Newborns& all) {
  std::uint64_t counters[2] = {};
  list.counters.read(counters, 2);
  list.counters.fill(0, 2, 0);
  const auto count = static_cast<std::int64_t>(counters[0]);
  std::vector<std::int64_t> places(counters[0]), parents(counters[0]);
  list.places.read(places.data(), count);
  list.parents.read(parents.data(), count);
  std::vector<std::size_t> order(counters[0]);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return parents[i]; });
  for (const std::size_t i : order) all.places.push_back(places[i]);
  for (std::size_t k = 0; k < elementSizes.size(); ++k) {
    const std::size_t bytes = elementSizes[k];
    std::vector<char> values(counters[0] * bytes);
    list.components[k].read(values.data(), static_cast<std::int64_t>(values.size()));
    for (const std::size_t i : order) {
      const auto* const value = values.data() + i * bytes;
      all.components[k].insert(all.components[k].end(), value, value + bytes);
    }
  }
  return counters[1];
}

/// Appends the elements of all ranks to `all`, in the order of ranks.
/// @param before number of agents of the ranks before each rank, and of all ranks
/// @param elements number of elements of each agent
template <class T>
void gather(Ranks& ranks, const std::vector<T>& own, const std::vector<std::size_t>& before,
            std::size_t elements, std::vector<T>& all) {
  const std::size_t first = all.size();
  all.resize(first + before.back() * elements);
  std::vector<std::size_t> offsets;
  for (const std::size_t agents : before) offsets.push_back(agents * elements * sizeof(T));
  T* const added = all.data() + first;
  std::ranges::copy(own, added + before[static_cast<std::size_t>(ranks.number())] * elements);
  ranks.allGatherInPlace(added, offsets);
}

/// Gives the next identities to the last `count` agents.
/// @return the first identity
std::uint64_t giveIdentities(AgentFields& agents, std::size_t count) {
  const std::uint64_t first = agents.nextId;
  for (std::size_t i = 0; i < count; ++i) agents.newborns.ids.push_back(agents.nextId++);
  return first;
}

}  // namespace

void align(const AnyBirthSource& births, PlacesState& reader) {
  requireAllPlaces(reader, "rules that create agents");
  requireSameShape(*births.agents, reader);
}

void setViews(AnyBirthSource& births, const PlacesState& reader) {
  AgentsState& state = *births.agents;
  const AgentFields& agents = state.synchronizedFields();
  if (births.parents != nullptr) static_cast<void>(births.parents->synchronizedFields());
  DeviceConfig& devices = state.engine->devices;
  const std::vector<std::size_t> sizes = elementSizesOf(agents);
  state.birthViews.resize(static_cast<std::size_t>(devices.size()));
  for (const int device : devices.local()) {
    BirthList& list = state.birthLists.try_emplace(device, devices.device(device)).first->second;
    const std::int64_t most = parentsOn(births, reader, device) * births.most;
    if (most > std::numeric_limits<std::int32_t>::max()) {
      throw UsageError(
          "a rule on '{}' could create {} agents '{}' on a device, but at most 2^31 - 1 are "
          "possible: use more devices, or a lower maximum of Births",
          reader.name, most, state.name);
    }
    list.prepare(most, sizes);
    state.birthViews[static_cast<std::size_t>(device)] = {
        list.counters.data(), list.counters.data() + 1, list.places.data(), list.parents.data(),
        list.addresses.data()};
  }
  births.byDevice = state.birthViews.data();
}

void finish(AnyBirthSource& births) {
  AgentsState& state = *births.agents;
  AgentFields& agents = *state.fields;
  Ranks& ranks = state.engine->devices.ranks();
  const std::vector<std::size_t> sizes = elementSizesOf(agents);
  Newborns own;
  own.components.resize(sizes.size());
  std::uint64_t refused = 0;
  for (auto& [device, list] : state.birthLists) refused += takeSorted(list, sizes, own);
  refused = ranks.sum(refused);
  if (refused > 0) {
    throw UsageError(
        "calls of a rule created {} agents of class {} more than Births declares: raise the "
        "maximum, the second template argument of mass::Births",
        refused, state.name);
  }
  std::vector<std::size_t> before{0};
  for (const std::size_t count : ranks.allGather(own.size()))
    before.push_back(before.back() + count);
  if (before.back() == 0) return;
  Newborns& all = agents.newborns;
  all.components.resize(sizes.size());
  gather(ranks, own.places, before, 1, all.places);
  for (std::size_t k = 0; k < sizes.size(); ++k)
    gather(ranks, own.components[k], before, sizes[k], all.components[k]);
  giveIdentities(agents, before.back());
}

std::uint64_t addAgents(AgentsState& state, HostBirths births) {
  AgentFields& agents = state.synchronizedFields();
  const auto& shape = agents.places().domain().shape;
  const std::int64_t places = shape[0] * shape[1] * shape[2];
  for (const std::int64_t place : births.places) {
    if (0 <= place && place < places) continue;
    throw UsageError("agents '{}' cannot be added to place {}: places are 0 to {}", state.name,
                     place, places - 1);
  }
  Newborns& all = agents.newborns;
  all.components.resize(births.components.size());
  all.places.insert(all.places.end(), births.places.begin(), births.places.end());
  for (std::size_t k = 0; k < births.components.size(); ++k)
    all.components[k].insert(all.components[k].end(), births.components[k].begin(),
                             births.components[k].end());
  return giveIdentities(agents, births.places.size());
}

}  // namespace mass::detail
