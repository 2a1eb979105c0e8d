#include <mass/dispatch/cuda/tile_tuner.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace mass {
namespace {

/// How long each tile shape is tried, about.
constexpr double millisecondsPerMeasurement = 1;

/// A name for a rule in a world on a GPU, the same as long as the best tile shape should be.
std::string nameOf(const GpuKernel& kernel, const DeviceRound& round) {
  std::string name = round.station().device().name() + '|' + kernel.name;
  const Layout& layout = round.layout();
  name += fmt::format("|{}x{}x{}", layout.rows, layout.lines, layout.columns);
  for (const int width : {1, 4}) {
    for (const int rows : {1, 2, 4, 8, 16}) {
      const void* const function = kernel.function(rows, width);
      if (function == nullptr) continue;
      cudaFuncAttributes attributes{};
      MASS_CUDA_CALL(cudaFuncGetAttributes(&attributes, function));
      name += fmt::format("|{}:{}:{}", attributes.binaryVersion, attributes.numRegs,
                          attributes.localSizeBytes);
    }
  }
  return name;
}

/// Runs the first step again and again: it reads one buffer and writes the other, so that nothing
/// is changed by doing so.
TileShape measure(const GpuKernel& kernel, const DeviceRound& round) {
  const Station& station = round.station();
  const auto time = [&](const TileShape& shape, int runs) {
    MASS_CUDA_CALL(cudaEventRecord(station.timer(0), station.stream()));
    for (int run = 0; run < runs; ++run) round.queueAlone(shape);
    MASS_CUDA_CALL(cudaEventRecord(station.timer(1), station.stream()));
    MASS_CUDA_CALL(cudaEventSynchronize(station.timer(1)));
    float milliseconds = 0;
    MASS_CUDA_CALL(cudaEventElapsedTime(&milliseconds, station.timer(0), station.timer(1)));
    return static_cast<double>(milliseconds) / runs;
  };
  return fastestTile(kernel, round.layout(), [&](const TileShape& shape) {
    time(shape, 1);  // loads the code
    const int runs =
        std::clamp(static_cast<int>(millisecondsPerMeasurement / time(shape, 1)), 2, 50);
    return std::min(time(shape, runs), time(shape, runs));
  });
}

}  // namespace

TileShape TileTuner::tileFor(const Kernel& kernel, const DeviceRound& round) {
  if (kernel.written.empty()) return {};
  // Running a rule that works in place to measure it would change the state.
  if (!wanted_ && !kernel.inPlace) return findOrMeasure(kernel, round);
  const TileShape shape = wanted_.value_or(TileShape{1, 4, 128, 1});
  if (fits(shape, *kernel.gpu, round.layout())) return shape;
  const TileShape narrow{1, 1, shape.columns, shape.groups};
  return fits(narrow, *kernel.gpu, round.layout()) ? narrow : TileShape{1, 1, shape.columns, 1};
}

TileShape TileTuner::findOrMeasure(const Kernel& kernel, const DeviceRound& round) {
  const Layout& layout = round.layout();
  const Key key{kernel.gpu, layout.rows, layout.lines, layout.columns};
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  const std::string name = nameOf(*kernel.gpu, round);
  auto kept = kept_.find(name);
  if (kept && !fits(*kept, *kernel.gpu, layout)) kept.reset();  // of another version, say
  const TileShape shape = kept ? *kept : measure(*kernel.gpu, round);
  if (!kept) kept_.remember(name, shape);
  return known_[key] = shape;
}

}  // namespace mass
