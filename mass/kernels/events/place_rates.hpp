#pragma once

#include <mass/memory/event_view.hpp>
#include <mass/rules/event_channels.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstdint>
#include <limits>

namespace mass::detail {

/// Rates of the channels of a place, as expected events in a window.
template <class P, class Arguments>
class PlaceRates {
 public:
  using C = Channels<P>;

  MASS_FN PlaceRates(const EventView& view, const Arguments& arguments, std::int32_t place)
      : view_(&view), arguments_(&arguments), neighbors_(view.neighborsOf(place)), place_(place) {
    for (int k = 0; k < C::directions; ++k) open_ += neighbors_[k] != noPlace;
  }

  /// Returns the expected hops in a window of one particle of a kind.
  MASS_FN double ofParticle(int hop) const {
    const HopRates& rates = view_->hopRates[hop];
    if (rates.byPlace == nullptr) return rates.each * view_->seconds * open_;
    double sum = 0;
    for (int k = 0; k < C::directions; ++k) sum += byPlace(rates, k);
    return sum * view_->seconds;
  }
  /// Returns the direction of a hop. @param fraction uniform in [0, 1)
  MASS_FN int directionOf(int hop, double fraction) const {
    const HopRates& rates = view_->hopRates[hop];
    if (rates.byPlace != nullptr) return directionByPlace(rates, fraction);
    const int number = static_cast<int>(fraction * open_);
    return open_ == C::directions ? number : openDirection(number);
  }
  /// Returns the expected number of an event in a window.
  template <int Event>
  MASS_FN double ofEvent(const P& state) const {
    return callRule<C::template EventAt<Event>::rate>(state, *arguments_) * view_->seconds;
  }

  /// Returns a rate in 1/s, given as expected events in a window.
  MASS_FN double perSecond(double expected) const { return expected / view_->seconds; }
  MASS_FN const Arguments& arguments() const { return *arguments_; }

 private:
  /// Returns the number-th direction in which there is a place.
  MASS_FN int openDirection(int number) const {
    int seen = 0;
    for (int k = 0; k < C::directions; ++k) {
      if (neighbors_[k] != noPlace && seen++ == number) return k;
    }
    return 0;
  }
  MASS_FN double byPlace(const HopRates& rates, int direction) const {
    return neighbors_[direction] == noPlace
               ? 0
               : rates.byPlace[static_cast<std::int64_t>(place_) * C::directions + direction];
  }
  MASS_FN int directionByPlace(const HopRates& rates, double fraction) const {
    double sum = 0;
    for (int k = 0; k < C::directions; ++k) sum += byPlace(rates, k);
    double rest = fraction * sum;
    int last = 0;
    for (int k = 0; k < C::directions; ++k) {
      const double rate = byPlace(rates, k);
      if (!(rate > 0)) continue;
      last = k;
      if (rest < rate) break;
      rest -= rate;
    }
    return last;
  }

  const EventView* view_;
  const Arguments* arguments_;
  const std::int32_t* neighbors_;
  std::int32_t place_;
  int open_ = 0;
};

/// True if a rate or expected number is valid: at least 0 and finite.
MASS_FN inline bool isValidRate(double rate) {
  return rate >= 0 && rate <= std::numeric_limits<double>::max();
}

/// Returns the particles of a kind that have candidates at the start of a window.
MASS_FN inline std::int32_t boundOfCount(std::int32_t count) {
  return count > 0 ? count + 1 : 0;  // one may arrive
}
/// Returns the expected number of an event in a window up to which there are candidates at its
/// start.
MASS_FN inline double boundOfRate(double expected) {
  return expected > 0 ? 1.25 * expected : 0;
}

/// Calls f(time, height) for each further point of a Poisson process in a window, in order of time.
/// @param scale 1 / expected number of points @param first number of the first of these points
/// @param time time of the point before it, in windows
/// @param f takes a height that is uniform in [0, 1)
/// @tparam N number of points that are drawn at a time; it does not change them
template <int N, class F>
MASS_FN void forEachPoint(const PointKey& key, double scale, std::uint32_t first, double time,
                          F&& f) {
  for (; first < PointKey::numbers; first += N) {
    const PointDraws<N> draws = drawPoints<N>(key, first);
    if constexpr (N == 1) {
      if (draws.gaps * scale + time >= 1.000001) return;  // its exponential is larger
    }
    const auto gaps = exponentialOf<N>(draws.gaps) * scale;
    for (int i = 0; i < N; ++i) {
      time += elementOf<N>(gaps, i);
      if (!(time < 1)) return;
      f(time, elementOf<N>(draws.heights, i));
    }
  }
}

}  // namespace mass::detail
