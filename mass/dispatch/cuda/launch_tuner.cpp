#include <mass/dispatch/cuda/launch_tuner.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace mass::detail {
namespace {

/// Approximate duration of one measurement of a shape.
constexpr double millisecondsPerMeasurement = 0.5;
/// Duration of the work that brings the GPU to its clock rate.
constexpr double millisecondsOfWarmUp = 20;
/// Version of the measurement; cache entries of earlier ones are measured again.
constexpr int version = 3;
/// Shape of in-place rules, which cannot be measured without changing the state.
constexpr LaunchShape inPlaceShape{1, 4, 128, 1};

/// Returns `rows` rounded down to a power of two. Bands that change size by load balancing thus
/// keep their shape.
std::int64_t magnitudeOf(std::int64_t rows) {
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(rows)));
}

/// Returns the key of a rule, world and GPU in the cache file. It includes the registers and local
/// memory of all compiled variants, so that a change of the rule invalidates the entry.
std::string cacheKey(const GpuKernel& kernel, const DeviceBatch& batch) {
  std::string name =
      fmt::format("{}|{}|{}", version, batch.resources().device().name(), kernel.name);
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
    if (kernel.planeSweep != nullptr) add(kernel.planeSweep(planeSweep).function);
  }
  return name;
}

/// True if all devices support `shape` for the rule.
bool fitsAllDevices(const LaunchShape& shape, const Kernel& kernel,
                    const std::vector<DeviceBatch>& batches) {
  // Run-time neighbours are distances in device memory, which the shared memory of a plane sweep
  // does not preserve.
  if (shape.sweepsPlanes && !kernel.neighborSteps.empty()) return false;
  return std::all_of(batches.begin(), batches.end(), [&](const DeviceBatch& batch) {
    return fits(shape, *kernel.gpu, batch.layout()) &&
           (!shape.sweepsPlanes || batch.hasMemoryFor(shape));
  });
}

/// Times the shapes of a rule on one device. A graph repeats each, as in long runs: single launches
/// of small worlds take the host longer than the GPU.
class ShapeTimer {
 public:
  explicit ShapeTimer(const DeviceBatch& batch) : batch_(&batch) {}

  /// Returns the mean time of a step in milliseconds.
  double operator()(const LaunchShape& shape) {
    const auto isSame = [&](const Recording& recording) { return recording.shape == shape; };
    auto found = std::find_if(recordings_.begin(), recordings_.end(), isSame);
    if (found == recordings_.end()) {
      recordings_.push_back(record(shape));
      found = recordings_.end() - 1;
    }
    return batch_->millisecondsOf(*found->graph) / found->runs;
  }

 private:
  struct Recording {
    LaunchShape shape;
    int runs;
    std::unique_ptr<Graph> graph;
  };

  Recording record(const LaunchShape& shape) {
    batch_->millisecondsAlone(shape, 1);  // loads the code
    double once = batch_->millisecondsAlone(shape, 1);
    while (recordings_.empty() && warmUp_ < millisecondsOfWarmUp) {
      once = batch_->millisecondsAlone(shape, 8);
      warmUp_ += 8 * once;
    }
    const int runs = std::clamp(static_cast<int>(millisecondsPerMeasurement / once), 2, 200);
    Recording recording{shape, runs, batch_->recordAlone(shape, runs)};
    batch_->millisecondsOf(*recording.graph);  // uploads the graph
    return recording;
  }

  const DeviceBatch* batch_;
  std::vector<Recording> recordings_;
  double warmUp_ = 0;
};

/// Returns the number of blocks of a plane sweep that the current GPU runs at a time. @pre it has
/// the memory for one
std::int64_t slotsOf(const GpuKernel& kernel, const PlaneSweepShape& block) {
  const PlaneSweepFunction planeSweep = kernel.planeSweep(block);
  int device = 0, processors = 0, blocks = 0;
  MASS_CUDA_CALL(cudaGetDevice(&device));
  MASS_CUDA_CALL(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  MASS_CUDA_CALL(cudaFuncSetAttribute(planeSweep.function,
                                      cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      static_cast<int>(planeSweep.sharedBytes)));
  MASS_CUDA_CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks, planeSweep.function, block.columns * block.groups,
      static_cast<std::size_t>(planeSweep.sharedBytes)));
  return std::max(1, blocks) * std::int64_t{processors};
}

/// Returns the fastest shape by measurement on the first device.
LaunchShape measure(const Kernel& kernel, const std::vector<DeviceBatch>& batches) {
  ShapeTimer timer(batches.front());
  const auto time = [&](const LaunchShape& shape) {
    return fitsAllDevices(shape, kernel, batches) ? timer(shape)
                                                  : std::numeric_limits<double>::infinity();
  };
  const auto slots = [&](const PlaneSweepShape& block) -> std::int64_t {
    const LaunchShape shape{1, block.width, block.columns, block.groups, 1, true};
    return fitsAllDevices(shape, kernel, batches) ? slotsOf(*kernel.gpu, block) : 0;
  };
  return fastestShape(*kernel.gpu, batches.front().layout(), time, slots);
}

/// Returns the shape of AA rules: two columns per thread, and blocks that cover long pieces of a
/// line so that stores are coalesced.
LaunchShape aaShape(const Layout& layout) {
  constexpr std::int64_t width = 2, warp = 32, most = 128;
  const auto pairs = std::bit_ceil(static_cast<std::uint64_t>((layout.columns + 1) / width));
  const auto columns = std::clamp(static_cast<std::int64_t>(pairs), warp, most);
  return {1, width, static_cast<int>(columns), static_cast<int>(most / columns)};
}

}  // namespace

LaunchShape LaunchTuner::shapeFor(const Kernel& kernel, const std::vector<DeviceBatch>& batches) {
  if (kernel.written.empty() || kernel.traversal == Traversal::scatter) return {};
  // Running a rule that works in place to measure it would change the state.
  if (!requested_ && kernel.isRepeatable()) return findOrMeasure(kernel, batches);
  const Layout& layout = batches.front().layout();
  const bool isAa = kernel.traversal == Traversal::aaPattern;
  LaunchShape shape = requested_.value_or(isAa ? aaShape(layout) : inPlaceShape);
  if (isAa) shape.linesPerBlock = 1;  // a thread takes one line
  if (fitsAllDevices(shape, kernel, batches)) return shape;
  if (shape.sweepsPlanes) shape = {};
  const LaunchShape narrow{1, 1, shape.columns, shape.groups};
  return fitsAllDevices(narrow, kernel, batches) ? narrow : LaunchShape{1, 1, shape.columns, 1};
}

LaunchShape LaunchTuner::findOrMeasure(const Kernel& kernel,
                                       const std::vector<DeviceBatch>& batches) {
  const Layout& layout = batches.front().layout();
  const bool hasNeighbors = !kernel.neighborSteps.empty();
  const Key key{kernel.gpu, hasNeighbors, magnitudeOf(layout.rows), layout.lines, layout.columns};
  const auto known = shapes_.find(key);
  if (known != shapes_.end()) return known->second;
  const std::string name = cacheKey(*kernel.gpu, batches.front()) + (hasNeighbors ? "|near" : "");
  auto cached = cache_.find(name);
  // An entry of another version of the library may not fit.
  if (cached && !fitsAllDevices(*cached, kernel, batches)) cached.reset();
  const LaunchShape shape = cached ? *cached : measure(kernel, batches);
  if (!cached) cache_.remember(name, shape);
  return shapes_[key] = shape;
}

}  // namespace mass::detail
