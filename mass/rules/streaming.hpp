#pragma once

#include <mass/rules/neighborhood.hpp>
#include <mass/support/export.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <type_traits>
#include <utility>

namespace mass {

/// Kind of a place in streaming, returned by the member function `flowCell() const` of a Place. A
/// place is adjacent to the places from which an element of a streamed attribute is pulled. If the
/// kind omits an adjacent solid place or fixed border, the state is undefined; in checked builds on
/// CPUs, changing rules throw UsageError then.
enum class FlowCell : std::uint8_t {
  interior = 0,      ///< No fixed border and no solid place is adjacent.
  nearSolid = 1,     ///< A solid place or a fixed border may be adjacent.
  solid = 2,         ///< Nothing is streamed into or out of the place.
  nearBoundary = 3,  ///< A fixed border may be adjacent, but no solid place.
  open [[deprecated("use interior")]] = interior,              ///< Former name of `interior`.
  obstructed [[deprecated("use nearSolid")]] = nearSolid,      ///< Former name of `nearSolid`.
  blocked [[deprecated("use solid")]] = solid,                 ///< Former name of `solid`.
  bordered [[deprecated("use nearBoundary")]] = nearBoundary,  ///< Former name of `nearBoundary`.
};
/// Former name of FlowCell.
using Passage [[deprecated("use FlowCell")]] = FlowCell;

/// Streams before the rule is called. Parameter `const Streaming<P>&` of rules of places with
/// attributes marked mass::streamed. In the rule, element k of such an attribute has the value that
/// element k of the place at offset `-Directions::velocity(k)` had before the call (pull scheme).
/// If that place is beyond a fixed border or solid, the element has the value that the opposite
/// element of its own place had: half-way bounce-back (Ladd, J. Fluid Mech. 271 (1994) 285). An
/// element without an opposite, or with a velocity of more than one place along an axis, is pulled
/// without bounce-back.
///
/// A member function `mass::FlowCell flowCell() const` of P, which depends on constant attributes
/// only, returns the kind of a place; without it, all are FlowCell::nearBoundary. A changing rule
/// is not applied to solid places: the streamed attributes that it writes are set to zero there,
/// and other attributes are unchanged. A reading rule finds zeros there.
///
/// A rule without a Neighborhood as a further parameter needs no second buffer of the streamed
/// attributes if each velocity has an opposite one (AA pattern; see the setting `streaming`). If
/// such a rule throws, the streamed attributes are lost.
template <class P>
class Streaming : public Here<P::dimensions> {
 public:
  static_assert(detail::hasStreamed<P>,
                "Streaming needs places with an attribute marked mass::streamed");
  static_assert(P::reach >= 1, "Streaming needs places with a reach of 1 or more");

  /// For kernels: streaming into the place of a Neighborhood, which must outlive this object.
  MASS_FN explicit Streaming(const Neighborhood<P>& near)
      : Here<P::dimensions>(near), near_(near) {}

  /// Returns an attribute of the neighbour at an offset, as before the call; see Neighborhood::get.
  /// @tparam Member pointer to member of an attribute that is not streamed
  template <auto Member>
  MASS_FN auto get(Offset<P::dimensions> offset, int element = 0) const {
    static_assert(!detail::AttributeSlotFor<P, Member>::isStreamed,
                  "Streaming::get reads attributes that are not streamed; for streamed ones as "
                  "before the call, the rule needs a parameter const Neighborhood<P>&");
    return near_.template get<Member>(offset, element);
  }

 private:
  const Neighborhood<P>& near_;
};

namespace detail {

[[noreturn]] MASS_EXPORT void failFlowCell(std::string_view place, int dimensions,
                                           const std::int64_t* coordinates);

/// Returns the index of the element of slot S with the opposite velocity. Returns -1, for no
/// bounce-back, if there is none or the velocity exceeds one place along an axis.
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
/// True if the AA pattern can stream all streamed attributes of P within one buffer: opposite
/// velocities form pairs, the world has 2 or 3 dimensions, and P has at most 64 components.
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

/// Calls f(slot, k) for each element k of each streamed slot of P; k is a std::integral_constant.
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

/// True if pullStreamed() applies bounce-back to element k of slot S at fixed ends of lines: on
/// GPUs, by a selected address.
template <class S, int D>
MASS_FN constexpr bool bouncesBackOnLoad([[maybe_unused]] int k) {
  return onGpu && D > 1 && sourceOf<S>(k)[D - 1] != 0 && oppositeOf<S>(k) >= 0;
}
/// Pulls the streamed elements of `place` from its neighbours.
/// @tparam mayBeAtEnd true to apply bounce-back to the elements of bouncesBackOnLoad()
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

/// True if P has the member function passage(), the old name of flowCell().
template <class P>
inline constexpr bool hasPassage = requires(const P& place) {
  place.passage();
};
/// True if P has flowCell() or passage().
template <class P>
inline constexpr bool definesFlowCell = hasPassage<P> || requires(const P& place) {
  place.flowCell();
};
/// Returns the kind of a place.
template <class P>
MASS_FN constexpr FlowCell flowCellOf([[maybe_unused]] const P& place) {
  if constexpr (definesFlowCell<P>) {
    return place.flowCell();
  } else {
    return FlowCell::nearBoundary;
  }
}
template <class P>
requires hasPassage<P>
[[deprecated("rename the member function passage() to flowCell()")]] MASS_FN constexpr FlowCell
flowCellOf(const P& place) {
  return place.passage();
}
/// Returns the kind of the place at an offset, from its constant attributes.
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

/// Bit mask of the fixed borders at which a place lies: bit 2 * axis for the first place of an
/// axis, bit 2 * axis + 1 for the last one.
template <int D>
MASS_FN inline unsigned fixedEndsAt(const Here<D>& here) {
  unsigned bits = 0;
  for (int axis = 0; axis < D; ++axis) {
    for (int end = 0; end < 2; ++end)
      bits |= (here.isAtFixedEnd(axis, end) ? 1U : 0U) << (2 * axis + end);
  }
  return bits;
}
/// Bit mask, as that of fixedEndsAt(), of the borders that a step by `offset` may cross.
template <int D>
MASS_FN constexpr unsigned endsCrossed(const Offset<D>& offset) {
  unsigned bits = 0;
  for (int axis = 0; axis < D; ++axis)
    bits |= (offset[axis] < 0 ? 1U : offset[axis] > 0 ? 2U : 0U) << (2 * axis);
  return bits;
}

}  // namespace detail
}  // namespace mass
