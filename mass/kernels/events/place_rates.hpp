#pragma once

#include <mass/memory/event_view.hpp>
#include <mass/rules/event_channels.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstdint>
#include <limits>

namespace mass::detail {

/// Rates and directions of the hops from a place.
template <class P>
class PlaceHops {
 public:
  using C = Channels<P>;

  MASS_FN PlaceHops(const EventView& view, std::int32_t place)
      : view_(&view), neighbors_(view.neighborsOf(place)), place_(place) {
    for (int k = 0; k < C::directions; ++k) {
      const bool isOpen = neighbors_[k] != noPlace;
      openDirections_ |= (static_cast<unsigned>(k) * isOpen) << 4 * open_;
      open_ += isOpen;
    }
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
    return static_cast<int>(openDirections_ >> 4 * static_cast<int>(fraction * open_) & 0xf);
  }

 private:
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
  const std::int32_t* neighbors_;
  std::int32_t place_;
  int open_ = 0;
  unsigned openDirections_ = 0;  // directions in which there are places, 4 bits each
};

/// Rates of the events of a place, as expected events in a window.
template <class P, class Arguments>
class PlaceRates {
 public:
  MASS_FN PlaceRates(const EventView& view, const Arguments& arguments)
      : view_(&view), arguments_(&arguments) {}

  /// Returns the expected number of an event in a window.
  template <int Event>
  MASS_FN double ofEvent(const P& state) const {
    return callRule<Channels<P>::template EventAt<Event>::rate>(state, *arguments_) *
           view_->seconds;
  }

  /// Returns a rate in 1/s, given as expected events in a window.
  MASS_FN double perSecond(double expected) const { return expected / view_->seconds; }
  MASS_FN const Arguments& arguments() const { return *arguments_; }

 private:
  const EventView* view_;
  const Arguments* arguments_;
};

/// True if a rate or expected number is valid: at least 0 and finite.
MASS_FN inline bool isValidRate(double rate) {
  return rate >= 0 && rate <= std::numeric_limits<double>::max();
}

/// Bounds of the candidates of a place at the start of a window. They are above the counts and
/// rates, since strips take longer than candidates that do not happen; but 0 where nothing can
/// happen, since most places may be empty, and for absent particles of classes with many kinds.
template <class P>
class PlaceBounds {
 public:
  using C = Channels<P>;
  static constexpr int manyHops = 4;  ///< kinds of particles above which most are absent in a place

  template <class Arguments>
  MASS_FN PlaceBounds(const P& state, const PlaceRates<P, Arguments>& rates) {
    forEachIndex<C::hops>(
        [&](auto hop) { isActive_ = isActive_ | (C::template HopAt<hop>::of(state) != 0); });
    forEachIndex<C::events>(
        [&](auto event) { isActive_ = isActive_ || rates.template ofEvent<event>(state) != 0; });
  }

  /// True if there are particles, or a rate is not 0.
  MASS_FN bool isActive() const { return isActive_; }

  /// Returns the number of particles of a kind that have candidates.
  MASS_FN std::int32_t ofCount(std::int32_t count) const {
    constexpr std::int32_t most = 32;
    constexpr std::int32_t large = std::numeric_limits<std::int32_t>::max() - (most >> 2);
    if constexpr (C::hops > manyHops)
      if (count == 0) return 0;
    const std::int32_t more = (count < most ? count : most) >> 2;
    return ((count < large ? count + 1 : large) + more) & -static_cast<std::int32_t>(isActive_);
  }
  /// Returns the expected number of an event in a window up to which there are candidates.
  MASS_FN double ofRate(double expected) const {
    constexpr double more = 0.3 / (C::events > 0 ? C::events : 1);
    return 1.25 * (expected > 0 ? expected : 0) + (isActive_ ? more : 0);
  }

 private:
  bool isActive_ = false;
};

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
