#pragma once

#include <mass/rules/place.hpp>
#include <mass/support/qualifiers.hpp>
#include <mass/support/shape.hpp>

namespace mass::detail {

/// Dimensions of the worlds in which kernels may keep the neighbours of a place in registers; 0 if
/// they do not for this class.
template <class P>
inline constexpr int windowDimensions = !onGpu                                        ? 0
                                        : P::dimensions == 2                          ? 2
                                        : P::dimensions == 3 && P::reads == alongAxes ? 3
                                                                                      : 0;

/// Places around a place; none outside of kernels that keep them in registers. Indices are
/// constants after inlining. An instance of a kernel refers to arrays that outlive it.
template <class P, int dimensions_ = windowDimensions<P>>
struct PlaceWindow {};

/// All places within the reach in a plane.
template <class P>
struct PlaceWindow<P, 2> {
  PlaceWindow() = default;
  /// @param own this place in an array whose rows have `rowPitch` places
  MASS_FN PlaceWindow(const P* own, int rowPitch) : own_(own), pitch_(rowPitch) {}
  MASS_FN bool exists() const { return own_ != nullptr; }
  MASS_FN const P& at(Offset<2> offset) const { return own_[offset[0] * pitch_ + offset[1]]; }

 private:
  const P* own_ = nullptr;
  int pitch_ = 0;
};

/// Places along the axes in space.
template <class P>
struct PlaceWindow<P, 3> {
  PlaceWindow() = default;
  /// @param row, line, column this place in arrays of the places along axis 0, 1 and 2
  /// @param rowPitch, linePitch distances of successive places in the first two arrays
  MASS_FN PlaceWindow(const P* row, int rowPitch, const P* line, int linePitch, const P* column)
      : row_(row), line_(line), column_(column), rowPitch_(rowPitch), linePitch_(linePitch) {}
  MASS_FN bool exists() const { return column_ != nullptr; }
  MASS_FN const P& at(Offset<3> offset) const {
    const int rows = offset[0] * rowPitch_, lines = offset[1] * linePitch_;
    if (offset[0] != 0) return row_[rows];
    if (offset[1] != 0) return line_[lines];
    return column_[offset[2]];
  }

 private:
  const P *row_ = nullptr, *line_ = nullptr, *column_ = nullptr;
  int rowPitch_ = 0, linePitch_ = 0;
};

}  // namespace mass::detail
