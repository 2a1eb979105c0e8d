#pragma once

#include <mass/support/qualifiers.hpp>

#include <cstdint>

#if !defined(__CUDA_ARCH__)
#include <atomic>
#endif

namespace mass::detail {

/// Atomically replaces `at` by `value` among the threads of one device; relaxed order.
/// @return the previous value
MASS_FN inline std::int32_t exchange(std::int32_t& at, std::int32_t value) {
#if defined(__CUDA_ARCH__)
  return atomicExch(&at, value);
#else
  return std::atomic_ref(at).exchange(value, std::memory_order_relaxed);
#endif
}

/// Stores `value` in a word that other threads of the device may store to concurrently; relaxed
/// order.
MASS_FN inline void store(std::int32_t& at, std::int32_t value) {
#if defined(__CUDA_ARCH__)
  at = value;
#else
  std::atomic_ref(at).store(value, std::memory_order_relaxed);
#endif
}

/// Atomically replaces `at` by `value` if it equals `expected`.
/// @param isShared true if threads of other GPUs access `at` as well (system scope on a GPU)
/// @return the previous value
MASS_FN inline std::uint32_t compareExchange(std::uint32_t& at, std::uint32_t expected,
                                             std::uint32_t value, [[maybe_unused]] bool isShared) {
#if defined(__CUDA_ARCH__)
  return isShared ? atomicCAS_system(&at, expected, value) : atomicCAS(&at, expected, value);
#else
  std::atomic_ref(at).compare_exchange_strong(expected, value, std::memory_order_relaxed);
  return expected;
#endif
}

/// Atomically adds `value` to `at` among the threads of one device; relaxed order.
/// @return the previous value
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
