#include <mass/memory/agent_io.hpp>

#include <mass/memory/field_io.hpp>
#include <mass/support/hash.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

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

/// Copies the values of those of agents [first, first + count) of the global order that are on this
/// rank to their places in `packed`.
void readOwn(const AgentFields& agents, const AgentColumn& column, std::int64_t first,
             std::int64_t count, void* packed) {
  std::int64_t before = firstLocalAgent(agents);
  for (const int device : agents.localDevices()) {
    const AgentBand& band = agents.band(device);
    const std::int64_t begin = std::max(first, before);
    const std::int64_t end = std::min(first + count, before + band.own);
    if (begin < end) {
      column.read(
          band, begin - before, end - begin,
          static_cast<char*>(packed) + static_cast<std::size_t>(begin - first) * column.bytes);
    }
    before += band.own;
  }
}

/// Returns the offset in bytes of the agents of each rank, and of the end, among agents
/// [first, first + count).
std::vector<std::size_t> rankOffsets(const AgentFields& agents, std::int64_t first,
                                     std::int64_t count, std::size_t entryBytes) {
  std::vector<std::size_t> offsets;
  for (const int device : agents.places().devices().firstDevices()) {
    const std::int64_t agent = agentsBeforeDevice(agents, device);
    offsets.push_back(static_cast<std::size_t>(std::clamp(agent, first, first + count) - first) *
                      entryBytes);
  }
  return offsets;
}

/// Calls f(number) for the number of agents of each band, and for each of its edges.
template <class Band, class F>
void forEachNumber(Band& band, F&& f) {
  f(band.own);
  for (auto& edge : band.edges) f(edge);
}

/// Agents of a place in the order by row.
struct AgentsOfPlace {
  std::int64_t first = 0, count = 0;
};

/// Returns the agents of all nodes in the order of nodes, whose rows are in another one.
std::vector<AgentsOfPlace> agentsByNode(const AgentFields& agents) {
  const std::vector<std::int64_t> before = agentsBeforeRows(agents);
  std::vector<AgentsOfPlace> ranges;
  for (const std::int32_t row : agents.places().links()->network().rowOfNode) {
    const std::int64_t first = before[static_cast<std::size_t>(row)];
    ranges.push_back({first, before[static_cast<std::size_t>(row) + 1] - first});
  }
  return ranges;
}

/// Calls copy(position by row, position in the global order, count) for the agents of each node.
template <class Copy>
void forEachNode(const AgentFields& agents, const Copy& copy) {
  std::size_t position = 0;
  for (const AgentsOfPlace& range : agentsByNode(agents)) {
    const auto count = static_cast<std::size_t>(range.count);
    if (count > 0) copy(static_cast<std::size_t>(range.first), position, count);
    position += count;
  }
}

/// Returns the sum of the hashes of agents of this rank. @param first number of the first among all
std::uint64_t hashOf(const AgentFields& agents, const std::vector<AgentColumn>& components,
                     std::int64_t first, std::int64_t count) {
  const auto size = static_cast<std::size_t>(count);
  std::vector<std::uint64_t> ids(size), hashes(size);
  std::vector<std::int64_t> places(size);
  readOwn(agents, idColumn(), first, count, ids.data());
  readOwn(agents, placeColumn(agents), first, count, places.data());
  for (std::size_t i = 0; i < size; ++i)
    hashes[i] = mix(ids[i]) ^ static_cast<std::uint64_t>(places[i]);
  std::vector<char> values;
  for (const AgentColumn& component : components) {
    values.resize(size * component.bytes);
    readOwn(agents, component, first, count, values.data());
    for (std::size_t i = 0; i < size; ++i)
      hashes[i] = hashBytes(values.data() + i * component.bytes, component.bytes, hashes[i]);
  }
  std::uint64_t total = 0;
  for (const std::uint64_t hash : hashes) total += mix(hash);
  return total;
}

}  // namespace

AgentColumn idColumn() {
  return {sizeof(std::uint64_t),
          [](const AgentBand& band, std::int64_t first, std::int64_t count, char* packed) {
            band.ids.read(reinterpret_cast<std::uint64_t*>(packed), count, first);
          }};
}

AgentColumn placeColumn(const AgentFields& agents) {
  return {sizeof(std::int64_t),
          [fields = &agents.places()](const AgentBand& band, std::int64_t first, std::int64_t count,
                                      char* packed) {
            std::vector<std::int32_t> bins(static_cast<std::size_t>(count));
            band.bin.read(bins.data(), count, first);
            std::transform(bins.begin(), bins.end(), reinterpret_cast<std::int64_t*>(packed),
                           [&](std::int32_t bin) { return fields->placeOf(band.bins.place(bin)); });
          }};
}

AgentColumn componentColumn(const AgentFields& agents, int component) {
  const std::size_t bytes = elementSize(agents, component);
  return {bytes, [component, size = static_cast<std::int64_t>(bytes)](
                     const AgentBand& band, std::int64_t first, std::int64_t count, char* packed) {
            band.front[static_cast<std::size_t>(component)].read(packed, count * size,
                                                                 first * size);
          }};
}

std::int64_t localAgentCount(const AgentFields& agents) {
  std::int64_t count = 0;
  for (const int device : agents.localDevices()) count += agents.band(device).own;
  return count;
}

std::int64_t firstLocalAgent(const AgentFields& agents) {
  return agentsBeforeDevice(agents, agents.localDevices().front());
}

