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
      : PlaceDraw(view, arguments, place, static_cast<const P*>(view.start)[place]) {}
  /// @param state that of the place then
  MASS_FN PlaceDraw(const EventView& view, const Arguments& arguments, std::int32_t place,
                    const P& state)
      : view_(&view), hops_(view, place), key_(view.pointsOf(place, 0)) {
    const PlaceRates<P, Arguments> rates(view, arguments);
    const PlaceBounds<P> bounds(state, rates);
    isAtRest_ = !bounds.isActive();
    forEachIndex<C::hops>([&](auto hop) {
      constexpr int h = hop;
      bases_[h] = sum_;
      const std::int32_t count = C::template HopAt<h>::of(state);
      if (count < 0) fault_ = EventFault::negativeCount;
      const std::int32_t bound = bounds.ofCount(count);
      widths_[h] = bound > 0 ? hops_.ofParticle(h) : 0;  // rates by place are far in memory
      left_[h] = count;
      sum_ += widths_[h] * bound;
      limits_[h] = sum_;
    });
    forEachIndex<C::events>([&](auto event) {
      constexpr int e = event;
      bases_[C::hops + e] = sum_;
      const double expected = rates.template ofEvent<e>(state);
      if (!isValidRate(expected)) fault_ = EventFault::invalidRate;
      widths_[C::hops + e] = 1;
      left_[C::hops + e] = 0;
      sum_ += bounds.ofRate(expected);
      limits_[C::hops + e] = sum_;
    });
    if (fault_ == EventFault::none && !(sum_ <= mostCandidates))
      fault_ = EventFault::tooFastAtStart;
    if (fault_ != EventFault::none) sum_ = 0;
  }

  /// True if nothing can happen unless something arrives.
  MASS_FN bool isAtRest() const { return isAtRest_; }
  /// Returns the fault of the counts or rates; there is no candidate then.
  MASS_FN EventFault fault() const { return fault_; }
  /// Returns the expected number of candidates of a channel.
  MASS_FN double expectedOf(int channel) const { return limits_[channel] - bases_[channel]; }
  /// Returns the identity of the points of the candidates, their expected number and 1 / that.
  MASS_FN const PointKey& key() const { return key_; }
  MASS_FN double expected() const { return sum_; }
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
    EventCandidate& candidate = candidates.data[candidates.count++];
    candidate = EventCandidate::event(tick, channel, height);
    if constexpr (C::hops > 0) {
      const auto particle = static_cast<std::int64_t>(height);
      const double rest = height - static_cast<double>(particle);
      const bool isHop = channel < C::hops;
      const int direction = hops_.directionOf(isHop ? channel : 0, rest);
      const bool departs = particle < left_[channel];  // false for events
      left_[channel] -= departs;
      departures.addIf(departs, {tick, static_cast<std::uint32_t>(channel)},
                       view_->parts.of[static_cast<std::size_t>(direction)]);
      const auto hop =
          EventCandidate::hop(tick, channel, direction, static_cast<std::int32_t>(particle));
      candidate.low = isHop ? hop.low : candidate.low;
      candidate.high = isHop ? hop.high : candidate.high;
    }
  }

 private:
  /// Expected candidates of a place at the start of a window, at most.
  static constexpr double mostCandidates = 1 << 20;
  static constexpr std::size_t channels = C::all > 0 ? std::size_t{C::all} : 1;

  const EventView* view_;
  PlaceHops<P> hops_;
  PointKey key_;
  double sum_ = 0;               // expected candidates in the window
  double bases_[channels];       // limit of the channel before
  double limits_[channels];      // prefix sums of the channels' expected candidates
  double widths_[channels];      // expected candidates of a unit of height
  std::int32_t left_[channels];  // particles that have not departed
  EventFault fault_ = EventFault::none;
  bool isAtRest_ = false;
};

}  // namespace mass::detail
