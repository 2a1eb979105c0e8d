#pragma once

// Asynchronous copies into shared memory. Only for sources that nvcc compiles.

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
  __device__ void begin(unsigned copies) {
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(this)), "r"(copies)
                 : "memory");
#endif
  }
  /// Begins a copy from global to shared memory. @param bytes a multiple of copyUnit, or 0
  __device__ void copy(void* to, const void* from, unsigned bytes) {
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(this)),
                 "r"(bytes)
                 : "memory");
    if (bytes == 0) return;
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(address(to)),
        "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(address(this))
        : "memory");
#else
    for (unsigned unit = 0; unit < bytes / copyUnit; ++unit)
      static_cast<uint4*>(to)[unit] = static_cast<const uint4*>(from)[unit];
#endif
  }
  /// Waits until the current phase is complete. @param isOdd parity of that phase: false for the
  /// first, third, ..., true for the second, fourth, ...
  __device__ void wait([[maybe_unused]] bool isOdd) {
#if __CUDA_ARCH__ >= 900
    int arrived = 0;
    while (arrived == 0) {
      asm volatile(
          "{ .reg .pred arrived; mbarrier.try_wait.parity.shared::cta.b64 arrived, [%1], %2;"
          "selp.s32 %0, 1, 0, arrived; }"
          : "=r"(arrived)
          : "r"(address(this)), "r"(isOdd ? 1 : 0)
          : "memory");
    }
#endif
  }

 private:
#if __CUDA_ARCH__ >= 900
  __device__ static unsigned address(const void* at) {
    return static_cast<unsigned>(__cvta_generic_to_shared(at));
  }
#endif
  std::uint64_t state_;
};

/// Orders earlier accesses of the thread to shared memory before asynchronous copies. All threads
/// of a block call it, then __syncthreads(), before the next copies begin.
__device__ inline void fenceCopies() {
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.mbarrier_init.release.cluster; fence.proxy.async;" ::: "memory");
#endif
}

}  // namespace mass::detail
