#pragma once

#include <mass/partition/border.hpp>

#include <array>
#include <cstddef>
#include <string>

namespace mass {

/// Options of Mass::createPlaces.
template <class P>
struct PlacesOptions {
  /// Boundary condition of each axis; periodic by default.
  std::array<Border, static_cast<std::size_t>(P::dimensions)> borders{};
  /// Place that rules read beyond a border that is Border::fixed.
  P outside{};
  /// Name in messages, file names and checkpoints; the name of class P if empty.
  std::string name{};
};

/// Returns options with the same boundary condition on every axis.
/// @param border boundary condition of both ends of each axis
/// @param outside place that rules read beyond a border that is Border::fixed
template <class P>
PlacesOptions<P> borders(Border border, const P& outside = {}) {
  PlacesOptions<P> options;
  options.borders.fill(border);
  options.outside = outside;
  return options;
}

}  // namespace mass
