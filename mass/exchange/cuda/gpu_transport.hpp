#pragma once

#include <mass/exchange/cuda/packed_halo.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mass::detail {

/// Moves parcels between GPUs by work queued on streams. A thread for each device calls send() when
/// the device's parcels are ready, and receive() when all that it expects have been sent.
class GpuTransport {
 public:
  virtual ~GpuTransport() = default;
  /// Told once before parcels are sent: how many bytes they have in a row.
  virtual void prepare(std::size_t /*bytes*/) {}
  virtual void send(int device, std::span<const PackedHalo> halos, cudaStream_t stream) = 0;
  virtual void receive(int /*device*/, std::span<const PackedHalo> /*parcels*/,
                       cudaStream_t /*stream*/) {}
  /// Ends what a device waits for, because another one has failed.
  virtual void abort(int /*device*/) {}
};

/// The GPUs behind the devices of a run.
using Gpus = std::vector<CudaDevice*>;

/// Copies from GPU to GPU; through the host, by the driver, where they cannot reach each other.
std::unique_ptr<GpuTransport> peerCopyTransport(Gpus gpus);

/// Copies to the host's memory and from there.
std::unique_ptr<GpuTransport> hostStagingTransport();

/// Sends and receives with NCCL, which is loaded when first asked for.
/// @throws DeviceError when it cannot be loaded or fails.
std::unique_ptr<GpuTransport> ncclTransport(const Gpus& gpus);

/// Why there can be no ncclCarrier; empty if there can.
std::string ncclUnavailableReason();

}  // namespace mass::detail
