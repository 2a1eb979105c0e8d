#pragma once

#include <mass/support/qualifiers.hpp>

#include <cstdint>

namespace mass::detail {

// Replacements for functions of <bit> in rules and kernels: nvcc 13.0 compiles the standard
// functions, but they always return 0 on a GPU (docs/decisions/gpu-kernels.md).

/// Returns the number of 1 bits (std::popcount).
MASS_FN int countOnes(std::uint32_t number);

/// Returns `number << 1` with the sign bit of `value` as its lowest bit; the highest bit is lost.
MASS_FN std::uint32_t withSign(std::uint32_t number, float value);

/// Returns the number of bits without leading zeros (std::bit_width); 0 for 0.
MASS_FN int bitWidth(std::uint32_t number);
MASS_FN int bitWidth(std::uint64_t number);

}  // namespace mass::detail

#include <mass/support/platform.hpp>
