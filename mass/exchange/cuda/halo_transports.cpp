#include <mass/exchange/cuda/halo_transports.hpp>

#include <mass/backend/cpu/cpu_device.hpp>
#include <mass/backend/rank_packets.hpp>

#include <deque>
#include <utility>
#include <vector>

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

  bool exchangesOnHost() const override { return devices().ranks().count() > 1; }
  void exchange(std::size_t round) override {
    if (packets_[round].isEmpty()) return;
    packets_[round].start();
    packets_[round].finish();
  }

 protected:
  void reserve(const Rounds& rounds, std::size_t bytes) override {
    packets_.clear();
    if (bytes > bytes_) {
      MASS_CUDA_CALL(cudaFreeHost(std::exchange(memory_, nullptr)));
      bytes_ = 0;
      MASS_CUDA_CALL(cudaHostAlloc(&memory_, bytes, cudaHostAllocPortable));
      bytes_ = bytes;
    }
    for (const std::vector<PackedHalo>& halos : rounds) {
      RankPackets& packets = packets_.emplace_back(devices().ranks());
      for (const PackedHalo& halo : halos) {
        if (!devices().isLocal(halo.toDevice))
          packets.send(devices().rankOf(halo.toDevice), host_, stagingAddress(halo), halo.bytes);
        if (!devices().isLocal(halo.fromDevice)) {
          packets.receive(devices().rankOf(halo.fromDevice), host_, stagingAddress(halo),
                          halo.bytes);
        }
      }
    }
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
  /// Returns the address of a halo in host memory, of its sender or of its receiver.
  void* stagingAddress(const PackedHalo& halo) const {
    return static_cast<char*>(memory_) + halo.offset;
  }

  CpuDevice host_{0};
  void* memory_ = nullptr;  // pinned host memory, for all GPUs of this rank
  std::size_t bytes_ = 0;
  std::deque<RankPackets> packets_;  // by round
};

}  // namespace

std::unique_ptr<HaloTransport> peerCopyTransport(const DeviceConfig& devices) {
  return std::make_unique<PeerCopyTransport>(devices);
}

std::unique_ptr<HaloTransport> hostStagingTransport(const DeviceConfig& devices) {
  return std::make_unique<HostStagingTransport>(devices);
}

}  // namespace mass::detail
