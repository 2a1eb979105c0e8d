#include <mass/dispatch/cuda/launch_tuner.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace mass::detail {
namespace {

/// How long each tile shape is tried, about.
constexpr double millisecondsPerMeasurement = 1;
/// What is nearly best for rules that work in place, without measuring.
constexpr LaunchShape localShape{1, 4, 128, 1};

/// The rows of a band to a power of two: what is best for them is best for some more or fewer, to
/// which a band comes when rows are shared out anew.
std::int64_t magnitudeOf(std::int64_t rows) {
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(rows)));
}

/// A name for a rule in a world on a GPU, the same as long as the best tile shape should be.
std::string nameOf(const GpuKernel& kernel, const DeviceBatch& batch) {
  std::string name = batch.resources().device().name() + '|' + kernel.name;
  const Layout& layout = batch.layout();
  name += fmt::format("|{}x{}x{}", magnitudeOf(layout.rows), layout.lines, layout.columns);
  const auto add = [&](const void* function) {
    if (function == nullptr) return;
    cudaFuncAttributes attributes{};
    MASS_CUDA_CALL(cudaFuncGetAttributes(&attributes, function));
    name += fmt::format("|{}:{}:{}", attributes.binaryVersion, attributes.numRegs,
                        attributes.localSizeBytes);
  };
  for (const int width : {1, 2, 4}) {
    for (const int rows : {1, 2, 4, 8, 16}) add(kernel.function(rows, width));
  }
  for (const PlaneSweepShape& planeSweep : planeSweepShapes) {
    if (kernel.planeSweep != nullptr)
      add(kernel.planeSweep(planeSweep.columns, planeSweep.groups).function);
  }
  return name;
}

/// Whether all devices can take a rule's places so.
bool canTake(const LaunchShape& shape, const Kernel& kernel,
             const std::vector<DeviceBatch>& batches) {
  if (!fits(shape, *kernel.gpu, batches.front().layout())) return false;
  if (!shape.sweepsPlanes) return true;
  // What is chosen at run time is known by its distance in the device's memory alone.
  return kernel.neighborSteps.empty() &&
         std::all_of(batches.begin(), batches.end(),
                     [&](const DeviceBatch& batch) { return batch.hasMemoryFor(shape); });
}

LaunchShape measure(const Kernel& kernel, const std::vector<DeviceBatch>& batches) {
  const DeviceBatch& batch = batches.front();
  return fastestShape(*kernel.gpu, batch.layout(), [&](const LaunchShape& shape) {
    if (!canTake(shape, kernel, batches)) return std::numeric_limits<double>::infinity();
    batch.millisecondsAlone(shape, 1);  // loads the code
    const double once = batch.millisecondsAlone(shape, 1);
    const int runs = std::clamp(static_cast<int>(millisecondsPerMeasurement / once), 2, 50);
    return std::min(batch.millisecondsAlone(shape, runs), batch.millisecondsAlone(shape, runs));
  });
}

/// The same for rules that move something there: much that lies side by side is stored at once.
LaunchShape movingShape(const Layout& layout) {
  constexpr std::int64_t width = 2, warp = 32, most = 128;
  const auto wanted = std::bit_ceil(static_cast<std::uint64_t>((layout.columns + 1) / width));
  const auto columns = std::clamp(static_cast<std::int64_t>(wanted), warp, most);
  return {1, width, static_cast<int>(columns), static_cast<int>(most / columns)};
}

}  // namespace

LaunchShape LaunchTuner::shapeFor(const Kernel& kernel, const std::vector<DeviceBatch>& batches,
                                  bool moves) {
  if (kernel.written.empty() || kernel.sends) return {};
  // Running a rule that works in place to measure it would change the state.
  if (!wanted_ && !kernel.inPlace && !moves) return findOrMeasure(kernel, batches);
  const Layout& layout = batches.front().layout();
  LaunchShape shape = wanted_.value_or(moves ? movingShape(layout) : localShape);
  if (moves) shape.linesPerBlock = 1;  // a thread takes one line
  if (canTake(shape, kernel, batches)) return shape;
  if (shape.sweepsPlanes) shape = {};
  const LaunchShape narrow{1, 1, shape.columns, shape.groups};
  return fits(narrow, *kernel.gpu, layout) ? narrow : LaunchShape{1, 1, shape.columns, 1};
}

LaunchShape LaunchTuner::findOrMeasure(const Kernel& kernel,
                                       const std::vector<DeviceBatch>& batches) {
  const Layout& layout = batches.front().layout();
  const bool hasNeighbors = !kernel.neighborSteps.empty();
  const Key key{kernel.gpu, hasNeighbors, magnitudeOf(layout.rows), layout.lines, layout.columns};
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  const std::string name = nameOf(*kernel.gpu, batches.front()) + (hasNeighbors ? "|near" : "");
  auto kept = kept_.find(name);
  if (kept && !canTake(*kept, kernel, batches)) kept.reset();  // of another version, say
  const LaunchShape shape = kept ? *kept : measure(kernel, batches);
  if (!kept) kept_.remember(name, shape);
  return known_[key] = shape;
}

}  // namespace mass::detail
