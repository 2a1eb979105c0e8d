#pragma once

#include <array>
#include <cstdint>

namespace mass::detail {

/// Elements of a buffer that form a box of up to three axes, the last one contiguous.
struct Box {
  std::int64_t first = 0;                       ///< the element where the box begins
  std::array<std::int64_t, 3> counts{1, 1, 1};  ///< elements along each axis
  std::array<std::int64_t, 2> strides{};        ///< from one to the next along axes 0 and 1

  std::int64_t lines() const { return counts[0] * counts[1]; }
  std::int64_t size() const { return lines() * counts[2]; }
  /// Where a line begins, 0 <= line < lines().
  std::int64_t line(std::int64_t number) const {
    return first + number / counts[1] * strides[0] + number % counts[1] * strides[1];
  }
};

/// `count` elements in a row.
inline Box contiguous(std::int64_t first, std::int64_t count) {
  return {first, {1, 1, count}, {}};
}

}  // namespace mass::detail
