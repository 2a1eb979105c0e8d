#pragma once

#include <mass/backend/cuda/check.hpp>
#include <mass/exchange/cuda/nccl_link.hpp>
#include <mass/memory/agent_fetch.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace mass::detail::migration {

/// Fetches between GPUs of different ranks, through staging memory that all GPUs of this rank can
/// access. For each set of fetches, one thread calls plan(); then each device copies its sends()
/// and its thread calls finishSends(); then the thread of each device calls exchange(); then each
/// device copies from arrivals(). All threads wait for each other in between.
class GpuRankFetches {
 public:
  /// @param devices must outlive this
  explicit GpuRankFetches(const DeviceConfig& devices) : devices_(&devices) {}
  virtual ~GpuRankFetches() = default;

  /// Plans fetches, which replace the ones before.
  /// @param fetches fetches to all devices of all ranks, in the order of their receivers
  /// @throws DeviceError if memory is exhausted
  void plan(const AgentFields& agents, const std::vector<Fetch>& fetches);
  /// True if no device of this rank sends or receives.
  bool isEmpty() const { return items_.empty(); }

  /// Copy between an array of agents and staging memory.
  struct Copy {
    const char* from;
    char* to;
    std::size_t bytes;
  };
  /// Returns the copies that a device of this rank makes before exchange().
  std::vector<Copy> sends(int device) const;
  /// Returns the copies that a device of this rank makes after exchange().
  std::vector<Copy> arrivals(int device) const;

  /// Waits for the copies of sends() if exchange() needs that.
  virtual void finishSends(cudaStream_t /*stream*/) {}
  /// Exchanges the messages of the worker's device, and waits until they are complete.
  /// @param hasFailed true if another worker has failed, so that this one need not wait
  /// @throws RankError if another rank has failed or is silent
  virtual void exchange(const Worker& worker, cudaStream_t stream,
                        const std::function<bool()>& hasFailed) = 0;

 protected:
  /// Consecutive bytes of staging memory for, or from, one device of another rank.
  struct Message {
    int device;     ///< the device of this rank
    int other;      ///< the device of the other rank
    bool isSent;    ///< from this rank
    char* staging;  ///< address
    std::size_t bytes;
  };

  const DeviceConfig& devices() const { return *devices_; }
  const std::vector<Message>& messages() const { return messages_; }
  /// Returns staging memory of a device of this rank for the planned set.
  virtual char* reserve(int device, std::size_t bytes) = 0;
  /// Begins a set, after all reserve().
  virtual void prepare() {}

 private:
  /// Fetch of which one device belongs to this rank.
  struct Item {
    int device;     ///< the device of this rank
    int other;      ///< the device of the other rank
    bool isSent;    ///< from this rank
    char* address;  ///< address on the device of this rank
    std::size_t bytes;
    char* staging = nullptr;
  };
  void arrange();

  const DeviceConfig* devices_;
  std::vector<Item> items_;
  std::vector<Message> messages_;
};

/// Fetches through pinned memory of the hosts, which exchange it. `devices` must outlive the
/// result.
std::unique_ptr<GpuRankFetches> hostRankFetches(const DeviceConfig& devices);
/// Fetches by NCCL. `devices` must outlive the result.
std::unique_ptr<GpuRankFetches> ncclRankFetches(const DeviceConfig& devices,
                                                std::shared_ptr<NcclLink> link);

}  // namespace mass::detail::migration
