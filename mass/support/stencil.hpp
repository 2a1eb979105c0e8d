#pragma once

#include <mass/support/shape.hpp>

namespace mass {

/// A fixed set of neighbour offsets to loop over: `for (auto offset : mass::moore<2>) ...
/// near(offset)`. Offsets are computed from their number, never read from a table, so that the loop
/// unrolls into plain loads on every compiler and device.
template <class Kind>
struct Stencil {
  struct Iterator {
    int number;
    MASS_FN constexpr auto operator*() const { return Kind::offset(number); }
    MASS_FN constexpr Iterator& operator++() {
      ++number;
      return *this;
    }
    MASS_FN constexpr bool operator!=(Iterator other) const { return number != other.number; }
  };

  MASS_FN constexpr Iterator begin() const { return {0}; }
  MASS_FN constexpr Iterator end() const { return {Kind::size}; }
  MASS_FN static constexpr int size() { return Kind::size; }
};

namespace detail {

/// All 3^D - 1 places that touch a place by face, edge or corner, in row-major order.
template <int D>
struct Moore {
  static constexpr int size = D == 1 ? 2 : D == 2 ? 8 : 26;

  MASS_FN static constexpr Offset<D> offset(int number) {
    const int cell = number < size / 2 ? number : number + 1;  // leaves out the place itself
    if constexpr (D == 1) return {cell - 1};
    if constexpr (D == 2) return {cell / 3 - 1, cell % 3 - 1};
    if constexpr (D == 3) return {cell / 9 - 1, cell / 3 % 3 - 1, cell % 3 - 1};
  }
};

/// The 2 D places that share a face with a place: axis by axis, before and after.
template <int D>
struct VonNeumann {
  static constexpr int size = 2 * D;

  MASS_FN static constexpr Offset<D> offset(int number) {
    const int sign = number % 2 == 0 ? -1 : 1;
    const int axis = number / 2;
    if constexpr (D == 1) return {sign};
    if constexpr (D == 2) return {axis == 0 ? sign : 0, axis == 1 ? sign : 0};
    if constexpr (D == 3) return {axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0};
  }
};

}  // namespace detail

/// The Moore neighbourhood of radius 1: 2, 8 or 26 offsets.
template <int D>
MASS_CONSTANT Stencil<detail::Moore<D>> moore{};

/// The von Neumann neighbourhood of radius 1: 2, 4 or 6 offsets.
template <int D>
MASS_CONSTANT Stencil<detail::VonNeumann<D>> vonNeumann{};

}  // namespace mass
