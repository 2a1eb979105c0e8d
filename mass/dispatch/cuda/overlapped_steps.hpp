#pragma once

#include <mass/dispatch/cuda/device_batch.hpp>
#include <mass/exchange/halo_transport.hpp>

#include <cstdint>
#include <vector>

namespace mass::detail {

/// Queues all steps of a batch on one GPU. Its kernels store halos into other GPUs and wait for
/// them without the host. Stops queueing if a device has failed.
void queueDirectStoreSteps(const DeviceBatch& batch, std::int64_t steps, const LaunchShape& shape);

/// Returns the least number of steps or passes that run as fast as many: those of small worlds as
/// graphs.
std::int64_t passesForGraphs(const Layout& layout);

/// Queues the passes of a batch on one GPU.
/// @param steps multiple of `stepsPerPass`, one of GpuKernel::marchSteps
void queueMarches(const DeviceBatch& batch, std::int64_t steps, int stepsPerPass);

/// Rule of a turn on a GPU.
struct TurnRule {
  DeviceBatch batch;
  LaunchShape shape;
};

/// Queues steps of rules in turn on one GPU. @param steps whole turns
void queueTurns(const std::vector<TurnRule>& rules, std::int64_t steps);

/// Queues the steps of a batch such that the halo exchange overlaps with the interior rows.
class OverlappedSteps {
 public:
  /// @param batches batches of all devices of this rank
  /// @param transport transport prepared for the components that the rule writes: round 0 for
  /// even steps, round 1 for odd ones
  OverlappedSteps(const std::vector<DeviceBatch>& batches, HaloTransport& transport)
      : batches_(&batches), transport_(&transport) {}

  /// Queues a step on one GPU: border rows and halo messages on the border stream, interior rows on
  /// the main stream.
  /// @pre All GPUs of this rank have queued the previous step, and its halos have been exchanged
  /// between ranks if that is done on the host.
  void queue(std::int64_t step, const LaunchShape& shape, const Worker& worker) const;
  /// Queues the receipt of the last halo messages. All halos are fresh when the border stream is
  /// done.
  void queueEnd(std::int64_t steps, const Worker& worker) const;

 private:
  const DeviceBatch& batch(int device) const {
    return (*batches_)[static_cast<std::size_t>(device - batches_->front().device())];
  }
  void receive(std::int64_t step, const Worker& worker) const;

  const std::vector<DeviceBatch>* batches_;
  HaloTransport* transport_;
};

}  // namespace mass::detail
