#pragma once

#include <mass/backend/cuda/check.hpp>

#include <cstddef>
#include <memory>

namespace mass::detail {

/// Growable pinned memory of the host, which all GPUs can access.
class PinnedMemory {
 public:
  /// Ensures at least `bytes` bytes. The contents are lost if it grows.
  /// @throws DeviceError if the memory is exhausted
  void reserve(std::size_t bytes) {
    if (bytes <= bytes_) return;
    void* data = nullptr;
    MASS_CUDA_CALL(cudaHostAlloc(&data, bytes, cudaHostAllocPortable));
    data_.reset(static_cast<std::byte*>(data));
    bytes_ = bytes;
  }
  /// Returns the address of the first byte, for the host and all GPUs.
  std::byte* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(std::byte* data) const { (void)cudaFreeHost(data); }
  };
  std::unique_ptr<std::byte, Free> data_;
  std::size_t bytes_ = 0;
};

}  // namespace mass::detail
