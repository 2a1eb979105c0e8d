#include <mass/model/agents.hpp>

#include <mass/dispatch/migration/create_agents.hpp>
#include <mass/random/permutation.hpp>
#include <mass/random/philox.hpp>

#include <algorithm>

namespace mass::detail {
namespace {

/// AttributeSlots that can be numbered.
constexpr std::int64_t most = std::int64_t{1} << 62;
/// Part of the keys of the random numbers that place agents; rules have 0 and 1.
constexpr std::uint32_t placingCall = 2;

}  // namespace

void populate(AgentsState& population, const std::vector<std::int64_t>& places) {
  AgentFields& agents = population.settled();
  agents.requireCapacity(static_cast<std::int64_t>(places.size()));
  std::vector<NewAgent> newcomers;
  for (const std::int64_t place : places) newcomers.push_back({place, newcomers.size()});
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
  createAgents(agents, newcomers, initial);
  agents.nextId = newcomers.size();
}

void addPlace(std::vector<std::int64_t>& places, std::int64_t place, std::int64_t agents,
              const Domain& domain) {
  if (agents < 0) {
    throw UsageError("place {} is to have {} agents: 0 is the least", placeText(place, domain),
                     agents);
  }
  places.insert(places.end(), static_cast<std::size_t>(agents), place);
}

std::vector<std::int64_t> placesAtRandom(const AgentsState& population, std::int64_t count) {
  const AgentFields& agents = population.settled();
  const auto& shape = agents.places().domain().shape;
  const std::int64_t places = shape[0] * shape[1] * shape[2];
  const std::int64_t capacity = agents.traits().capacity;
  if (count < 0) throw UsageError("there cannot be {} agents", count);
  std::vector<std::int64_t> chosen;
  if (capacity == 0) {
    agents.requireCapacity(count);
    for (std::int64_t i = 0; i < count; ++i) {
      Random random({.seed = population.engine->seed,
                     .index = static_cast<std::uint64_t>(i),
                     .step = 0,
                     .call = placingCall,
                     .population = population.number});
      chosen.push_back(static_cast<std::int64_t>(random.uniform() * static_cast<double>(places)));
    }
  } else {
    // A place has a slot for each agent that it holds; more than `count` of them are none.
    const std::int64_t slots =
        std::min({capacity, std::max<std::int64_t>(count, 1), most / places});
    if (count / slots > places || (count / slots == places && count % slots > 0)) {
      throw UsageError("{} agents of class {} are more than {} places with room for {} each hold",
                       count, population.name, places, capacity);
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

}  // namespace mass::detail
