#include <mass/model/births.hpp>

#include <mass/dispatch/migration/create_agents.hpp>
#include <mass/model/rank_requests.hpp>
#include <mass/model/rule_arguments.hpp>
#include <mass/support/error.hpp>

#include <algorithm>
#include <cstddef>
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

/// Appends the agents of requests, in the order of their parents.
void append(const AgentFields& agents, const Requests& requests, Newborns& all) {
  const std::vector<std::size_t> order = requests.sorted();
  for (const std::size_t i : order)
    all.places.push_back(agents.places().indexByRow(requests.targets[i]));
  all.components.resize(requests.components.size());
  for (std::size_t k = 0; k < all.components.size(); ++k) {
    const auto& values = requests.components[k];
    const auto chosen = detail::selected(values, values.size() / requests.size(), order);
    all.components[k].insert(all.components[k].end(), chosen.begin(), chosen.end());
  }
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
    RequestList& list = state.birthLists.try_emplace(device, devices.device(device)).first->second;
    list.prepare(requestCapacity(parentsOn(births, reader, device), births.most, reader), sizes);
    state.birthViews[static_cast<std::size_t>(device)] = list.view();
  }
  births.byDevice = state.birthViews.data();
}

void finish(AnyBirthSource& births) {
  AgentsState& state = *births.agents;
  AgentFields& agents = *state.fields;
  Ranks& ranks = state.engine->devices.ranks();
  Requests own;
  for (auto& [device, list] : state.birthLists) {
    Requests requests = list.take();
    if (births.parents != nullptr) numberByAgents(*births.parents, device, births.most, requests);
    append(requests, own);
  }
  const Requests all = ofAllRanks(ranks, std::move(own), elementSizesOf(agents));
  if (all.refused > 0) {
    throw UsageError(
        "calls of a rule created {} agents '{}' more than Births declares: raise the maximum, the "
        "second template argument of mass::Births",
        all.refused, state.name);
  }
  if (all.size() == 0) return;
  append(agents, all, agents.newborns);
  giveIdentities(agents, all.size());
}

std::uint64_t addAgents(AgentsState& state, HostBirths births) {
  requireNotInEvents(state, "add");
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
  for (const std::int64_t place : births.places)
    all.places.push_back(agents.places().indexByRow(place));
  for (std::size_t k = 0; k < births.components.size(); ++k)
    all.components[k].insert(all.components[k].end(), births.components[k].begin(),
                             births.components[k].end());
  return giveIdentities(agents, births.places.size());
}

}  // namespace mass::detail
