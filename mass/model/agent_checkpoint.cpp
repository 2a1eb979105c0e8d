#include <mass/model/agent_checkpoint.hpp>

#include <mass/dispatch/migration/create_agents.hpp>
#include <mass/memory/agent_io.hpp>
#include <mass/model/identity.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>

namespace mass::detail {
namespace {

/// Returns the name of a counter or array that belongs to these agents.
std::string counter(const AgentsState& population, const char* item) {
  return fmt::format("{}.agents.{}", population.name, item);
}

/// Returns the index of the first place of each rank, and the number of places.
std::vector<std::int64_t> rankPlaces(const PlaceFields& fields) {
  const std::int64_t rowSize = fields.layout(0).lines * fields.layout(0).columns;
  std::vector<std::int64_t> places{0};
  for (std::size_t rank = 1; rank < fields.devices().firstDevices().size(); ++rank) {
    const int last = fields.devices().firstDevices()[rank] - 1;
    places.push_back(fields.rows(last).end * rowSize);
  }
  return places;
}

/// Returns the first agent of each rank in a checkpoint, and the number of all agents. All ranks
/// call it together.
/// @param array places of the agents
/// @throws CheckpointError on rank 0 if the agents are not in the order of their places
std::vector<std::size_t> rankAgentsIn(const RankCheckpoint& file, const ArrayInfo& array,
                                      const AgentsState& population) {
  const PlaceFields& fields = population.fields->places();
  Ranks& ranks = fields.devices().ranks();
  if (ranks.count() == 1) return {0, array.shape[0]};
  const std::vector<std::int64_t> ends = rankPlaces(fields);
  std::vector<std::size_t> agents(ends.size());  // by rank: agents on the places before
  std::int64_t last = 0;                         // place of the last agent
  file.forEachPiece(array, [&](std::int64_t, std::int64_t count, const char* packed) {
    if (!ranks.isFirst()) return;
    const std::span places(reinterpret_cast<const std::int64_t*>(packed),
                           static_cast<std::size_t>(count));
    if (places.front() < last || !std::ranges::is_sorted(places) || places.back() >= ends.back()) {
      throw CheckpointError("the checkpoint's agents '{}' are not in the order of their places",
                            population.name);
    }
    last = places.back();
    for (std::size_t rank = 0; rank < ends.size(); ++rank)
      agents[rank] +=
          static_cast<std::size_t>(std::ranges::lower_bound(places, ends[rank]) - places.begin());
  });
  ranks.broadcast(agents.data(), agents.size() * sizeof(agents[0]));
  return agents;
}

/// Returns the values of an array of bytes.
template <class T>
std::span<const T> valuesOf(const std::vector<char>& bytes) {
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

}  // namespace

std::map<std::string, std::uint64_t> agentCounters(const AgentsState& population) {
  const AgentFields& agents = population.synchronizedFields();
  return {{counter(population, "step"), agents.step},
          {counter(population, "next"), agents.nextId},
          {counter(population, "count"), static_cast<std::uint64_t>(agents.alive())},
          {counter(population, "missing"), missingIdentities(population)}};
}

std::vector<ArrayInfo> agentArrays(const AgentsState& population, std::uint64_t count) {
  std::vector<ArrayInfo> arrays;
  arrays.push_back(
      {counter(population, "id"), ElementType::uint64, sizeof(std::uint64_t), {count}});
  arrays.push_back(
      {counter(population, "place"), ElementType::int64, sizeof(std::int64_t), {count}});
  for (const AttributeInfo& attribute : population.attributes) {
    for (int k = 0; k < attribute.components; ++k) {
      auto name = fmt::format("{}.{}", population.name, attribute.name);
      if (attribute.isArray) name += fmt::format(".{}", k);
      arrays.push_back({std::move(name), attribute.type, attribute.elementSize, {count}});
    }
  }
  return arrays;
}

std::uint64_t agentCountIn(const CheckpointHeader& header, const AgentsState& population) {
  const auto& counters = header.counters;
  for (const char* const item : {"step", "next", "count"}) {
    if (!counters.contains(counter(population, item))) {
      throw CheckpointError("the checkpoint has no agents '{}'", population.name);
    }
  }
  return counters.at(counter(population, "count"));
}

void writeAgents(RankCheckpointWriter& file, const AgentsState& population) {
  const AgentFields& agents = population.synchronizedFields();
  if (population.hasPendingRequests()) {
    throw UsageError(
        "agents '{}' have intents or births that no manageAll has carried out, and a checkpoint "
        "cannot store them; call manageAll before saveCheckpoint",
        population.name);
  }
  const std::uint64_t hash = hashOf(agents);
  const auto arrays = agentArrays(population, static_cast<std::uint64_t>(agents.alive()));
  const auto add = [&](const ArrayInfo& array, const AgentColumn& column) {
    file.add(array, hash, [&](std::int64_t first, std::int64_t count, char* packed) {
      readAgentsOnFirstRank(agents, column, first, count, packed);
    });
  };
  add(arrays[0], idColumn());
  add(arrays[1], placeColumn(agents));
  for (std::size_t k = 2; k < arrays.size(); ++k)
    add(arrays[k], componentColumn(agents, static_cast<int>(k) - 2));
}

void restoreAgents(const RankCheckpoint& file, AgentsState& population) {
  AgentFields& agents = population.synchronizedFields();
  const std::uint64_t count = agentCountIn(file.header(), population);
  const auto arrays = agentArrays(population, count);
  std::vector<std::vector<char>> columns;
  if (agents.places().areOrdered()) {
    for (const ArrayInfo& array : arrays) columns.push_back(file.allRows(array));
  } else {
    const std::vector<std::size_t> first = rankAgentsIn(file, arrays[1], population);
    for (const ArrayInfo& array : arrays) columns.push_back(file.ownRows(array, first));
  }
  const auto ids = valuesOf<std::uint64_t>(columns[0]);
  const auto places = valuesOf<std::int64_t>(columns[1]);
  std::vector<NewAgent> newAgents(ids.size());
  for (std::size_t i = 0; i < newAgents.size(); ++i) newAgents[i] = {places[i], ids[i]};
  std::vector<const void*> values;
  for (std::size_t k = 2; k < columns.size(); ++k) values.push_back(columns[k].data());
  try {
    createAgents(agents, newAgents, values);
  } catch (const UsageError& error) {
    throw CheckpointError("the checkpoint's agents cannot be used: {}", error.what());
  }
  const auto& counters = file.header().counters;
  agents.step = counters.at(counter(population, "step"));
  agents.nextId = counters.at(counter(population, "next"));
  const auto missing = counters.find(counter(population, "missing"));  // former files have none
  restoreMissing(population, missing == counters.end() ? 0 : missing->second);
  agents.hasIntents = false;
  agents.newborns.clear();
  if (hashOf(agents) != file.hash(arrays[0].name)) {
    throw CheckpointError("the hash of the agents '{}' differs from the one in the checkpoint",
                          population.name);
  }
}

}  // namespace mass::detail
