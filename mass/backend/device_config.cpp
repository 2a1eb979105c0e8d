#include <mass/backend/device_config.hpp>

#include <mass/backend/cpu/cpu_device.hpp>
#include <mass/backend/gpus.hpp>
#include <mass/support/error.hpp>

#include <algorithm>
#include <exception>
#include <mutex>
#include <utility>

namespace mass::detail {

namespace {

/// Checks the number of devices and of their weights. @throws UsageError if one is invalid
void requireWeights(int devices, const std::vector<double>& weights) {
  if (devices < 1) throw UsageError("a run needs at least 1 device, got {}", devices);
  if (!weights.empty() && static_cast<int>(weights.size()) != devices) {
    throw UsageError("got {} weights for {} devices: give one for each device, or none",
                     weights.size(), devices);
  }
}

}  // namespace

DeviceConfig::DeviceConfig(std::vector<std::unique_ptr<Device>> devices,
                           std::vector<double> weights, int threads)
    : devices_(std::move(devices)), weights_(std::move(weights)) {
  if (weights_.empty()) weights_.assign(devices_.size(), 1.0);
  threadCounts_ = {std::max(threads, size())};
  (void)team(threadCounts_.back());
}

ThreadTeam& DeviceConfig::team(int threads) const {
  std::unique_ptr<ThreadTeam>& team = teams_[threads];
  if (!team) team = std::make_unique<ThreadTeam>(threads);
  return *team;
}

DeviceConfig DeviceConfig::cpu(int devices, int threads, std::vector<double> weights) {
  requireWeights(devices, weights);
  if (threads < 0)
    throw UsageError("a run needs 0 (all processors) or more threads, got {}", threads);
  std::vector<std::unique_ptr<Device>> memories;
  for (int number = 0; number < devices; ++number) {
    memories.push_back(std::make_unique<CpuDevice>(number));
  }
  DeviceConfig config(std::move(memories), std::move(weights),
                      threads == 0 ? usableProcessors() : threads);
  // One thread for each device, two, four, and so on, up to all.
  for (int count = devices; threads == 0 && count < config.threads(); count *= 2)
    config.threadCounts_.insert(config.threadCounts_.end() - 1, count);
  return config;
}

DeviceConfig DeviceConfig::gpus(int devices, std::vector<double> weights) {
  requireWeights(devices, weights);
  DeviceConfig config(openGpus(devices), std::move(weights), devices);
  config.areGpus_ = true;
  return config;
}

bool DeviceConfig::allPeersAccessible() const {
  return std::all_of(devices_.begin(), devices_.end(), [&](const auto& device) {
    return std::all_of(devices_.begin(), devices_.end(),
                       [&](const auto& other) { return device->canAccess(*other); });
  });
}

double DeviceConfig::freeBytes() const {
  double bytes = 0;
  for (const auto& device : devices_) {
    const auto here = static_cast<double>(device->freeBytes());
    bytes = areGpus_ ? bytes + here : here;
  }
  return bytes;
}

void DeviceConfig::run(int threads, const std::function<void(const Worker&)>& work) const {
  const int devices = size();
  ThreadTeam& workers = team(threads);
  // Thread t works for device t * devices / threads, so the threads of a device are consecutive.
  const auto firstOf = [&](int device) { return (device * threads + devices - 1) / devices; };
  std::mutex mutex;
  int failed = threads;
  std::exception_ptr failure;
  workers.run([&](int thread) {
    const int device = thread * devices / threads;
    const int first = firstOf(device);
    try {
      work(Worker(device, thread - first, firstOf(device + 1) - first, workers.barrier()));
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (thread < failed) failure = std::current_exception();
      failed = std::min(failed, thread);
    }
  });
  if (failure) std::rethrow_exception(failure);
}

}  // namespace mass::detail
