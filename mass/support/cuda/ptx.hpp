#pragma once

// Instructions of PTX without an equivalent in CUDA C++. Only for sources that nvcc compiles.

#include <cstdint>

namespace mass::detail {

/// Prefetches the cache line at an address of global memory into the L2 cache.
__device__ inline void prefetch(const void* at) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(at));
}

/// Returns the global timer of the GPU, in nanoseconds.
__device__ inline std::uint64_t nanoseconds() {
  std::uint64_t now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

/// 1 / sqrt(x) within 2 units in the last place; infinity for x below 2^-126.
__device__ inline float approximateInverseSqrt(float x) {
  float result;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

/// Keeps nvcc from computing a number anew where it is used.
__device__ inline void keepInRegister(int& number) {
  asm volatile("" : "+r"(number));
}

/// Adds the `number` of the lane `distance` below in the warp; unchanged if there is no such lane.
/// All 32 lanes call it. A step of an inclusive warp scan.
__device__ inline void addFromLowerLane(int& number, int distance) {
  asm volatile(
      "{ .reg .pred valid; .reg .b32 other;"
      "shfl.sync.up.b32 other|valid, %0, %1, 0, -1; @valid add.s32 %0, %0, other; }"
      : "+r"(number)
      : "r"(distance));
}

/// Address in shared memory.
using SharedAddress = unsigned;
/// Returns the shared-memory address of `at`; keeps nvcc from recomputing it for each access.
__device__ inline SharedAddress sharedAddressOf(const void* at) {
  auto address = static_cast<unsigned>(__cvta_generic_to_shared(at));
  asm volatile("" : "+r"(address));
  return address;
}
/// Stores 8 bytes. @pre `at` is a multiple of 8
__device__ inline void storeShared(SharedAddress at, int2 value) {
  asm volatile("st.shared.v2.s32 [%0], {%1, %2};" ::"r"(at), "r"(value.x), "r"(value.y) : "memory");
}
/// Loads 8 bytes. @pre `at` is a multiple of 8
__device__ inline int2 loadShared(SharedAddress at) {
  int2 value;
  asm volatile("ld.shared.v2.s32 {%0, %1}, [%2];"
               : "=r"(value.x), "=r"(value.y)
               : "r"(at)
               : "memory");
  return value;
}

// Barriers in shared memory that asynchronous copies complete; from compute capability 9.0 on (PTX
// ISA 9.7.9.25, 9.7.13.15).

/// Initialises a barrier: each of its phases completes after `copies` calls of expectBytes(), and
/// the copies of the bytes that they expect.
__device__ inline void initBarrier(std::uint64_t* barrier, unsigned copies) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(barrier))),
               "r"(copies)
               : "memory");
}
/// Adds `bytes` to the bytes that the present phase expects.
__device__ inline void expectBytes(std::uint64_t* barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(barrier))),
               "r"(bytes)
               : "memory");
}
/// Begins a copy from global to shared memory that the present phase of `barrier` expects.
/// @param to, from, bytes multiples of 16
__device__ inline void copyToShared(void* to, const void* from, unsigned bytes,
                                    std::uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(static_cast<unsigned>(__cvta_generic_to_shared(to))),
      "l"(__cvta_generic_to_global(from)), "r"(bytes),
      "r"(static_cast<unsigned>(__cvta_generic_to_shared(barrier)))
      : "memory");
}
/// True if the phase with this parity is complete; may wait for it for a limited time.
__device__ inline bool isPhaseComplete(std::uint64_t* barrier, bool isOdd) {
  int arrived = 0;
  asm volatile(
      "{ .reg .pred arrived; mbarrier.try_wait.parity.shared::cta.b64 arrived, [%1], %2;"
      "selp.s32 %0, 1, 0, arrived; }"
      : "=r"(arrived)
      : "r"(static_cast<unsigned>(__cvta_generic_to_shared(barrier))), "r"(isOdd ? 1 : 0)
      : "memory");
  return arrived != 0;
}
/// Arrives at a barrier: a phase completes after as many arrivals as initBarrier() was given.
__device__ inline void arrive(std::uint64_t* barrier) {
  asm volatile("{ .reg .b64 state; mbarrier.arrive.shared::cta.b64 state, [%0]; }" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(barrier)))
               : "memory");
}
/// Orders initBarrier() and earlier accesses to shared memory before asynchronous copies.
__device__ inline void fenceBarrierInit() {
  asm volatile("fence.mbarrier_init.release.cluster; fence.proxy.async;" ::: "memory");
}

// Asynchronous copies by single threads, from compute capability 8.0 on (PTX ISA 9.7.9.25.3).

/// Begins a copy from global to shared memory if `isWanted`; without a branch.
/// @tparam bytes 4, 8 or 16, of which both addresses are multiples
template <int bytes>
__device__ inline void copyAsync(void* to, const void* from, bool isWanted) {
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  const unsigned wanted = isWanted ? 1 : 0;
  if constexpr (bytes == 16) {
    asm volatile(
        "{ .reg .pred wanted; setp.ne.u32 wanted, %2, 0;"
        "@wanted cp.async.cg.shared.global [%0], [%1], 16; }" ::"r"(address),
        "l"(__cvta_generic_to_global(from)), "r"(wanted)
        : "memory");
  } else {
    asm volatile(
        "{ .reg .pred wanted; setp.ne.u32 wanted, %2, 0;"
        "@wanted cp.async.ca.shared.global [%0], [%1], %3; }" ::"r"(address),
        "l"(__cvta_generic_to_global(from)), "r"(wanted), "n"(bytes)
        : "memory");
  }
}
/// Ends a group of the thread's copies.
__device__ inline void endCopyGroup() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
/// Waits until at most `pending` of the thread's groups are incomplete, the latest ones.
template <int pending>
__device__ inline void awaitCopyGroups() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

}  // namespace mass::detail
