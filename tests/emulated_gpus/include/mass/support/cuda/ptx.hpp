#pragma once

// Replaces mass/support/cuda/ptx.hpp: the same functions without PTX.

#include <chrono>
#include <cmath>
#include <cstdint>

namespace mass::detail {

inline void prefetch(const void*) {}

inline std::uint64_t nanoseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

inline float approximateInverseSqrt(float x) {
  return 1 / std::sqrt(x);
}

inline void keepInRegister(int&) {}

inline void addFromLowerLane(int& number, int distance) {
  const int before = __shfl_up_sync(~0U, number, distance);
  if (static_cast<int>(emulated_gpus::laneOfThread()) >= distance) number += before;
}

using SharedAddress = std::uintptr_t;
inline SharedAddress sharedAddressOf(const void* at) {
  return reinterpret_cast<SharedAddress>(at);
}
inline void storeShared(SharedAddress at, int2 value) {
  *reinterpret_cast<int2*>(at) = value;
}
inline int2 loadShared(SharedAddress at) {
  return *reinterpret_cast<const int2*>(at);
}

// Never called: emulated GPUs have compute capability 8.0.
void initBarrier(std::uint64_t* barrier, unsigned copies);
void expectBytes(std::uint64_t* barrier, unsigned bytes);
void copyToShared(void* to, const void* from, unsigned bytes, std::uint64_t* barrier);
bool isPhaseComplete(std::uint64_t* barrier, bool isOdd);
void fenceBarrierInit();
void arrive(std::uint64_t* barrier);
template <int bytes>
void copyAsync(void*, const void*, bool) {}
inline void endCopyGroup() {}
template <int pending>
void awaitCopyGroups() {}

}  // namespace mass::detail
