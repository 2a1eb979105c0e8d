#include <mass/model/agent_checkpoint.hpp>

#include <mass/dispatch/migration/create_agents.hpp>
#include <mass/memory/agent_io.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>

#include <cstddef>

namespace mass::detail {
namespace {

/// Returns the name of a counter or array that belongs to these agents.
std::string counter(const AgentsState& population, const char* item) {
  return fmt::format("{}.agents.{}", population.name, item);
}

void write(CheckpointWriter* file, const ArrayInfo& array, const void* values, std::uint64_t hash) {
  if (file == nullptr) return;
  file->begin(array);
  if (array.shape[0] > 0) file->rows(0, array.shape[0], values);
  file->end(hash);
}

}  // namespace

std::map<std::string, std::uint64_t> agentCounters(const AgentsState& population) {
  const AgentFields& agents = population.synchronizedFields();
  return {{counter(population, "step"), agents.step},
          {counter(population, "next"), agents.nextId},
          {counter(population, "count"), static_cast<std::uint64_t>(agents.alive())}};
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

void writeAgents(CheckpointWriter* file, const AgentsState& population) {
  const AgentFields& agents = population.synchronizedFields();
  if (population.hasPendingRequests()) {
    throw UsageError(
        "agents '{}' have intents that no manageAll has carried out, and a checkpoint cannot store "
        "them; call manageAll before saveCheckpoint",
        population.name);
  }
  const std::uint64_t hash = hashOf(agents);
  const auto arrays = agentArrays(population, static_cast<std::uint64_t>(agents.alive()));
  write(file, arrays[0], agentIds(agents).data(), hash);
  write(file, arrays[1], agentPlaces(agents).data(), hash);
  for (std::size_t k = 0; k + 2 < arrays.size(); ++k) {
    const ArrayInfo& array = arrays[k + 2];
    std::vector<char> values(array.shape[0] * array.elementSize);
    readAgents(agents, static_cast<int>(k), values.data());
    write(file, array, values.data(), hash);
  }
}

void restoreAgents(const RankCheckpoint& file, AgentsState& population) {
  AgentFields& agents = population.synchronizedFields();
  const std::uint64_t count = agentCountIn(file.header(), population);
  const auto arrays = agentArrays(population, count);
  std::vector<NewAgent> newAgents(count);
  const auto ids = file.bytesOf(arrays[0]);
  const auto places = file.bytesOf(arrays[1]);
  for (std::size_t i = 0; i < newAgents.size(); ++i) {
    newAgents[i] = {reinterpret_cast<const std::int64_t*>(places.data())[i],
                    reinterpret_cast<const std::uint64_t*>(ids.data())[i]};
  }
  std::vector<std::vector<char>> components;
  std::vector<const void*> values;
  for (std::size_t k = 2; k < arrays.size(); ++k) components.push_back(file.bytesOf(arrays[k]));
  for (const auto& component : components) values.push_back(component.data());
  try {
    createAgents(agents, newAgents, values);
  } catch (const UsageError& error) {
    throw CheckpointError("the checkpoint's agents cannot be used: {}", error.what());
  }
  const auto& counters = file.header().counters;
  agents.step = counters.at(counter(population, "step"));
  agents.nextId = counters.at(counter(population, "next"));
  agents.hasIntents = false;
  if (hashOf(agents) != file.hash(arrays[0].name)) {
    throw CheckpointError("the hash of the agents '{}' differs from the one in the checkpoint",
                          population.name);
  }
}

}  // namespace mass::detail
