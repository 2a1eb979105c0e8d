#pragma once

#include <mass/support/shape.hpp>

namespace mass {

/// Range of the neighbour offsets of a stencil, each an Offset<D>.
///
///     for (auto offset : mass::moore<2>) sum += near(offset).alive;
///
/// An offset is computed from its number instead of read from a table, so that every compiler
/// unrolls the loop into plain loads.
template <class Kind>
struct Stencil {
  /// Forward iterator over the offsets.
  struct Iterator {
    int number;  ///< number of the offset, 0 <= number <= size()
    /// Returns the offset.
    MASS_FN constexpr auto operator*() const { return Kind::offset(number); }
    /// Advances to the next offset.
    MASS_FN constexpr Iterator& operator++() {
      ++number;
      return *this;
    }
    /// True if the numbers differ.
    MASS_FN constexpr bool operator!=(Iterator other) const { return number != other.number; }
  };

  /// Returns an iterator to the first offset.
  MASS_FN constexpr Iterator begin() const { return {0}; }
  /// Returns the iterator behind the last offset.
  MASS_FN constexpr Iterator end() const { return {Kind::size}; }
  /// Returns an offset by its number, 0 <= number < size().
  MASS_FN constexpr auto operator[](int number) const { return Kind::offset(number); }
  /// Returns the number of offsets.
  MASS_FN static constexpr int size() { return Kind::size; }
};

namespace detail {

/// Offsets of the 3^D - 1 places that share a face, edge or corner with a place, in row-major
/// order.
template <int D>
struct Moore {
  static constexpr int size = D == 1 ? 2 : D == 2 ? 8 : 26;

  MASS_FN static constexpr Offset<D> offset(int number) {
    const int cell = number < size / 2 ? number : number + 1;  // skips the centre
    if constexpr (D == 1) return {cell - 1};
    if constexpr (D == 2) return {cell / 3 - 1, cell % 3 - 1};
    if constexpr (D == 3) return {cell / 9 - 1, cell / 3 % 3 - 1, cell % 3 - 1};
  }
};

/// Offsets of the 2 D places that share a face with a place: for each axis -1, then +1.
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

/// Moore neighbourhood of radius 1 without the centre: 2, 8 or 26 offsets for D = 1, 2, 3, in
/// row-major order.
template <int D>
MASS_CONSTANT Stencil<detail::Moore<D>> moore{};

/// Von Neumann neighbourhood of radius 1 without the centre: 2, 4 or 6 offsets for D = 1, 2, 3; for
/// each axis -1, then +1.
template <int D>
MASS_CONSTANT Stencil<detail::VonNeumann<D>> vonNeumann{};

}  // namespace mass
