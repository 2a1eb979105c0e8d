#include <mass/support/pixel.hpp>

#include <mass/support/error.hpp>

#include <algorithm>
#include <limits>

namespace mass::detail {

ValueScale ValueScale::between(float low, float high) {
  if (!(low <= high))
    throw UsageError("cannot colour values between {} and {}: give two numbers, the lower first",
                     low, high);
  // Numbers of a model may exceed single precision.
  constexpr float most = std::numeric_limits<float>::max() / 2;
  low = std::clamp(low, -most, most);
  high = std::clamp(high, -most, most);
  // If low == high, the smallest normal number as divisor maps every greater value to 1.
  return {low, 1.0F / std::max(high - low, std::numeric_limits<float>::min())};
}

}  // namespace mass::detail
