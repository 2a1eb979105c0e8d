#pragma once

#include <mass/support/qualifiers.hpp>

#include <cstdint>

#if !defined(__CUDA_ARCH__)
#include <atomic>
#endif

namespace mass::detail {

/// Puts a value in place of another, which it returns, whatever other threads of the device do.
MASS_FN inline std::int32_t exchange(std::int32_t& at, std::int32_t value) {
#if defined(__CUDA_ARCH__)
  return atomicExch(&at, value);
#else
  return std::atomic_ref(at).exchange(value, std::memory_order_relaxed);
#endif
}

/// Writes a value that other threads may write at the same time.
MASS_FN inline void store(std::int32_t& at, std::int32_t value) {
#if defined(__CUDA_ARCH__)
  at = value;
#else
  std::atomic_ref(at).store(value, std::memory_order_relaxed);
#endif
}

/// Puts a value in place of another one if it is `expected`, and returns what was there.
/// @param isShared whether threads of other GPUs do so, too
MASS_FN inline std::uint32_t compareExchange(std::uint32_t& at, std::uint32_t expected,
                                             std::uint32_t value, [[maybe_unused]] bool isShared) {
#if defined(__CUDA_ARCH__)
  return isShared ? atomicCAS_system(&at, expected, value) : atomicCAS(&at, expected, value);
#else
  std::atomic_ref(at).compare_exchange_strong(expected, value, std::memory_order_relaxed);
  return expected;
#endif
}

/// Adds to a number, and returns what it was before.
MASS_FN inline std::int32_t fetchAdd(std::int32_t& at, std::int32_t value) {
#if defined(__CUDA_ARCH__)
  return atomicAdd(&at, value);
#else
  return std::atomic_ref(at).fetch_add(value, std::memory_order_relaxed);
#endif
}
MASS_FN inline std::uint64_t fetchAdd(std::uint64_t& at, std::uint64_t value) {
#if defined(__CUDA_ARCH__)
  static_assert(sizeof(unsigned long long) == sizeof(std::uint64_t));
  return atomicAdd(reinterpret_cast<unsigned long long*>(&at), value);
#else
  return std::atomic_ref(at).fetch_add(value, std::memory_order_relaxed);
#endif
}

}  // namespace mass::detail
