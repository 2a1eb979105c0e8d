#pragma once

#include <array>
#include <cstdint>

namespace mass::detail {

/// Box of elements in a buffer, with up to three axes; the last axis is contiguous. A line is the
/// elements along the last axis.
struct Box {
  std::int64_t first = 0;                       ///< index of the first element
  std::array<std::int64_t, 3> counts{1, 1, 1};  ///< elements along each axis
  std::array<std::int64_t, 2> strides{};        ///< elements from one to the next along axes 0, 1

  /// Returns the number of lines.
  std::int64_t lines() const { return counts[0] * counts[1]; }
  /// Returns the number of elements.
  std::int64_t size() const { return lines() * counts[2]; }
  /// Returns the index of the first element of a line, 0 <= number < lines().
  std::int64_t line(std::int64_t number) const {
    return first + number / counts[1] * strides[0] + number % counts[1] * strides[1];
  }
};

/// Returns the box of `count` consecutive elements from `first` on.
inline Box contiguous(std::int64_t first, std::int64_t count) {
  return {first, {1, 1, count}, {}};
}

}  // namespace mass::detail
