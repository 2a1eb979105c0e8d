#include <mass/dispatch/migration/create_agents.hpp>

#include <mass/memory/agent_io.hpp>
#include <mass/random/philox.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <utility>

namespace mass::detail {
namespace {

/// Indices of new agents, sorted by place and identity.
using Order = std::span<const std::size_t>;

/// Sorts `values` unless they are sorted already, which is the usual case: agents are mostly
/// created in the order of their places.
template <class T, class Less>
void sort(std::vector<T>& values, const Less& less) {
  if (!std::is_sorted(values.begin(), values.end(), less)) {
    std::sort(values.begin(), values.end(), less);
  }
}

/// @throws UsageError if a place of new agents does not exist
void requirePlaces(const AgentFields& agents, const std::vector<NewAgent>& newAgents) {
  const auto& shape = agents.places().domain().shape;
  const std::int64_t places = shape[0] * shape[1] * shape[2];
  for (const NewAgent& agent : newAgents) {
    if (0 <= agent.place && agent.place < places) continue;
    throw UsageError("agent {} of class {} is assigned to place {}, but places are 0 to {}",
                     agent.id, agents.traits().name, agent.place, places - 1);
  }
}

/// Checks capacities and identities of new agents, whose places exist.
/// @throws UsageError if one is invalid, see createAgents().
void checkNewAgents(const AgentFields& agents, const std::vector<NewAgent>& newAgents,
                    Order order) {
  const std::string& name = agents.traits().name;
  std::int64_t here = 0;  // agents on the place of the current agent
  for (std::size_t i = 0; i < order.size(); ++i) {
    const NewAgent& agent = newAgents[order[i]];
    const bool samePlace = i > 0 && newAgents[order[i - 1]].place == agent.place;
    here = samePlace ? here + 1 : 1;
    const std::int64_t capacity = agents.traits().capacity;
    if (capacity > 0 && here > capacity) {
      throw UsageError("place {} holds at most {} agent{} of class {}, but more are assigned to it",
                       placeText(agent.place, agents.places().domain()), capacity,
                       capacity == 1 ? "" : "s", name);
    }
  }
  std::vector<std::uint64_t> ids;
  for (const NewAgent& agent : newAgents) ids.push_back(agent.id);
  sort(ids, std::less<>());
  if (!ids.empty() && ids.back() >= RandomKey::indices) {
    throw UsageError("an agent of class {} has identity {}: identities are less than 2^40 = {}",
                     name, ids.back(), RandomKey::indices);
  }
  const auto twice = std::adjacent_find(ids.begin(), ids.end());
  if (twice != ids.end()) {
    throw UsageError("two agents of class {} have identity {}", name, *twice);
  }
}

/// Returns the first agent of each bin, and the number of agents at the end. Ghost bins are empty.
std::vector<std::int32_t> firstAgents(const BinIndexing& bins,
                                      const std::vector<std::int32_t>& bin) {
  std::vector<std::int32_t> first(static_cast<std::size_t>(bins.size()) + 1);
  for (const std::int32_t here : bin) ++first[static_cast<std::size_t>(here) + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  return first;
}

/// Replaces the agents of a band of this rank by those in `order`, which are sorted.
void fillBand(AgentFields& agents, int device, const std::vector<NewAgent>& newAgents, Order order,
              const std::vector<const void*>& initial) {
  AgentBand& band = agents.band(device);
  band.own = 0;
  band.ghosts = 0;
  const auto count = static_cast<std::int64_t>(order.size());
  agents.reserve(device, agents.expectedCapacity(band.bins, count));
  band.own = count;
  std::vector<std::uint64_t> ids;
  std::vector<std::int32_t> bin;
  for (const std::size_t i : order) {
    ids.push_back(newAgents[i].id);
    bin.push_back(static_cast<std::int32_t>(agents.places().indexByRow(newAgents[i].place) -
                                            band.bins.place(0)));
  }
  const std::vector<std::int32_t> first = firstAgents(band.bins, bin);
  for (std::size_t i = 0; i < band.edges.size(); ++i) {
    band.edges[i] = first[static_cast<std::size_t>(band.edgeBins[i])];
  }
  band.ids.write(ids.data(), count);
  band.bin.write(bin.data(), count);
  band.first.write(first.data(), static_cast<std::int64_t>(first.size()));
  for (std::size_t k = 0; k < band.front.size(); ++k) {
    const std::size_t size = agents.traits().components[k].elementSize;
    std::vector<char> values(order.size() * size);
    for (std::size_t i = 0; i < order.size(); ++i) {
      std::memcpy(values.data() + i * size, static_cast<const char*>(initial[k]) + order[i] * size,
                  size);
    }
    band.front[k].write(values.data(), static_cast<std::int64_t>(values.size()));
  }
  band.targets.fill(0, band.capacity(), targetStay);
  band.births.fill(0, band.capacity(), 0);
}

}  // namespace

std::string placeText(std::int64_t place, const Domain& domain) {
  std::vector<std::int64_t> coordinates(static_cast<std::size_t>(domain.dimensions));
  for (std::size_t axis = coordinates.size(); axis-- > 0; place /= domain.shape[axis]) {
    coordinates[axis] = place % domain.shape[axis];
  }
  return fmt::format("({})", fmt::join(coordinates, ", "));
}

void createAgents(AgentFields& agents, const std::vector<NewAgent>& newAgents,
                  const std::vector<const void*>& initial) {
  const PlaceFields& places = agents.places();
  const auto& shape = places.domain().shape;
  const std::int64_t rowSize = shape[1] * shape[2];
  std::vector<std::size_t> order(newAgents.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  requirePlaces(agents, newAgents);
  const auto indexOf = [&](std::size_t i) { return places.indexByRow(newAgents[i].place); };
  const auto key = [&](std::size_t i) { return std::pair(indexOf(i), newAgents[i].id); };
  sort(order, [&](auto a, auto b) { return key(a) < key(b); });
  checkNewAgents(agents, newAgents, order);
  auto next = order.begin();
  for (int device = 0; device < agents.devices(); ++device) {
    const std::int64_t end = places.rows(device).end * rowSize;
    const auto first = next;
    while (next != order.end() && indexOf(*next) < end) ++next;
    if (places.devices().isLocal(device))
      fillBand(agents, device, newAgents, Order(first, next), initial);
  }
  shareSummaries(agents);
  agents.markMoved();
}

}  // namespace mass::detail
