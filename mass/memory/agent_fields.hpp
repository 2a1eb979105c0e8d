#pragma once

#include <mass/memory/agent_view.hpp>
#include <mass/memory/census.hpp>
#include <mass/memory/device_vector.hpp>
#include <mass/memory/place_fields.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace mass::detail {

/// What all agents of a class have in common.
struct AgentTraits {
  std::string name;                   ///< of the class, for messages
  std::vector<Component> components;  ///< of the attributes; `initial` and `outside` are not used
  int reach = 0;                      ///< how far rules read agents, in places along every axis
  int travel = 0;                     ///< how far an agent may move at once
  std::int64_t capacity = 0;          ///< agents that a place holds; 0: any number
  int offspring = 0;                  ///< children that an agent may have at once
  bool seeks = false;                 ///< agents may want a place that is free, wherever it is
};

/// What a device needs to manage its agents besides them, kept from one time to the next.
struct MigrationScratch {
  explicit MigrationScratch(Device& device)
      : nextClaim(device),
        kept(device),
        moveStates(device),
        lastClaim(device),
        immigrants(device),
        placeEnds(device),
        edgeBins(device),
        sentPlaces(device),
        sentOrigins(device),
        decisions(device),
        free(device),
        allFree(device) {}

  /// By agent: another that claims the same bin, or -1; then who comes in, by bin.
  DeviceVector<std::int32_t> nextClaim;
  DeviceVector<std::int32_t> kept;  ///< by agent: how many before it stay; one more at the end
  DeviceVector<std::uint8_t> moveStates;  ///< by agent
  DeviceVector<std::int32_t> lastClaim;   ///< by bin: an agent that claims it, or -1
  DeviceVector<std::int32_t> immigrants;  ///< by bin
  DeviceVector<std::int64_t> placeEnds;   ///< by device: the end of its places
  DeviceVector<std::int32_t> edgeBins;    ///< those of the band
  DeviceVector<std::int64_t> sentPlaces;  ///< by agent sent to another device: where it wants to be
  DeviceVector<std::int32_t> sentOrigins;    ///< the same: its number here
  DeviceVector<std::uint8_t> decisions;      ///< the same: its fate there
  DeviceVector<std::int64_t> free, allFree;  ///< places with room, here and on all devices
};

/// The agents of one class on one device.
struct AgentBand {
  /// Agents that can be numbered.
  static constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() - 1;

  /// `placeEnds` are those of the places of all devices.
  AgentBand(Device& device, const AgentTraits& traits, const BinIndexing& theBins,
            const std::vector<std::int64_t>& placeEnds);

  /// Makes room for agents, own and others together, in all arrays; if there was less, for half as
  /// many again as there was at least.
  /// @throws DeviceError when there is not enough memory, or there are 2^31 or more; the band is as
  /// it was then.
  void grow(std::int64_t agents);
  std::int64_t capacity() const { return capacity_; }
  std::size_t bytes() const;

  BinIndexing bins;
  std::int64_t own = 0;     ///< agents that live here
  std::int64_t ghosts = 0;  ///< agents of ghost rows, after them
  DeviceVector<std::uint64_t> ids, nextIds;
  DeviceVector<std::int32_t> bin, nextBin;
  DeviceVector<std::int32_t> first, nextFirst;  ///< by bin, and one more
  DeviceVector<std::int64_t> targets;           ///< `stays` where nothing else is wanted
  DeviceVector<std::uint8_t> births;            ///< 0 where nothing else is wanted
  DeviceVector<std::int64_t> birthplaces;
  /// By component; bytes, as their types are not known here.
  std::vector<DeviceVector<char>> front, back, children;
  /// BinIndexing at which rows begin and end that are ghosts somewhere, and their first agents,
  /// known to the host.
  std::vector<std::int32_t> edgeBins;
  std::vector<std::int64_t> edges;
  MigrationScratch scratch;

 private:
  std::vector<std::size_t> elementSizes_;
  int offspring_ = 0;
  std::int64_t capacity_ = 0;  ///< in all arrays; some have more when memory has ended
};

/// Rows whose agents are ghosts on a device.
struct AgentGhosts {
  GhostCopy rows;
  std::size_t edge = 0;  ///< the number of their first edge among those of the source
};

/// The agents of a class over all devices, as their places are split.
struct AgentPartition {
  std::vector<AgentBand> bands;                  ///< by device
  std::vector<std::vector<AgentGhosts>> ghosts;  ///< by device, in the order of their bins there
};

/// The agents of one class over all devices. An agent lives where its place lives.
class AgentFields {
 public:
  /// No agents yet. `places`, on which they will live, must outlive this.
  /// @throws UsageError when a device has more places than agents can tell apart.
  AgentFields(const PlaceFields& places, AgentTraits traits);

  const PlaceFields& places() const { return *places_; }
  const AgentTraits& traits() const { return traits_; }
  int devices() const { return static_cast<int>(partition_.bands.size()); }
  AgentBand& band(int device) { return partition_.bands[static_cast<std::size_t>(device)]; }
  const AgentBand& band(int device) const {
    return partition_.bands[static_cast<std::size_t>(device)];
  }
  /// Which rows' agents are ghosts on a device, in the order of the bins that they have there.
  const std::vector<AgentGhosts>& ghostsOf(int device) const {
    return partition_.ghosts[static_cast<std::size_t>(device)];
  }
  std::int64_t alive() const;
  std::size_t bytes() const;
  /// Makes room for agents on a device, as its band does. @throws DeviceError with the class's
  /// name.
  void grow(int device, std::int64_t agents);

  /// Before any are made: that the devices can number and hold so many. @throws DeviceError when
  /// not.
  void requireCapacity(std::int64_t agents) const;

  /// How many a device will soon have that has `count` now on some bins: with ghosts, those that
  /// come from others and children. If there were room for fewer, all would be copied soon.
  std::int64_t roomFor(const BinIndexing& bins, std::int64_t count) const;
  /// A copy of these agents for when their places are split in another way: `adopt` it when they
  /// are. With their intents, without ghosts. @throws UsageError as the constructor; DeviceError
  /// when there is not enough memory.
  AgentPartition partitionFor(const RowPartition& partition) const;
  /// Makes the agents those of a split, which is that of the places.
  void replaceWith(AgentPartition split) noexcept;

  std::uint64_t nextId = 0;  ///< of the next agent that is born; identities are never used again
  std::uint64_t step = 0;    ///< rounds of rules and management these agents have seen
  Census census;             ///< of the last management of which the host knows
  bool hasIntents = false;   ///< that no management has carried out
  bool ghostsStale = true;   ///< ghosts may differ from the agents they repeat
  int* farthest = nullptr;   ///< as an AgentView has it; kept by whoever runs rules on GPUs

 private:
  /// Without agents.
  AgentPartition emptyPartition(const RowPartition& partition) const;

  const PlaceFields* places_;
  AgentTraits traits_;
  AgentPartition partition_;
};

}  // namespace mass::detail
