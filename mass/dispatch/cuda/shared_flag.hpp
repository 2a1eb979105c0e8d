#pragma once

#include <mass/backend/cuda/check.hpp>

#include <atomic>

namespace mass::detail {

/// Flag in mapped pinned memory, which the host and GPUs read and raise. Any value but 0 is raised.
class SharedFlag {
 public:
  SharedFlag() {
    MASS_CUDA_CALL(
        cudaHostAlloc(&value_, sizeof(int), cudaHostAllocPortable | cudaHostAllocMapped));
    clear();
  }
  ~SharedFlag() { (void)cudaFreeHost(value_); }
  SharedFlag(const SharedFlag&) = delete;
  SharedFlag& operator=(const SharedFlag&) = delete;

  /// Returns the address, valid on the host and on all GPUs.
  int* address() const { return static_cast<int*>(value_); }
  void raise() const { std::atomic_ref(*address()).store(1); }
  void clear() const { std::atomic_ref(*address()).store(0); }
  bool raised() const { return std::atomic_ref(*address()).load() != 0; }
  /// Clears the flag and returns its previous value; 0 if it was not raised.
  int take() const { return std::atomic_ref(*address()).exchange(0); }

 private:
  void* value_ = nullptr;
};

}  // namespace mass::detail
