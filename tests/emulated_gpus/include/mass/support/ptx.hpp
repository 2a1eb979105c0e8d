#pragma once

// The functions of mass/support/ptx.hpp, of which this file takes the place.

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

inline void addFromBefore(int& number, int distance) {
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

}  // namespace mass::detail
