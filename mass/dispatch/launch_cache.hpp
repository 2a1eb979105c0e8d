#pragma once

#include <mass/launch/gpu_launch.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace mass::detail {

/// Cache of the fastest launch shapes and steps per pass by rule, world and GPU. Persistent across
/// runs in the file $XDG_CACHE_HOME/mass/tiles or ~/.cache/mass/tiles; if neither variable is set,
/// it is kept in memory only.
class LaunchCache {
 public:
  /// Reads the cache file if there is one.
  LaunchCache();

  /// Returns the shape stored under `key`, if any.
  std::optional<LaunchShape> find(const std::string& key) const;
  /// Stores a shape and writes the file. Ignores errors of writing.
  void remember(const std::string& key, const LaunchShape& shape);
  /// Returns the number of steps per pass stored under `key`, if any.
  std::optional<int> findSteps(const std::string& key) const;
  /// Stores a number of steps per pass, otherwise as remember().
  void rememberSteps(const std::string& key, int steps);

 private:
  void read();
  void write(const std::string& key, const std::string& value);

  std::string path_;
  std::map<std::string, std::string> values_;
};

/// Parses "ROWSxWIDTHxCOLUMNSxGROUPS[xLINES][m]", where LINES is LaunchShape::linesPerBlock and "m"
/// selects the plane sweep; for instance "4x1x128x2", "1x2x64x1x8" or "64x1x128x8m".
/// @return empty if the text is malformed, or a number is too large or, but for the rows of a plane
/// sweep, not a power of two
std::optional<LaunchShape> parseShape(const std::string& text);

/// True if `kernel` supports `shape` on `layout`: it was compiled for the shape, lines are aligned
/// to the width, offsets in a block fit into 32 bits, and a row has enough lines for a block.
bool fits(const LaunchShape& shape, const GpuKernel& kernel, const Layout& layout);

/// Returns the fastest shape that fits the kernel and layout: by a staged search, then by the
/// medians of repeated times of the shapes near the best.
/// @param measure returns the time of a shape, in any unit; infinity if it cannot run
/// @param slots returns the number of blocks of a plane sweep that the GPU runs at a time; 0 if it
/// runs none
LaunchShape fastestShape(const GpuKernel& kernel, const Layout& layout,
                         const std::function<double(const LaunchShape&)>& measure,
                         const std::function<std::int64_t(const PlaneSweepShape&)>& slots);

}  // namespace mass::detail