void gatherAgents(const AgentFields& agents, std::size_t entryBytes, void* packed) {
  const std::vector<std::size_t> offsets = rankOffsets(agents, 0, agents.alive(), entryBytes);
  agents.places().devices().ranks().allGatherInPlace(packed, offsets);
  if (!agents.places().areOrdered()) return;
  auto* const entries = static_cast<char*>(packed);
  const std::vector<char> byRow(entries, entries + offsets.back());
  forEachNode(agents, [&](std::size_t row, std::size_t position, std::size_t count) {
    std::memcpy(entries + position * entryBytes, byRow.data() + row * entryBytes,
                count * entryBytes);
  });
}

RowRange reportedAgents(const AgentFields& agents) {
  if (agents.places().areOrdered())
    return {0, agents.places().devices().ranks().isFirst() ? agents.alive() : 0};
  const std::int64_t first = firstLocalAgent(agents);
  return {first, first + localAgentCount(agents)};
}

void readAgents(const AgentFields& agents, const AgentColumn& column, void* packed) {
  readOwn(agents, column, 0, agents.alive(), packed);
  gatherAgents(agents, column.bytes, packed);
}

std::vector<char> readReportedAgents(const AgentFields& agents, const AgentColumn& column) {
  const std::int64_t count = localAgentCount(agents);
  std::vector<char> values(static_cast<std::size_t>(count) * column.bytes);
  readOwn(agents, column, firstLocalAgent(agents), count, values.data());
  return reported(agents, std::move(values), column.bytes);
}

void readAgentsOnFirstRank(const AgentFields& agents, const AgentColumn& column, std::int64_t first,
                           std::int64_t count, void* packed) {
  if (agents.places().areOrdered()) {
    const std::vector<char> all = readReportedAgents(agents, column);
    if (all.empty()) return;
    std::memcpy(packed, all.data() + static_cast<std::size_t>(first) * column.bytes,
                static_cast<std::size_t>(count) * column.bytes);
    return;
  }
  readOwn(agents, column, first, count, packed);
  agents.places().devices().ranks().gatherToFirst(packed,
                                                  rankOffsets(agents, first, count, column.bytes));
}

std::vector<std::uint64_t> agentIds(const AgentFields& agents) {
  std::vector<std::uint64_t> ids(static_cast<std::size_t>(agents.alive()));
  readAgents(agents, idColumn(), ids.data());
  return ids;
}

std::vector<std::int64_t> agentPlaces(const AgentFields& agents) {
  std::vector<std::int64_t> places(static_cast<std::size_t>(agents.alive()));
  readAgents(agents, placeColumn(agents), places.data());
  return places;
}

std::vector<std::int64_t> agentsBeforeRows(const AgentFields& agents) {
  const PlaceFields& fields = agents.places();
  std::vector<std::int64_t> before(static_cast<std::size_t>(fields.partition().rows()));
  std::int64_t* next = before.data() + localRows(fields).begin;
  std::int64_t deviceOffset = firstLocalAgent(agents);
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

void writeAgents(AgentFields& agents, int component, const void* packed) {
  const auto size = static_cast<std::int64_t>(elementSize(agents, component));
  std::vector<char> byRow;
  if (agents.places().areOrdered()) {
    byRow.resize(static_cast<std::size_t>(agents.alive() * size));
    const std::size_t bytes = elementSize(agents, component);
    forEachNode(agents, [&](std::size_t row, std::size_t position, std::size_t count) {
      std::memcpy(byRow.data() + row * bytes, static_cast<const char*>(packed) + position * bytes,
                  count * bytes);
    });
    packed = byRow.data();
  }
  const char* values = static_cast<const char*>(packed) + firstLocalAgent(agents) * size;
  for (const int device : agents.localDevices()) {
    AgentBand& band = agents.band(device);
    band.front[static_cast<std::size_t>(component)].write(values, band.own * size);
    values += band.own * size;
  }
  agents.markChanged();
}

void shareSummaries(AgentFields& agents) {
  const DeviceConfig& devices = agents.places().devices();
  std::vector<std::int64_t> numbers;  // by band
  std::vector<std::size_t> offsets{0};
  for (int device = 0; device < agents.devices(); ++device) {
    forEachNumber(agents.band(device), [&](std::int64_t number) { numbers.push_back(number); });
    if (device + 1 == devices.firstDevices()[offsets.size()])
      offsets.push_back(numbers.size() * sizeof(numbers[0]));
  }
  devices.ranks().allGatherInPlace(numbers.data(), offsets);
  auto next = numbers.cbegin();
  for (int device = 0; device < agents.devices(); ++device)
    forEachNumber(agents.band(device), [&](std::int64_t& number) { number = *next++; });
}

bool haveRequests(const AgentFields& agents) {
  return agents.places().devices().ranks().any(haveLocalRequests(agents));
}

std::uint64_t hashOf(const AgentFields& agents) {
  constexpr std::int64_t most = std::int64_t{1} << 18;  // agents whose hashes are in memory
  std::vector<AgentColumn> components;
  for (int k = 0; k < static_cast<int>(agents.traits().components.size()); ++k)
    components.push_back(componentColumn(agents, k));
  const std::int64_t begin = firstLocalAgent(agents), end = begin + localAgentCount(agents);
  std::uint64_t total = 0;
  for (std::int64_t first = begin; first < end; first += most)
    total += hashOf(agents, components, first, std::min(most, end - first));
  return agents.places().devices().ranks().sum(total);
}

}  // namespace mass::detail
