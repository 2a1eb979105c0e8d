#pragma once

#include <mass/kernels/events/departure_record.hpp>
#include <mass/kernels/events/place_rates.hpp>

namespace mass::detail {

/// Candidates of a place in a window, and the departures among them if nothing arrives and no other
/// event happens.
template <class P, class Arguments>
class PlaceDraw {
 public:
  using C = Channels<P>;

  /// Computes the bounds of a place at the start of the window.
  MASS_FN PlaceDraw(const EventView& view, const Arguments& arguments, std::int32_t place)
      : view_(&view), rates_(view, arguments, place), key_(view.pointsOf(place, 0)) {
    const P& state = static_cast<const P*>(view.start)[place];
    forEachIndex<C::hops>([&](auto hop) {
      constexpr int h = hop;
      bases_[h] = sum_;
      const std::int32_t count = C::template HopAt<h>::of(state);
      widths_[h] = count > 0 ? rates_.ofParticle(h) : 0;  // rates by place are far in memory
      left_[h] = count;
      sum_ += widths_[h] * boundOfCount(count);
      limits_[h] = sum_;
    });
    forEachIndex<C::events>([&](auto event) {
      constexpr int e = event;
      bases_[C::hops + e] = sum_;
      const double expected = rates_.template ofEvent<e>(state);
      isValid_ = isValid_ && isValidRate(expected);
      widths_[C::hops + e] = 1;
      left_[C::hops + e] = 0;
      sum_ += boundOfRate(expected);
      limits_[C::hops + e] = sum_;
    });
    if (!isValid_) sum_ = 0;
  }

  /// False if a rate is invalid; there is no candidate then.
  MASS_FN bool isValid() const { return isValid_; }
  /// Returns the identity of the points of the candidates, and 1 / their expected number.
  MASS_FN const PointKey& key() const { return key_; }
  MASS_FN double scale() const { return 1 / sum_; }

  /// Appends the candidate of a point, and its departure. @pre there is memory
  MASS_FN void add(double time, double fraction, BoundedList<EventCandidate>& candidates,
                   DepartureRecord& departures) {
    const std::uint32_t tick = view_->tickOf(time);
    const double at = fraction * sum_;
    int channel = 0;
    for (int c = 0; c < C::all - 1; ++c) channel += at >= limits_[c];
    const double base = bases_[channel];
    const double height = (at - base) / widths_[channel];
    int direction = 0;
    if constexpr (C::hops > 0) {
      const double whole = static_cast<double>(static_cast<std::int64_t>(height));
      direction = rates_.directionOf(channel < C::hops ? channel : 0, height - whole);
      const bool departs = height < left_[channel];  // false for events
      left_[channel] -= departs;
      departures.addIf(departs, {tick, static_cast<std::uint32_t>(channel)},
                       view_->parts.of[static_cast<std::size_t>(direction)]);
    }
    candidates.data[candidates.count++] = {tick, static_cast<std::uint16_t>(channel),
                                           static_cast<std::uint16_t>(direction), height};
  }

 private:
  static constexpr std::size_t channels = C::all > 0 ? std::size_t{C::all} : 1;

  const EventView* view_;
  PlaceRates<P, Arguments> rates_;
  PointKey key_;
  double sum_ = 0;               // expected candidates in the window
  double bases_[channels];       // limit of the channel before
  double limits_[channels];      // prefix sums of the channels' expected candidates
  double widths_[channels];      // expected candidates of a unit of height
  std::int32_t left_[channels];  // particles that have not departed
  bool isValid_ = true;
};

}  // namespace mass::detail
