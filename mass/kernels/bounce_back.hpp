#pragma once

// What is streamed and comes back, from fixed borders and from what is blocked.

#include <mass/rules/streaming.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace mass::detail {

/// A bit for each component.
template <class P>
using ComponentBits =
    std::conditional_t<(AttributeSlots<P>::components <= 32), std::uint32_t, std::uint64_t>;

/// Of P's at most 64 components, those that come from beyond one of the ends of the axes, which are
/// numbered as in fixedEndsAt.
template <class P>
MASS_FN constexpr ComponentBits<P> comingFrom(int end) {
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

/// The components that come back to a place which is not blocked.
template <class P>
MASS_FN inline ComponentBits<P> bounceBackMask(const P& place, const Neighborhood<P>& near) {
  ComponentBits<P> bits = 0;
  const FlowCell flowCell = flowCellOf(place);
  if (flowCell == FlowCell::interior) return bits;
  const unsigned ends = fixedEndsAt(near);
  [&]<int... end>(std::integer_sequence<int, end...>) {
    const auto add = [&](auto number) {
      constexpr ComponentBits<P> from = comingFrom<P>(number);
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

/// Gives neighbouring places what has come back from blocked places around them; near(c) is what
/// place c has around it. All loads come together, and what two places read is read once.
template <int Width, class P, class Near>
MASS_FN inline void applySolidBounceBack(P* places, Near&& near) {
  bool any = false;
  for (int c = 0; c < Width; ++c) any |= flowCellOf(places[c]) == FlowCell::nearSolid;
  if (!any) return;
  forEachStreamed<P>([&](auto slot, auto k) {
    using S = decltype(slot);
    if constexpr (oppositeOf<S>(k) >= 0) {
      for (int c = 0; c < Width; ++c) {
        // Also for those that are not obstructed: beside them, nothing is blocked.
        const bool isBack = flowCellAt(near(c), sourceOf<S>(k)) == FlowCell::solid;
        const auto own = near(c).template get<S::member>({}, oppositeOf<S>(k));
        auto& element = (places[c].*S::member)[k];
        element = isBack ? own : element;
      }
    }
  });
}

/// Gives a place what has come back from beyond fixed borders.
template <class P>
MASS_FN inline void comeBackFromBorders(P& place, const Neighborhood<P>& near) {
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

/// Nothing of what is streamed.
template <class P>
MASS_FN inline void empty(P& place) {
  forEachStreamed<P>([&](auto slot, auto k) {
    using S = decltype(slot);
    (place.*S::member)[k] = typename S::Element{};
  });
}

/// Gives a place, which has received what has travelled there or has come back from blocked places,
/// what has come back from borders; empties one that is blocked. Returns whether rules are to be
/// applied to it.
template <class P>
MASS_FN inline bool complete(P& place, const Neighborhood<P>& near) {
  const FlowCell flowCell = flowCellOf(place);
  if (flowCell == FlowCell::interior) return true;
  if constexpr (definesFlowCell<P>) {
    if (flowCell == FlowCell::solid) {
      empty(place);
      return false;
    }
  }
  comeBackFromBorders(place, near);
  return true;
}

}  // namespace mass::detail
