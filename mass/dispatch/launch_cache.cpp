#include <mass/dispatch/launch_cache.hpp>

#include <mass/launch/sweep_plan.hpp>
#include <mass/support/new_file.hpp>

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <system_error>
#include <utility>
#include <vector>

namespace mass::detail {
namespace {

namespace fs = std::filesystem;

/// Returns the path of the cache file; empty if no cache or home folder is set.
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

/// True if threads of a block, at most 256, may take places so.
bool isOfThreads(const LaunchShape& shape) {
  for (const int number :
       {shape.rows, shape.width, shape.columns, shape.groups, shape.linesPerBlock}) {
    if (!isPowerOfTwo(number)) return false;
  }
  return shape.rows <= 16 && shape.width <= 4 && shape.columns <= 256 &&
         shape.groups <= 256 / shape.columns;
}

/// True if plane sweeps may have this shape.
bool isPlaneSweep(const LaunchShape& shape) {
  const auto& all = planeSweepShapes;
  return shape.rows <= mostSweptRows && shape.linesPerBlock == 1 &&
         std::find(std::begin(all), std::end(all), planeSweepOf(shape)) != std::end(all);
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
    if (error != std::errc{} || numbers[i] < 1) return std::nullopt;
    next = after;
  }
  const bool sweepsPlanes = next != end && *next == 'm';
  if (sweepsPlanes) ++next;
  const LaunchShape shape{numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], sweepsPlanes};
  const bool exists = sweepsPlanes ? isPlaneSweep(shape) : isOfThreads(shape);
  return next == end && exists ? std::optional(shape) : std::nullopt;
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
    values_[line.substr(0, tab)] = line.substr(tab + 1);
  }
}

std::optional<LaunchShape> LaunchCache::find(const std::string& key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? std::nullopt : parseShape(found->second);
}

void LaunchCache::remember(const std::string& key, const LaunchShape& shape) {
  write(key, toText(shape));
}

std::optional<int> LaunchCache::findSteps(const std::string& key) const {
  const auto found = values_.find(key);
  if (found == values_.end()) return std::nullopt;
  int steps = 0;
  const std::string& text = found->second;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, steps);
  return error == std::errc{} && last == end && steps > 0 ? std::optional(steps) : std::nullopt;
}

void LaunchCache::rememberSteps(const std::string& key, int steps) {
  write(key, std::to_string(steps));
}

void LaunchCache::write(const std::string& key, const std::string& value) {
  read();  // another process may have added entries
  values_[key] = value;
  if (path_.empty()) return;
  std::error_code error;
  fs::create_directories(fs::path(path_).parent_path(), error);
  const std::string partial = fmt::format("{}.{}", path_, getpid());
  std::string text;
  for (const auto& [name, entry] : values_) text += fmt::format("{}\t{}\n", name, entry);
  std::FILE* const file = ::fdopen(openNewFile(partial), "w");
  if (file == nullptr) return;
  const bool isWritten = std::fputs(text.c_str(), file) >= 0;
  const bool isWhole = std::fclose(file) == 0 && isWritten;
  if (isWhole) fs::rename(partial, path_, error);
  if (!isWhole || error) fs::remove(partial, error);
}

namespace {

using Measure = std::function<double(const LaunchShape&)>;
using Slots = std::function<std::int64_t(const PlaneSweepShape&)>;

/// Shape with its measured times.
struct TimedShape {
  LaunchShape shape;
  std::vector<double> times;

