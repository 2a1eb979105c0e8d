#pragma once

// Atomic operations on CPUs; contracts in mass/support/atomic.hpp.

#include <mass/support/qualifiers.hpp>

#include <atomic>
#include <cstdint>

namespace mass::detail {

MASS_FN inline std::int32_t exchange(std::int32_t& at, std::int32_t value) {
  return std::atomic_ref(at).exchange(value, std::memory_order_relaxed);
}

MASS_FN inline void store(std::int32_t& at, std::int32_t value) {
  std::atomic_ref(at).store(value, std::memory_order_relaxed);
}

MASS_FN inline std::uint32_t compareExchange(std::uint32_t& at, std::uint32_t expected,
                                             std::uint32_t value, bool /*isShared*/) {
  std::atomic_ref(at).compare_exchange_strong(expected, value, std::memory_order_relaxed);
  return expected;
}

MASS_FN inline std::int32_t fetchAdd(std::int32_t& at, std::int32_t value) {
  return std::atomic_ref(at).fetch_add(value, std::memory_order_relaxed);
}
MASS_FN inline std::uint64_t fetchAdd(std::uint64_t& at, std::uint64_t value) {
  return std::atomic_ref(at).fetch_add(value, std::memory_order_relaxed);
}

MASS_FN inline std::uint32_t* assumeGlobal(std::uint32_t* word) {
  return word;
}

}  // namespace mass::detail
