#pragma once

// Elements of streamed attributes that rules may read.

#include <mass/rules/attributes.hpp>
#include <mass/support/qualifiers.hpp>
#include <mass/support/shape.hpp>

#include <cstddef>
#include <cstring>

namespace mass::detail {

/// Returns the offset of the place from which element k of streamed slot S is pulled.
template <class S>
MASS_FN constexpr auto sourceOf(int k) {
  return -S::Directions::velocity(k);
}

/// True if a rule may read element k of slot S of the place at an offset. The halo exchange does
/// not copy other elements of streamed slots to ghost rows.
template <class S, int D>
constexpr bool isReadable([[maybe_unused]] const Offset<D>& offset, [[maybe_unused]] int k) {
  if constexpr (S::isStreamed) {
    const Offset<D> source = sourceOf<S>(k);
    bool isSource = true, isOwn = true;
    for (int axis = 0; axis < D; ++axis) {
      isSource = isSource && source[axis] == offset[axis];
      isOwn = isOwn && offset[axis] == 0;
    }
    return isSource || isOwn;
  } else {
    return true;
  }
}
/// Returns the value of an element that must not be read, in checked builds: bytes 0xff, NaN for
/// floating point.
template <class T>
T poison() {
  T element;
  std::memset(static_cast<void*>(&element), 0xff, sizeof(element));
  return element;
}
/// Replaces the streamed elements of `place` that rules must not read at `offset`.
template <class P, int D>
void poisonStreamed([[maybe_unused]] P& place, [[maybe_unused]] const Offset<D>& offset) {
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    if constexpr (S::isStreamed) {
      for (std::size_t k = 0; k < S::count; ++k) {
        if (!isReadable<S>(offset, static_cast<int>(k)))
          (place.*S::member)[k] = poison<typename S::Element>();
      }
    }
  });
}

}  // namespace mass::detail
