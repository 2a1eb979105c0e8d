#include <mass/dispatch/cuda/overlapped_steps.hpp>

#include <mass/dispatch/cuda/graph.hpp>

#include <algorithm>

namespace mass::detail {
namespace {

/// Steps in a CUDA graph: even, so that the buffers are the right way round again, and many enough
/// for its launch to cost little a step.
constexpr std::int64_t stepsInGraph = 32;
/// DeviceBatches of fewer steps are not worth making a graph.
constexpr std::int64_t leastStepsForGraph = 4 * stepsInGraph;
/// Places on a device above which a step takes longer than its launch.
constexpr std::int64_t mostPlacesForGraph = std::int64_t{1} << 23;
/// Steps that blocks take without a break, even again; and so many that it is worth while.
constexpr std::int64_t stepsOfTiles = 4096, leastStepsForTiles = 4;

}  // namespace

void queueDirectStoreSteps(const DeviceBatch& batch, std::int64_t steps, const LaunchShape& shape) {
  const Layout& layout = batch.layout();
  cudaStream_t stream = batch.resources().stream();
  const RowRange all{0, layout.rows};
  std::int64_t done = 0;
  if (const auto tiles = steps < leastStepsForTiles ? std::nullopt : batch.tiles()) {
    PersistentRun run = *tiles;
    for (; done < steps; done += run.steps) {
      run.steps = std::min(steps - done, stepsOfTiles);
      batch.queuePersistent(done, run);
    }
    return;
  }
  if (steps >= leastStepsForGraph && layout.size <= mostPlacesForGraph) {
    const Graph graph(stream, [&] {
      for (std::int64_t step = 0; step < stepsInGraph; ++step) {
        batch.queue(step, all, shape, stream);
      }
      batch.countSteps(stepsInGraph);
    });
    for (; done + stepsInGraph <= steps && !batch.anyFailed(); done += stepsInGraph) {
      graph.launch(stream);
    }
  }
  // The kernels count from what the graphs have done.
  for (std::int64_t step = 0; step < steps - done && !batch.anyFailed(); ++step) {
    batch.queue(step, all, shape, stream);
  }
}

void OverlappedSteps::receive(std::int64_t step, int device) const {
  cudaStream_t border = batch(device).resources().borderStream();
  for (const int peer : batch(device).peers()) {
    MASS_CUDA_CALL(cudaStreamWaitEvent(border, batch(peer).resources().ghostsSent(step)));
  }
  exchange_->receive(device, static_cast<int>(step % 2), border);
}

void OverlappedSteps::queue(std::int64_t step, const LaunchShape& shape, int device) const {
  const DeviceBatch& mine = batch(device);
  const GpuResources& resources = mine.resources();
  cudaStream_t border = resources.borderStream();
  cudaStream_t interior = resources.stream();
  if (step > 0) {
    receive(step - 1, device);
    MASS_CUDA_CALL(cudaStreamWaitEvent(border, resources.interiorDone(step - 1)));
    MASS_CUDA_CALL(cudaStreamWaitEvent(interior, resources.bordersDone(step - 1)));
  }
  const Layout& layout = mine.layout();
  const std::int64_t low = std::min(layout.depth, layout.rows);
  const std::int64_t high = std::max(low, layout.rows - layout.depth);
  mine.queue(step, {0, low}, shape, border);
  mine.queue(step, {high, layout.rows}, shape, border);
  MASS_CUDA_CALL(cudaEventRecord(resources.bordersDone(step), border));
  exchange_->send(device, static_cast<int>(step % 2), border);
  MASS_CUDA_CALL(cudaEventRecord(resources.ghostsSent(step), border));
  mine.queue(step, {low, high}, shape, interior);
  MASS_CUDA_CALL(cudaEventRecord(resources.interiorDone(step), interior));
}

void OverlappedSteps::queueEnd(std::int64_t steps, int device) const {
  receive(steps - 1, device);
  const GpuResources& resources = batch(device).resources();
  MASS_CUDA_CALL(cudaStreamWaitEvent(resources.borderStream(), resources.interiorDone(steps - 1)));
}

}  // namespace mass::detail
