#pragma once

#include <mass/exchange/cuda/gpu_transport.hpp>

#include <array>
#include <memory>
#include <vector>

namespace mass::detail {

/// Brings ghost rows from one GPU to another by work queued on streams: packs what goes from one to
/// another into a parcel, and lets a carrier move it. A thread for each device calls send(), for
/// each step, when the border rows are queued, and receive() before the next step's; in between,
/// the device's stream waits for the devices that send to it.
class GpuHaloExchange {
 public:
  GpuHaloExchange(Gpus gpus, std::unique_ptr<GpuTransport> transport);

  /// Makes ready for the messages of even and of odd steps.
  void prepare(const std::array<std::vector<HaloMessage>, 2>& messages);
  void send(int device, int parity, cudaStream_t stream) const;
  void receive(int device, int parity, cudaStream_t stream) const;
  /// Ends what a device waits for, because another one has failed.
  void abort(int device) const { transport_->abort(device); }

 private:
  const std::vector<PackedHalo>& halos(int parity) const {
    return halos_[static_cast<std::size_t>(parity)];
  }

  Gpus gpus_;
  std::unique_ptr<GpuTransport> transport_;
  std::array<std::vector<PackedHalo>, 2> halos_;
  std::vector<Buffer>
      stagingBuffers_;  // by device: for the parcels that it puts together or takes apart
};

}  // namespace mass::detail
