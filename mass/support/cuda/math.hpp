#pragma once

// Mathematical functions on GPUs; contracts in mass/support/math.hpp.

#include <mass/support/cuda/ptx.hpp>
#include <mass/support/qualifiers.hpp>

namespace mass::detail {

MASS_FN inline float platformInverseSqrt(float x) {
  return approximateInverseSqrt(x);
}

}  // namespace mass::detail
