#pragma once

// How places are got from the buffers.

#include <mass/rules/attributes.hpp>
#include <mass/rules/cursor.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstddef>

namespace mass::detail {

/// The element of slot S at a place.
template <class S>
MASS_FN inline auto loadElement(const void* data, Cursor at) -> typename S::Element {
#if defined(__CUDA_ARCH__)
  if constexpr (requires { S::Form::decodeOne(0U, 0); }) {
    if (at.isInPair()) return S::Form::decodeOne(at.loadPair(data, S::interleave), at.lane);
  }
#endif
  return S::Form::decode(at.load<typename S::Stored>(data, S::interleave));
}

template <class S>
MASS_FN inline void storeElement(void* data, Cursor at, const typename S::Element& value) {
  static_cast<typename S::Stored*>(data)[at.number(S::interleave)] = S::Form::encode(value);
}

/// Which attributes of places are of use to a rule: all of its own place, but of another one
/// neither bags, nor what is streamed elsewhere; and of one that receives what is streamed, only
/// the rest.
enum class LoadScope { all, neighbor, nonStreamed };

/// A place as a value, of which each slot lies at the cursor that find(slot) returns. Loads that
/// the caller makes no use of vanish. (But loads that it may repeat do not: what is received is
/// therefore not loaded.)
template <class P, LoadScope scope, class Find>
MASS_FN inline P loadPlaceBy(const void* const* components, Find&& find) {
  P place;
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    constexpr bool isMultisetOfNeighbor =
        isMultiset<typename S::Value> && scope == LoadScope::neighbor;
    if constexpr (isMultisetOfNeighbor || (S::isStreamed && scope == LoadScope::nonStreamed)) {
    } else if constexpr (S::isArray) {
      for (std::size_t k = 0; k < S::count; ++k) {
        (place.*S::member)[k] = loadElement<S>(components[S::first + k], find(slot));
      }
    } else {
      place.*S::member = loadElement<S>(components[S::first], find(slot));
    }
  });
  return place;
}
/// The place at `at`.
template <class P, LoadScope scope = LoadScope::all>
MASS_FN inline P loadPlace(const void* const* components, Cursor at) {
  return loadPlaceBy<P, scope>(components, [&](auto) { return at; });
}

/// Where a place and those around it lie in a block's memory, all but what is constant of them.
template <int Reach>
struct CachedRows {
  Index rows[static_cast<std::size_t>(2 * Reach + 1)];  ///< the same place of the rows around
  Index pitch;                                          ///< from line to line
};

}  // namespace mass::detail
