#pragma once

#include <mass/dispatch/cuda/device_batch.hpp>
#include <mass/dispatch/launch_cache.hpp>

#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace mass::detail {

/// Chooses the tile shapes of rules on GPUs: as the user said, or by measuring.
class LaunchTuner {
 public:
  explicit LaunchTuner(std::optional<LaunchShape> wanted) : wanted_(wanted) {}

  /// The shape for a rule; `rounds` are the devices' parts of it, of which the first is ready to
  /// run. The first time for a rule and world, unless an earlier run has left it in the cache file,
  /// shapes are measured there.
  /// @param moves the rule moves what is streamed within one buffer
  LaunchShape shapeFor(const Kernel& kernel, const std::vector<DeviceBatch>& batches, bool moves);

 private:
  /// A rule in a world: its kernel, whether it has neighbours that were chosen at run time, and the
  /// extents of the first band, rows to a power of two.
  using Key = std::tuple<const GpuKernel*, bool, std::int64_t, std::int64_t, std::int64_t>;

  LaunchShape findOrMeasure(const Kernel& kernel, const std::vector<DeviceBatch>& batches);

  std::optional<LaunchShape> wanted_;
  LaunchCache kept_;
  std::map<Key, LaunchShape> known_;
};

}  // namespace mass::detail
