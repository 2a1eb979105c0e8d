#pragma once

#include <mass/dispatch/cuda/device_round.hpp>
#include <mass/dispatch/tuning.hpp>

#include <map>
#include <optional>
#include <tuple>

namespace mass {

/// Chooses the tile shapes of rules on GPUs: as the user said, or by measuring.
class TileTuner {
 public:
  explicit TileTuner(std::optional<TileShape> wanted) : wanted_(wanted) {}

  /// The shape for a rule; `round` is a device's part of it, ready to run. The first time for a
  /// rule and world, unless an earlier run has left it in the cache file, shapes are measured.
  /// @param moves the rule moves what is streamed within one buffer
  TileShape tileFor(const Kernel& kernel, const DeviceRound& round, bool moves);

 private:
  /// A rule in a world: its kernel and the extents of the first band, rows to a power of two.
  using Key = std::tuple<const GpuKernel*, std::int64_t, std::int64_t, std::int64_t>;

  TileShape findOrMeasure(const Kernel& kernel, const DeviceRound& round);

  std::optional<TileShape> wanted_;
  TileCache kept_;
  std::map<Key, TileShape> known_;
};

}  // namespace mass
