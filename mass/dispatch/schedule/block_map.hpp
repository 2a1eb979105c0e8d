#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mass::detail {

class DeviceConfig;
class Ranks;

/// Returns the number of host threads of each rank. All ranks call it together.
std::vector<std::size_t> workersOfRanks(const DeviceConfig& devices);

/// Blocks of consecutive places, and their workers, which are numbered over all ranks.
struct BlockMap {
  int shift = 0;                           ///< a block has 2^shift places
  std::uint32_t blocks = 0;                ///< number of all blocks
  std::vector<std::uint32_t> firstBlocks;  ///< by worker, and the number of all
  std::vector<std::uint16_t> workerOf;     ///< by block
  std::vector<std::size_t> firstWorkers;   ///< by rank, and the number of all
  std::size_t rank = 0;                    ///< number of this rank

  /// @param workersOf number of the workers of each rank; at most 2^16 in all
  BlockMap(std::int64_t places, std::span<const std::size_t> workersOf, std::size_t rank);
  std::uint32_t blockOf(std::uint32_t place) const { return place >> shift; }
  /// Returns the number of the workers of all ranks.
  std::size_t workers() const { return firstWorkers.back(); }
  std::size_t ranks() const { return firstWorkers.size() - 1; }
  /// Returns the number of the first worker of this rank.
  std::size_t firstLocal() const { return firstWorkers[rank]; }
  /// Returns the number of the workers of this rank.
  std::size_t localWorkers() const { return firstWorkers[rank + 1] - firstLocal(); }
  /// Divides the blocks of each rank anew among its workers, in equal parts of their work, if that
  /// makes the work of the busiest worker of a rank at least 10 % less.
  /// @param work events of each block, the same on all ranks @return true if a block has moved
  bool balance(std::span<const double> work);
  /// Returns the number of the worker of a place.
  std::size_t ownerOf(std::uint32_t place) const { return workerOf[blockOf(place)]; }
  /// Returns the first place of a rank; for the number of ranks, the number of places.
  std::int64_t firstPlace(std::size_t ofRank, std::int64_t places) const {
    return std::min(places, std::int64_t{firstBlocks[firstWorkers[ofRank]]} << shift);
  }

 private:
  void assignBlocks();
};

/// Returns the first place of each rank, and the number of places; as BlockMap. All ranks call it
/// together.
std::vector<std::int64_t> firstPlacesOfRanks(const DeviceConfig& devices, std::int64_t places);
/// Completes an array of all places, of which each rank has the elements of its own places. All
/// ranks call it together.
/// @param bytes size of an element @throws RankError
void gatherPlaces(Ranks& ranks, std::span<const std::int64_t> firstPlaces, void* values,
                  std::size_t bytes);

}  // namespace mass::detail
