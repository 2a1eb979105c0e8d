#pragma once

#include <mass/dispatch/cuda/device_batch.hpp>
#include <mass/dispatch/launch_cache.hpp>

#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace mass::detail {

/// Selects the launch shapes of rules on GPUs: the requested one, or the fastest by measurement.
class LaunchTuner {
 public:
  /// @param requested shape for all rules; empty to autotune
  explicit LaunchTuner(std::optional<LaunchShape> requested) : requested_(requested) {}

  /// Returns the shape of a rule. On the first call for a rule and world, measures all shapes on
  /// the first device unless the cache file has an entry.
  /// @param batches batches of the devices of this rank, of which the first is prepared
  LaunchShape shapeFor(const Kernel& kernel, const std::vector<DeviceBatch>& batches);

 private:
  /// Rule and world: kernel, true if it has run-time neighbours, and rows (rounded down to a power
  /// of two), lines and columns of the first band.
  using Key = std::tuple<const GpuKernel*, bool, std::int64_t, std::int64_t, std::int64_t>;

  LaunchShape findOrMeasure(const Kernel& kernel, const std::vector<DeviceBatch>& batches);

  std::optional<LaunchShape> requested_;
  LaunchCache cache_;
  std::map<Key, LaunchShape> shapes_;
};

}  // namespace mass::detail
