#pragma once

#include <mass/dispatch/cuda/device_round.hpp>
#include <mass/exchange/cuda/gpu_exchange.hpp>

#include <cstdint>
#include <vector>

namespace mass {

/// Queues all steps of a round on one GPU, whose kernels store the ghosts of other GPUs and wait
/// for these by themselves: the host has no part in it. Stops when a device has failed.
void queueStoring(const DeviceRound& round, std::int64_t steps, const TileShape& shape);

/// The steps of a round whose ghosts are carried from GPU to GPU while these work on what lies
/// between their borders.
class CarriedSteps {
 public:
  CarriedSteps(const std::vector<DeviceRound>& rounds, const GpuExchange& exchange)
      : rounds_(&rounds), exchange_(&exchange) {}

  /// Queues a step on one GPU: the border rows and their way to the other GPUs on one stream, the
  /// interior on the other. Before the next step is queued, all GPUs must have queued this one.
  void queue(std::int64_t step, const TileShape& shape, int device) const;
  /// Queues what is left after the last step, after which all ghosts are up to date.
  void queueEnd(std::int64_t steps, int device) const;

 private:
  const DeviceRound& round(int device) const {
    return (*rounds_)[static_cast<std::size_t>(device)];
  }
  void receive(std::int64_t step, int device) const;

  const std::vector<DeviceRound>* rounds_;
  const GpuExchange* exchange_;
};

}  // namespace mass
