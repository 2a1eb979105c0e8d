#include <mass/backend/device_config.hpp>

#include <mass/backend/cpu/cpu_device.hpp>
#include <mass/backend/gpus.hpp>
#include <mass/backend/share_gpus.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <string>
#include <utility>

namespace mass::detail {

namespace {

/// Returns the number of the first device of each rank, and the number of all devices.
/// @param devices number of devices of this rank
std::vector<int> firstDevicesOf(Ranks& ranks, int devices) {
  std::vector<int> first{0};
  for (const std::string& count : ranks.allGather(std::to_string(devices)))
    first.push_back(first.back() + std::stoi(count));
  return first;
}

/// Checks the number of devices of this rank and the weights of all devices.
/// @throws UsageError if one is invalid
std::vector<int> checkedDevices(Ranks& ranks, int devices, const std::vector<double>& weights) {
  if (devices < 1) throw UsageError("a run needs at least 1 device, got {}", devices);
  std::vector<int> first = firstDevicesOf(ranks, devices);
  if (!weights.empty() && static_cast<int>(weights.size()) != first.back()) {
    throw UsageError("got {} weights for {} devices: give one for each device, or none",
                     weights.size(), first.back());
  }
  return first;
}

/// Returns this rank's part of the processors that its process may use, at least 1. Ranks of a host
/// that may use the same processors share them, but for one for each GPU.
/// @param gpus number of GPUs of this rank; 0 for one of processors
int processorsOf(Ranks& ranks, int gpus) {
  const auto mine = fmt::format("{} {}", ranks.host(ranks.number()), affinityMask());
  const std::vector<std::string> all = ranks.allGather(mine);
  const std::vector<int> gpusOf = ranks.allGather(gpus);
  int sharing = 0, forGpus = 0;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank] != mine) continue;
    forGpus += gpusOf[rank];
    sharing += gpusOf[rank] == 0 ? 1 : 0;
  }
  return std::max(1, (usableProcessors() - forGpus) / std::max(sharing, 1));
}

std::vector<std::unique_ptr<Device>> memoriesOf(int first, int devices) {
  std::vector<std::unique_ptr<Device>> memories;
  for (int number = 0; number < devices; ++number)
    memories.push_back(std::make_unique<CpuDevice>(first + number));
  return memories;
}

}  // namespace

DeviceConfig::DeviceConfig(std::vector<std::unique_ptr<Device>> devices,
                           std::vector<double> weights, int threads, std::shared_ptr<Ranks> ranks,
                           std::vector<int> firstDevices)
    : ranks_(std::move(ranks)),
      gpuRanks_(static_cast<std::size_t>(ranks_->count())),
      firstDevices_(std::move(firstDevices)),
      devices_(std::move(devices)),
      weights_(std::move(weights)) {
  if (weights_.empty()) weights_.assign(static_cast<std::size_t>(size()), 1.0);
  threadCounts_ = {std::max(threads, static_cast<int>(devices_.size()))};
  (void)team(threadCounts_.back());
}

ThreadTeam& DeviceConfig::team(int threads) const {
  std::unique_ptr<ThreadTeam>& team = teams_[threads];
  if (!team) team = std::make_unique<ThreadTeam>(threads);
  return *team;
}

int DeviceConfig::rankOf(int device) const {
  return static_cast<int>(std::ranges::upper_bound(firstDevices_, device) - firstDevices_.begin()) -
         1;
}

std::vector<double> DeviceConfig::allGather(const std::vector<double>& local) const {
  std::vector<double> all(static_cast<std::size_t>(size()));
  std::ranges::copy(local, all.begin() + firstLocal());
  std::vector<std::size_t> offsets;
  for (const int first : firstDevices_)
    offsets.push_back(static_cast<std::size_t>(first) * sizeof(double));
  ranks_->allGatherInPlace(all.data(), offsets);
  return all;
}

DeviceConfig DeviceConfig::cpu(int devices, int threads, std::vector<double> weights,
                               std::shared_ptr<Ranks> ranks) {
  std::vector<int> firstDevices = checkedDevices(*ranks, devices, weights);
  if (threads < 0)
    throw UsageError("a run needs 0 (all processors) or more threads, got {}", threads);
  const int first = firstDevices[static_cast<std::size_t>(ranks->number())];
  const int processors = processorsOf(*ranks, 0);
  DeviceConfig config(memoriesOf(first, devices), std::move(weights),
                      threads == 0 ? processors : threads, std::move(ranks),
                      std::move(firstDevices));
  // One thread for each device, two, four, and so on, up to all.
  for (int count = devices; threads == 0 && count < config.threads(); count *= 2)
    config.threadCounts_.insert(config.threadCounts_.end() - 1, count);
  return config;
}

DeviceConfig DeviceConfig::gpus(int devices, std::vector<double> weights,
                                std::shared_ptr<Ranks> ranks) {
  std::vector<int> firstDevices = checkedDevices(*ranks, devices, weights);
  if (usableGpus() == 0) throw DeviceError("{}", noGpuReason());
  const auto shares = shareGpus(gpusOfRanks(*ranks, devices), devicesPerGpu());
  auto memories = openGpus(shares[static_cast<std::size_t>(ranks->number())]);
  DeviceConfig config(std::move(memories), std::move(weights), devices, std::move(ranks),
                      std::move(firstDevices));
  std::ranges::fill(config.gpuRanks_, char{1});
  return config;
}

DeviceConfig DeviceConfig::mixed(bool isGpuRank, int devices, int threads,
                                 std::vector<double> weights, std::shared_ptr<Ranks> ranks) {
  std::vector<int> firstDevices = checkedDevices(*ranks, devices, weights);
  if (isGpuRank && usableGpus() == 0) throw DeviceError("{}", noGpuReason());
  const int gpus = isGpuRank ? devices : 0;
  const auto rank = static_cast<std::size_t>(ranks->number());
  const auto shares = shareGpus(gpusOfRanks(*ranks, gpus), devicesPerGpu());
  const int processors = processorsOf(*ranks, gpus);
  std::vector<char> gpuRanks = ranks->allGather(static_cast<char>(isGpuRank));
  auto memories = isGpuRank ? openGpus(shares[rank]) : memoriesOf(firstDevices[rank], devices);
  if (isGpuRank) threads = devices;
  DeviceConfig config(std::move(memories), std::move(weights), threads == 0 ? processors : threads,
                      std::move(ranks), std::move(firstDevices));
  config.gpuRanks_ = std::move(gpuRanks);
  return config;
}

bool DeviceConfig::anyGpus() const {
  return std::ranges::count(gpuRanks_, 1) > 0;
}

bool DeviceConfig::areMixed() const {
  return anyGpus() && std::ranges::count(gpuRanks_, 0) > 0;
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
    bytes = areGpus() ? bytes + here : here;
  }
  return bytes;
}

void DeviceConfig::run(int threads, const std::function<void(const Worker&)>& work) const {
  const auto devices = static_cast<int>(devices_.size());
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
      work(Worker(thread, firstLocal() + device, thread - first, firstOf(device + 1) - first,
                  workers.barrier()));
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (thread < failed) failure = std::current_exception();
      failed = std::min(failed, thread);
    }
  });
  if (failure) std::rethrow_exception(failure);
}

}  // namespace mass::detail
