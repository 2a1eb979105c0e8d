#pragma once

#include <mass/memory/layout.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mass::detail {

/// Returns the coordinates of places along each axis: first those along axis 0.
/// @param places row-major indices
inline std::vector<std::vector<std::int64_t>> coordinatesByAxis(const Domain& domain,
                                                                std::vector<std::int64_t> places) {
  std::vector<std::vector<std::int64_t>> axes(static_cast<std::size_t>(domain.dimensions));
  for (std::size_t axis = axes.size(); axis-- > 0;) {
    for (std::int64_t& place : places) {
      axes[axis].push_back(place % domain.shape[axis]);
      place /= domain.shape[axis];
    }
  }
  return axes;
}

}  // namespace mass::detail
