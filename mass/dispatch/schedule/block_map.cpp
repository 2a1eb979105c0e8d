#include <mass/backend/device_config.hpp>
#include <mass/dispatch/schedule/block_map.hpp>
#include <mass/partition/optimal_cuts.hpp>

#include <algorithm>
#include <bit>
#include <numeric>

namespace mass::detail {

std::vector<std::size_t> workersOfRanks(const DeviceConfig& devices) {
  return devices.ranks().allGather(static_cast<std::size_t>(devices.threads()));
}

BlockMap::BlockMap(std::int64_t places, std::span<const std::size_t> workersOf, std::size_t ofRank)
    : firstWorkers{0}, rank(ofRank) {
  for (const std::size_t count : workersOf) firstWorkers.push_back(firstWorkers.back() + count);
  constexpr std::size_t blocksPerWorker = 32;
  const auto all = static_cast<std::uint64_t>(places);
  const std::uint64_t perBlock = std::max<std::uint64_t>(1, all / (blocksPerWorker * workers()));
  shift = static_cast<int>(std::bit_width(perBlock)) - 1;
  blocks = static_cast<std::uint32_t>(((all - 1) >> shift) + 1);
  workerOf.resize(blocks);
  for (std::size_t worker = 0; worker <= workers(); ++worker)
    firstBlocks.push_back(static_cast<std::uint32_t>(blocks * worker / workers()));
  assignBlocks();
}

void BlockMap::assignBlocks() {
  for (std::size_t worker = 0; worker < workers(); ++worker)
    std::fill(workerOf.begin() + firstBlocks[worker], workerOf.begin() + firstBlocks[worker + 1],
              static_cast<std::uint16_t>(worker));
}

bool BlockMap::balance(std::span<const double> work) {
  constexpr double gain = 1.1;
  bool hasMoved = false;
  for (std::size_t ofRank = 0; ofRank < ranks(); ++ofRank) {
    const std::size_t first = firstWorkers[ofRank], end = firstWorkers[ofRank + 1];
    const auto here = work.subspan(firstBlocks[first], firstBlocks[end] - firstBlocks[first]);
    const auto balanced =
        balancedPartition(here, static_cast<int>(end - first), [](int, RowRange) { return true; });
    if (!balanced) continue;
    double before = 0, after = 0;
    for (std::size_t worker = first; worker < end; ++worker) {
      const RowRange now = balanced->range(static_cast<int>(worker - first));
      const auto sumOf = [&](std::int64_t begin, std::int64_t last) {
        return std::accumulate(here.begin() + begin, here.begin() + last, 0.0);
      };
      before = std::max(before, sumOf(firstBlocks[worker] - firstBlocks[first],
                                      firstBlocks[worker + 1] - firstBlocks[first]));
      after = std::max(after, sumOf(now.begin, now.end));
    }
    if (!(before > gain * after)) continue;
    hasMoved = true;
    for (std::size_t worker = first + 1; worker < end; ++worker)
      firstBlocks[worker] =
          firstBlocks[first] +
          static_cast<std::uint32_t>(balanced->range(static_cast<int>(worker - first)).begin);
  }
  if (hasMoved) assignBlocks();
  return hasMoved;
}

std::vector<std::int64_t> firstPlacesOfRanks(const DeviceConfig& devices, std::int64_t places) {
  const auto rank = static_cast<std::size_t>(devices.ranks().number());
  const BlockMap map(places, workersOfRanks(devices), rank);
  std::vector<std::int64_t> first;
  for (std::size_t ofRank = 0; ofRank <= map.ranks(); ++ofRank)
    first.push_back(map.firstPlace(ofRank, places));
  return first;
}

void gatherPlaces(Ranks& ranks, std::span<const std::int64_t> firstPlaces, void* values,
                  std::size_t bytes) {
  if (ranks.count() == 1) return;
  std::vector<std::size_t> offsets;
  for (const std::int64_t first : firstPlaces)
    offsets.push_back(static_cast<std::size_t>(first) * bytes);
  ranks.allGatherInPlace(values, offsets);
}

}  // namespace mass::detail
