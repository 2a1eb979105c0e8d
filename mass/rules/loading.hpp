#pragma once

// Loads of places and agents from the buffers of their components.

#include <mass/rules/attributes.hpp>
#include <mass/rules/cursor.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstddef>
#include <type_traits>

namespace mass::detail {

/// Loads the element of slot S at a position.
template <class S>
MASS_FN inline auto loadElement(const void* data, Cursor at) -> typename S::Element {
  return at.load<typename S::Form>(data, S::interleave);
}

/// Stores the element of slot S at a position.
template <class S>
MASS_FN inline void storeElement(void* data, Cursor at, const typename S::Element& value) {
  static_cast<typename S::Stored*>(data)[at.number(S::interleave)] = S::Form::encode(value);
}

/// Attributes to load: `all` of the rule's own place or agent; of a `neighbor` all but multisets;
/// `nonStreamed` ones of a place whose streamed elements are pulled afterwards.
enum class LoadScope { all, neighbor, nonStreamed };

/// Returns a place whose element k of a slot is load(slot, k). Attributes outside `scope` have the
/// value of a default-constructed P. The compiler removes loads of attributes that the caller does
/// not use. It does not remove loads that pullStreamed() repeats, hence LoadScope::nonStreamed.
template <class P, LoadScope scope, class Load>
MASS_FN inline P assemblePlace(Load&& load) {
  P place;
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    constexpr bool isMultisetOfNeighbor =
        isMultiset<typename S::Value> && scope == LoadScope::neighbor;
    if constexpr (isMultisetOfNeighbor || (S::isStreamed && scope == LoadScope::nonStreamed)) {
    } else if constexpr (S::isArray) {
      for (std::size_t k = 0; k < S::count; ++k) {
        (place.*S::member)[k] = load(slot, k);
      }
    } else {
      place.*S::member = load(slot, std::size_t{0});
    }
  });
  return place;
}
/// Returns a place whose slots lie at the cursors find(slot).
template <class P, LoadScope scope, class Find>
MASS_FN inline P loadPlaceBy(const void* const* components, Find&& find) {
  return assemblePlace<P, scope>([&](auto slot, std::size_t k) {
    using S = decltype(slot);
    return loadElement<S>(components[S::first + k], find(slot));
  });
}
/// Returns the place or agent at `at`.
template <class P, LoadScope scope = LoadScope::all>
MASS_FN inline P loadPlace(const void* const* components, Cursor at) {
  return loadPlaceBy<P, scope>(components, [&](auto) { return at; });
}

/// Indices of a place in shared memory, where a block of a GPU caches the non-constant attributes
/// of its places and their neighbours.
template <int Reach>
struct CachedRows {
  /// Element i: index of the place with the same line and column in the row at offset i - Reach.
  Index rows[static_cast<std::size_t>(2 * Reach + 1)];
  Index pitch;  ///< Distance between lines.
};
/// Takes the place of a pointer to CachedRows on CPUs, without memory.
struct NoCachedRows {
  constexpr NoCachedRows(const void* /*rows*/ = nullptr) {}
};
/// Pointer to CachedRows; null if shared memory has no places.
template <int Reach>
using CachedRowsPointer = std::conditional_t<onGpu, const CachedRows<Reach>*, NoCachedRows>;

}  // namespace mass::detail
