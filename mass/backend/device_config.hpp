#pragma once

#include <mass/backend/device.hpp>
#include <mass/backend/thread_team.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace mass::detail {

/// One host thread at work for one device.
class Worker {
 public:
  Worker(int device, int rank, int size, Barrier& barrier)
      : device_(device), rank_(rank), size_(size), barrier_(&barrier) {}

  int device() const { return device_; }  ///< the device this thread works for
  int rank() const { return rank_; }      ///< its number among that device's threads
  int size() const { return size_; }      ///< how many threads that device has
  bool leads() const { return rank_ == 0; }
  /// This thread's part [first, second) of the device's items [0, total).
  std::pair<std::int64_t, std::int64_t> share(std::int64_t total) const {
    return {total * rank_ / size_, total * (rank_ + 1) / size_};
  }
  /// Waits for every worker of every device.
  void barrier() const { barrier_->wait(); }

 private:
  int device_, rank_, size_;
  Barrier* barrier_;
};

/// The devices of a run, with the host threads that drive them.
class DeviceConfig {
 public:
  /// `devices` CPU devices of one machine, each with a memory of its own. The `threads` host
  /// threads (0: one for each processor this process may use) are shared out as evenly as possible,
  /// at least one a device. `weights` says how much of a world each device gets; empty means equal
  /// shares.
  /// @throws UsageError when `devices` < 1, `threads` < 0 or the number of weights is not that of
  /// devices; DeviceError when the system gives fewer threads.
  static DeviceConfig cpu(int devices, int threads, std::vector<double> weights = {});

  /// The best `devices` GPUs of this machine, each with a host thread of its own.
  /// @throws UsageError as above; DeviceError when there are fewer GPUs, saying why.
  static DeviceConfig gpus(int devices, std::vector<double> weights = {});

  int size() const { return static_cast<int>(devices_.size()); }
  /// Whether the devices are GPUs, each with a memory of its own.
  bool areGpus() const { return areGpus_; }
  /// Whether each can read and write the memory of all others.
  bool reachEachOther() const;
  /// Bytes that can still be allocated on all of them; an estimate. Devices of CPUs share theirs.
  double freeBytes() const;
  int threads() const { return team_->size(); }
  Device& device(int number) const { return *devices_[static_cast<std::size_t>(number)]; }
  const std::vector<double>& weights() const { return weights_; }

  /// Runs `work` on every host thread of every device at once and waits for all of them; all must
  /// come to the same barriers, so `work` may throw only where none follows.
  /// @throws what the first of the workers that threw has thrown, by device, then thread.
  void run(const std::function<void(const Worker&)>& work) const;

 private:
  DeviceConfig(std::vector<std::unique_ptr<Device>> devices, std::vector<double> weights,
               int threads);

  bool areGpus_ = false;
  std::vector<std::unique_ptr<Device>> devices_;
  std::vector<double> weights_;
  std::unique_ptr<ThreadTeam> team_;
};

}  // namespace mass::detail
