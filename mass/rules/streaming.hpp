#pragma once

#include <mass/rules/neighborhood.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>

namespace mass {

/// What a place is to that which is streamed. It lies beside those that an element of any streamed
/// attribute comes from. On CPUs, checked builds throw where a rule that changes places finds that
/// one is not what it says; else the state is undefined then.
enum class FlowCell : std::uint8_t {
  interior = 0,      ///< neither a fixed border nor a solid place is adjacent
  nearSolid = 1,     ///< a solid place is adjacent, perhaps a border, too
  solid = 2,         ///< nothing streams into or out of the place; its streamed elements are zero
  nearBoundary = 3,  ///< may lie at a fixed border, but no solid place is adjacent
  open = interior,
  obstructed = nearSolid,
  blocked = solid,
  bordered = nearBoundary,
};
using Passage = FlowCell;

/// What a rule takes when what is streamed is to arrive first: element k of each streamed attribute
/// of its place is then what was at `-Directions::velocity(k)` before the call. Where that lies
/// behind a fixed border or is blocked, what left for there has come back: the element is the
/// opposite one that the place itself had ("half-way bounce-back"; Ladd, J. Fluid Mech. 271 (1994)
/// 285). An element without an opposite, or with a velocity of more than one place along an axis,
/// does not come back: it comes from there as from anywhere.
///
/// What a place is may be said by a member function `mass::FlowCell passage() const`, which depends
/// on constant attributes alone; without it, all are bordered. A rule that takes Streaming and
/// changes places is not applied to those that are blocked: of what it writes, what is streamed is
/// zero there (`Element{}`), and all else stays as it is. One that reads finds zeros there.
///
/// A rule that takes nothing but this (no Neighborhood besides) needs no second buffer of what is
/// streamed where that can be moved in place: see the setting `streaming`. What was streamed is
/// lost then when a rule throws.
template <class P>
class Streaming : public Here<P::dimensions> {
 public:
  static_assert(detail::hasStreamed<P>, "none of the Place's attributes is mass::streamed");
  static_assert(P::reach >= 1, "what is streamed is read at neighbours: the Place has a reach");

  MASS_FN explicit Streaming(const Neighborhood<P>& near)
      : Here<P::dimensions>(near), near_(near) {}

  /// An attribute of the neighbour at an offset, as it was before the call; none that is streamed.
  template <auto Member>
  MASS_FN auto get(Offset<P::dimensions> offset, int element = 0) const {
    static_assert(!detail::AttributeSlotFor<P, Member>::isStreamed,
                  "what is streamed has arrived in the place itself; for what neighbours had, or "
                  "the place before, the rule takes a Neighborhood as well");
    return near_.template get<Member>(offset, element);
  }

 private:
  const Neighborhood<P>& near_;
};

namespace detail {

/// The element of slot S with the opposite velocity, if that is one place along each axis at most;
/// -1 where there is none: such an element does not come back.
template <class S>
MASS_FN constexpr int oppositeOf(int k) {
  const auto source = sourceOf<S>(k);
  for (const int step : source.values) {
    if (step < -1 || step > 1) return -1;
  }
  for (int other = 0; other < static_cast<int>(S::count); ++other) {
    const auto velocity = S::Directions::velocity(other);
    bool is = true;
    for (std::size_t axis = 0; axis < std::size(source.values); ++axis)
      is = is && velocity.values[axis] == source.values[axis];
    if (is) return other;
  }
  return -1;
}
/// Whether what is streamed of P can move in place: each element has an opposite one, of its own.
template <class P>
constexpr bool supportsAaPattern() {
  if constexpr (!hasStreamed<P>) {
    return false;
  } else {
    bool can = P::dimensions > 1 && AttributeSlots<P>::components <= 64;
    AttributeSlots<P>::forEach([&](auto slot) {
      using S = decltype(slot);
      if constexpr (S::isStreamed) {
        for (int k = 0; k < static_cast<int>(S::count); ++k)
          can = can && oppositeOf<S>(k) >= 0 && oppositeOf<S>(oppositeOf<S>(k)) == k;
      }
    });
    return can;
  }
}

/// Calls f(slot, k) for each element k, a constant, of each slot of P that is streamed.
template <class P, class F>
MASS_FN inline void forEachStreamed(F&& f) {
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    if constexpr (S::isStreamed) {
      [&]<int... k>(std::integer_sequence<int, k...>) {
        (f(slot, std::integral_constant<int, k>{}), ...);
      }
      (std::make_integer_sequence<int, static_cast<int>(S::count)>{});
    }
  });
}

/// Whether element k of slot S comes back from fixed ends of lines as it arrives: on GPUs, by a
/// selected address.
template <class S, int D>
MASS_FN constexpr bool bouncesBackOnLoad([[maybe_unused]] int k) {
  return onGpu && D > 1 && sourceOf<S>(k)[D - 1] != 0 && oppositeOf<S>(k) >= 0;
}
/// Gives a place what has travelled there. `mayBeAtEnd`: what has to come back from fixed ends of
/// the line as it arrives does so.
template <bool mayBeAtEnd, class P>
MASS_FN inline void pullStreamed(P& place, const Neighborhood<P>& near) {
  forEachStreamed<P>([&](auto slot, auto k) {
    using S = decltype(slot);
    auto& element = (place.*S::member)[k];
    if constexpr (mayBeAtEnd && bouncesBackOnLoad<S, P::dimensions>(k)) {
      element = near.template pullStreamed<S::member>(sourceOf<S>(k), k, oppositeOf<S>(k));
    } else {
      element = near.template get<S::member>(sourceOf<S>(k), k);
    }
  });
}

template <class P>
inline constexpr bool hasPassage = requires(const P& place) {
  place.passage();
};
template <class P>
inline constexpr bool definesFlowCell = hasPassage<P> || requires(const P& place) {
  place.flowCell();
};
template <class P>
MASS_FN constexpr FlowCell flowCellOf([[maybe_unused]] const P& place) {
  if constexpr (hasPassage<P>) {
    return place.passage();
  } else if constexpr (definesFlowCell<P>) {
    return place.flowCell();
  } else {
    return FlowCell::nearBoundary;
  }
}
/// What the place at an offset is.
template <class P>
MASS_FN inline FlowCell flowCellAt(const Neighborhood<P>& near,
                                   const Offset<P::dimensions>& offset) {
  P place;
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    if constexpr (S::isConstant && S::isArray) {
      for (int k = 0; k < static_cast<int>(S::count); ++k)
        (place.*S::member)[k] = near.template get<S::member>(offset, k);
    } else if constexpr (S::isConstant) {
      place.*S::member = near.template get<S::member>(offset);
    }
  });
  return flowCellOf(place);
}

/// The ends of the axes that have a fixed border where a place lies: bit 2 * axis before it, the
/// next one after it.
template <int D>
MASS_FN inline unsigned fixedEndsAt(const Here<D>& here) {
  unsigned bits = 0;
  for (int axis = 0; axis < D; ++axis) {
    for (int end = 0; end < 2; ++end)
      bits |= (here.isAtFixedEnd(axis, end) ? 1U : 0U) << (2 * axis + end);
  }
  return bits;
}
/// The ends that a step by an offset crosses, where there are borders.
template <int D>
MASS_FN constexpr unsigned endsCrossed(const Offset<D>& offset) {
  unsigned bits = 0;
  for (int axis = 0; axis < D; ++axis)
    bits |= (offset[axis] < 0 ? 1U : offset[axis] > 0 ? 2U : 0U) << (2 * axis);
  return bits;
}

}  // namespace detail
}  // namespace mass
