#pragma once

#include <mass/exchange/cuda/queue_packed.hpp>
#include <mass/exchange/halo_transport.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace mass::detail {

/// Transport between GPUs by work queued on streams: packs the messages between two GPUs, moves
/// them by the method of a subclass and unpacks them.
class GpuHaloTransport : public HaloTransport {
 public:
  /// @param devices devices of the places, all GPUs; must outlive this
  explicit GpuHaloTransport(const DeviceConfig& devices)
      : devices_(&devices), stagingBuffers_(static_cast<std::size_t>(devices.size())) {}

  void prepare(std::vector<std::vector<HaloMessage>> rounds) override;
  /// Queues the packing and sending of the halos of a device, and its copies to itself.
  void send(const Worker& worker, std::size_t round, Queue queue) override;
  /// Queues the receiving and unpacking of the halos of a device.
  void receive(const Worker& worker, std::size_t round, Queue queue) override;

 protected:
  /// Halos to or from GPUs of this rank, by round.
  using Rounds = std::vector<std::vector<PackedHalo>>;

  /// Prepares for halos of `bytes` bytes, of all rounds together.
  /// @throws DeviceError if memory is exhausted
  virtual void reserve(const Rounds& /*rounds*/, std::size_t /*bytes*/) {}
  /// Queues the transfer of the packed halos that a device sends to others.
  virtual void sendPacked(int device, std::span<const PackedHalo> halos, cudaStream_t stream) = 0;
  /// Queues the transfer of the packed halos that a device receives; for methods in two stages.
  virtual void receivePacked(int /*device*/, std::span<const PackedHalo> /*halos*/,
                             cudaStream_t /*stream*/) {}

  /// Returns the devices of the places.
  const DeviceConfig& devices() const { return *devices_; }
  /// Returns the GPU of a device. @pre it belongs to this rank
  CudaDevice& gpu(int device) const { return static_cast<CudaDevice&>(devices_->device(device)); }

 private:
  bool isHere(const HaloMessage& message) const {
    return devices_->isLocal(message.fromDevice) || devices_->isLocal(message.toDevice);
  }

  const DeviceConfig* devices_;
  Rounds halos_;
  std::vector<Buffer> stagingBuffers_;  // by device: for halos to pack and to unpack
};

}  // namespace mass::detail
