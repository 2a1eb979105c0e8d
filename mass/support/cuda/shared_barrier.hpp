#pragma once

// Asynchronous copies into shared memory. Only for sources that nvcc compiles.

#include <mass/support/cuda/ptx.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstdint>

namespace mass::detail {

/// Granularity of these copies: addresses and sizes are multiples of so many bytes.
inline constexpr int copyUnit = 16;

/// Barrier in shared memory that asynchronous copies complete. From Hopper on it is an mbarrier and
/// the copies are bulk copies ("cp.async.bulk", PTX ISA 9.7.9.25). On older GPUs the calling thread
/// copies synchronously; other threads see the data after the next __syncthreads().
class SharedBarrier {
 public:
  /// Initialises the barrier: each phase completes after `copies` copies. One thread of the block
  /// calls it, before any other use; fenceCopies() and __syncthreads() follow.
  __device__ void begin([[maybe_unused]] unsigned copies) {
    if constexpr (onHopper) initBarrier(&state_, copies);
  }
  /// Begins a copy from global to shared memory. @param bytes a multiple of copyUnit, or 0
  __device__ void copy(void* to, const void* from, unsigned bytes) {
    if constexpr (onHopper) {
      expectBytes(&state_, bytes);
      if (bytes != 0) copyToShared(to, from, bytes, &state_);
    } else {
      for (unsigned unit = 0; unit < bytes / copyUnit; ++unit)
        static_cast<uint4*>(to)[unit] = static_cast<const uint4*>(from)[unit];
    }
  }
  /// Waits until the current phase is complete. @param isOdd parity of that phase: false for the
  /// first, third, ..., true for the second, fourth, ...
  __device__ void wait([[maybe_unused]] bool isOdd) {
    if constexpr (onHopper) {
      while (!isPhaseComplete(&state_, isOdd)) {
      }
    }
  }

 private:
  std::uint64_t state_;
};

/// Orders earlier accesses of the thread to shared memory before asynchronous copies. All threads
/// of a block call it, then __syncthreads(), before the next copies begin.
__device__ inline void fenceCopies() {
  if constexpr (onHopper) fenceBarrierInit();
}

}  // namespace mass::detail
