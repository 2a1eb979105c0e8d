#pragma once

#include <mass/support/qualifiers.hpp>

#include <cstdint>

namespace mass::detail {

/// Atomically replaces `at` by `value` among the threads of one device; relaxed order.
/// @return the previous value
MASS_FN std::int32_t exchange(std::int32_t& at, std::int32_t value);

/// Stores `value` in a word that other threads of the device may store to concurrently; relaxed
/// order.
MASS_FN void store(std::int32_t& at, std::int32_t value);

/// Atomically replaces `at` by `value` if it equals `expected`.
/// @param isShared true if threads of other GPUs access `at` as well (system scope on a GPU)
/// @return the previous value
MASS_FN std::uint32_t compareExchange(std::uint32_t& at, std::uint32_t expected,
                                      std::uint32_t value, bool isShared);

/// Atomically adds `value` to `at` among the threads of one device; relaxed order.
/// @return the previous value
MASS_FN std::int32_t fetchAdd(std::int32_t& at, std::int32_t value);
MASS_FN std::uint64_t fetchAdd(std::uint64_t& at, std::uint64_t value);

/// Asserts that a word is in the global memory of a GPU, which makes atomic operations faster.
/// @return `word`
MASS_FN std::uint32_t* assumeGlobal(std::uint32_t* word);

}  // namespace mass::detail

#include <mass/support/platform.hpp>
