#include <mass/exchange/cuda/gpu_halo_transport.hpp>

#include <utility>

namespace mass::detail {

void GpuHaloTransport::prepare(std::vector<std::vector<HaloMessage>> rounds) {
  std::size_t bytes = 0;
  std::vector<std::size_t> stagingBytes(stagingBuffers_.size(), 0);
  halos_.clear();
  for (std::vector<HaloMessage>& messages : rounds) {
    std::erase_if(messages, [&](const HaloMessage& message) { return !isHere(message); });
    for (PackedHalo& halo : halos_.emplace_back(packHalos(messages))) {
      halo.offset = std::exchange(bytes, bytes + halo.bytes);
      stagingBytes[static_cast<std::size_t>(halo.fromDevice)] += halo.bytes;
      stagingBytes[static_cast<std::size_t>(halo.toDevice)] += halo.bytes;
    }
  }
  std::vector<char*> next(stagingBuffers_.size(), nullptr);
  for (const int number : devices_->local()) {
    const auto device = static_cast<std::size_t>(number);
    Buffer& buffer = stagingBuffers_[device];
    if (stagingBytes[device] > buffer.bytes()) buffer = Buffer(gpu(number), stagingBytes[device]);
    next[device] = static_cast<char*>(buffer.data());
  }
  const auto reserveStaging = [&](int device, const PackedHalo& halo) -> char* {
    if (!devices_->isLocal(device)) return nullptr;
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
  reserve(halos_, bytes);
}

void GpuHaloTransport::send(const Worker& worker, std::size_t round, Queue queue) {
  const int device = worker.device();
  auto* const stream = static_cast<cudaStream_t>(queue);
  for (const PackedHalo& halo : halos_[round]) {
    if (halo.isSentBy(device) && halo.isPacked()) queuePack(halo, stream);
    if (halo.fromDevice == device && halo.toDevice == device) queueCopy(halo, stream);
  }
  sendPacked(device, halos_[round], stream);
}

void GpuHaloTransport::receive(const Worker& worker, std::size_t round, Queue queue) {
  const int device = worker.device();
  auto* const stream = static_cast<cudaStream_t>(queue);
  receivePacked(device, halos_[round], stream);
  for (const PackedHalo& halo : halos_[round]) {
    if (halo.isReceivedBy(device) && halo.isPacked()) queueUnpack(halo, stream);
  }
}

}  // namespace mass::detail
