#pragma once

#include <mass/support/qualifiers.hpp>

#include <cstdint>
#include <type_traits>

namespace mass {

/// What lies beyond the first and the last place of an axis.
enum class Border : std::uint8_t {
  periodic,  ///< the other end of the axis
  fixed,     ///< a place outside the world whose attributes never change
  mirrored,  ///< the world itself, mirrored at the outer face of its last place
};

/// The place that position `at` of an axis of `length` places stands for: `at` itself inside the
/// axis, and -1 where a fixed outside place lies. `at` may be any distance outside.
template <class Int>
MASS_FN constexpr Int sourceOf(Int at, std::type_identity_t<Int> length, Border border) {
  if (0 <= at && at < length) return at;
  if (border == Border::fixed) return -1;
  // The usual case, less than one length outside, needs no division.
  if (-length <= at && at < 2 * length) {
    if (border == Border::periodic) return at < 0 ? at + length : at - length;
    return at < 0 ? -1 - at : 2 * length - 1 - at;
  }
  const Int period = border == Border::periodic ? length : 2 * length;
  const Int inPeriod = (at % period + period) % period;
  return inPeriod < length ? inPeriod : period - 1 - inPeriod;
}

/// Where something arrives that is sent to position `at` of an axis: beyond a border that is not
/// periodic, at the last place before it.
MASS_FN inline std::int64_t arrivalAt(std::int64_t at, std::int64_t length, Border border) {
  if (border == Border::periodic) return sourceOf(at, length, border);
  return at < 0 ? 0 : at >= length ? length - 1 : at;
}

}  // namespace mass
