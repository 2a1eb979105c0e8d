#include <mass/model/agents.hpp>

#include <mass/dispatch/migration/create_agents.hpp>
#include <mass/random/permutation.hpp>
#include <mass/random/philox.hpp>

#include <algorithm>

namespace mass::detail {
namespace {

/// Upper bound of the number of slots, which keeps their numbers in 63 bits.
constexpr std::int64_t maxSlots = std::int64_t{1} << 62;
/// RandomKey::call of the draws that place agents; rules use 0 and 1.
constexpr std::uint32_t placementCall = 2;

}  // namespace

void populate(AgentsState& population, const std::vector<std::int64_t>& places) {
  AgentFields& agents = population.synchronizedFields();
  agents.requireCapacity(static_cast<std::int64_t>(places.size()));
  std::vector<NewAgent> newAgents;
  for (const std::int64_t place : places) newAgents.push_back({place, newAgents.size()});
  std::vector<std::vector<char>> values;
  std::vector<const void*> initial;
  for (const Component& component : agents.traits().components) {
    auto& copies = values.emplace_back();
    const auto* const value = component.initial.data();
    for (std::size_t i = 0; i < places.size(); ++i) {
      copies.insert(copies.end(), value, value + component.elementSize);
    }
  }
  for (const auto& copies : values) initial.push_back(copies.data());
  createAgents(agents, newAgents, initial);
  agents.nextId = newAgents.size();
}

void addPlace(std::vector<std::int64_t>& places, std::int64_t place, std::int64_t agents,
              const Domain& domain) {
  if (agents < 0) {
    throw UsageError("createAgents: the number of agents of place {} is {}; it must be 0 or more",
                     placeText(place, domain), agents);
  }
  places.insert(places.end(), static_cast<std::size_t>(agents), place);
}

std::vector<std::int64_t> drawPlaces(const AgentsState& population, std::int64_t count) {
  const AgentFields& agents = population.synchronizedFields();
  const auto& shape = agents.places().domain().shape;
  const std::int64_t places = shape[0] * shape[1] * shape[2];
  const std::int64_t capacity = agents.traits().capacity;
  if (count < 0)
    throw UsageError("createAgents: the number of agents is {}; it must be 0 or more", count);
  std::vector<std::int64_t> chosen;
  if (capacity == 0) {
    agents.requireCapacity(count);
    for (std::int64_t i = 0; i < count; ++i) {
      Random random({.seed = population.engine->seed,
                     .index = static_cast<std::uint64_t>(i),
                     .step = 0,
                     .call = placementCall,
                     .population = population.number});
      chosen.push_back(static_cast<std::int64_t>(random.uniform() * static_cast<double>(places)));
    }
  } else {
    // A place has one slot for each agent that it can hold. `count` slots are enough for any place.
    const std::int64_t slots =
        std::min({capacity, std::max<std::int64_t>(count, 1), maxSlots / places});
    if (count / slots > places || (count / slots == places && count % slots > 0)) {
      throw UsageError(
          "createAgents: {} agents '{}' do not fit on {} places with a capacity of {} each", count,
          population.name, places, capacity);
    }
    agents.requireCapacity(count);
    const Permutation slotOf(static_cast<std::uint64_t>(places * slots),
                             population.engine->seed ^ mix(population.number));
    for (std::int64_t i = 0; i < count; ++i) {
      chosen.push_back(static_cast<std::int64_t>(slotOf(static_cast<std::uint64_t>(i))) / slots);
    }
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

void shuffle(const AgentsState& population, std::vector<std::int64_t>& places) {
  const Permutation order(places.size(), mix(population.engine->seed) ^ mix(population.number));
  const std::vector<std::int64_t> inOrder = places;
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = inOrder[order(i)];
}

}  // namespace mass::detail
