#pragma once

#include <mass/exchange/cuda/gpu_transport.hpp>

#include <array>
#include <memory>
#include <vector>

namespace mass::detail {

/// Halo exchange between GPUs by work queued on streams: packs the messages between two GPUs, moves
/// them with a GpuTransport and unpacks them. In each step, the worker of each device calls send()
/// after it has queued the border rows, lets its stream wait for the devices that send to it, and
/// calls receive() before it queues the border rows of the next step.
class GpuHaloExchange {
 public:
  /// @param gpus the GPUs by device @param transport moves the packed halos
  GpuHaloExchange(Gpus gpus, std::unique_ptr<GpuTransport> transport);

  /// Packs the messages of even ([0]) and odd ([1]) steps and allocates staging buffers.
  /// @throws DeviceError if memory is exhausted
  void prepare(const std::array<std::vector<HaloMessage>, 2>& messages);
  /// Queues the packing and sending of the halos of a device, and its copies to itself.
  /// @param parity 0 in even steps, 1 in odd steps @param stream a stream of the device
  void send(int device, int parity, cudaStream_t stream) const;
  /// Queues the receiving and unpacking of the halos of a device; parameters as of send().
  void receive(int device, int parity, cudaStream_t stream) const;
  /// Aborts pending transfers of a device after another device has failed.
  void abort(int device) const { transport_->abort(device); }

 private:
  const std::vector<PackedHalo>& halos(int parity) const {
    return halos_[static_cast<std::size_t>(parity)];
  }

  Gpus gpus_;
  std::unique_ptr<GpuTransport> transport_;
  std::array<std::vector<PackedHalo>, 2> halos_;
  std::vector<Buffer> stagingBuffers_;  // by device: for halos to pack and to unpack
};

}  // namespace mass::detail
