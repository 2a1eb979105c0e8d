#pragma once

#include <mass/rules/loading.hpp>
#include <mass/support/qualifiers.hpp>
#include <mass/support/shape.hpp>

namespace mass::detail {

/// True if kernels may keep the neighbours of a place in registers.
template <class P>
inline constexpr bool hasPlaceWindow = onGpu&& P::dimensions == 2;

/// Places around a place of a 2-D world; none outside of kernels that keep them in registers.
template <class P, bool exists_>
struct PlaceWindow {
  PlaceWindow() = default;
  MASS_FN PlaceWindow(const P*, int) {}
};
template <class P>
struct PlaceWindow<P, true> {
  PlaceWindow() = default;
  MASS_FN PlaceWindow(const P* own, int rowPitch) : own_(own), pitch_(rowPitch) {}
  MASS_FN bool exists() const { return own_ != nullptr; }
  MASS_FN const P& at(Offset<2> offset) const { return own_[offset[0] * pitch_ + offset[1]]; }

 private:
  const P* own_ = nullptr;
  int pitch_ = 0;
};

}  // namespace mass::detail
