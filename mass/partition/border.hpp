#pragma once

#include <mass/support/qualifiers.hpp>

#include <cstdint>
#include <type_traits>

namespace mass {

/// Boundary condition at both ends of an axis.
enum class Border : std::uint8_t {
  periodic,  ///< the axis wraps around
  fixed,     ///< constant places outside the world, with the attributes given as `outside`
  mirrored,  ///< the world is mirrored at the outer face of its first and last place
};

/// Returns the place whose attributes a rule reads at a position on an axis or beyond its ends.
/// @param at position in places, at any distance inside or outside
/// @param length number of places of the axis, at least 1
/// @return a place in [0, length), `at` itself if it is inside; -1 outside a fixed border
template <class Int>
MASS_FN constexpr Int sourceOf(Int at, std::type_identity_t<Int> length, Border border) {
  if (0 <= at && at < length) return at;
  if (border == Border::fixed) return -1;
  // Fast path without a division: at most one length outside.
  if (-length <= at && at < 2 * length) {
    if (border == Border::periodic) return at < 0 ? at + length : at - length;
    return at < 0 ? -1 - at : 2 * length - 1 - at;
  }
  const Int period = border == Border::periodic ? length : 2 * length;
  const Int inPeriod = (at % period + period) % period;
  return inPeriod < length ? inPeriod : period - 1 - inPeriod;
}

/// Returns the place that receives an element of Scatter sent to a position on an axis or beyond
/// its ends: wraps around a periodic axis, clamps to the outermost place otherwise.
/// @param at position in places, at any distance inside or outside
/// @return a place in [0, length)
MASS_FN inline std::int64_t arrivalAt(std::int64_t at, std::int64_t length, Border border) {
  if (border == Border::periodic) return sourceOf(at, length, border);
  return at < 0 ? 0 : at >= length ? length - 1 : at;
}

}  // namespace mass
