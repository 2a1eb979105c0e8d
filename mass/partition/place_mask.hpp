#pragma once

#include <mass/partition/border.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace mass::detail {

/// Places of a box that exist. They are numbered in row-major order.
struct PlaceMask {
  std::array<std::int64_t, 3> shape{1, 1, 1};  ///< places of the box along each axis
  std::array<Border, 3> borders{};             ///< borders of the box
  std::vector<std::int64_t> indices;           ///< row-major indices in the box, ascending

  /// Returns the number of the place with an index in the box; -1 if it does not exist.
  std::int64_t find(std::int64_t index) const {
    const auto at = std::lower_bound(indices.begin(), indices.end(), index);
    return at == indices.end() || *at != index ? -1 : at - indices.begin();
  }
};

}  // namespace mass::detail
