#include <mass/backend/device_config.hpp>
#include <mass/dispatch/schedule/block_map.hpp>
#include <mass/dispatch/schedule/schedule_engine.hpp>

#include <bit>

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
  for (std::size_t worker = 0; worker < workers(); ++worker)
    std::fill(workerOf.begin() + firstBlocks[worker], workerOf.begin() + firstBlocks[worker + 1],
              static_cast<std::uint16_t>(worker));
}

void BlockMap::shareStates(Ranks& ranks, std::int64_t places, ScheduleStates& states) const {
  std::vector<std::size_t> offsets;
  for (std::size_t ofRank = 0; ofRank <= this->ranks(); ++ofRank)
    offsets.push_back(static_cast<std::size_t>(firstPlace(ofRank, places)) * states.stride());
  ranks.allGatherInPlace(states.of(0), offsets);
}

}  // namespace mass::detail
