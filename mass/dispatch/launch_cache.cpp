#include <mass/dispatch/launch_cache.hpp>

#include <fmt/format.h>

#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <system_error>

namespace mass::detail {
namespace {

namespace fs = std::filesystem;

/// The file, or nothing when this user has no home.
std::string cacheFile() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache != '\0') return fs::path(cache) / "mass" / "tiles";
  const char* const home = std::getenv("HOME");
  if (home != nullptr && *home != '\0') return fs::path(home) / ".cache" / "mass" / "tiles";
  return {};
}

std::string toText(const LaunchShape& shape) {
  return fmt::format("{}x{}x{}x{}x{}{}", shape.rows, shape.width, shape.columns, shape.groups,
                     shape.linesPerBlock, shape.sweepsPlanes ? "m" : "");
}

bool isPowerOfTwo(int number) {
  return number > 0 && (number & (number - 1)) == 0;
}

}  // namespace

std::optional<LaunchShape> parseShape(const std::string& text) {
  std::array<int, 5> numbers{1, 1, 1, 1, 1};
  const char* next = text.data();
  const char* const end = text.data() + text.size();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i == 4 && (next == end || *next == 'm')) break;
    if (i > 0 && (next == end || *next++ != 'x')) return std::nullopt;
    const auto [after, error] = std::from_chars(next, end, numbers[i]);
    if (error != std::errc{} || !isPowerOfTwo(numbers[i])) return std::nullopt;
    next = after;
  }
  const bool sweepsPlanes = next != end && *next == 'm';
  if (sweepsPlanes) ++next;
  const LaunchShape shape{numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], sweepsPlanes};
  const int threads = sweepsPlanes ? 1024 : 256;
  const bool fits = next == end && shape.rows <= (sweepsPlanes ? 1024 : 16) && shape.width <= 4 &&
                    shape.columns <= 256 && shape.groups <= threads / shape.columns;
  return fits ? std::optional(shape) : std::nullopt;
}

LaunchCache::LaunchCache() : path_(cacheFile()) {
  read();
}

void LaunchCache::read() {
  if (path_.empty()) return;
  std::ifstream file(path_);
  for (std::string line; std::getline(file, line);) {
    const auto tab = line.rfind('\t');
    if (tab == std::string::npos) continue;
    if (const auto shape = parseShape(line.substr(tab + 1))) shapes_[line.substr(0, tab)] = *shape;
  }
}

std::optional<LaunchShape> LaunchCache::find(const std::string& key) const {
  const auto found = shapes_.find(key);
  return found == shapes_.end() ? std::nullopt : std::optional(found->second);
}

void LaunchCache::remember(const std::string& key, const LaunchShape& shape) {
  read();  // another program may have added to it
  shapes_[key] = shape;
  write();
}

void LaunchCache::write() const {
  if (path_.empty()) return;
  std::error_code error;
  fs::create_directories(fs::path(path_).parent_path(), error);
  const std::string partial = fmt::format("{}.{}", path_, getpid());
  {
    std::ofstream file(partial);
    for (const auto& [key, shape] : shapes_) file << key << '\t' << toText(shape) << '\n';
    if (!file.flush()) {
      fs::remove(partial, error);
      return;
    }
  }
  fs::rename(partial, path_, error);
  if (error) fs::remove(partial, error);
}

LaunchShape fastestShape(const GpuKernel& kernel, const Layout& layout,
                         const std::function<double(const LaunchShape&)>& measure) {
  LaunchShape best;
  double least = std::numeric_limits<double>::infinity();
  const auto consider = [&](const LaunchShape& shape) {
    if (shape == best && least < std::numeric_limits<double>::infinity()) return;
    if (!fits(shape, kernel, layout)) return;
    const double time = measure(shape);
    if (time < 0.99 * least) {  // what is as fast by chance does not count
      least = time;
      best = shape;
    }
  };
  // What a thread takes and how threads form blocks matter together: wide threads like blocks of
  // several groups, and several turns. Some forms of blocks for all threads, then others for the
  // best thread.
  for (const int width : {1, 2, 4}) {
    for (const int rows : {1, 2, 4, 8, 16}) {
      consider({rows, width, 128, 1});
      consider({rows, width, 32, 4});
      consider({rows, width, 32, 4, 8});
    }
  }
  const LaunchShape found = best;
  for (const auto& [columns, groups] : {std::pair{32, 1}, std::pair{32, 8}, std::pair{64, 1},
                                        std::pair{64, 4}, std::pair{128, 2}, std::pair{256, 1}}) {
    consider({found.rows, found.width, columns, groups, found.linesPerBlock});
  }
  const LaunchShape formed = best;
  for (const int linesPerBlock : {2, 4, 8, 16}) {
    consider({formed.rows, formed.width, formed.columns, formed.groups, linesPerBlock});
  }
  for (const auto& [columns, groups] : planeSweepShapes) {
    for (const int rows : {8, 16, 32, 64, 128}) consider({rows, 1, columns, groups, 1, true});
  }
  return best;
}

namespace {

/// Blocks that march take one group of lines, so there have to be enough of them.
bool fitsPlaneSweep(const LaunchShape& shape, const GpuKernel& kernel, const Layout& layout) {
  if (kernel.planeSweep == nullptr || shape.width != 1 || shape.linesPerBlock != 1) return false;
  const PlaneSweepFunction planeSweep = kernel.planeSweep(shape.columns, shape.groups);
  return planeSweep.function != nullptr && layout.origin % planeSweep.unit == 0 &&
         layout.pitch % planeSweep.unit == 0 && layout.rowStride % planeSweep.unit == 0 &&
         shape.rows <= rowsIn32Bits(layout) && layout.lines <= shape.groups * mostGridBlocks;
}

}  // namespace

bool fits(const LaunchShape& shape, const GpuKernel& kernel, const Layout& layout) {
  if (shape.sweepsPlanes) return fitsPlaneSweep(shape, kernel, layout);
  const auto aligned = [&](std::int64_t places) { return places % shape.width == 0; };
  return kernel.function(shape.rows, shape.width) != nullptr && aligned(layout.origin) &&
         aligned(layout.pitch) && aligned(layout.rowStride) &&
         std::int64_t{shape.rows} * shape.groups <= rowsIn32Bits(layout) &&
         (shape.linesPerBlock == 1 ||
          std::int64_t{shape.groups} * shape.linesPerBlock <= layout.lines);
}

}  // namespace mass::detail
