#pragma once

#include <mass/backend/cpu/cpu_device.hpp>
#include <mass/backend/rank_packets.hpp>
#include <mass/dispatch/cuda/pinned_memory.hpp>
#include <mass/memory/agent_fetch.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace mass::detail::migration {

/// Fetches between GPUs of different ranks, through pinned memory of the hosts. For each set of
/// fetches, one thread calls plan(); each device copies sends() of its own; then one thread calls
/// exchange(); then each device copies from arrivals().
class GpuRankFetches {
 public:
  /// @param devices must outlive this
  explicit GpuRankFetches(const DeviceConfig& devices);

  /// Plans fetches, which replace the ones before.
  /// @param fetches fetches to all devices of all ranks, in the order of their receivers
  /// @pre the devices of this rank have made their copies of the set before the last one
  void plan(const AgentFields& agents, const std::vector<Fetch>& fetches);
  /// True if no device of this rank sends or receives.
  bool isEmpty() const { return items_.empty(); }

  /// Copy between memory of a GPU and pinned memory.
  struct Copy {
    const char* from;
    char* to;
    std::size_t bytes;
  };
  /// Returns the copies that a device of this rank makes before exchange().
  std::vector<Copy> sends(int device) const;
  /// Sends the copies to the other ranks and receives theirs. @throws RankError
  void exchange();
  /// Returns the copies that a device of this rank makes after exchange().
  std::vector<Copy> arrivals(int device) const;

 private:
  /// Fetch of which one device belongs to this rank.
  struct Item {
    int rank;       ///< the other rank
    bool isSent;    ///< from this rank
    int device;     ///< the device of this rank
    char* address;  ///< address of what is sent or received, on its device
    std::size_t bytes;
    std::size_t offset = 0;  ///< position in pinned memory
  };
  char* at(const Item& item) const;
  void arrange();

  const DeviceConfig* devices_;
  CpuDevice host_{0};
  std::vector<Item> items_;
  PinnedMemory memories_[2];  ///< a device may still copy from that of the last set
  int current_ = 0;           ///< number of the memory of this set
  std::optional<RankPackets> packets_;
};

}  // namespace mass::detail::migration
