#include <mass/backend/device_config.hpp>

#include <mass/backend/cpu/cpu_device.hpp>
#include <mass/support/error.hpp>

#include <omp.h>

#include <algorithm>
#include <atomic>

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
  config.threads_ = std::max(threads == 0 ? omp_get_num_procs() : threads, devices);
  return config;
}

void DeviceConfig::run(const std::function<void(const Worker&)>& work) const {
  const int devices = size();
  std::atomic<int> got{threads_};
  // Not OpenMP's own barrier: that one spins without end, which on a machine with other work to do
  // costs whole time slices a step.
  std::barrier barrier(threads_);
#pragma omp parallel num_threads(threads_)
  {
    if (omp_get_num_threads() == threads_) {
      // Thread t works for device t * devices / threads: neighbours in number share a device.
      const int thread = omp_get_thread_num();
      const int device = thread * devices / threads_;
      const auto firstOf = [&](int number) { return (number * threads_ + devices - 1) / devices; };
      work(
          Worker(device, thread - firstOf(device), firstOf(device + 1) - firstOf(device), barrier));
    } else {
      got = omp_get_num_threads();
    }
  }
  if (got != threads_) {
    throw DeviceError("asked for {} host threads, the system gave {}: lower 'threads' or 'devices'",
                      threads_, got.load());
  }
}

}  // namespace mass
