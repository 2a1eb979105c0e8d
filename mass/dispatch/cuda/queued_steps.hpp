#pragma once

#include <mass/dispatch/cuda/device_batch.hpp>

#include <cstdint>
#include <vector>

namespace mass::detail {

/// Queues all steps of a batch on one GPU. Its kernels store halos into other GPUs and wait for
/// them without the host. Stops queueing if a device has failed.
void queueDirectStoreSteps(const DeviceBatch& batch, std::int64_t steps, const LaunchShape& shape);

/// Returns the least number of steps or passes that run as fast as many: those of small worlds as
/// graphs.
std::int64_t passesForGraphs(const Layout& layout);

/// Queues passes of a batch on one GPU. Its kernels store halos into other GPUs, as above.
/// @param turnsPerPass one of GpuKernel::marchTurns
void queueMarches(const DeviceBatch& batch, std::int64_t passes, int turnsPerPass);

/// Rule of a turn on a GPU.
struct TurnRule {
  DeviceBatch batch;
  LaunchShape shape;
};

/// Queues steps of rules in turn on one GPU. @param steps whole turns
void queueTurns(const std::vector<TurnRule>& rules, std::int64_t steps);

}  // namespace mass::detail
