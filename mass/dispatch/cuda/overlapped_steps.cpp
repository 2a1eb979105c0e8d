#include <mass/dispatch/cuda/overlapped_steps.hpp>

#include <mass/dispatch/cuda/graph.hpp>

#include <algorithm>
#include <iterator>

namespace mass::detail {
namespace {

/// Steps per CUDA graph: even, so that each launch starts with the same front buffer, and enough to
/// amortise the launch.
constexpr std::int64_t stepsPerGraph = 32;
/// Minimum steps of a batch for which creating a graph pays off.
constexpr std::int64_t minStepsForGraph = 4 * stepsPerGraph;
/// Maximum places on a device for graphs: with more, a step takes longer than its launch.
constexpr std::int64_t maxPlacesForGraph = std::int64_t{1} << 23;
/// Maximum steps of one persistent kernel, even, and minimum steps for which one pays off.
constexpr std::int64_t stepsPerPersistentKernel = 4096, minStepsForPersistentKernel = 4;

}  // namespace

std::int64_t passesForGraphs(const Layout& layout) {
  return layout.size <= maxPlacesForGraph ? minStepsForGraph : 1;
}

void queueMarches(const DeviceBatch& batch, std::int64_t steps, int stepsPerPass) {
  const std::int64_t stepsPerMarchGraph = stepsPerGraph * stepsPerPass;
  std::int64_t done = 0;
  const auto queuePasses = [&](std::int64_t end) {
    for (std::int64_t step = 0; step < end; step += stepsPerPass)
      batch.queueMarch(step, step / stepsPerPass, stepsPerPass);
  };
  if (steps >= minStepsForGraph * stepsPerPass && batch.layout().size <= maxPlacesForGraph) {
    cudaStream_t stream = batch.resources().stream();
    const Graph graph(stream, [&] {
      queuePasses(stepsPerMarchGraph);
      batch.countSteps(stepsPerMarchGraph);
    });
    for (; done + stepsPerMarchGraph <= steps; done += stepsPerMarchGraph) graph.launch(stream);
  }
  queuePasses(steps - done);
}

void queueDirectStoreSteps(const DeviceBatch& batch, std::int64_t steps, const LaunchShape& shape) {
  const Layout& layout = batch.layout();
  cudaStream_t stream = batch.resources().stream();
  const RowRange all{0, layout.rows};
  std::int64_t done = 0;
  const auto plan = steps < minStepsForPersistentKernel ? std::nullopt : batch.planPersistentRun();
  if (plan) {
    PersistentRun run = *plan;
    for (; done < steps; done += run.steps) {
      run.steps = std::min(steps - done, stepsPerPersistentKernel);
      batch.queuePersistent(done, run);
    }
    return;
  }
  if (steps >= minStepsForGraph && layout.size <= maxPlacesForGraph) {
    const Graph graph(stream, [&] {
      for (std::int64_t step = 0; step < stepsPerGraph; ++step) {
        batch.queue(step, all, shape, stream);
      }
      batch.countSteps(stepsPerGraph);
    });
    for (; done + stepsPerGraph <= steps && !batch.anyFailed(); done += stepsPerGraph) {
      graph.launch(stream);
    }
  }
  // Step numbers restart at 0 after countSteps() in the graphs.
  for (std::int64_t step = 0; step < steps - done && !batch.anyFailed(); ++step) {
    batch.queue(step, all, shape, stream);
  }
}

void queueTurns(const std::vector<TurnRule>& rules, std::int64_t steps) {
  const DeviceBatch& first = rules.front().batch;
  const RowRange all{0, first.layout().rows};
  cudaStream_t stream = first.resources().stream();
  const auto queueSteps = [&](std::int64_t end) {
    for (std::int64_t step = 0; step < end; ++step) {
      const auto& [batch, shape] = rules[static_cast<std::size_t>(step) % rules.size()];
      batch.queue(step, all, shape, stream);
    }
  };
  // Two turns end with the front buffers with which they begin.
  const std::int64_t period = 2 * std::ssize(rules);
  const std::int64_t stepsPerTurnGraph = std::max<std::int64_t>(stepsPerGraph / period, 1) * period;
  std::int64_t done = 0;
  if (steps >= 4 * stepsPerTurnGraph && first.layout().size <= maxPlacesForGraph) {
    const Graph graph(stream, [&] {
      queueSteps(stepsPerTurnGraph);
      first.countSteps(stepsPerTurnGraph);
    });
    for (; done + stepsPerTurnGraph <= steps; done += stepsPerTurnGraph) graph.launch(stream);
  }
  queueSteps(steps - done);
}

void OverlappedSteps::receive(std::int64_t step, const Worker& worker) const {
  const DeviceBatch& own = batch(worker.device());
  cudaStream_t border = own.resources().borderStream();
  for (const int peer : own.peers()) {
    MASS_CUDA_CALL(cudaStreamWaitEvent(border, batch(peer).resources().ghostsSent(step)));
  }
  transport_->receive(worker, static_cast<std::size_t>(step % 2), border);
}

void OverlappedSteps::queue(std::int64_t step, const LaunchShape& shape,
                            const Worker& worker) const {
  const DeviceBatch& own = batch(worker.device());
  const GpuResources& resources = own.resources();
  cudaStream_t border = resources.borderStream();
  cudaStream_t interior = resources.stream();
  if (step > 0) {
    receive(step - 1, worker);
    MASS_CUDA_CALL(cudaStreamWaitEvent(border, resources.interiorDone(step - 1)));
    MASS_CUDA_CALL(cudaStreamWaitEvent(interior, resources.bordersDone(step - 1)));
  }
  const Layout& layout = own.layout();
  const std::int64_t low = std::min(layout.depth, layout.rows);
  const std::int64_t high = std::max(low, layout.rows - layout.depth);
  own.queue(step, {0, low}, shape, border);
  own.queue(step, {high, layout.rows}, shape, border);
  MASS_CUDA_CALL(cudaEventRecord(resources.bordersDone(step), border));
  transport_->send(worker, static_cast<std::size_t>(step % 2), border);
  MASS_CUDA_CALL(cudaEventRecord(resources.ghostsSent(step), border));
  own.queue(step, {low, high}, shape, interior);
  MASS_CUDA_CALL(cudaEventRecord(resources.interiorDone(step), interior));
}

void OverlappedSteps::queueEnd(std::int64_t steps, const Worker& worker) const {
  receive(steps - 1, worker);
  const GpuResources& resources = batch(worker.device()).resources();
  MASS_CUDA_CALL(cudaStreamWaitEvent(resources.borderStream(), resources.interiorDone(steps - 1)));
}

}  // namespace mass::detail