  double median() {
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    return *middle;
  }
};

/// Returns the shape with the least median of several times. Shapes are measured in turn, so that
/// slow moments, as of the clock rate, meet all of them.
LaunchShape leastMedian(std::vector<TimedShape> shapes, const Measure& measure) {
  constexpr int rounds = 9;
  if (shapes.size() < 2) return shapes.empty() ? LaunchShape{} : shapes.front().shape;
  for (int round = 0; round < rounds; ++round) {
    for (TimedShape& timed : shapes) timed.times.push_back(measure(timed.shape));
  }
  return std::min_element(shapes.begin(), shapes.end(),
                          [](auto& a, auto& b) { return a.median() < b.median(); })
      ->shape;
}

/// True if the kernel has a plane sweep for `shape` and the layout satisfies its alignment: lines
/// are whole threads and begin where copies may begin. Each block of a plane sweep covers one group
/// of lines, so the number of groups is bounded by the grid.
bool fitsPlaneSweep(const LaunchShape& shape, const GpuKernel& kernel, const Layout& layout) {
  if (kernel.planeSweep == nullptr || shape.linesPerBlock != 1) return false;
  const PlaneSweepFunction planeSweep = kernel.planeSweep(planeSweepOf(shape));
  return planeSweep.function != nullptr && layout.columns % shape.width == 0 &&
         (shape.width == 1 || layout.columns > shape.width) &&
         layout.origin % planeSweep.unit == 0 && layout.pitch % planeSweep.unit == 0 &&
         layout.rowStride % planeSweep.unit == 0 && shape.rows <= rowsIn32Bits(layout) &&
         layout.lines <= shape.groups * mostGridBlocks;
}

}  // namespace

LaunchShape fastestShape(const GpuKernel& kernel, const Layout& layout, const Measure& measure,
                         const Slots& slots) {
  LaunchShape best;
  std::vector<TimedShape> measured;
  double leastTime = std::numeric_limits<double>::infinity();
  const auto consider = [&](const LaunchShape& shape) {
    if (shape == best && leastTime < std::numeric_limits<double>::infinity()) return;
    if (!fits(shape, kernel, layout)) return;
    const double time = measure(shape);
    measured.push_back({shape, {time}});
    if (time < 0.99 * leastTime) {  // differences below 1 % are noise
      leastTime = time;
      best = shape;
    }
  };
  // Work per thread and block shape interact: wide threads profit from several groups and several
  // lines per block. The search tries three block shapes for every work per thread, then further
  // block shapes for the best one.
  for (const int width : {1, 2, 4}) {
    for (const int rows : {1, 2, 4, 8, 16}) {
      consider({rows, width, 128, 1});
      consider({rows, width, 32, 4});
      consider({rows, width, 32, 4, 8});
    }
  }
  const LaunchShape bestThread = best;
  for (const auto& [columns, groups] : {std::pair{32, 1}, std::pair{32, 8}, std::pair{64, 1},
                                        std::pair{64, 4}, std::pair{128, 2}, std::pair{256, 1}}) {
    consider({bestThread.rows, bestThread.width, columns, groups, bestThread.linesPerBlock});
  }
  const LaunchShape bestBlock = best;
  for (const int linesPerBlock : {2, 4, 8, 16}) {
    consider({bestBlock.rows, bestBlock.width, bestBlock.columns, bestBlock.groups, linesPerBlock});
  }
  // Few rows keep those of blocks side by side in the cache; others fill the GPU by whole waves.
  for (const PlaneSweepShape& block : planeSweepShapes) {
    const auto considerRows = [&](std::int64_t rows) {
      consider({static_cast<int>(rows), block.width, block.columns, block.groups, 1, true});
    };
    for (const int rows : {8, 16, 32, 64}) considerRows(rows);
    const std::int64_t atATime = slots(block);
    if (atATime > 0) considerRows(rowsPerSweep(layout, block, atATime));
  }
  // One time may be disturbed by a factor. All shapes near the best are measured again.
  constexpr double near = 1.3;
  constexpr std::size_t most = 10;
  std::erase_if(measured, [&](const TimedShape& timed) {
    return !(timed.times.front() <= near * leastTime);
  });
  std::stable_sort(measured.begin(), measured.end(),
                   [](const auto& a, const auto& b) { return a.times.front() < b.times.front(); });
  measured.resize(std::min(measured.size(), most));
  return leastMedian(std::move(measured), measure);
}

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
