#include <mass/exchange/cuda/gpu_exchange.hpp>

#include <utility>

namespace mass {

GpuExchange::GpuExchange(Gpus gpus, std::unique_ptr<Carrier> carrier)
    : gpus_(std::move(gpus)), carrier_(std::move(carrier)), rooms_(gpus_.size()) {}

void GpuExchange::prepare(const std::array<std::vector<GhostMessage>, 2>& messages) {
  std::size_t bytes = 0;
  std::vector<std::size_t> room(gpus_.size(), 0);
  for (std::size_t parity = 0; parity < 2; ++parity) {
    parcels_[parity] = parcelsOf(messages[parity]);
    for (Parcel& parcel : parcels_[parity]) {
      parcel.offset = std::exchange(bytes, bytes + parcel.bytes);
      room[static_cast<std::size_t>(parcel.fromDevice)] += parcel.bytes;
      room[static_cast<std::size_t>(parcel.toDevice)] += parcel.bytes;
    }
  }
  std::vector<char*> next;
  for (std::size_t device = 0; device < gpus_.size(); ++device) {
    Buffer& buffer = rooms_[device];
    if (room[device] > buffer.bytes()) buffer = Buffer(*gpus_[device], room[device]);
    next.push_back(static_cast<char*>(buffer.data()));
  }
  const auto block = [&](int device, const Parcel& parcel) {
    char*& free = next[static_cast<std::size_t>(device)];
    return std::exchange(free, free + parcel.bytes);
  };
  for (auto& parcels : parcels_) {
    for (Parcel& parcel : parcels) {
      const GhostMessage& first = parcel.parts.front();
      if (parcel.packed()) {
        parcel.from = parcel.block = block(parcel.fromDevice, parcel);
        parcel.to = block(parcel.toDevice, parcel);
      } else {
        parcel.from = first.from;
        parcel.to = first.to;
      }
    }
  }
  carrier_->prepare(bytes);
}

void GpuExchange::send(int device, int parity, cudaStream_t stream) const {
  for (const Parcel& parcel : parcels(parity)) {
    if (parcel.sentBy(device) && parcel.packed()) queuePack(parcel, stream);
    if (parcel.fromDevice == device && parcel.toDevice == device) queueMove(parcel, stream);
  }
  carrier_->send(device, parcels(parity), stream);
}

void GpuExchange::receive(int device, int parity, cudaStream_t stream) const {
  carrier_->receive(device, parcels(parity), stream);
  for (const Parcel& parcel : parcels(parity)) {
    if (parcel.sentTo(device) && parcel.packed()) queueUnpack(parcel, stream);
  }
}

}  // namespace mass
