#pragma once

#include <mass/exchange/cuda/packed_halo.hpp>
#include <mass/exchange/halo_transport.hpp>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace mass::detail {

/// GPUs of a run, by device.
using Gpus = std::vector<CudaDevice*>;

/// Transport between GPUs by work queued on streams: packs the messages between two GPUs, moves
/// them by the method of a subclass and unpacks them.
class GpuHaloTransport : public HaloTransport {
 public:
  /// @param gpus the GPUs by device
  explicit GpuHaloTransport(Gpus gpus) : gpus_(std::move(gpus)), stagingBuffers_(gpus_.size()) {}

  void prepare(std::vector<std::vector<HaloMessage>> rounds) override;
  /// Queues the packing and sending of the halos of a device, and its copies to itself.
  void send(const Worker& worker, std::size_t round, Queue queue) override;
  /// Queues the receiving and unpacking of the halos of a device.
  void receive(const Worker& worker, std::size_t round, Queue queue) override;

 protected:
  /// Prepares for halos of `bytes` bytes, of all rounds together.
  /// @throws DeviceError if memory is exhausted
  virtual void reserve(std::size_t /*bytes*/) {}
  /// Queues the transfer of the packed halos that a device sends to others.
  virtual void sendPacked(int device, std::span<const PackedHalo> halos, cudaStream_t stream) = 0;
  /// Queues the transfer of the packed halos that a device receives; for methods in two stages.
  virtual void receivePacked(int /*device*/, std::span<const PackedHalo> /*halos*/,
                             cudaStream_t /*stream*/) {}

  /// Returns the GPU of a device.
  CudaDevice& gpu(int device) const { return *gpus_[static_cast<std::size_t>(device)]; }

 private:
  Gpus gpus_;
  std::vector<std::vector<PackedHalo>> halos_;  // by round
  std::vector<Buffer> stagingBuffers_;          // by device: for halos to pack and to unpack
};

}  // namespace mass::detail
