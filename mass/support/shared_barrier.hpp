#pragma once

// Copies into a block's memory that go on beside its threads; included by code that nvcc compiles.

#include <cstdint>

namespace mass::detail {

/// Bytes of which such copies are made, and to multiples of which they lie.
inline constexpr int copyUnit = 16;

/// Says when some copies have arrived; lies in the block's memory itself. From Hopper on, the
/// copies are asynchronous ("mbarrier" and "cp.async.bulk", PTX ISA 9.7.9.25); on older GPUs they
/// are made at once, by the thread that asks for them, and are seen by others that meet it.
class SharedBarrier {
 public:
  /// By one thread, before all others of the block use it: each time, so many copies arrive.
  __device__ void begin(unsigned copies) {
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(this)), "r"(copies)
                 : "memory");
#endif
  }
  /// Begins a copy of so many bytes, which may be none.
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
  /// Returns when all copies have arrived for the first, third... time, or (`isOdd`) for the
  /// second, fourth...
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

/// To be called by all threads of a block before they meet and copies begin: these then see what
/// threads have done.
__device__ inline void fenceCopies() {
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.mbarrier_init.release.cluster; fence.proxy.async;" ::: "memory");
#endif
}

}  // namespace mass::detail
