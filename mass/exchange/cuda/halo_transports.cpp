#include <mass/exchange/cuda/halo_transports.hpp>

#include <utility>

namespace mass::detail {
namespace {

class PeerCopyTransport : public GpuHaloTransport {
 public:
  using GpuHaloTransport::GpuHaloTransport;

 protected:
  void sendPacked(int device, std::span<const PackedHalo> halos, cudaStream_t stream) override {
    for (const PackedHalo& halo : halos) {
      if (!halo.isSentBy(device)) continue;
      MASS_CUDA_CALL(cudaMemcpyPeerAsync(halo.to, gpu(halo.toDevice).ordinal(), halo.from,
                                         gpu(device).ordinal(), halo.bytes, stream));
    }
  }
};

class HostStagingTransport : public GpuHaloTransport {
 public:
  using GpuHaloTransport::GpuHaloTransport;
  ~HostStagingTransport() override { (void)cudaFreeHost(memory_); }
  HostStagingTransport(const HostStagingTransport&) = delete;
  HostStagingTransport& operator=(const HostStagingTransport&) = delete;

 protected:
  void reserve(std::size_t bytes) override {
    if (bytes <= bytes_) return;
    MASS_CUDA_CALL(cudaFreeHost(std::exchange(memory_, nullptr)));
    bytes_ = 0;
    MASS_CUDA_CALL(cudaHostAlloc(&memory_, bytes, cudaHostAllocPortable));
    bytes_ = bytes;
  }
  void sendPacked(int device, std::span<const PackedHalo> halos, cudaStream_t stream) override {
    for (const PackedHalo& halo : halos) {
      if (!halo.isSentBy(device)) continue;
      MASS_CUDA_CALL(cudaMemcpyAsync(stagingAddress(halo), halo.from, halo.bytes,
                                     cudaMemcpyDeviceToHost, stream));
    }
  }
  void receivePacked(int device, std::span<const PackedHalo> halos, cudaStream_t stream) override {
    for (const PackedHalo& halo : halos) {
      if (!halo.isReceivedBy(device)) continue;
      MASS_CUDA_CALL(cudaMemcpyAsync(halo.to, stagingAddress(halo), halo.bytes,
                                     cudaMemcpyHostToDevice, stream));
    }
  }

 private:
  /// Returns the address of a halo in host memory.
  void* stagingAddress(const PackedHalo& halo) const {
    return static_cast<char*>(memory_) + halo.offset;
  }

  void* memory_ = nullptr;  // pinned host memory, for all GPUs
  std::size_t bytes_ = 0;
};

}  // namespace

std::unique_ptr<HaloTransport> peerCopyTransport(Gpus gpus) {
  return std::make_unique<PeerCopyTransport>(std::move(gpus));
}

std::unique_ptr<HaloTransport> hostStagingTransport(Gpus gpus) {
  return std::make_unique<HostStagingTransport>(std::move(gpus));
}

}  // namespace mass::detail
