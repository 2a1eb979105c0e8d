#pragma once

// Atomic operations on GPUs; contracts in mass/support/atomic.hpp.

#include <mass/support/qualifiers.hpp>

#include <cstdint>

namespace mass::detail {

MASS_FN inline std::int32_t exchange(std::int32_t& at, std::int32_t value) {
  return atomicExch(&at, value);
}

MASS_FN inline void store(std::int32_t& at, std::int32_t value) {
  at = value;
}

MASS_FN inline std::uint32_t compareExchange(std::uint32_t& at, std::uint32_t expected,
                                             std::uint32_t value, bool isShared) {
  return isShared ? atomicCAS_system(&at, expected, value) : atomicCAS(&at, expected, value);
}

MASS_FN inline std::int32_t fetchAdd(std::int32_t& at, std::int32_t value) {
  return atomicAdd(&at, value);
}
MASS_FN inline std::uint64_t fetchAdd(std::uint64_t& at, std::uint64_t value) {
  static_assert(sizeof(unsigned long long) == sizeof(std::uint64_t));
  return atomicAdd(reinterpret_cast<unsigned long long*>(&at), value);
}

MASS_FN inline std::uint32_t* assumeGlobal(std::uint32_t* word) {
  __builtin_assume(__isGlobal(word));
  return word;
}

}  // namespace mass::detail
