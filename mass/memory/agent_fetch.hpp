#pragma once

#include <mass/backend/rank_packets.hpp>
#include <mass/memory/agent_fields.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mass::detail {

/// Arrays of an AgentBand, and of its MigrationScratch, that devices copy from each other.
enum class AgentArray : std::uint8_t {
  ids,
  nextIds,
  first,
  nextFirst,
  targets,
  births,
  birthplaces,  ///< an element has the birthplaces of all children of an agent
  front,        ///< array of a component
  back,         ///< array of a component
  children,     ///< array of a component; an element has the values of all children of an agent
  moveStates,   ///< array of MigrationScratch, like the following ones
  sentPlaces,
  decisions,
  freePlaceList,
  allFreePlaceList,
  allIds,         ///< array of IdentityTable, like the following one
  allComponents,  ///< array of a component
};

/// Element of an array.
struct ArrayPosition {
  AgentArray array = AgentArray::ids;
  std::int64_t element = 0;

  friend bool operator==(const ArrayPosition&, const ArrayPosition&) = default;
};

/// Copy of consecutive elements between arrays of two devices, which may be the same. It has no
/// addresses: the process of either device can compute it.
struct Fetch {
  int fromDevice = 0, toDevice = 0;
  ArrayPosition from, to;  ///< first elements
  std::int64_t count = 0;  ///< number of elements
  int component = 0;       ///< component of both arrays; 0 for arrays that have none

  friend bool operator==(const Fetch&, const Fetch&) = default;
};

/// Appends a fetch unless it has no elements.
void append(std::vector<Fetch>& fetches, const Fetch& fetch);
/// Appends a fetch for each component of the agents, unless it has no elements.
/// @param components number of components
void appendComponents(std::vector<Fetch>& fetches, Fetch fetch, int components);

/// Memory of an array on the device of its band.
struct ArrayMemory {
  char* data = nullptr;         ///< address of element 0
  std::size_t elementSize = 0;  ///< bytes

  /// Returns the address of an element.
  char* at(std::int64_t element) const {
    return data + static_cast<std::size_t>(element) * elementSize;
  }
};
/// Returns the memory of an array.
/// @param component number of the component; 0 for arrays that have none
ArrayMemory memoryOf(const AgentBand& band, const AgentTraits& traits, AgentArray array,
                     int component);

/// Memory range of one side of a fetch.
struct FetchRange {
  char* data = nullptr;
  std::size_t bytes = 0;
};
/// Returns the range that a fetch reads. @param from band of its source
FetchRange sourceOf(const Fetch& fetch, const AgentTraits& traits, const AgentBand& from);
/// Returns the range that a fetch writes. @param to band of its target
FetchRange targetOf(const Fetch& fetch, const AgentTraits& traits, const AgentBand& to);

/// Memory ranges of a fetch, each on its device.
struct FetchAddresses {
  const char* from = nullptr;
  char* to = nullptr;
  std::size_t bytes = 0;
};
/// Returns the addresses of a fetch. @param from, to bands of its devices
FetchAddresses addressesOf(const Fetch& fetch, const AgentTraits& traits, const AgentBand& from,
                           const AgentBand& to);
/// Returns the addresses of a fetch between the bands of `agents`.
FetchAddresses addressesOf(const Fetch& fetch, const AgentFields& agents);

/// Fetches between devices of different ranks. All ranks add the same fetches in the same
/// order; those between other ranks, or within one, are left out.
class RankFetches {
 public:
  /// @param devices, traits must outlive this
  RankFetches(const DeviceConfig& devices, const AgentTraits& traits)
      : devices_(&devices), traits_(&traits), packets_(devices.ranks()) {}

  /// Adds a fetch. @param from, to bands of its devices
  void add(const Fetch& fetch, const AgentBand& from, const AgentBand& to);
  /// Sends and receives all fetches. @throws RankError
  void run();

 private:
  const DeviceConfig* devices_;
  const AgentTraits* traits_;
  RankPackets packets_;
};

}  // namespace mass::detail
