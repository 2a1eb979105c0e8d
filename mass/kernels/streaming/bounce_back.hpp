#pragma once

// Half-way bounce-back of streamed components (Ladd, J. Fluid Mech. 271 (1994) 285), from fixed
// borders and from solid places.

#include <mass/rules/streaming.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace mass::detail {

/// Bit mask of the components of P.
template <class P>
using ComponentBits =
    std::conditional_t<(AttributeSlots<P>::components <= 32), std::uint32_t, std::uint64_t>;

/// Returns the mask of the components whose source lies beyond one end of an axis. P has at most 64
/// components.
/// @param end 2 * axis for the lower end, 2 * axis + 1 for the upper one, as in fixedEndsAt
template <class P>
MASS_FN constexpr ComponentBits<P> crossingComponents(int end) {
  ComponentBits<P> bits = 0;
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    if constexpr (S::isStreamed) {
      for (std::size_t k = 0; k < S::count; ++k) {
        const unsigned is = endsCrossed(sourceOf<S>(static_cast<int>(k))) >> end & 1;
        bits |= static_cast<ComponentBits<P>>(is) << (S::first + k);
      }
    }
  });
  return bits;
}

/// Returns the mask of the components that `place` receives by bounce-back: their source lies
/// beyond a fixed border or is solid. @pre `place` is not solid.
template <class P>
MASS_FN inline ComponentBits<P> bounceBackMask(const P& place, const Neighborhood<P>& near) {
  ComponentBits<P> bits = 0;
  const FlowCell flowCell = flowCellOf(place);
  if (flowCell == FlowCell::interior) return bits;
  const unsigned ends = fixedEndsAt(near);
  [&]<int... end>(std::integer_sequence<int, end...>) {
    const auto add = [&](auto number) {
      constexpr ComponentBits<P> from = crossingComponents<P>(number);
      if ((ends >> number & 1) != 0) bits |= from;
    };
    (add(std::integral_constant<int, end>{}), ...);
  }
  (std::make_integer_sequence<int, 2 * P::dimensions>{});
  if (flowCell != FlowCell::nearSolid) return bits;
  forEachStreamed<P>([&](auto slot, auto k) {
    using S = decltype(slot);
    const bool isBack = flowCellAt(near, sourceOf<S>(k)) == FlowCell::solid;
    bits |= static_cast<ComponentBits<P>>(isBack) << (S::first + k);
  });
  return bits;
}

/// Replaces the components of neighbouring places whose source is solid by the places' own opposite
/// ones. All loads are issued together, and an element that two places read is loaded once.
/// @param near near(c) is the neighbourhood of place c
template <int Width, class P, class Near>
MASS_FN inline void applySolidBounceBack(P* places, Near&& near) {
  bool any = false;
  for (int c = 0; c < Width; ++c) any |= flowCellOf(places[c]) == FlowCell::nearSolid;
  if (!any) return;
  forEachStreamed<P>([&](auto slot, auto k) {
    using S = decltype(slot);
    if constexpr (oppositeOf<S>(k) >= 0) {
      for (int c = 0; c < Width; ++c) {
        // Harmless for places that are not beside a solid one: their sources are not solid.
        const bool isBack = flowCellAt(near(c), sourceOf<S>(k)) == FlowCell::solid;
        const auto own = near(c).template get<S::member>({}, oppositeOf<S>(k));
        auto& element = (places[c].*S::member)[k];
        element = isBack ? own : element;
      }
    }
  });
}

/// Replaces the components of a place whose source lies beyond a fixed border by its own opposite
/// ones.
template <class P>
MASS_FN inline void applyBoundaryBounceBack(P& place, const Neighborhood<P>& near) {
  const unsigned ends = fixedEndsAt(near);
  if (ends == 0) return;
  [&]<int... end>(std::integer_sequence<int, end...>) {
    const auto from = [&](auto number) {
      if ((ends >> number & 1) == 0) return;
      forEachStreamed<P>([&](auto slot, auto k) {
        using S = decltype(slot);
        constexpr bool crosses = (endsCrossed(sourceOf<S>(k)) >> number & 1) != 0;
        constexpr bool isBack =
            number / 2 == P::dimensions - 1 && bouncesBackOnLoad<S, P::dimensions>(k);
        if constexpr (crosses && oppositeOf<S>(k) >= 0 && !isBack)
          (place.*S::member)[k] = near.template get<S::member>({}, oppositeOf<S>(k));
      });
    };
    (from(std::integral_constant<int, end>{}), ...);
  }
  (std::make_integer_sequence<int, 2 * P::dimensions>{});
}

/// Sets the streamed elements of a place to zero.
template <class P>
MASS_FN inline void clearStreamed(P& place) {
  forEachStreamed<P>([&](auto slot, auto k) {
    using S = decltype(slot);
    (place.*S::member)[k] = typename S::Element{};
  });
}

/// Completes a place whose components have streamed in and bounced back from solid places: applies
/// the bounce-back from fixed borders, or clears a solid place.
/// @return true if rules apply to the place: it is not solid
template <class P>
MASS_FN inline bool applyBoundary(P& place, const Neighborhood<P>& near) {
  const FlowCell flowCell = flowCellOf(place);
  if (flowCell == FlowCell::interior) return true;
  if constexpr (definesFlowCell<P>) {
    if (flowCell == FlowCell::solid) {
      clearStreamed(place);
      return false;
    }
  }
  applyBoundaryBounceBack(place, near);
  return true;
}

}  // namespace mass::detail
