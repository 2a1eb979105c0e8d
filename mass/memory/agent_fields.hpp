#pragma once

#include <mass/memory/agent_view.hpp>
#include <mass/memory/census.hpp>
#include <mass/memory/device_vector.hpp>
#include <mass/memory/identity_table.hpp>
#include <mass/memory/newborns.hpp>
#include <mass/memory/place_fields.hpp>
#include <mass/support/export.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace mass::detail {

/// Properties of a class of agents.
struct AgentTraits {
  std::string name;                   ///< name of the class, for messages
  std::vector<Component> components;  ///< attributes; `initial` and `outside` are not used
  int reach = 0;                 ///< distance at which rules read agents, in places along each axis
  int travel = 0;                ///< largest distance of a move, in places along each axis
  std::int64_t capacity = 0;     ///< largest number of agents on a place; 0: unlimited
  int offspring = 0;             ///< largest number of children of an agent in a step
  bool seeksFreePlaces = false;  ///< agents may request any free place (targetAnyFree)
};

/// Scratch memory of a device for migration, reused by each manageAll().
struct MigrationScratch {
  /// Has no device.
  MigrationScratch() = default;
  explicit MigrationScratch(Device& device)
      : nextClaim(device),
        prefixSums(device),
        moveStates(device),
        lastClaim(device),
        immigrants(device),
        placeEnds(device),
        edgeBins(device),
        sentPlaces(device),
        sentOrigins(device),
        decisions(device),
        freePlaceList(device),
        allFreePlaceList(device) {}

  /// By agent: next agent in the list of claims of the same bin, or -1; later the immigrants by
  /// bin.
  DeviceVector<std::int32_t> nextClaim;
  DeviceVector<std::int32_t>
      prefixSums;  ///< by agent: sum over the agents before it; then the total
  DeviceVector<std::uint8_t> moveStates;     ///< by agent: MoveState
  DeviceVector<std::int32_t> lastClaim;      ///< by bin: head of its list of claims, or -1
  DeviceVector<std::int32_t> immigrants;     ///< by bin: number of immigrants
  DeviceVector<std::int64_t> placeEnds;      ///< by device: global index behind its last place
  DeviceVector<std::int32_t> edgeBins;       ///< copy of AgentBand::edgeBins
  DeviceVector<std::int64_t> sentPlaces;     ///< by agent sent to another device: target place
  DeviceVector<std::int32_t> sentOrigins;    ///< by agent sent: its number on this device
  DeviceVector<std::uint8_t> decisions;      ///< by agent sent: its MoveState on the target device
  DeviceVector<std::int64_t> freePlaceList;  ///< places of this device with free capacity
  DeviceVector<std::int64_t> allFreePlaceList;  ///< places of all devices with free capacity
};

/// Bins of a band and numbers of agents: known for every device, unlike its arrays, so that the
/// transfers between any two devices can be computed.
struct BandSummary {
  BinIndexing bins;      ///< bins of the band and its ghost rows
  std::int64_t own = 0;  ///< number of agents that live on the band
  /// First bin of each range of rows that are ghost rows of another device, and the bin behind it.
  std::vector<std::int32_t> edgeBins{};
  /// First agent of each of edgeBins, a copy on the host.
  std::vector<std::int64_t> edges{};
};

/// Agents of one class on one device, as structure-of-arrays buffers. Arrays named `next...` and
/// `back` are the back buffers of a double buffer. Arrays by agent begin with the own agents,
/// sorted by bin and identity, followed by the ghosts.
struct AgentBand : BandSummary {
  /// Largest number of agents on a device; their numbers are std::int32_t.
  static constexpr std::int64_t maxAgents = std::numeric_limits<std::int32_t>::max() - 1;

  /// Creates the band of a device of another rank, which has no arrays here.
  explicit AgentBand(const BinIndexing& theBins) : BandSummary{theBins} {}
  /// Creates a band without agents.
  /// @param placeEnds by device: global index behind its last place
  AgentBand(Device& device, const AgentTraits& traits, const BinIndexing& theBins,
            const std::vector<std::int64_t>& placeEnds);

  /// Ensures that all arrays have capacity for `agents` agents, own and ghosts together. If they
  /// have not, the capacity grows by at least a half.
  /// @throws DeviceError if memory is exhausted or `agents` exceeds maxAgents; capacity() and all
  /// values are unchanged then
  void reserve(std::int64_t agents);
  /// Returns the number of agents for which all arrays have capacity.
  std::int64_t capacity() const { return capacity_; }
  /// Returns the bytes allocated.
  std::size_t bytes() const;
  /// Returns the slots of the IdentityTable. @param devices number of all devices
  IdentitySlots identitySlots(int devices) const {
    return {table.slots.data(), devices > 1 ? table.allIds.data() : ids.data(), table.last,
            table.isDense};
  }

