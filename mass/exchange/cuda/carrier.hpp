#pragma once

#include <mass/exchange/cuda/parcel.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mass {

/// Moves parcels between GPUs by work queued on streams. A thread for each device calls send() when
/// the device's parcels are ready, and receive() when all that it expects have been sent.
class Carrier {
 public:
  virtual ~Carrier() = default;
  /// Told once before parcels are sent: how many bytes they have in a row.
  virtual void prepare(std::size_t /*bytes*/) {}
  virtual void send(int device, std::span<const Parcel> parcels, cudaStream_t stream) = 0;
  virtual void receive(int /*device*/, std::span<const Parcel> /*parcels*/,
                       cudaStream_t /*stream*/) {}
  /// Ends what a device waits for, because another one has failed.
  virtual void abandon(int /*device*/) {}
};

/// The GPUs behind the devices of a run.
using Gpus = std::vector<CudaDevice*>;

/// Copies from GPU to GPU; through the host, by the driver, where they cannot reach each other.
std::unique_ptr<Carrier> copyCarrier(Gpus gpus);

/// Copies to the host's memory and from there.
std::unique_ptr<Carrier> hostCarrier();

/// Sends and receives with NCCL, which is loaded when first asked for.
/// @throws DeviceError when it cannot be loaded or fails.
std::unique_ptr<Carrier> ncclCarrier(const Gpus& gpus);

/// Why there can be no ncclCarrier; empty if there can.
std::string whyNoNccl();

}  // namespace mass
