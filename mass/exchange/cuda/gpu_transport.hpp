#pragma once

#include <mass/exchange/cuda/packed_halo.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mass::detail {

/// Method that moves packed halos between GPUs by work queued on streams. The worker of each device
/// calls send() after it has queued the packing, and receive() after its stream waits for all
/// senders.
class GpuTransport {
 public:
  virtual ~GpuTransport() = default;
  /// Prepares for halos of `bytes` bytes, those of even and odd steps together.
  /// @throws DeviceError if memory is exhausted
  virtual void prepare(std::size_t /*bytes*/) {}
  /// Queues the transfer of the halos that a device sends to others.
  virtual void send(int device, std::span<const PackedHalo> halos, cudaStream_t stream) = 0;
  /// Queues the transfer of the halos that a device receives; for methods in two stages.
  virtual void receive(int /*device*/, std::span<const PackedHalo> /*halos*/,
                       cudaStream_t /*stream*/) {}
  /// Aborts pending transfers of a device after another device has failed.
  virtual void abort(int /*device*/) {}
};

/// GPUs of a run, by device.
using Gpus = std::vector<CudaDevice*>;

/// Creates a transport by peer copies; the driver stages them through the host without peer access.
std::unique_ptr<GpuTransport> peerCopyTransport(Gpus gpus);

/// Creates a transport that stages halos in pinned host memory.
std::unique_ptr<GpuTransport> hostStagingTransport();

/// Creates a transport by NCCL send and receive; loads the NCCL library on first use.
/// @throws DeviceError if the library cannot be loaded or fails
std::unique_ptr<GpuTransport> ncclTransport(const Gpus& gpus);

/// Returns the reason why ncclTransport() is not available; empty if it is.
std::string ncclUnavailableReason();

}  // namespace mass::detail
