#include <mass/memory/agent_io.hpp>

#include <mass/support/hash.hpp>

#include <algorithm>
#include <cstddef>

namespace mass::detail {
namespace {

/// Returns the element size of a component, in bytes.
std::size_t elementSize(const AgentFields& agents, int component) {
  return agents.traits().components[static_cast<std::size_t>(component)].elementSize;
}

/// Calls f(array, bytes, offset) for each device: the array of a component, the bytes of the
/// device's own agents, and their offset in bytes among those of all agents.
template <class Agents, class F>
void forEachPart(Agents& agents, int component, F&& f) {
  std::int64_t before = 0;
  for (int device = 0; device < agents.devices(); ++device) {
    auto& band = agents.band(device);
    const auto bytes = band.own * static_cast<std::int64_t>(elementSize(agents, component));
    f(band.front[static_cast<std::size_t>(component)], bytes, before);
    before += bytes;
  }
}

}  // namespace

std::vector<std::uint64_t> agentIds(const AgentFields& agents) {
  std::vector<std::uint64_t> ids(static_cast<std::size_t>(agents.alive()));
  std::uint64_t* next = ids.data();
  for (int device = 0; device < agents.devices(); ++device) {
    const AgentBand& band = agents.band(device);
    band.ids.read(next, band.own);
    next += band.own;
  }
  return ids;
}

std::vector<std::int64_t> agentPlaces(const AgentFields& agents) {
  std::vector<std::int64_t> places;
  std::vector<std::int32_t> bins;
  for (int device = 0; device < agents.devices(); ++device) {
    const AgentBand& band = agents.band(device);
    bins.resize(static_cast<std::size_t>(band.own));
    band.bin.read(bins.data(), band.own);
    for (const std::int32_t bin : bins) places.push_back(band.bins.place(bin));
  }
  return places;
}

std::vector<std::int64_t> agentsBeforeRows(const AgentFields& agents) {
  std::vector<std::int64_t> before;
  std::int64_t deviceOffset = 0;
  for (int device = 0; device < agents.devices(); ++device) {
    const AgentBand& band = agents.band(device);
    std::vector<std::int32_t> first(static_cast<std::size_t>(band.bins.rows));
    band.first.readStrided(band.bins.rowSize(), first.data(), band.bins.rows);
    for (const std::int32_t agent : first) before.push_back(deviceOffset + agent);
    deviceOffset += band.own;
  }
  before.push_back(deviceOffset);
  return before;
}

void readAgents(const AgentFields& agents, int component, void* packed) {
  forEachPart(agents, component, [&](const auto& array, std::int64_t bytes, std::int64_t before) {
    array.read(static_cast<char*>(packed) + before, bytes);
  });
}

void writeAgents(AgentFields& agents, int component, const void* packed) {
  forEachPart(agents, component, [&](auto& array, std::int64_t bytes, std::int64_t before) {
    array.write(static_cast<const char*>(packed) + before, bytes);
  });
  agents.ghostsStale = true;
}

bool haveRequests(const AgentFields& agents) {
  std::vector<std::int64_t> targets;
  std::vector<std::uint8_t> births;
  for (int device = 0; device < agents.devices(); ++device) {
    const AgentBand& band = agents.band(device);
    targets.resize(static_cast<std::size_t>(band.own));
    band.targets.read(targets.data(), band.own);
    births.resize(static_cast<std::size_t>(band.own));
    band.births.read(births.data(), band.own);
    const auto isStay = [](std::int64_t target) { return target == targetStay; };
    const auto isNone = [](std::uint8_t count) { return count == 0; };
    if (!std::all_of(targets.begin(), targets.end(), isStay) ||
        !std::all_of(births.begin(), births.end(), isNone))
      return true;
  }
  return false;
}

std::uint64_t hashOf(const AgentFields& agents) {
  const std::vector<std::uint64_t> ids = agentIds(agents);
  const std::vector<std::int64_t> places = agentPlaces(agents);
  std::vector<std::uint64_t> hashes(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    hashes[i] = mix(ids[i]) ^ static_cast<std::uint64_t>(places[i]);
  }
  for (int k = 0; k < static_cast<int>(agents.traits().components.size()); ++k) {
    const std::size_t size = elementSize(agents, k);
    std::vector<char> values(ids.size() * size);
    readAgents(agents, k, values.data());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      hashes[i] = hashBytes(values.data() + i * size, size, hashes[i]);
    }
  }
  std::uint64_t total = 0;
  for (const std::uint64_t hash : hashes) total += mix(hash);
  return total;
}

}  // namespace mass::detail
