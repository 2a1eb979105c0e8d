#include <mass/dispatch/cuda/steps.hpp>

#include <mass/dispatch/cuda/graph.hpp>

#include <algorithm>

namespace mass {
namespace {

/// Steps in a CUDA graph: even, so that the buffers are the right way round again, and many enough
/// for its launch to cost little a step.
constexpr std::int64_t stepsInGraph = 32;
/// Rounds of fewer steps are not worth making a graph.
constexpr std::int64_t leastStepsForGraph = 4 * stepsInGraph;
/// Places on a device above which a step takes longer than its launch.
constexpr std::int64_t mostPlacesForGraph = std::int64_t{1} << 23;
/// Steps that blocks take without a break, even again; and so many that it is worth while.
constexpr std::int64_t stepsOfTiles = 4096, leastStepsForTiles = 4;

}  // namespace

void queueStoring(const DeviceRound& round, std::int64_t steps, const TileShape& shape) {
  const Layout& layout = round.layout();
  cudaStream_t stream = round.station().stream();
  const RowRange all{0, layout.rows};
  std::int64_t done = 0;
  if (const auto tiles = steps < leastStepsForTiles ? std::nullopt : round.tiles()) {
    TileRun run = *tiles;
    for (; done < steps; done += run.steps) {
      run.steps = std::min(steps - done, stepsOfTiles);
      round.queueTiles(done, run);
    }
    return;
  }
  if (steps >= leastStepsForGraph && layout.size <= mostPlacesForGraph) {
    const Graph graph(stream, [&] {
      for (std::int64_t step = 0; step < stepsInGraph; ++step) {
        round.queue(step, all, shape, stream);
      }
      round.countSteps(stepsInGraph);
    });
    for (; done + stepsInGraph <= steps && !round.abandoned(); done += stepsInGraph) {
      graph.launch(stream);
    }
  }
  // The kernels count from what the graphs have done.
  for (std::int64_t step = 0; step < steps - done && !round.abandoned(); ++step) {
    round.queue(step, all, shape, stream);
  }
}

void CarriedSteps::receive(std::int64_t step, int device) const {
  cudaStream_t border = round(device).station().borderStream();
  for (const int peer : round(device).peers()) {
    MASS_CUDA_CALL(cudaStreamWaitEvent(border, round(peer).station().ghostsSent(step)));
  }
  exchange_->receive(device, static_cast<int>(step % 2), border);
}

void CarriedSteps::queue(std::int64_t step, const TileShape& shape, int device) const {
  const DeviceRound& mine = round(device);
  const Station& station = mine.station();
  cudaStream_t border = station.borderStream();
  cudaStream_t interior = station.stream();
  if (step > 0) {
    receive(step - 1, device);
    MASS_CUDA_CALL(cudaStreamWaitEvent(border, station.interiorDone(step - 1)));
    MASS_CUDA_CALL(cudaStreamWaitEvent(interior, station.bordersDone(step - 1)));
  }
  const Layout& layout = mine.layout();
  const std::int64_t low = std::min(layout.depth, layout.rows);
  const std::int64_t high = std::max(low, layout.rows - layout.depth);
  mine.queue(step, {0, low}, shape, border);
  mine.queue(step, {high, layout.rows}, shape, border);
  MASS_CUDA_CALL(cudaEventRecord(station.bordersDone(step), border));
  exchange_->send(device, static_cast<int>(step % 2), border);
  MASS_CUDA_CALL(cudaEventRecord(station.ghostsSent(step), border));
  mine.queue(step, {low, high}, shape, interior);
  MASS_CUDA_CALL(cudaEventRecord(station.interiorDone(step), interior));
}

void CarriedSteps::queueEnd(std::int64_t steps, int device) const {
  receive(steps - 1, device);
  const Station& station = round(device).station();
  MASS_CUDA_CALL(cudaStreamWaitEvent(station.borderStream(), station.interiorDone(steps - 1)));
}

}  // namespace mass
