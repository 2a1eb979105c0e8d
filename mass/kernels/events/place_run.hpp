#pragma once

#include <mass/kernels/events/agenda.hpp>
#include <mass/kernels/events/place_rates.hpp>

#include <cstdint>
#include <limits>
#include <utility>

namespace mass::detail {

/// Memory of one worker for the execution of a place.
struct EventScratch {
  std::uint64_t* keys = nullptr;    ///< agenda before it is sorted
  std::uint64_t* sorted = nullptr;  ///< agenda
  std::int32_t keyCapacity = 0;     ///< capacity of each, a multiple of 16
  bool keysOverflowed = false;
  BoundedList<Departure> departures;
  BoundedList<EventCandidate> strips;

  MASS_FN bool overflowed() const {
    return keysOverflowed || departures.overflowed || strips.overflowed;
  }
};

/// First fault of an execution.
template <class P>
struct FaultRecord {
  EventFault fault = EventFault::none;
  int channel = 0;   ///< channel of the rate or of the particles
  double value = 0;  ///< rate in 1/s
  std::uint32_t tick = 0;
  P state{};  ///< state of the place with the fault
};

/// Lets the immediate events of a place happen.
/// @return EventFault::endless if there is no end, or none
template <class P, class Arguments>
MASS_FN EventFault happenImmediately(P& state, const Arguments& arguments) {
  constexpr int most = 1000000;
  for (int count = 0; count <= most; ++count) {
    bool happened = false;
    forEachIndex<Channels<P>::immediates>([&](auto immediate) {
      using I = typename Channels<P>::template ImmediateAt<immediate>;
      if (happened || !callRule<I::condition>(std::as_const(state), arguments)) return;
      callRule<I::change>(state, arguments);
      happened = true;
    });
    if (!happened) return EventFault::none;
  }
  return EventFault::endless;
}

/// State of one place in a window, and the bounds up to which its channels have candidates. A rate
/// above its bound adds a strip of candidates.
template <class P, class Arguments>
class PlaceRun {
 public:
  using C = Channels<P>;

  /// Begins at the start of the window.
  /// @param strips gets the candidates of strips, in order of time; if it overflows, the execution
  /// is invalid
  MASS_FN PlaceRun(const EventView& view, const Arguments& arguments, std::int32_t place,
                   BoundedList<EventCandidate>& strips)
      : view_(&view),
        rates_(view, arguments, place),
        strips_(&strips),
        place_(place),
        state_(static_cast<const P*>(view.start)[place]) {
    strips.count = 0;
    forEachIndex<C::hops>([&](auto hop) {
      offsets_[hop] = offsetOf<hop>();
      slots_[hop] = boundOfCount(state_.*C::template HopAt<hop>::count);
    });
    forEachIndex<C::events>([&](auto event) {
      expected_[event] = rates_.template ofEvent<event>(state_);
      requireValid<event>(0);
      bounds_[event] = boundOfRate(expected_[event]);
    });
    forEachIndex<C::hops>([&](auto hop) {
      if (state_.*C::template HopAt<hop>::count < 0) note(EventFault::negativeCount, hop, 0, 0);
    });
  }

  const P& state() const { return state_; }  ///< state after the last event
  const FaultRecord<P>& fault() const { return record_; }
  /// Returns how often an event has happened.
  std::uint32_t happened(int event) const { return happened_[event]; }
  /// Returns the number of strips that were drawn.
  std::uint32_t stripCount() const { return stripCount_; }

  /// Returns the tick of the next candidate of a strip, or 2^32.
  MASS_FN std::uint64_t stripTick() const {
    return nextStrip_ == strips_->count ? std::uint64_t{1} << 32 : strips_->data[nextStrip_].tick;
  }
  MASS_FN EventCandidate takeStrip() { return strips_->data[nextStrip_++]; }

  /// Lets a particle arrive, or decides a candidate of a hop.
  /// @param own true for a candidate with that height
  /// @return true if a particle departs
  MASS_FN bool decideHop(int hop, bool own, double height, std::uint32_t tick) {
    const bool departs = own & (height < particlesOf(hop));
    count(hop, static_cast<int>(!own) - static_cast<int>(departs), tick);
    return departs;
  }
  /// Decides a candidate that is no hop.
  MASS_FN void decideEvent(const EventCandidate& candidate) {
    atIndex<0, C::events>(candidate.channel - C::hops,
                          [&](auto event) { happen<event>(candidate); });
  }

 private:
  /// Adds `change` particles of a kind.
  MASS_FN void count(int hop, std::int32_t change, std::uint32_t tick) {
    std::int32_t& particles = particlesOf(hop);
    particles += change;
    if constexpr (C::immediates > 0 || C::events > 4) {
      atIndex<0, C::hops>(hop,
                          [&](auto h) { settle(maskOf<P, C::template HopAt<h>::count>(), tick); });
    } else {
      bool covered = particles <= slots_[hop];
      forEachIndex<C::events>([&](auto event) {
        if constexpr ((C::template EventAt<event>::template readMask<P> & hopMask()) != 0) {
          expected_[event] = rates_.template ofEvent<event>(state_);
          covered = covered & (expected_[event] <= bounds_[event]);
        }
      });
      if (!covered) coverAll(tick);
    }
  }
  /// Returns the attributes that hops change.
  static constexpr AttributeMask hopMask() {
    AttributeMask mask = 0;
    forEachIndex<C::hops>([&](auto hop) { mask |= maskOf<P, C::template HopAt<hop>::count>(); });
    return mask;
  }
  template <int Hop>
  MASS_FN std::int32_t offsetOf() const {
    return static_cast<std::int32_t>(
        reinterpret_cast<const char*>(&(state_.*C::template HopAt<Hop>::count)) -
        reinterpret_cast<const char*>(&state_));
  }
  /// Returns the number of particles of a kind.
  MASS_FN std::int32_t& particlesOf(int hop) {
    return *reinterpret_cast<std::int32_t*>(reinterpret_cast<char*>(&state_) + offsets_[hop]);
  }

