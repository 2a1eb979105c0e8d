#pragma once

#include <mass/dispatch/migration/migration_view.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mass::detail::migration {

/// Numbers of a device that do not depend on the number of devices.
struct MigrationTotals {
  std::uint64_t of[counts] = {};    ///< by Count
  std::uint64_t own = 0;            ///< agents of the device before migration
  std::uint64_t alive = 0;          ///< agents of the device after migration
  std::uint64_t localChildren = 0;  ///< children born on the device of their parent
  std::uint64_t seekers = 0;        ///< agents that seek a free place
  std::uint64_t freePlaces = 0;     ///< places with room for more agents
  std::uint64_t crowdedBins = 0;    ///< bins with more than maxCompared immigrants
};

/// Counters of the migration on one device. Bodies change some of them into the index of the next
/// element, see MigrationView; MigrationPlan keeps the counts.
struct MigrationCounters {
  MigrationTotals totals;
  std::vector<std::uint64_t> moves{};     ///< by device: emigrants
  std::vector<std::uint64_t> children{};  ///< by device: children of parents on another device
  std::vector<std::uint64_t> edges{};     ///< by edge bin: its first agent after migration

  /// Returns counters of 0. @param edgeBins number of edge bins of the band
  static MigrationCounters zero(int devices, std::size_t edgeBins);
};

/// Addresses of the counters of a device, and of the columns of its agents, in the memory of the
/// device.
struct CounterAddresses {
  MigrationTotals* totals = nullptr;
  std::uint64_t* moves = nullptr;
  std::uint64_t* children = nullptr;
  std::uint64_t* edges = nullptr;
  const Column* columns = nullptr;

  /// Sets the pointers of `m` to these addresses.
  void bind(MigrationView& m) const;
};

/// Returns the addresses of counters and columns that a device accesses in the host's memory.
CounterAddresses addressesOf(MigrationCounters& counters, const std::vector<Column>& columns);

// One contiguous buffer has all counters, to copy them to and from other memories: the totals, then
// the vectors in their order. The columns may follow.

/// Returns the bytes of packed counters.
std::size_t packedBytes(const MigrationCounters& counters);
/// Copies counters to contiguous memory of packedBytes() bytes.
void pack(const MigrationCounters& counters, std::byte* packed);
/// Copies packed counters to `counters`. @pre the vectors have the sizes of those that were packed
void unpack(const std::byte* packed, MigrationCounters& counters);
/// Returns the addresses of packed counters and of the columns behind them.
/// @param counters counters with vectors of the sizes packed
/// @param packed address of the packed counters, on any device
CounterAddresses addressesIn(std::byte* packed, const MigrationCounters& counters);

}  // namespace mass::detail::migration
