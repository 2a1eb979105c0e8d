#pragma once

// Mathematical functions on CPUs; contracts in mass/support/math.hpp.

#include <mass/support/qualifiers.hpp>

#include <cmath>

namespace mass::detail {

MASS_FN inline float platformInverseSqrt(float x) {
  return 1 / std::sqrt(x);
}

}  // namespace mass::detail
