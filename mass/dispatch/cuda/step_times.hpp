#pragma once

#include <mass/dispatch/cuda/device_batch.hpp>
#include <mass/dispatch/cuda/gpu_guard.hpp>

#include <cstdint>

namespace mass::detail {

/// Returns the largest of the seconds of all ranks that have places. All of these call it together.
double slowestOf(const PlaceFields& fields, double seconds);

// Compute times of GPUs whose kernels may wait for other GPUs, for the balance of the rows.

/// Adds the compute time of a batch whose kernels wait for other devices: the time of a step that
/// is replayed without waiting, times the number of steps. Measures once between two resets.
void measureReplay(const Kernel& kernel, const DeviceBatch& deviceBatch, const StepBatch& batch,
                   const LaunchShape& shape, const Worker& worker);

/// Adds the compute time of a batch of a scatter or AA rule, whose steps cannot be replayed. Runs
/// the first steps with a barrier after each, so that no kernel waits long, and takes the fastest
/// as the time of a step. Measures once between two resets.
/// @return number of steps of the batch that were run
std::int64_t measureInPlace(const Kernel& kernel, const DeviceBatch& deviceBatch,
                            const StepBatch& batch, const LaunchShape& shape, const Worker& worker,
                            const GpuGuard& guard, FirstFailure& failure);

}  // namespace mass::detail
