#include <mass/dispatch/cuda/queued_steps.hpp>

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

void queueMarches(const DeviceBatch& batch, std::int64_t passes, int turnsPerPass) {
  std::int64_t done = 0;
  const auto queuePasses = [&](std::int64_t end) {
    for (std::int64_t pass = 0; pass < end && !batch.anyFailed(); ++pass)
      batch.queueMarch(pass, turnsPerPass);
  };
  if (passes >= minStepsForGraph && batch.layout().size <= maxPlacesForGraph) {
    cudaStream_t stream = batch.resources().stream();
    const Graph graph(stream, [&] {
      queuePasses(stepsPerGraph);
      batch.countSteps(stepsPerGraph * batch.stepsOfMarch(turnsPerPass));
    });
    for (; done + stepsPerGraph <= passes && !batch.anyFailed(); done += stepsPerGraph)
      graph.launch(stream);
  }
  queuePasses(passes - done);
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

}  // namespace mass::detail
