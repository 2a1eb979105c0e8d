#pragma once

#include <mass/backend/device.hpp>
#include <mass/backend/ranks.hpp>
#include <mass/backend/thread_team.hpp>
#include <mass/support/export.hpp>

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
  /// @param thread number of the thread in its process, from 0
  /// @param device number of the device @param index, size see index() and size()
  /// @param barrier the barrier of all workers of this process
  Worker(int thread, int device, int index, int size, Barrier& barrier)
      : thread_(thread), device_(device), index_(index), size_(size), barrier_(&barrier) {}

  int thread() const { return thread_; }  ///< number of the thread in its process, from 0
  int device() const { return device_; }  ///< number of the device
  int index() const { return index_; }    ///< index in the workers of the device, from 0
  int size() const { return size_; }      ///< number of workers of the device
  /// True for the first worker of the device.
  bool leads() const { return index_ == 0; }
  /// True for one worker of this process: the thread that called run(), which may use Ranks.
  bool isCaller() const { return thread_ == 0; }
  /// Returns this worker's part [first, second) of the device's items [0, total); the workers of a
  /// device cover all items, in order of their indices.
  std::pair<std::int64_t, std::int64_t> share(std::int64_t total) const {
    return {total * index_ / size_, total * (index_ + 1) / size_};
  }
  /// Waits until all workers of this process have called barrier().
  void barrier() const { barrier_->wait(); }

 private:
  int thread_, device_, index_, size_;
  Barrier* barrier_;
};

/// Consecutive numbers of devices, for range-based loops.
class DeviceNumbers {
 public:
  /// Forward iterator over the numbers.
  class Iterator {
   public:
    explicit Iterator(int number) : number_(number) {}
    int operator*() const { return number_; }
    Iterator& operator++() {
      ++number_;
      return *this;
    }
    friend bool operator==(Iterator, Iterator) = default;

   private:
    int number_;
  };

  /// Contains the numbers [first, end).
  DeviceNumbers(int first, int end) : first_(first), end_(end) {}

  int front() const { return first_; }   ///< first number
  int back() const { return end_ - 1; }  ///< last number
  /// Returns the number of numbers.
  std::size_t size() const { return static_cast<std::size_t>(end_ - first_); }
  Iterator begin() const { return Iterator(first_); }
  Iterator end() const { return Iterator(end_); }

 private:
  int first_, end_;
};

/// Devices of a run, all CPUs or all GPUs, and the team of host threads that drives them. Devices
/// are numbered over all ranks, rank 0's first. Each rank has the memory of its own devices, the
/// local ones, and knows the numbers of the others.
class MASS_EXPORT DeviceConfig {
 public:
  /// Creates CPU devices of this machine. Each has its own buffers in the shared main memory. All
  /// ranks call it together.
  /// @param devices number of devices of this rank, at least 1
  /// @param threads host threads of this rank, distributed evenly over its devices; 0: one for each
  /// processor that the process may use, of which the ranks of a host have equal parts. There is at
  /// least one for each device.
  /// @param weights relative share of a world for each device of all ranks; empty: equal shares
  /// @param ranks the processes of the run
  /// @throws UsageError if `devices` < 1, `threads` < 0, or the number of weights is neither 0 nor
  /// the number of all devices
  /// @throws DeviceError if the system cannot start the threads
  static DeviceConfig cpu(int devices, int threads, std::vector<double> weights = {},
                          std::shared_ptr<Ranks> ranks = std::make_shared<Ranks>());

  /// Opens the best GPUs of this machine, each with one host thread. The ranks of a host share its
  /// GPUs, see shareGpus(). All ranks call it together.
  /// @param devices number of GPUs of this rank, at least 1
  /// @param weights relative share of a world for each GPU of all ranks; empty: equal shares
  /// @param ranks the processes of the run
  /// @throws UsageError if `devices` < 1, or the number of weights is neither 0 nor the number of
  /// all devices
  /// @throws DeviceError if there are fewer usable GPUs
  static DeviceConfig gpus(int devices, std::vector<double> weights = {},
                           std::shared_ptr<Ranks> ranks = std::make_shared<Ranks>());

