#pragma once

#include <mass/backend/cuda/check.hpp>

#include <atomic>

namespace mass::detail {

/// A flag in the host's memory that GPUs can read and raise, by any number but 0.
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

  int* address() const { return static_cast<int*>(value_); }
  void raise() const { std::atomic_ref(*address()).store(1); }
  void clear() const { std::atomic_ref(*address()).store(0); }
  bool raised() const { return std::atomic_ref(*address()).load() != 0; }
  /// The number by which it was raised, or 0; clears it.
  int take() const { return std::atomic_ref(*address()).exchange(0); }

 private:
  void* value_ = nullptr;
};

}  // namespace mass::detail
