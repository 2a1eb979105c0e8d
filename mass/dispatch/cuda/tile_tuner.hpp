#pragma once

#include <mass/dispatch/cuda/device_round.hpp>
#include <mass/dispatch/tuning.hpp>

#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace mass {

/// Chooses the tile shapes of rules on GPUs: as the user said, or by measuring.
class TileTuner {
 public:
  explicit TileTuner(std::optional<TileShape> wanted) : wanted_(wanted) {}

  /// The shape for a rule; `rounds` are the devices' parts of it, of which the first is ready to
  /// run. The first time for a rule and world, unless an earlier run has left it in the cache file,
  /// shapes are measured there.
  /// @param moves the rule moves what is streamed within one buffer
  TileShape tileFor(const Kernel& kernel, const std::vector<DeviceRound>& rounds, bool moves);

 private:
  /// A rule in a world: its kernel, whether it has neighbours that were chosen at run time, and the
  /// extents of the first band, rows to a power of two.
  using Key = std::tuple<const GpuKernel*, bool, std::int64_t, std::int64_t, std::int64_t>;

  TileShape findOrMeasure(const Kernel& kernel, const std::vector<DeviceRound>& rounds);

  std::optional<TileShape> wanted_;
  TileCache kept_;
  std::map<Key, TileShape> known_;
};

}  // namespace mass