  std::int64_t ghosts = 0;                      ///< number of agents on ghost rows
  DeviceVector<std::uint64_t> ids, nextIds;     ///< by agent: identity
  DeviceVector<std::int32_t> bin, nextBin;      ///< by agent: bin
  DeviceVector<std::int32_t> first, nextFirst;  ///< by bin: first agent; then the number of agents
  DeviceVector<std::int64_t> targets;           ///< by agent: target place, targetStay by default
  DeviceVector<std::uint8_t> births;            ///< by agent: requested children, 0 by default
  DeviceVector<std::int64_t> birthplaces;       ///< by agent and child: global index of its place
  /// By component, then by agent (and child): attributes, as bytes.
  std::vector<DeviceVector<char>> front, back, children;
  MigrationScratch scratch;  ///< scratch memory of manageAll()
  IdentityTable table;       ///< finds agents by identity; empty until a rule does

 private:
  std::vector<std::size_t> elementSizes_;
  int offspring_ = 0;
  std::int64_t capacity_ =
      0;  // the smallest of all arrays; some are larger after a failed reserve()
};

/// Rows of another device whose agents are ghosts.
struct AgentGhosts {
  GhostCopy rows;        ///< owner and rows
  std::size_t edge = 0;  ///< index of the first of their two entries in the owner's edgeBins
};

/// Agents of a class on all devices, by the partition of their places.
struct AgentPartition {
  std::vector<AgentBand> bands;                  ///< by device
  std::vector<std::vector<AgentGhosts>> ghosts;  ///< by device, in order of their bins there
};

/// Agents of one class on all devices. An agent is stored on the device that owns its place; this
/// rank has the arrays of its own devices, and the summaries of all.
class MASS_EXPORT AgentFields {
 public:
  /// Creates the arrays without agents.
  /// @param places the places on which the agents live; must outlive this
  /// @throws UsageError if a device has more places than bins can be numbered
  AgentFields(const PlaceFields& places, AgentTraits traits);

  /// Returns the places on which the agents live.
  const PlaceFields& places() const { return *places_; }
  /// Returns the properties of the class.
  const AgentTraits& traits() const { return traits_; }
  /// Returns the number of devices.
  int devices() const { return static_cast<int>(partition_.bands.size()); }
  /// Returns the numbers of the devices of this rank.
  DeviceNumbers localDevices() const { return places_->devices().local(); }
  /// Returns the agents on a device, 0 <= device < devices(). It has no arrays if the device
  /// belongs to another rank.
  AgentBand& band(int device) { return partition_.bands[static_cast<std::size_t>(device)]; }
  /// Returns the agents on a device, 0 <= device < devices().
  const AgentBand& band(int device) const {
    return partition_.bands[static_cast<std::size_t>(device)];
  }
  /// Returns the bins and the numbers of agents of a device, 0 <= device < devices().
  const BandSummary& summary(int device) const { return band(device); }
  /// Returns the rows whose agents are ghosts on a device, in order of their bins there.
  const std::vector<AgentGhosts>& ghostsOf(int device) const {
    return partition_.ghosts[static_cast<std::size_t>(device)];
  }
  /// Returns the number of agents on all devices, without ghosts.
  std::int64_t alive() const;
  /// Returns the bytes allocated on the devices of this rank.
  std::size_t bytes() const;
  /// Calls AgentBand::reserve() on a device. @throws DeviceError with the name of the class if
  /// memory is exhausted
  void reserve(int device, std::int64_t agents);

  /// Checks, before agents are created, that the devices can number and store `agents` of them.
  /// @throws DeviceError if they cannot
  void requireCapacity(std::int64_t agents) const;

  /// Returns the capacity to reserve on a device for `count` own agents on `bins`: it includes
  /// ghosts (in proportion to the ghost rows), immigrants (1/16) and children (1/2), so that the
  /// arrays are seldom reallocated.
  std::int64_t expectedCapacity(const BinIndexing& bins, std::int64_t count) const;
  /// Returns a copy of these agents, with their requests and without ghosts, for another partition
  /// of their places; see replaceWith(). All ranks call it together.
  /// @throws UsageError if a device has more places than bins can be numbered
  /// @throws DeviceError if memory is exhausted
  AgentPartition partitionFor(const RowPartition& partition) const;
  /// Replaces the agents by a copy from partitionFor(). @pre the places have its partition
  void replaceWith(AgentPartition partition) noexcept;

  /// Records that attributes of agents have changed.
  void markChanged() { ghostsStale = copiesStale = true; }
  /// Records that agents may have been born, died or moved.
  void markMoved() {
    markChanged();
    identitiesStale = true;
  }

  std::uint64_t nextId = 0;     ///< identity of the next agent; identities are never reused
  std::uint64_t step = 0;       ///< number of rules and manageAll() calls applied to these agents
  Census census;                ///< result of the last manageAll() that the host has waited for
  Newborns newborns;            ///< agents that join in the next manageAll()
  bool hasIntents = false;      ///< true if a rule could make requests since the last manageAll()
  bool ghostsStale = true;      ///< true if ghosts may differ from the agents that they copy
  bool copiesStale = true;      ///< true if attributes may differ from the copies of IdentityTable
  bool identitiesStale = true;  ///< true if agents may have other positions than in IdentityTable
  int* farthest = nullptr;      ///< AgentView::farthest; owned by the executor on GPUs

 private:
  /// Returns the bands of a partition, without agents.
  AgentPartition emptyPartition(const RowPartition& partition) const;

  const PlaceFields* places_;
  AgentTraits traits_;
  AgentPartition partition_;
};

}  // namespace mass::detail
