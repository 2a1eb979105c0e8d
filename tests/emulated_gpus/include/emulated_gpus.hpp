#pragma once

// Emulates GPUs by threads of the host, for tests: the part of CUDA's language and runtime that the
// CUDA backend uses, with the same meaning but for time. Each stream has a thread that runs its
// work in order; the threads of a block take turns on it, each up to its next barrier. Every source
// of a build with MASS_EMULATED_GPUS includes this file first.
//
// EMULATED_GPUS           number of GPUs; 4 if it is not set
// EMULATED_GPUS_APART=1   GPUs cannot access each other's memory
// EMULATED_GPUS_PEERS=0   GPUs could, but enabling access fails

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

#define __CUDACC__ 1
#define __CUDA_ARCH__ 800
#define CUDART_VERSION 13000
#define __host__
#define __device__
#define __global__
#define __forceinline__ inline
#define __grid_constant__
#define __launch_bounds__(...)
#define __shared__ thread_local
#define __builtin_assume(what) static_cast<void>(0)
#define R123_ASSERT(condition) static_cast<void>(0)  // Random123's is an instruction of GPUs

// -- Types of the language

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  constexpr dim3(unsigned width = 1, unsigned height = 1, unsigned depth = 1)
      : x(width), y(height), z(depth) {}
};
struct int2 {
  int x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
inline int2 make_int2(int x, int y) {
  return {x, y};
}
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
  return {x, y, z, w};
}

inline thread_local constinit dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace emulated_gpus {

/// Yields this host thread: to other threads of the block, then of the host.
void relax();
void syncBlock();
/// Waits for all threads of a warp in `mask` that have not ended. Returns their values and the mask
/// of these threads.
struct WarpValues {
  const std::uint64_t* values;
  unsigned participants;
};
WarpValues syncWarp(unsigned mask, std::uint64_t value);
unsigned laneOfThread();
[[noreturn]] void trap();

template <class T>
T shuffle(unsigned mask, T value, unsigned from) {
  static_assert(sizeof(T) <= 8);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  const WarpValues values = syncWarp(mask, bits);
  T result = value;
  if (from < 32 && (values.participants >> from & 1) != 0)
    std::memcpy(&result, &values.values[from], sizeof(T));
  return result;
}

}  // namespace emulated_gpus

// -- Functions of the language

inline void __syncthreads() {
  emulated_gpus::syncBlock();
}
inline void __syncwarp(unsigned mask = ~0U) {
  (void)emulated_gpus::syncWarp(mask, 0);
}
inline unsigned __ballot_sync(unsigned mask, bool is) {
  const auto values = emulated_gpus::syncWarp(mask, is ? 1 : 0);
  unsigned bits = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
    if ((values.participants >> lane & 1) != 0 && values.values[lane] != 0) bits |= 1U << lane;
  return bits;
}
inline bool __any_sync(unsigned mask, bool is) {
  return __ballot_sync(mask, is) != 0;
}
inline bool __all_sync(unsigned mask, bool is) {
  return __ballot_sync(mask, !is) == 0;
}
/// Each thread may be the only active one.
inline unsigned __activemask() {
  return 1U << emulated_gpus::laneOfThread();
}
template <class T>
T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {
  const auto own = static_cast<int>(emulated_gpus::laneOfThread());
  return emulated_gpus::shuffle(mask, value,
                                static_cast<unsigned>(own / width * width + lane % width));
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, int distance, int width = 32) {
  const auto own = static_cast<int>(emulated_gpus::laneOfThread());
  const bool is = own % width + distance < width;
  return emulated_gpus::shuffle(mask, value, static_cast<unsigned>(is ? own + distance : own));
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, int distance, int width = 32) {
  const auto own = static_cast<int>(emulated_gpus::laneOfThread());
  const bool is = own % width >= distance;
  return emulated_gpus::shuffle(mask, value, static_cast<unsigned>(is ? own - distance : own));
}
[[noreturn]] inline void __trap() {
  emulated_gpus::trap();
}
inline void __threadfence_system() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
template <class T>
T __ldcg(const T* at) {
  return *const_cast<const volatile T*>(at);
}
inline uint4 __ldcg(const uint4* at) {
  return *at;
}
inline bool __isGlobal(const void*) {
  return true;
}

template <class T>
T atomicAdd(T* at, std::type_identity_t<T> value) {
  return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
template <class T>
T atomicExch(T* at, std::type_identity_t<T> value) {
  return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
}
template <class T>
T atomicCAS(T* at, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}
template <class T>
T atomicCAS_system(T* at, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  return atomicCAS(at, expected, value);
}

inline int __popc(unsigned number) {
  return std::popcount(number);
}
inline int __clz(int number) {
  return std::countl_zero(static_cast<unsigned>(number));
}
inline int __clzll(long long number) {
  return std::countl_zero(static_cast<unsigned long long>(number));
}
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<std::uint64_t>(a) * b >> 32);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, int shift) {
  return static_cast<unsigned>((static_cast<std::uint64_t>(high) << 32 | low) << shift >> 32);
}
inline unsigned __float_as_uint(float value) {
  return std::bit_cast<unsigned>(value);
}
inline int max(int a, int b) {
  return a < b ? b : a;
}
inline int min(int a, int b) {
  return b < a ? b : a;
}

#include <cuda_runtime_api.h>