  template <int Event>
  MASS_FN void happen(const EventCandidate& candidate) {
    if (!(candidate.height < expected_[Event])) return;
    const P before = state_;
    callRule<C::template EventAt<Event>::change>(state_, rates_.arguments());
    ++happened_[Event];
    settle(changedAttributes(before, state_), candidate.tick);
  }

  /// Lets immediate events happen and covers the rates that depend on changed attributes.
  MASS_FN void settle(AttributeMask changed, std::uint32_t tick) {
    if constexpr (C::immediates > 0) {
      const P before = state_;
      const EventFault fault = happenImmediately(state_, rates_.arguments());
      if (fault != EventFault::none) note(fault, 0, 0, tick);
      changed |= changedAttributes(before, state_);
    }
    forEachIndex<C::hops>([&](auto hop) {
      if (changed & maskOf<P, C::template HopAt<hop>::count>()) coverHops<hop>(tick);
    });
    forEachIndex<C::events>([&](auto event) {
      if (changed & C::template EventAt<event>::template readMask<P>) {
        expected_[event] = rates_.template ofEvent<event>(state_);
        coverEvent<event>(tick);
      }
    });
  }
  /// Records a fault, if it is the first.
  __attribute__((noinline)) MASS_FN void note(EventFault fault, int channel, double value,
                                              std::uint32_t tick) {
    if (record_.fault == EventFault::none) record_ = {fault, channel, value, tick, state_};
  }

  __attribute__((noinline)) MASS_FN void coverAll(std::uint32_t tick) {
    forEachIndex<C::hops>([&](auto hop) { coverHops<hop>(tick); });
    forEachIndex<C::events>([&](auto event) { coverEvent<event>(tick); });
  }
  template <int Hop>
  MASS_FN void coverHops(std::uint32_t tick) {
    const std::int32_t particles = state_.*C::template HopAt<Hop>::count;
    if (particles < 0) note(EventFault::negativeCount, Hop, 0, tick);
    if (particles == std::numeric_limits<std::int32_t>::max())
      return note(EventFault::tooMany, Hop, 0, tick);
    while (particles > slots_[Hop]) addSlots(Hop, tick);
  }
  template <int Event>
  MASS_FN void requireValid(std::uint32_t tick) {
    if (isValidRate(expected_[Event])) return;
    note(EventFault::invalidRate, Event, expected_[Event] / view_->seconds, tick);
    expected_[Event] = 0;
  }
  template <int Event>
  MASS_FN void coverEvent(std::uint32_t tick) {
    requireValid<Event>(tick);
    while (expected_[Event] > bounds_[Event]) raiseBound(Event, tick);
  }
  /// Draws the candidates of further particles.
  __attribute__((noinline)) MASS_FN void addSlots(int hop, std::uint32_t tick) {
    const std::int32_t from = slots_[hop];
    const std::int32_t slots = 2 + from / 8;
    slots_[hop] += slots;
    addStrip(hop, slots * rates_.ofParticle(hop), tick, [&](double fraction) {
      const double particle = fraction * slots;
      const double whole = static_cast<std::int32_t>(particle);
      return EventCandidate{0, static_cast<std::uint16_t>(hop),
                            static_cast<std::uint16_t>(rates_.directionOf(hop, particle - whole)),
                            from + particle};
    });
  }
  /// Draws the candidates between the bound of an event and twice the bound.
  __attribute__((noinline)) MASS_FN void raiseBound(int event, std::uint32_t tick) {
    const double from = bounds_[event];
    const double height = from > 0 ? from : expected_[event];
    bounds_[event] += height;
    addStrip(C::hops + event, height, tick, [&](double fraction) {
      return EventCandidate{0, static_cast<std::uint16_t>(C::hops + event), 0,
                            from + fraction * height};
    });
  }
  /// Draws a strip of candidates of a channel. Those after `tick` count.
  /// @param expected expected number of candidates in the window
  /// @param make returns the candidate of a fraction in [0, 1) of the strip
  template <class Make>
  MASS_FN void addStrip(int channel, double expected, std::uint32_t tick, const Make& make) {
    ++stripCount_;
    const std::uint32_t stream =
        static_cast<std::uint32_t>(channel + 1) << 18 | stripsOf_[channel]++;
    forEachPoint<1>(*view_, view_->pointsOf(place_, stream), expected,
                    [&](std::uint32_t at, double fraction) {
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
  std::uint32_t stripCount_ = 0;
  P state_;
  std::int32_t offsets_[C::hops > 0 ? C::hops : 1];  // bytes from the state to each count
  std::int32_t slots_[C::hops > 0 ? C::hops : 1];    // particles whose hops have candidates
  double expected_[C::events > 0 ? C::events : 1];   // expected events in a window now
  double bounds_[C::events > 0 ? C::events : 1];     // and up to which there are candidates
  FaultRecord<P> record_;
  std::uint32_t stripsOf_[C::all > 0 ? C::all : 1] = {};
  std::uint32_t happened_[C::events > 0 ? C::events : 1] = {};
};

}  // namespace mass::detail
