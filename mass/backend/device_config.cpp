#include <mass/backend/device_config.hpp>

#include <mass/backend/cpu/cpu_device.hpp>
#include <mass/support/error.hpp>

#include <algorithm>
#include <utility>

namespace mass {

DeviceConfig DeviceConfig::cpu(int devices, int threads, std::vector<double> weights) {
  if (devices < 1) throw UsageError("a run needs at least 1 device, got {}", devices);
  if (threads < 0) throw UsageError("threads must be 0 (all) or more, got {}", threads);
  if (!weights.empty() && static_cast<int>(weights.size()) != devices) {
    throw UsageError("{} weights for {} devices: give one for each device, or none", weights.size(),
                     devices);
  }
  DeviceConfig config;
  for (int number = 0; number < devices; ++number) {
    config.devices_.push_back(std::make_unique<CpuDevice>(number));
  }
  if (weights.empty()) weights.assign(static_cast<std::size_t>(devices), 1.0);
  config.weights_ = std::move(weights);
  config.team_ =
      std::make_unique<ThreadTeam>(std::max(threads == 0 ? usableProcessors() : threads, devices));
  return config;
}

void DeviceConfig::run(const std::function<void(const Worker&)>& work) const {
  const int devices = size();
  const int threads = team_->size();
  // Thread t works for device t * devices / threads: neighbours in number share a device.
  const auto firstOf = [&](int device) { return (device * threads + devices - 1) / devices; };
  team_->run([&](int thread) {
    const int device = thread * devices / threads;
    const int first = firstOf(device);
    work(Worker(device, thread - first, firstOf(device + 1) - first, team_->barrier()));
  });
}

}  // namespace mass
