#include <mass/exchange/cuda/carrier.hpp>

#include <algorithm>
#include <utility>

namespace mass {
namespace {

class CopyCarrier : public Carrier {
 public:
  explicit CopyCarrier(Gpus gpus) : gpus_(std::move(gpus)) {}

  void send(int device, std::span<const Parcel> parcels, cudaStream_t stream) override {
    for (const Parcel& parcel : parcels) {
      if (!parcel.sentBy(device)) continue;
      MASS_CUDA_CALL(cudaMemcpyPeerAsync(parcel.to, ordinal(parcel.toDevice), parcel.from,
                                         ordinal(device), parcel.bytes, stream));
    }
  }

 private:
  int ordinal(int device) const { return gpus_[static_cast<std::size_t>(device)]->ordinal(); }

  Gpus gpus_;
};

class HostCarrier : public Carrier {
 public:
  ~HostCarrier() override { (void)cudaFreeHost(memory_); }

  void prepare(std::size_t bytes) override {
    if (bytes <= bytes_) return;
    MASS_CUDA_CALL(cudaFreeHost(std::exchange(memory_, nullptr)));
    bytes_ = 0;
    MASS_CUDA_CALL(cudaHostAlloc(&memory_, bytes, cudaHostAllocPortable));
    bytes_ = bytes;
  }
  void send(int device, std::span<const Parcel> parcels, cudaStream_t stream) override {
    for (const Parcel& parcel : parcels) {
      if (!parcel.sentBy(device)) continue;
      MASS_CUDA_CALL(cudaMemcpyAsync(stopover(parcel), parcel.from, parcel.bytes,
                                     cudaMemcpyDeviceToHost, stream));
    }
  }
  void receive(int device, std::span<const Parcel> parcels, cudaStream_t stream) override {
    for (const Parcel& parcel : parcels) {
      if (!parcel.sentTo(device)) continue;
      MASS_CUDA_CALL(cudaMemcpyAsync(parcel.to, stopover(parcel), parcel.bytes,
                                     cudaMemcpyHostToDevice, stream));
    }
  }

 private:
  void* stopover(const Parcel& parcel) const { return static_cast<char*>(memory_) + parcel.offset; }

  void* memory_ = nullptr;  // of the host, pinned: all GPUs reach it fast
  std::size_t bytes_ = 0;
};

}  // namespace

std::unique_ptr<Carrier> copyCarrier(Gpus gpus) {
  return std::make_unique<CopyCarrier>(std::move(gpus));
}

std::unique_ptr<Carrier> hostCarrier() {
  return std::make_unique<HostCarrier>();
}

}  // namespace mass
