#include <mass/exchange/cuda/gpu_transport.hpp>

#include <algorithm>
#include <utility>

namespace mass::detail {
namespace {

class PeerCopyTransport : public GpuTransport {
 public:
  explicit PeerCopyTransport(Gpus gpus) : gpus_(std::move(gpus)) {}

  void send(int device, std::span<const PackedHalo> halos, cudaStream_t stream) override {
    for (const PackedHalo& halo : halos) {
      if (!halo.isSentBy(device)) continue;
      MASS_CUDA_CALL(cudaMemcpyPeerAsync(halo.to, ordinal(halo.toDevice), halo.from,
                                         ordinal(device), halo.bytes, stream));
    }
  }

 private:
  int ordinal(int device) const { return gpus_[static_cast<std::size_t>(device)]->ordinal(); }

  Gpus gpus_;
};

class HostStagingTransport : public GpuTransport {
 public:
  ~HostStagingTransport() override { (void)cudaFreeHost(memory_); }

  void prepare(std::size_t bytes) override {
    if (bytes <= bytes_) return;
    MASS_CUDA_CALL(cudaFreeHost(std::exchange(memory_, nullptr)));
    bytes_ = 0;
    MASS_CUDA_CALL(cudaHostAlloc(&memory_, bytes, cudaHostAllocPortable));
    bytes_ = bytes;
  }
  void send(int device, std::span<const PackedHalo> halos, cudaStream_t stream) override {
    for (const PackedHalo& halo : halos) {
      if (!halo.isSentBy(device)) continue;
      MASS_CUDA_CALL(cudaMemcpyAsync(stagingAddress(halo), halo.from, halo.bytes,
                                     cudaMemcpyDeviceToHost, stream));
    }
  }
  void receive(int device, std::span<const PackedHalo> halos, cudaStream_t stream) override {
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

std::unique_ptr<GpuTransport> peerCopyTransport(Gpus gpus) {
  return std::make_unique<PeerCopyTransport>(std::move(gpus));
}

std::unique_ptr<GpuTransport> hostStagingTransport() {
  return std::make_unique<HostStagingTransport>();
}

}  // namespace mass::detail
