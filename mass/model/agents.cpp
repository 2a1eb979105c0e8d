#include <mass/model/agents.hpp>

#include <mass/random/philox.hpp>

#include <algorithm>

namespace mass::detail {
namespace {

/// Part of the keys of the random numbers that place agents; rules have 0 and 1.
constexpr std::uint32_t placingCall = 2;

}  // namespace

void populate(AgentPopulation& population, const std::vector<std::int64_t>& places) {
  AgentFields& agents = *population.fields;
  std::vector<Newcomer> newcomers;
  for (const std::int64_t place : places) newcomers.push_back({place, newcomers.size()});
  std::vector<std::vector<char>> values;
  std::vector<const void*> initial;
  for (const Component& component : agents.traits().components) {
    auto& copies = values.emplace_back();
    const auto* const value = static_cast<const char*>(component.initial);
    for (std::size_t i = 0; i < places.size(); ++i) {
      copies.insert(copies.end(), value, value + component.elementSize);
    }
  }
  for (const auto& copies : values) initial.push_back(copies.data());
  createAgents(agents, newcomers, initial);
  agents.nextId = newcomers.size();
}

std::vector<std::int64_t> placesAtRandom(const AgentPopulation& population, std::int64_t count) {
  const AgentFields& agents = *population.fields;
  const auto& shape = agents.places().domain().shape;
  const std::int64_t places = shape[0] * shape[1] * shape[2];
  const std::int64_t capacity = agents.traits().capacity;
  if (count < 0) throw UsageError("there cannot be {} agents", count);
  const auto random = [&](std::int64_t index) {
    return Random({.seed = population.runtime->seed,
                   .index = static_cast<std::uint64_t>(index),
                   .step = 0,
                   .call = placingCall,
                   .population = population.number});
  };
  std::vector<std::int64_t> chosen;
  if (capacity == 0) {
    for (std::int64_t i = 0; i < count; ++i) {
      chosen.push_back(
          static_cast<std::int64_t>(random(i).uniform() * static_cast<double>(places)));
    }
    std::sort(chosen.begin(), chosen.end());
    return chosen;
  }
  if (count > places * capacity) {
    throw UsageError("{} agents of class {} are more than {} places with room for {} each hold",
                     count, population.name, places, capacity);
  }
  // Selection sampling (Knuth, The Art of Computer Programming 2, 3.4.2, algorithm S).
  std::int64_t left = places * capacity;
  for (std::int64_t slot = 0; static_cast<std::int64_t>(chosen.size()) < count; ++slot, --left) {
    const std::int64_t needed = count - static_cast<std::int64_t>(chosen.size());
    if (random(slot).uniform() * static_cast<double>(left) < static_cast<double>(needed)) {
      chosen.push_back(slot / capacity);
    }
  }
  return chosen;
}

}  // namespace mass::detail
