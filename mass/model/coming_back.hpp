#pragma once

// What is streamed and comes back, from fixed borders and from what is blocked.

#include <mass/memory/layout.hpp>
#include <mass/model/streaming.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace mass::detail {

/// A bit for each component.
template <class P>
using ComponentBits =
    std::conditional_t<(Slots<P>::components <= 32), std::uint32_t, std::uint64_t>;

/// Of P's at most 64 components, those that come from beyond one of the ends of the axes, which are
/// numbered as in bordersBeside.
template <class P>
MASS_FN constexpr ComponentBits<P> comingFrom(int end) {
  ComponentBits<P> bits = 0;
  Slots<P>::forEach([&](auto slot) {
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
MASS_FN inline ComponentBits<P> comingBack(const P& place, const Neighborhood<P>& near,
                                           const Domain& domain) {
  ComponentBits<P> bits = 0;
  const Passage passage = passageOf(place);
  if (passage == Passage::open) return bits;
  const unsigned ends = bordersBeside(near, domain);
  [&]<int... end>(std::integer_sequence<int, end...>) {
    const auto add = [&](auto number) {
      constexpr ComponentBits<P> from = comingFrom<P>(number);
      if ((ends >> number & 1) != 0) bits |= from;
    };
    (add(std::integral_constant<int, end>{}), ...);
  }
  (std::make_integer_sequence<int, 2 * P::dimensions>{});
  if (passage != Passage::obstructed) return bits;
  forEachStreamed<P>([&](auto slot, auto k) {
    using S = decltype(slot);
    const bool isBack = passageAt(near, sourceOf<S>(k)) == Passage::blocked;
    bits |= static_cast<ComponentBits<P>>(isBack) << (S::first + k);
  });
  return bits;
}

/// Gives a place what has come back from blocked places around it.
template <class P>
MASS_FN inline void comeBackFromBlocked(P& place, const Neighborhood<P>& near) {
  Slots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    if constexpr (S::isStreamed) {
      static_assert(S::count <= 64, "of what is streamed, 64 elements at most can come back");
      const auto forEachElement = [](auto&& f) {
        [&]<int... k>(std::integer_sequence<int, k...>) {
          (f(std::integral_constant<int, k>{}), ...);
        }
        (std::make_integer_sequence<int, static_cast<int>(S::count)>{});
      };
      std::uint64_t blocked = 0;  // bits: registers are scarce
      forEachElement([&](auto k) {
        if constexpr (oppositeOf<S>(k) >= 0) {
          const bool is = passageAt(near, sourceOf<S>(k)) == Passage::blocked;
          blocked |= static_cast<std::uint64_t>(is) << k;
        }
      });
      forEachElement([&](auto k) {
        if constexpr (oppositeOf<S>(k) >= 0) {
          const auto own = near.template get<S::member>({}, oppositeOf<S>(k));
          if ((blocked >> k & 1) != 0) (place.*S::member)[k] = own;
        }
      });
    }
  });
}

/// Gives a place what has come back from beyond fixed borders.
template <class P>
MASS_FN inline void comeBackFromBorders(P& place, const Neighborhood<P>& near,
                                        const Domain& domain) {
  const unsigned ends = bordersBeside(near, domain);
  if (ends == 0) return;
  [&]<int... end>(std::integer_sequence<int, end...>) {
    const auto from = [&](auto number) {
      if ((ends >> number & 1) == 0) return;
      forEachStreamed<P>([&](auto slot, auto k) {
        using S = decltype(slot);
        constexpr bool crosses = (endsCrossed(sourceOf<S>(k)) >> number & 1) != 0;
        constexpr bool isBack =
            number / 2 == P::dimensions - 1 && comesBackOnArrival<S, P::dimensions>(k);
        if constexpr (crosses && oppositeOf<S>(k) >= 0 && !isBack)
          (place.*S::member)[k] = near.template get<S::member>({}, oppositeOf<S>(k));
      });
    };
    (from(std::integral_constant<int, end>{}), ...);
  }
  (std::make_integer_sequence<int, 2 * P::dimensions>{});
}

/// Gives a place, which has received what has travelled there, what has come back; one that is
/// blocked has what it had. Returns whether rules are to be applied to it.
template <class P>
MASS_FN inline bool complete(P& place, const Neighborhood<P>& near, const Domain& domain) {
  const Passage passage = passageOf(place);
  if (passage == Passage::open) return true;
  if (passage == Passage::blocked) {
    forEachStreamed<P>([&](auto slot, auto k) {
      using S = decltype(slot);
      (place.*S::member)[k] = near.template get<S::member>({}, k);
    });
    return false;
  }
  if constexpr (saysPassage<P>) {
    if (passage == Passage::obstructed) comeBackFromBlocked(place, near);
  }
  comeBackFromBorders(place, near, domain);
  return true;
}

}  // namespace mass::detail
