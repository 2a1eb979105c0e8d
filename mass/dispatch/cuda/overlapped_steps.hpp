#pragma once

#include <mass/dispatch/cuda/device_batch.hpp>
#include <mass/exchange/cuda/gpu_halo_exchange.hpp>

#include <cstdint>
#include <vector>

namespace mass::detail {

/// Queues all steps of a round on one GPU, whose kernels store the ghosts of other GPUs and wait
/// for these by themselves: the host has no part in it. Stops when a device has failed.
void queueDirectStoreSteps(const DeviceBatch& batch, std::int64_t steps, const LaunchShape& shape);

/// The steps of a round whose ghosts are carried from GPU to GPU while these work on what lies
/// between their borders.
class OverlappedSteps {
 public:
  OverlappedSteps(const std::vector<DeviceBatch>& batches, const GpuHaloExchange& exchange)
      : batches_(&batches), exchange_(&exchange) {}

  /// Queues a step on one GPU: the border rows and their way to the other GPUs on one stream, the
  /// interior on the other. Before the next step is queued, all GPUs must have queued this one.
  void queue(std::int64_t step, const LaunchShape& shape, int device) const;
  /// Queues what is left after the last step, after which all ghosts are up to date.
  void queueEnd(std::int64_t steps, int device) const;

 private:
  const DeviceBatch& batch(int device) const {
    return (*batches_)[static_cast<std::size_t>(device)];
  }
  void receive(std::int64_t step, int device) const;

  const std::vector<DeviceBatch>* batches_;
  const GpuHaloExchange* exchange_;
};

}  // namespace mass::detail
