#include <mass/exchange/cuda/gpu_exchange.hpp>

#include <numeric>
#include <utility>

namespace mass {
namespace {

class CopyExchange : public GpuExchange {
 public:
  CopyExchange(const PlaceFields& fields, Messages messages)
      : GpuExchange(std::move(messages)), fields_(&fields) {}

  void send(int device, int parity, cudaStream_t stream) override {
    for (const GhostMessage& message : messages(parity)) {
      if (message.fromDevice != device) continue;
      MASS_CUDA_CALL(cudaMemcpyPeerAsync(message.to, gpuOf(*fields_, message.toDevice).ordinal(),
                                         message.from, gpuOf(*fields_, device).ordinal(),
                                         message.bytes, stream));
    }
  }

 private:
  const PlaceFields* fields_;
};

/// Memory of the host that all GPUs reach fast.
class PinnedMemory {
 public:
  explicit PinnedMemory(std::size_t bytes) {
    MASS_CUDA_CALL(cudaHostAlloc(&data_, std::max<std::size_t>(bytes, 1), cudaHostAllocPortable));
  }
  ~PinnedMemory() { (void)cudaFreeHost(data_); }
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;
  char* data() const { return static_cast<char*>(data_); }

 private:
  void* data_ = nullptr;
};

std::size_t bytesOf(const std::vector<GhostMessage>& messages) {
  return std::accumulate(
      messages.begin(), messages.end(), std::size_t{0},
      [](std::size_t sum, const GhostMessage& message) { return sum + message.bytes; });
}

class HostExchange : public GpuExchange {
 public:
  explicit HostExchange(Messages all)
      : GpuExchange(std::move(all)),
        memory_{PinnedMemory(bytesOf(messages(0))), PinnedMemory(bytesOf(messages(1)))} {}

  void send(int device, int parity, cudaStream_t stream) override {
    forEach(parity, [&](const GhostMessage& message, char* host) {
      if (message.fromDevice != device) return;
      MASS_CUDA_CALL(
          cudaMemcpyAsync(host, message.from, message.bytes, cudaMemcpyDeviceToHost, stream));
    });
  }
  void receive(int device, int parity, cudaStream_t stream) override {
    forEach(parity, [&](const GhostMessage& message, char* host) {
      if (message.toDevice != device) return;
      MASS_CUDA_CALL(
          cudaMemcpyAsync(message.to, host, message.bytes, cudaMemcpyHostToDevice, stream));
    });
  }

 private:
  template <class F>
  void forEach(int parity, F&& f) const {
    char* host = memory_[parity].data();
    for (const GhostMessage& message : messages(parity)) {
      f(message, host);
      host += message.bytes;
    }
  }

  PinnedMemory memory_[2];
};

}  // namespace

CudaDevice& gpuOf(const PlaceFields& fields, int device) {
  return static_cast<CudaDevice&>(fields.devices().device(device));
}

std::unique_ptr<GpuExchange> copyExchange(const PlaceFields& fields,
                                          GpuExchange::Messages messages) {
  return std::make_unique<CopyExchange>(fields, std::move(messages));
}

std::unique_ptr<GpuExchange> hostExchange(const PlaceFields&, GpuExchange::Messages messages) {
  return std::make_unique<HostExchange>(std::move(messages));
}

}  // namespace mass
