#include <mass/memory/agent_io.hpp>

#include <mass/memory/field_io.hpp>
#include <mass/support/hash.hpp>

#include <algorithm>
#include <cstddef>

namespace mass::detail {
namespace {

/// Returns the element size of a component, in bytes.
std::size_t elementSize(const AgentFields& agents, int component) {
  return agents.traits().components[static_cast<std::size_t>(component)].elementSize;
}

/// Returns the number of agents on devices [0, device).
std::int64_t agentsBeforeDevice(const AgentFields& agents, int device) {
  std::int64_t before = 0;
  for (int d = 0; d < device; ++d) before += agents.summary(d).own;
  return before;
}

/// Calls f(array, bytes, offset) for each local device: the array of a component, the bytes of the
/// device's own agents, and their offset in bytes among those of all agents.
template <class Agents, class F>
void forEachPart(Agents& agents, int component, F&& f) {
  const auto size = static_cast<std::int64_t>(elementSize(agents, component));
  std::int64_t before = agentsBeforeDevice(agents, agents.localDevices().front()) * size;
  for (const int device : agents.localDevices()) {
    auto& band = agents.band(device);
    f(band.front[static_cast<std::size_t>(component)], band.own * size, before);
    before += band.own * size;
  }
}

/// Returns the number of agents on the devices of this rank.
std::size_t localCount(const AgentFields& agents) {
  std::int64_t count = 0;
  for (const int device : agents.localDevices()) count += agents.band(device).own;
  return static_cast<std::size_t>(count);
}

/// Copies the identities of the agents of this rank to `ids`.
void readLocalIds(const AgentFields& agents, std::uint64_t* ids) {
  for (const int device : agents.localDevices()) {
    const AgentBand& band = agents.band(device);
    band.ids.read(ids, band.own);
    ids += band.own;
  }
}

/// Copies the places of the agents of this rank to `places`.
void readLocalPlaces(const AgentFields& agents, std::int64_t* places) {
  std::vector<std::int32_t> bins;
  for (const int device : agents.localDevices()) {
    const AgentBand& band = agents.band(device);
    bins.resize(static_cast<std::size_t>(band.own));
    band.bin.read(bins.data(), band.own);
    for (const std::int32_t bin : bins) *places++ = band.bins.place(bin);
  }
}

/// Returns the number of the first agent of this rank among all agents.
std::int64_t firstLocal(const AgentFields& agents) {
  return agentsBeforeDevice(agents, agents.localDevices().front());
}

/// True if an agent of this rank has a request.
bool haveLocalRequests(const AgentFields& agents) {
  std::vector<std::int64_t> targets;
  std::vector<std::uint8_t> births;
  for (const int device : agents.localDevices()) {
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

}  // namespace

void gatherAgents(const AgentFields& agents, std::size_t entryBytes, void* packed) {
  const DeviceConfig& devices = agents.places().devices();
  std::vector<std::size_t> offsets;
  for (const int first : devices.firstDevices())
    offsets.push_back(static_cast<std::size_t>(agentsBeforeDevice(agents, first)) * entryBytes);
  devices.ranks().allGatherInPlace(packed, offsets);
}

std::vector<std::uint64_t> agentIds(const AgentFields& agents) {
  std::vector<std::uint64_t> ids(static_cast<std::size_t>(agents.alive()));
  readLocalIds(agents, ids.data() + firstLocal(agents));
  gatherAgents(agents, sizeof(ids[0]), ids.data());
  return ids;
}

std::vector<std::int64_t> agentPlaces(const AgentFields& agents) {
  std::vector<std::int64_t> places(static_cast<std::size_t>(agents.alive()));
  readLocalPlaces(agents, places.data() + firstLocal(agents));
  gatherAgents(agents, sizeof(places[0]), places.data());
  return places;
}

std::vector<std::int64_t> agentsBeforeRows(const AgentFields& agents) {
  const PlaceFields& fields = agents.places();
  std::vector<std::int64_t> before(static_cast<std::size_t>(fields.partition().rows()));
  std::int64_t* next = before.data() + localRows(fields).begin;
  std::int64_t deviceOffset = firstLocal(agents);
  for (const int device : agents.localDevices()) {
    const AgentBand& band = agents.band(device);
    std::vector<std::int32_t> first(static_cast<std::size_t>(band.bins.rows));
    band.first.readStrided(band.bins.rowSize(), first.data(), band.bins.rows);
    for (const std::int32_t agent : first) *next++ = deviceOffset + agent;
    deviceOffset += band.own;
  }
  gatherRows(fields, 0, fields.partition().rows(), sizeof(before[0]), before.data());
  before.push_back(agents.alive());
  return before;
}

void readAgents(const AgentFields& agents, int component, void* packed) {
  forEachPart(agents, component, [&](const auto& array, std::int64_t bytes, std::int64_t before) {
    array.read(static_cast<char*>(packed) + before, bytes);
  });
  gatherAgents(agents, elementSize(agents, component), packed);
}

void writeAgents(AgentFields& agents, int component, const void* packed) {
  forEachPart(agents, component, [&](auto& array, std::int64_t bytes, std::int64_t before) {
    array.write(static_cast<const char*>(packed) + before, bytes);
  });
  agents.ghostsStale = true;
}

bool haveRequests(const AgentFields& agents) {
  return agents.places().devices().ranks().any(haveLocalRequests(agents));
}

std::uint64_t hashOf(const AgentFields& agents) {
  std::vector<std::uint64_t> ids(localCount(agents));
  std::vector<std::int64_t> places(ids.size());
  readLocalIds(agents, ids.data());
  readLocalPlaces(agents, places.data());
  std::vector<std::uint64_t> hashes(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    hashes[i] = mix(ids[i]) ^ static_cast<std::uint64_t>(places[i]);
  }
  for (int k = 0; k < static_cast<int>(agents.traits().components.size()); ++k) {
    const std::size_t size = elementSize(agents, k);
    std::vector<char> values(ids.size() * size);
    const std::int64_t first = firstLocal(agents) * static_cast<std::int64_t>(size);
    forEachPart(agents, k, [&](const auto& array, std::int64_t bytes, std::int64_t before) {
      array.read(values.data() + (before - first), bytes);
    });
    for (std::size_t i = 0; i < ids.size(); ++i) {
      hashes[i] = hashBytes(values.data() + i * size, size, hashes[i]);
    }
  }
  std::uint64_t total = 0;
  for (const std::uint64_t hash : hashes) total += mix(hash);
  return agents.places().devices().ranks().sum(total);
}

}  // namespace mass::detail
