#pragma once

#include <mass/exchange/cuda/carrier.hpp>

#include <array>
#include <memory>
#include <vector>

namespace mass {

/// Brings ghost rows from one GPU to another by work queued on streams: packs what goes from one to
/// another into a parcel, and lets a carrier move it. A thread for each device calls send(), for
/// each step, when the border rows are queued, and receive() before the next step's; in between,
/// the device's stream waits for the devices that send to it.
class GpuExchange {
 public:
  GpuExchange(Gpus gpus, std::unique_ptr<Carrier> carrier);

  /// Makes ready for the messages of even and of odd steps.
  void prepare(const std::array<std::vector<GhostMessage>, 2>& messages);
  void send(int device, int parity, cudaStream_t stream) const;
  void receive(int device, int parity, cudaStream_t stream) const;
  /// Ends what a device waits for, because another one has failed.
  void abandon(int device) const { carrier_->abandon(device); }

 private:
  const std::vector<Parcel>& parcels(int parity) const {
    return parcels_[static_cast<std::size_t>(parity)];
  }

  Gpus gpus_;
  std::unique_ptr<Carrier> carrier_;
  std::array<std::vector<Parcel>, 2> parcels_;
  std::vector<Buffer> rooms_;  // by device: for the parcels that it puts together or takes apart
};

}  // namespace mass
