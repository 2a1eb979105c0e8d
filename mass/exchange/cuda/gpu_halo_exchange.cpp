#include <mass/exchange/cuda/gpu_halo_exchange.hpp>

#include <utility>

namespace mass::detail {

GpuHaloExchange::GpuHaloExchange(Gpus gpus, std::unique_ptr<GpuTransport> transport)
    : gpus_(std::move(gpus)), transport_(std::move(transport)), stagingBuffers_(gpus_.size()) {}

void GpuHaloExchange::prepare(const std::array<std::vector<HaloMessage>, 2>& messages) {
  std::size_t bytes = 0;
  std::vector<std::size_t> stagingBytes(gpus_.size(), 0);
  for (std::size_t parity = 0; parity < 2; ++parity) {
    halos_[parity] = packHalos(messages[parity]);
    for (PackedHalo& halo : halos_[parity]) {
      halo.offset = std::exchange(bytes, bytes + halo.bytes);
      stagingBytes[static_cast<std::size_t>(halo.fromDevice)] += halo.bytes;
      stagingBytes[static_cast<std::size_t>(halo.toDevice)] += halo.bytes;
    }
  }
  std::vector<char*> next;
  for (std::size_t device = 0; device < gpus_.size(); ++device) {
    Buffer& buffer = stagingBuffers_[device];
    if (stagingBytes[device] > buffer.bytes())
      buffer = Buffer(*gpus_[device], stagingBytes[device]);
    next.push_back(static_cast<char*>(buffer.data()));
  }
  const auto reserveStaging = [&](int device, const PackedHalo& halo) {
    char*& free = next[static_cast<std::size_t>(device)];
    return std::exchange(free, free + halo.bytes);
  };
  for (auto& halos : halos_) {
    for (PackedHalo& halo : halos) {
      const HaloMessage& first = halo.parts.front();
      if (halo.isPacked()) {
        halo.from = halo.packBuffer = reserveStaging(halo.fromDevice, halo);
        halo.to = reserveStaging(halo.toDevice, halo);
      } else {
        halo.from = first.from;
        halo.to = first.to;
      }
    }
  }
  transport_->prepare(bytes);
}

void GpuHaloExchange::send(int device, int parity, cudaStream_t stream) const {
  for (const PackedHalo& halo : halos(parity)) {
    if (halo.isSentBy(device) && halo.isPacked()) queuePack(halo, stream);
    if (halo.fromDevice == device && halo.toDevice == device) queueCopy(halo, stream);
  }
  transport_->send(device, halos(parity), stream);
}

void GpuHaloExchange::receive(int device, int parity, cudaStream_t stream) const {
  transport_->receive(device, halos(parity), stream);
  for (const PackedHalo& halo : halos(parity)) {
    if (halo.isReceivedBy(device) && halo.isPacked()) queueUnpack(halo, stream);
  }
}

}  // namespace mass::detail
