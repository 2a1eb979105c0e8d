#pragma once

#include <mass/kernels/events/place_rates.hpp>

namespace mass::detail {

/// Draws the candidates of a place in a window, in order of time, and the departures among them if
/// nothing arrives and no other event happens.
/// @param candidates, departures get the results; see BoundedList::overflowed
template <class P, class Arguments>
MASS_FN void drawCandidates(const EventView& view, const Arguments& arguments, std::int32_t place,
                            BoundedList<EventCandidate>& candidates,
                            BoundedList<Departure>& departures) {
  using C = Channels<P>;
  const P& state = static_cast<const P*>(view.start)[place];
  const PlaceRates<P, Arguments> rates(view, arguments, place);
  double limits[C::all > 0 ? C::all : 1];  // prefix sums of the channels' expected events
  double ofParticle[C::hops > 0 ? C::hops : 1];
  double left[C::hops > 0 ? C::hops : 1];  // particles that have not departed
  double sum = 0;
  bool valid = true;
  forEachIndex<C::hops>([&](auto hop) {
    constexpr int h = hop;
    ofParticle[h] = rates.ofParticle(h);
    left[h] = countOf<P, h>(state);
    sum += ofParticle[h] * boundOfCount(state.*C::template HopAt<h>::count);
    limits[h] = sum;
  });
  forEachIndex<C::events>([&](auto event) {
    constexpr int e = event;
    const double expected = rates.template ofEvent<e>(state);
    valid = valid && isValidRate(expected);
    sum += boundOfRate(expected);
    limits[C::hops + e] = sum;
  });
  if (!valid) return;  // PlaceRun records it
  forEachPoint<pointsAtATime>(
      view, view.pointsOf(place, 0), sum, [&](std::uint32_t tick, double fraction) {
        const double at = fraction * sum;
        int channel = 0;
        for (int c = 0; c < C::all - 1; ++c) channel += at >= limits[c];
        double height = channel > 0 ? at - limits[channel - 1] : at;
        int direction = 0;
        if constexpr (C::hops > 0) {
          if (channel < C::hops) {
            height /= ofParticle[channel];
            direction = rates.directionOf(
                channel, height - static_cast<double>(static_cast<std::int64_t>(height)));
            if (height < left[channel]) {
              left[channel] -= 1;
              departures.push(
                  {tick, static_cast<std::uint8_t>(direction), static_cast<std::uint8_t>(channel)});
            }
          }
        }
        candidates.push({tick, static_cast<std::uint16_t>(channel),
                         static_cast<std::uint16_t>(direction), height});
      });
}

}  // namespace mass::detail
