#pragma once

#include <mass/dispatch/cuda/device_batch.hpp>
#include <mass/dispatch/cuda/gpu_guard.hpp>
#include <mass/exchange/halo_transport.hpp>

#include <cstdint>
#include <vector>

namespace mass::detail {

/// Steps or passes of a batch whose halos a transport moves between GPUs, one after the other.
class CarriedSteps {
 public:
  /// @param batches batches of all devices of this rank
  /// @param transport transport prepared for the components that the rule writes: round 0 for even
  /// steps, round 1 for odd ones
  CarriedSteps(const std::vector<DeviceBatch>& batches, HaloTransport& transport)
      : batches_(&batches), transport_(&transport) {}
  virtual ~CarriedSteps() = default;

  /// Returns the transport.
  HaloTransport& transport() const { return *transport_; }
  /// Returns the round of the transport after a step or pass.
  virtual std::size_t round(std::int64_t step) const { return static_cast<std::size_t>(step % 2); }
  /// Returns the steps or passes after which the host waits for its GPU to have begun them.
  virtual std::int64_t mostAhead() const;
  /// Returns the stream of the halo exchange of a GPU. All work is done when it is done.
  virtual cudaStream_t stream(const Worker& worker) const = 0;
  /// Queues step or pass number `step` on one GPU, and the sending of its halos.
  /// @pre All GPUs of this rank have queued the previous one, and its halos have been exchanged
  /// between ranks if that is done on the host.
  virtual void queue(std::int64_t step, const Worker& worker) const = 0;
  /// Queues the receipt of the last halos. @param steps number of steps
  virtual void queueEnd(std::int64_t steps, const Worker& worker) const;
  /// Returns the batch of a device of this rank.
  const DeviceBatch& batch(int device) const { return batchOf(*batches_, device); }

 protected:
  /// Queues the receipt of the halos of a step.
  void receive(std::int64_t step, const Worker& worker) const;

 private:
  const std::vector<DeviceBatch>* batches_;
  HaloTransport* transport_;
};

/// Steps whose halo exchange overlaps with the interior rows: border rows and halo messages are
/// queued on the border stream, interior rows on the main stream.
class OverlappedSteps : public CarriedSteps {
 public:
  OverlappedSteps(const std::vector<DeviceBatch>& batches, HaloTransport& transport,
                  const LaunchShape& shape)
      : CarriedSteps(batches, transport), shape_(shape) {}

  cudaStream_t stream(const Worker& worker) const override {
    return batch(worker.device()).resources().borderStream();
  }
  void queue(std::int64_t step, const Worker& worker) const override;
  void queueEnd(std::int64_t steps, const Worker& worker) const override;

 private:
  LaunchShape shape_;
};

/// Passes of several steps, with an exchange after each.
class CarriedMarches : public CarriedSteps {
 public:
  CarriedMarches(const std::vector<DeviceBatch>& batches, HaloTransport& transport,
                 int turnsPerPass)
      : CarriedSteps(batches, transport), turnsPerPass_(turnsPerPass) {}

  cudaStream_t stream(const Worker& worker) const override {
    return batch(worker.device()).resources().stream();
  }
  void queue(std::int64_t pass, const Worker& worker) const override;

 private:
  int turnsPerPass_;
};

/// Steps of a cycle on the devices of this rank.
struct CyclePlan {
  std::vector<std::vector<DeviceBatch>> batches;  ///< by rule of a turn and local device
  std::vector<LaunchShape> shapes;                ///< by rule
  /// By step of the cycle and device: places to compute.
  std::vector<std::vector<std::vector<PlaceBox>>> boxes;
  bool refreshesBorders = false;  ///< there are ghosts beyond borders
};

/// Cycles: several steps, of which all but the last also compute ghosts, and an exchange. The
/// transport has rounds for the ghosts beyond borders after each step of two turns, then for all
/// ghosts after even and odd cycles.
class CarriedCycles : public CarriedSteps {
 public:
  CarriedCycles(const CyclePlan& plan, HaloTransport& transport)
      : CarriedSteps(plan.batches.front(), transport), plan_(&plan) {}

  std::size_t round(std::int64_t cycle) const override {
    return 2 * plan_->batches.size() + static_cast<std::size_t>(cycle % 2);
  }
  std::int64_t mostAhead() const override;
  cudaStream_t stream(const Worker& worker) const override {
    return batch(worker.device()).resources().stream();
  }
  void queue(std::int64_t cycle, const Worker& worker) const override;

 private:
  const CyclePlan* plan_;
};

/// Runs steps or passes on one GPU of this rank, while other threads do so on the others.
/// @param count number of steps or passes
void runCarried(const CarriedSteps& steps, std::int64_t count, const Worker& worker,
                const GpuGuard& guard, FirstFailure& failure);

}  // namespace mass::detail
