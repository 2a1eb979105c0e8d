#pragma once

#include <mass/kernels/events/place_rates.hpp>

#include <cstdint>
#include <limits>
#include <utility>

namespace mass::detail {

/// Keeps the first fault of an execution.
template <class P>
class FaultOnly {
 public:
  MASS_FN EventFault fault() const { return fault_; }

  MASS_FN void record(EventFault fault, int /*channel*/, double /*value*/, std::uint32_t /*tick*/,
                      const P& /*state*/) {
    if (fault_ == EventFault::none) fault_ = fault;
  }

 private:
  EventFault fault_ = EventFault::none;
};
/// Keeps the first fault of an execution with its circumstances, for a message.
template <class P>
class FaultRecord {
 public:
  MASS_FN EventFault fault() const { return fault_; }
  MASS_FN int channel() const { return channel_; }  ///< channel of the rate or of the particles
  MASS_FN double value() const { return value_; }   ///< rate in 1/s
  MASS_FN std::uint32_t tick() const { return tick_; }
  MASS_FN const P& state() const { return state_; }  ///< state with the fault

  MASS_FN void record(EventFault fault, int channel, double value, std::uint32_t tick,
                      const P& state) {
    if (fault_ != EventFault::none) return;
    fault_ = fault, channel_ = channel, value_ = value, tick_ = tick, state_ = state;
  }

 private:
  EventFault fault_ = EventFault::none;
  int channel_ = 0;
  double value_ = 0;
  std::uint32_t tick_ = 0;
  P state_{};
};

/// State of a place and the bounds up to which its channels have candidates. Passed by value, so
/// that compilers keep it in registers.
template <class P>
struct PlaceLevels {
  using C = Channels<P>;
  static constexpr std::size_t hops = C::hops > 0 ? std::size_t{C::hops} : 1;
  static constexpr std::size_t events = C::events > 0 ? std::size_t{C::events} : 1;

  P state;
  std::int32_t slots[hops];  ///< particles whose hops have candidates
  double expected[events];   ///< expected events in a window by the present rate
  double bounds[events];     ///< expected events up to which there are candidates
};

/// Numbers of strips that an execution of a place has drawn.
template <class P>
struct StripCounts {
  std::uint32_t all = 0;
  double expected = 0;  ///< candidates of all strips
  std::uint32_t of[Channels<P>::all > 0 ? std::size_t{Channels<P>::all} : 1] = {};  ///< by channel
};

/// Strips of candidates of one execution of a place. A rate above its bound adds a strip.
template <class P, class Arguments, class Faults>
class PlaceContext {
 public:
  using C = Channels<P>;
  using Levels = PlaceLevels<P>;

  /// @param strips gets the candidates of strips, in order of time; if it overflows, the execution
  /// is invalid @param counts strips of an execution that is continued
  MASS_FN PlaceContext(const EventView& view, const Arguments& arguments, std::int32_t place,
                       BoundedList<EventCandidate>& strips, const StripCounts<P>& counts = {})
      : view_(&view), rates_(view, arguments), strips_(&strips), place_(place), counts_(counts) {
    strips.count = 0;
  }

  MASS_FN const PlaceRates<P, Arguments>& rates() const { return rates_; }
  MASS_FN const Faults& faults() const { return faults_; }
  /// Returns the numbers of strips that were drawn.
  MASS_FN const StripCounts<P>& stripCounts() const { return counts_; }

  /// Returns the tick of the next candidate of a strip, or 2^32.
  MASS_FN std::uint64_t stripTick() const {
    return nextStrip_ == strips_->count ? std::uint64_t{1} << 32 : strips_->data[nextStrip_].tick;
  }
  /// Removes the next candidate of a strip.
  MASS_FN EventCandidate takeStrip() { return strips_->data[nextStrip_++]; }

  /// Returns the levels at the start of the window. @param start state then
  MASS_FN Levels begin(const P& start) {
    Levels levels;
    levels.state = start;
    const PlaceBounds<P> bounds(levels.state, rates_);
    bool valid = true;
    forEachIndex<C::hops>([&](auto hop) {
      const std::int32_t count = C::template HopAt<hop>::of(levels.state);
      levels.slots[hop] = bounds.ofCount(count);
      valid = valid & (count >= 0);
    });
    forEachIndex<C::events>([&](auto event) {
      levels.expected[event] = rates_.template ofEvent<event>(levels.state);
      levels.bounds[event] = bounds.ofRate(levels.expected[event]);
      valid = valid & isValidRate(levels.expected[event]);
    });
    return valid ? levels : cover(levels, 0);
  }
  /// Draws candidates for all levels above their bounds. Candidates after `tick` count.
  /// @return the levels with their new bounds
  __attribute__((noinline)) MASS_FN Levels cover(Levels levels, std::uint32_t tick) {
    forEachIndex<C::hops>([&](auto hop) { coverHops<hop>(levels, tick); });
    forEachIndex<C::events>([&](auto event) { coverEvent<event>(levels, tick); });
    return levels;
  }
  /// Records a fault, if it is the first.
  __attribute__((noinline)) MASS_FN void note(EventFault fault, int channel, double value,
                                              std::uint32_t tick, P state) {
    faults_.record(fault, channel, value, tick, state);
  }