  /// Opens the GPUs of some ranks, and main memory on the others, for runs whose ranks have devices
  /// of two kinds. All ranks call it together.
  /// @param isGpuRank true if this rank has GPUs; otherwise as gpus() or cpu()
  /// @throws UsageError, DeviceError as gpus() and cpu()
  static DeviceConfig mixed(bool isGpuRank, int devices, int threads, std::vector<double> weights,
                            std::shared_ptr<Ranks> ranks);

  /// Returns the number of devices of all ranks.
  int size() const { return firstDevices_.back(); }
  /// Returns the numbers of the devices of this rank, ascending.
  DeviceNumbers local() const { return {firstLocal(), firstDevices_[rank() + 1]}; }
  /// Returns the number of the first device of this rank.
  int firstLocal() const { return firstDevices_[rank()]; }
  /// True if a device belongs to this rank, so that its memory exists here.
  bool isLocal(int device) const {
    return device >= firstLocal() && device < firstDevices_[rank() + 1];
  }
  /// Returns the rank of a device.
  int rankOf(int device) const;
  /// Returns the number of the first device of each rank, and the number of all devices at the end.
  const std::vector<int>& firstDevices() const { return firstDevices_; }
  /// Returns the processes of the run.
  Ranks& ranks() const { return *ranks_; }
  /// Returns the values of all devices. All ranks call it together. @param local values of the
  /// local devices
  std::vector<double> allGather(const std::vector<double>& local) const;
  /// True if the devices of this rank are GPUs.
  bool areGpus() const { return gpuRanks_[rank()] != 0; }
  /// True if a device of any rank is a GPU.
  bool isGpu(int device) const { return gpuRanks_[static_cast<std::size_t>(rankOf(device))] != 0; }
  /// True if devices of any rank are GPUs.
  bool anyGpus() const;
  /// True if some ranks have GPUs, and others processors. These ranks exchange halos through the
  /// host, after each step, in the order of packed halos of GPUs.
  bool areMixed() const;
  /// True if every device can read and write the memory of every other.
  bool allPeersAccessible() const;
  /// Returns an estimate of the bytes that this rank can still allocate: the sum over its GPUs, or
  /// the main memory that its CPU devices share.
  double freeBytes() const;
  /// Returns the largest number of host threads of this rank that work at a time.
  int threads() const { return threadCounts_.back(); }
  /// Returns a device. @pre isLocal(number)
  Device& device(int number) const {
    return *devices_[static_cast<std::size_t>(number - firstLocal())];
  }
  /// Returns the relative share of a world for each device of all ranks.
  const std::vector<double>& weights() const { return weights_; }

  /// Returns the numbers of threads that run() may use, ascending; the last one is threads(). One
  /// only for GPUs, or if the number of threads was given.
  const std::vector<int>& threadCounts() const { return threadCounts_; }

  /// Calls `work` concurrently on all workers of all local devices and waits for all of them.
  /// @param work calls Worker::barrier() equally often on all workers; it must not throw before a
  /// barrier
  /// @throws the exception of the first worker that threw, in order of device, then index
  void run(const std::function<void(const Worker&)>& work) const { run(threads(), work); }
  /// Calls `work` on that many workers of the local devices; otherwise as the overload above.
  /// @param threads one of threadCounts()
  void run(int threads, const std::function<void(const Worker&)>& work) const;

 private:
  DeviceConfig(std::vector<std::unique_ptr<Device>> devices, std::vector<double> weights,
               int threads, std::shared_ptr<Ranks> ranks, std::vector<int> firstDevices);

  std::size_t rank() const { return static_cast<std::size_t>(ranks_->number()); }

  std::shared_ptr<Ranks> ranks_;
  std::vector<char> gpuRanks_;                    // by rank: 1 if its devices are GPUs
  std::vector<int> firstDevices_;                 // by rank, and the number of all devices
  std::vector<std::unique_ptr<Device>> devices_;  // local devices
  std::vector<double> weights_;
  /// Returns the team of that many threads. Starts it at its first use.
  ThreadTeam& team(int threads) const;

  std::vector<int> threadCounts_;
  /// By number of threads. Threads of a team that does not work sleep.
  mutable std::map<int, std::unique_ptr<ThreadTeam>> teams_;
};

}  // namespace mass::detail
