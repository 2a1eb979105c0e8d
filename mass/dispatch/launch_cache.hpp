#pragma once

#include <mass/launch/gpu_launch.hpp>

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace mass::detail {

/// The tile shapes that were found fastest, by rule, world and GPU; kept in a file across runs
/// ($XDG_CACHE_HOME/mass/tiles, or ~/.cache/mass/tiles), without which every run measures anew.
class LaunchCache {
 public:
  LaunchCache();

  std::optional<LaunchShape> find(const std::string& key) const;
  /// Remembers a shape; that it cannot be written is no error.
  void remember(const std::string& key, const LaunchShape& shape);

 private:
  void read();
  void write() const;

  std::string path_;
  std::map<std::string, LaunchShape> shapes_;
};

/// Reads "rows x width x columns x groups", as in "4x1x128x2", or "1x2x64x1x8" with the turns; an
/// "m" at the end means blocks that march.
std::optional<LaunchShape> parseShape(const std::string& text);

/// Whether a kernel can run with a shape on a layout: wide ones need aligned lines, and the rows of
/// a block must be within reach of one launch.
bool fits(const LaunchShape& shape, const GpuKernel& kernel, const Layout& layout);

/// The fastest of the shapes that a rule can take, by `measure`, which returns a time.
LaunchShape fastestShape(const GpuKernel& kernel, const Layout& layout,
                         const std::function<double(const LaunchShape&)>& measure);

}  // namespace mass::detail
