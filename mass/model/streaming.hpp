#pragma once

#include <mass/model/neighborhood.hpp>
#include <mass/support/qualifiers.hpp>

#include <utility>

namespace mass {

/// What a rule takes in place of Neighborhood<P> when what is streamed is to arrive first: element
/// k of each streamed attribute of its place is then what was at `-Directions::velocity(k)` before
/// the call. What the place itself had is near.get<&P::f>(own, k), `own` being no offset at all.
template <class P>
class Streaming : public Neighborhood<P> {
 public:
  static_assert(detail::hasStreamed<P>, "none of the Place's attributes is mass::streamed");

  MASS_FN explicit Streaming(const Neighborhood<P>& near) : Neighborhood<P>(near) {}
};

namespace detail {

/// Gives a place what has travelled there.
template <class P>
MASS_FN inline void receive(P& place, const Neighborhood<P>& near) {
  Slots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    if constexpr (S::isStreamed) {
      [&]<int... k>(std::integer_sequence<int, k...>) {
        (((place.*S::member)[k] = near.template get<S::member>(sourceOf<S>(k), k)), ...);
      }
      (std::make_integer_sequence<int, static_cast<int>(S::count)>{});
    }
  });
}

}  // namespace detail
}  // namespace mass