 private:
  template <int Hop>
  MASS_FN void coverHops(Levels& levels, std::uint32_t tick) {
    const std::int32_t particles = C::template HopAt<Hop>::of(levels.state);
    if (particles < 0) note(EventFault::negativeCount, Hop, 0, tick, levels.state);
    if (particles == std::numeric_limits<std::int32_t>::max())
      return note(EventFault::tooMany, Hop, 0, tick, levels.state);
    while (particles > levels.slots[Hop]) {
      const std::int32_t left = std::numeric_limits<std::int32_t>::max() - levels.slots[Hop];
      const std::int32_t more = levels.slots[Hop] == 0 ? 1 : 2 + levels.slots[Hop] / 8;
      const std::int32_t slots = more < left ? more : left;
      addSlots(Hop, slots, levels, tick);
      levels.slots[Hop] += slots;
    }
  }
  /// Draws the candidates of the next `slots` particles above the bound.
  MASS_FN void addSlots(int hop, std::int32_t slots, const Levels& levels, std::uint32_t tick) {
    const PlaceHops<P> hops(*view_, place_);
    const std::int32_t from = levels.slots[hop];
    addStrip(hop, slots * hops.ofParticle(hop), levels, tick, [&](double fraction) {
      const double particle = fraction * slots;
      const auto whole = static_cast<std::int32_t>(particle);
      return EventCandidate::hop(0, hop, hops.directionOf(hop, particle - whole), from + whole);
    });
  }
  template <int Event>
  MASS_FN void coverEvent(Levels& levels, std::uint32_t tick) {
    double& expected = levels.expected[Event];
    if (!isValidRate(expected)) {
      note(EventFault::invalidRate, Event, expected / view_->seconds, tick, levels.state);
      expected = 0;
    }
    while (expected > levels.bounds[Event]) {
      const double from = levels.bounds[Event];
      const double height = from > 0 ? from : expected;
      raiseBound(Event, from, height, levels, tick);
      levels.bounds[Event] += height;
    }
  }
  /// Draws the candidates of an event with heights in [from, from + height).
  MASS_FN void raiseBound(int event, double from, double height, const Levels& levels,
                          std::uint32_t tick) {
    addStrip(C::hops + event, height, levels, tick, [&](double fraction) {
      return EventCandidate::event(0, C::hops + event, from + fraction * height);
    });
  }
  /// Draws a strip of candidates of a channel. Those after `tick` count.
  /// @param expected expected number of candidates in the window
  /// @param make returns the candidate of a fraction in [0, 1) of the strip
  template <class Make>
  MASS_FN void addStrip(int channel, double expected, const Levels& levels, std::uint32_t tick,
                        const Make& make) {
    constexpr double most = 1 << 14;  // sorted by insertion
    ++counts_.all;
    counts_.expected += expected;
    if (!(counts_.expected <= most))
      return note(EventFault::tooFast, channel, expected / view_->seconds, tick, levels.state);
    const std::uint32_t stream =
        static_cast<std::uint32_t>(channel + 1) << 18 | counts_.of[channel]++;
    if (!(expected > 0)) return;
    forEachPoint<1>(view_->pointsOf(place_, stream), 1 / expected, 0, 0.0,
                    [&](double time, double fraction) {
                      const std::uint32_t at = view_->tickOf(time);
                      if (at <= tick) return;
                      EventCandidate candidate = make(fraction);
                      candidate.tick = at;
                      insert(candidate);
                    });
  }
  /// Inserts a candidate after those of its tick.
  MASS_FN void insert(const EventCandidate& candidate) {
    strips_->push(candidate);
    if (strips_->overflowed) return;
    EventCandidate* at = strips_->data + strips_->count - 1;
    for (; at > strips_->data + nextStrip_ && at[-1].tick > candidate.tick; --at) *at = at[-1];
    *at = candidate;
  }

  const EventView* view_;
  PlaceRates<P, Arguments> rates_;
  BoundedList<EventCandidate>* strips_;
  std::int32_t nextStrip_ = 0;
  std::int32_t place_;
  Faults faults_;
  StripCounts<P> counts_;
};

}  // namespace mass::detail
