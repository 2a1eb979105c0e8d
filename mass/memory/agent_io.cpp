#include <mass/memory/agent_io.hpp>

#include <mass/support/hash.hpp>

#include <cstddef>
#include <cstring>

namespace mass {
namespace {

std::size_t elementSize(const AgentFields& agents, int component) {
  return agents.traits().components[static_cast<std::size_t>(component)].elementSize;
}

/// Calls f(data of a component, its bytes, where they lie among those of all agents) by device.
template <class Agents, class F>
void forEachPart(Agents& agents, int component, F&& f) {
  std::size_t before = 0;
  for (int device = 0; device < agents.devices(); ++device) {
    auto& band = agents.band(device);
    const std::size_t bytes = static_cast<std::size_t>(band.own) * elementSize(agents, component);
    if (bytes > 0) f(band.front[static_cast<std::size_t>(component)].data(), bytes, before);
    before += bytes;
  }
}

}  // namespace

std::vector<std::uint64_t> agentIds(const AgentFields& agents) {
  std::vector<std::uint64_t> ids;
  for (int device = 0; device < agents.devices(); ++device) {
    const AgentBand& band = agents.band(device);
    ids.insert(ids.end(), band.ids.data(), band.ids.data() + band.own);
  }
  return ids;
}

std::vector<std::int64_t> agentPlaces(const AgentFields& agents) {
  std::vector<std::int64_t> places;
  for (int device = 0; device < agents.devices(); ++device) {
    const AgentBand& band = agents.band(device);
    for (std::int64_t i = 0; i < band.own; ++i) places.push_back(band.bins.place(band.bin[i]));
  }
  return places;
}

void readAgents(const AgentFields& agents, int component, void* packed) {
  forEachPart(agents, component, [&](const char* data, std::size_t bytes, std::size_t before) {
    std::memcpy(static_cast<char*>(packed) + before, data, bytes);
  });
}

void writeAgents(AgentFields& agents, int component, const void* packed) {
  forEachPart(agents, component, [&](char* data, std::size_t bytes, std::size_t before) {
    std::memcpy(data, static_cast<const char*>(packed) + before, bytes);
  });
  agents.ghostsStale = true;
}

std::uint64_t hashOf(const AgentFields& agents) {
  std::uint64_t total = 0;
  for (int device = 0; device < agents.devices(); ++device) {
    const AgentBand& band = agents.band(device);
    for (std::int64_t i = 0; i < band.own; ++i) {
      std::uint64_t hash =
          mix(band.ids[i]) ^ static_cast<std::uint64_t>(band.bins.place(band.bin[i]));
      for (std::size_t k = 0; k < band.front.size(); ++k) {
        const std::size_t size = elementSize(agents, static_cast<int>(k));
        hash = hashBytes(band.front[k].data() + static_cast<std::size_t>(i) * size, size, hash);
      }
      total += mix(hash);
    }
  }
  return total;
}

}  // namespace mass
