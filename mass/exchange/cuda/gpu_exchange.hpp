#pragma once

#include <mass/backend/cuda/cuda_device.hpp>
#include <mass/exchange/ghost_message.hpp>

#include <array>
#include <memory>
#include <vector>

namespace mass {

/// Brings ghost rows from one GPU to another by work queued on streams. A thread for each device
/// calls send(), for each step, when the border rows are queued, and receive() before the next
/// step's; in between, the device's stream waits for the devices that send to it.
class GpuExchange {
 public:
  /// Messages of even and of odd steps.
  using Messages = std::array<std::vector<GhostMessage>, 2>;

  explicit GpuExchange(Messages messages) : messages_(std::move(messages)) {}
  virtual ~GpuExchange() = default;
  virtual void send(int device, int parity, cudaStream_t stream) = 0;
  virtual void receive(int /*device*/, int /*parity*/, cudaStream_t /*stream*/) {}

 protected:
  const std::vector<GhostMessage>& messages(int parity) const {
    return messages_[static_cast<std::size_t>(parity)];
  }

 private:
  Messages messages_;
};

/// Copies from GPU to GPU; through the host, by the driver, where they cannot reach each other.
std::unique_ptr<GpuExchange> copyExchange(const PlaceFields& fields,
                                          GpuExchange::Messages messages);

/// Copies to the host's memory and from there.
std::unique_ptr<GpuExchange> hostExchange(const PlaceFields& fields,
                                          GpuExchange::Messages messages);

/// The GPU behind a device of a run on GPUs.
CudaDevice& gpuOf(const PlaceFields& fields, int device);

}  // namespace mass
