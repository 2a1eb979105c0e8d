#pragma once

#include <mass/backend/device.hpp>
#include <mass/backend/thread_team.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace mass::detail {

/// Host thread of DeviceConfig::run(), assigned to one device. A CPU device has one or more
/// workers, which divide its work; a GPU has one, which queues its work.
class Worker {
 public:
  /// @param device number of the device @param index, size see index() and size()
  /// @param barrier the barrier of all workers of all devices
  Worker(int device, int index, int size, Barrier& barrier)
      : device_(device), index_(index), size_(size), barrier_(&barrier) {}

  int device() const { return device_; }  ///< number of the device
  int index() const { return index_; }  ///< index in the workers of the device, from 0
  int size() const { return size_; }  ///< number of workers of the device
  /// True for the first worker of the device.
  bool leads() const { return index_ == 0; }
  /// Returns this worker's part [first, second) of the device's items [0, total); the workers of a
  /// device cover all items, in order of their indices.
  std::pair<std::int64_t, std::int64_t> share(std::int64_t total) const {
    return {total * index_ / size_, total * (index_ + 1) / size_};
  }
  /// Waits until all workers of all devices have called barrier().
  void barrier() const { barrier_->wait(); }

 private:
  int device_, index_, size_;
  Barrier* barrier_;
};

/// Devices of a run, all CPUs or all GPUs, and the team of host threads that drives them.
class DeviceConfig {
 public:
  /// Creates CPU devices of this machine. Each has its own buffers in the shared main memory.
  /// @param devices number of devices, at least 1
  /// @param threads host threads, distributed evenly over the devices; 0: one for each processor
  /// that the process may use. There is at least one for each device.
  /// @param weights relative share of a world for each device; empty: equal shares
  /// @throws UsageError if `devices` < 1, `threads` < 0, or the number of weights is neither 0 nor
  /// `devices`
  /// @throws DeviceError if the system cannot start the threads
  static DeviceConfig cpu(int devices, int threads, std::vector<double> weights = {});

  /// Opens the best GPUs of this machine (see openGpus()), each with one host thread.
  /// @param devices number of GPUs, at least 1
  /// @param weights relative share of a world for each GPU; empty: equal shares
  /// @throws UsageError if `devices` < 1, or the number of weights is neither 0 nor `devices`
  /// @throws DeviceError if there are fewer usable GPUs
  static DeviceConfig gpus(int devices, std::vector<double> weights = {});

  /// Returns the number of devices.
  int size() const { return static_cast<int>(devices_.size()); }
  /// True if the devices are GPUs.
  bool areGpus() const { return areGpus_; }
  /// True if every device can read and write the memory of every other.
  bool allPeersAccessible() const;
  /// Returns an estimate of the bytes that can still be allocated: the sum over the GPUs, or the
  /// main memory that CPU devices share.
  double freeBytes() const;
  /// Returns the largest number of host threads that work at a time.
  int threads() const { return threadCounts_.back(); }
  /// Returns a device, 0 <= number < size().
  Device& device(int number) const { return *devices_[static_cast<std::size_t>(number)]; }
  /// Returns the relative share of a world for each device.
  const std::vector<double>& weights() const { return weights_; }

  /// Returns the numbers of threads that run() may use, ascending; the last one is threads(). One
  /// only for GPUs, or if the number of threads was given.
  const std::vector<int>& threadCounts() const { return threadCounts_; }

  /// Calls `work` concurrently on all workers of all devices and waits for all of them.
  /// @param work calls Worker::barrier() equally often on all workers; it must not throw before a
  /// barrier
  /// @throws the exception of the first worker that threw, in order of device, then index
  void run(const std::function<void(const Worker&)>& work) const { run(threads(), work); }
  /// Calls `work` on that many workers of all devices; otherwise as the overload above.
  /// @param threads one of threadCounts()
  void run(int threads, const std::function<void(const Worker&)>& work) const;

 private:
  DeviceConfig(std::vector<std::unique_ptr<Device>> devices, std::vector<double> weights,
               int threads);

  bool areGpus_ = false;
  std::vector<std::unique_ptr<Device>> devices_;
  std::vector<double> weights_;
  /// Returns the team of that many threads. Starts it at its first use.
  ThreadTeam& team(int threads) const;

  std::vector<int> threadCounts_;
  /// By number of threads. Threads of a team that does not work sleep.
  mutable std::map<int, std::unique_ptr<ThreadTeam>> teams_;
};

}  // namespace mass::detail
