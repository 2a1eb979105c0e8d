#pragma once

// Barriers in shared memory, and asynchronous copies into it. Only for sources that nvcc compiles.

#include <mass/support/cuda/ptx.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstdint>
#include <type_traits>

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

/// Barrier of the warps of a block that work on while they wait for each other: what a warp did
/// before arrive() has happened for all that return from wait(). On GPUs before Hopper wait() is
/// __syncthreads(), and all warps alternate the two calls.
class SplitBarrier {
 public:
  /// False before Hopper: a wait at one barrier of a block is one at all of them.
  static constexpr bool isSplit = onHopper;

  /// Initialises the barrier. One thread of the block calls it, before any other use;
  /// __syncthreads() follows. @param warps number of warps that arrive in each phase
  __device__ void begin([[maybe_unused]] unsigned warps) {
    if constexpr (onHopper) initBarrier(&state_, warps);
  }
  /// All lanes of a warp call it. @param isFirst true in one of them
  __device__ void arrive([[maybe_unused]] bool isFirst) {
    if constexpr (onHopper) {
      __syncwarp();
      if (isFirst) detail::arrive(&state_);
    }
  }
  /// Waits until all warps have arrived in the current phase. @param isOdd parity of that phase,
  /// see SharedBarrier
  __device__ void wait([[maybe_unused]] bool isOdd) {
    if constexpr (onHopper) {
      while (!isPhaseComplete(&state_, isOdd)) {
      }
    } else {
      __syncthreads();
    }
  }

 private:
  std::uint64_t state_;
};

/// Copies of single threads into shared memory, in groups that end() closes. On older GPUs than
/// Hopper a copy is complete at once.
class ThreadCopies {
 public:
  /// Begins a copy from global memory if `isWanted`.
  /// @tparam bytes 4, 8 or a multiple of 16; both addresses are multiples of it, or of 16
  template <int bytes>
  __device__ static void copy(void* to, const void* from, bool isWanted) {
    constexpr int unit = bytes < copyUnit ? bytes : copyUnit;
    using Unit =
        std::conditional_t<unit == 4, std::uint32_t, std::conditional_t<unit == 8, int2, uint4>>;
    static_assert(bytes % static_cast<int>(sizeof(Unit)) == 0);
    for (int k = 0; k < bytes / unit; ++k) {
      if constexpr (onHopper) {
        copyAsync<unit>(static_cast<Unit*>(to) + k, static_cast<const Unit*>(from) + k, isWanted);
      } else if (isWanted) {
        static_cast<Unit*>(to)[k] = static_cast<const Unit*>(from)[k];
      }
    }
  }
  /// Ends a group of copies.
  __device__ static void end() {
    if constexpr (onHopper) endCopyGroup();
  }
  /// Waits until at most `pending` groups of the thread are incomplete.
  template <int pending>
  __device__ static void await() {
    if constexpr (onHopper) awaitCopyGroups<pending>();
  }
};

/// Orders earlier accesses of the thread to shared memory before asynchronous copies. All threads
/// of a block call it, then __syncthreads(), before the next copies begin.
__device__ inline void fenceCopies() {
  if constexpr (onHopper) fenceBarrierInit();
}

}  // namespace mass::detail
