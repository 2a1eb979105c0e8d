#pragma once

#include <mass/kernels/events/place_context.hpp>

#include <cstdint>
#include <utility>

namespace mass::detail {

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

/// Execution of a place in a window: decides candidates and lets particles arrive, in the order of
/// the calls.
template <class P, class Arguments, class Faults = FaultOnly<P>>
class PlaceRun {
 public:
  using C = Channels<P>;
  using Context = PlaceContext<P, Arguments, Faults>;

  /// Begins at the start of the window. @param context must outlive this
  MASS_FN PlaceRun(Context& context, const P& start)
      : context_(&context), levels_(context.begin(start)) {}
  /// Continues a former run. @param context likewise
  MASS_FN PlaceRun(Context& context, const PlaceLevels<P>& levels)
      : context_(&context), levels_(levels) {}

  MASS_FN const P& state() const { return levels_.state; }  ///< state after the last event
  MASS_FN const PlaceLevels<P>& levels() const { return levels_; }
  /// Returns the sum of the hashes of the events that have happened.
  MASS_FN std::uint64_t hash() const { return hash_; }
  /// Returns how often an event has happened.
  template <int Event>
  MASS_FN std::uint32_t happened() const {
    return happened_[Event];
  }

  /// Lets a particle arrive, or decides a candidate of a hop.
  /// @param own true for a candidate, with the number of its particle
  /// @return true if a particle departs
  MASS_FN bool decideHop(int hop, bool own, std::int32_t particle, std::uint32_t tick) {
    const bool departs = own & (particle < particlesOf(hop));
    count(hop, static_cast<int>(!own) - static_cast<int>(departs), tick);
    return departs;
  }
  /// Counts the departure of a candidate of a hop in the hash.
  MASS_FN void noteHop(bool departs, const EventCandidate& candidate) {
    hash_ += candidate.hash() & (0U - std::uint64_t{departs});
  }
  /// Decides a candidate that is no hop.
  MASS_FN void decideEvent(const EventCandidate& candidate) {
    atIndex<0, C::events>(candidate.channel - C::hops,
                          [&](auto event) { happen<event>(candidate); });
  }

 private:
  /// Numbers of kinds up to which all counts or rates are computed, without branches.
  static constexpr int fewHops = 8, fewEvents = 4;

  /// Returns the attributes that hops change.
  static constexpr AttributeMask hopMask() {
    AttributeMask mask = 0;
    forEachIndex<C::hops>([&](auto hop) { mask |= maskOf<P, C::template HopAt<hop>::member>(); });
    return mask;
  }
  /// Returns the number of particles of a kind.
  MASS_FN std::int32_t particlesOf(int hop) const {
    std::int32_t particles = 0;
    if constexpr (C::hopsAreOneArray) {
      particles = C::template HopAt<0>::arrayOf(levels_.state)[hop];
    } else if constexpr (C::hops <= fewHops) {
      forEachIndex<C::hops>([&](auto h) {
        particles |= C::template HopAt<h>::of(levels_.state) & -static_cast<std::int32_t>(hop == h);
      });
    } else {
      atIndex<0, C::hops>(hop,
                          [&](auto h) { particles = C::template HopAt<h>::of(levels_.state); });
    }
    return particles;
  }
  /// Adds `change` particles of a kind.
  MASS_FN void count(int hop, std::int32_t change, std::uint32_t tick) {
    if constexpr (C::hopsAreOneArray) {
      C::template HopAt<0>::arrayOf(levels_.state)[hop] += change;
      if (change != 0) settle(hopMask(), tick);
    } else if constexpr (C::immediates > 0 || C::events > fewEvents || C::hops > fewHops) {
      atIndex<0, C::hops>(hop, [&](auto h) {
        C::template HopAt<h>::of(levels_.state) += change;
        if (change != 0) settle(maskOf<P, C::template HopAt<h>::member>(), tick);
      });
    } else {
      forEachIndex<C::hops>([&](auto h) {
        C::template HopAt<h>::of(levels_.state) += change & -static_cast<std::int32_t>(hop == h);
      });
      update(hopMask());
      coverAbove(hopMask(), tick);
    }
  }
  template <int Event>
  MASS_FN void happen(const EventCandidate& candidate) {
    if (!(candidate.height() < levels_.expected[Event])) return;
    const P before = levels_.state;
    const auto& rates = context_->rates();
    callChange<C::template EventAt<Event>::change>(
        levels_.state, rates.perSecond(candidate.height()), rates.arguments());
    ++happened_[Event];
    hash_ += candidate.hash();
    settle(changedAttributes(before, levels_.state), candidate.tick);
  }
  /// Lets immediate events happen and covers the levels that depend on changed attributes.
  MASS_FN void settle(AttributeMask changed, std::uint32_t tick) {
    if constexpr (C::immediates > 0) {
      P state = levels_.state;
      const EventFault fault = happenImmediately(state, context_->rates().arguments());
      if (fault != EventFault::none) context_->note(fault, 0, 0, tick, state);
      changed |= changedAttributes(levels_.state, state);
      levels_.state = state;
    }
    update(changed);
    coverAbove(changed, tick);
  }
  /// Computes the rates that depend on changed attributes.
  MASS_FN void update(AttributeMask changed) {
    forEachIndex<C::events>([&](auto event) {
      if ((changed & C::template EventAt<event>::template readMask<P>) != 0)
        levels_.expected[event] =
            context_->rates().template ofEvent<event>(std::as_const(levels_.state));
    });
  }
  /// Draws candidates for levels above their bounds.
  MASS_FN void coverAbove(AttributeMask changed, std::uint32_t tick) {
    bool covered = true;
    forEachIndex<C::hops>([&](auto hop) {
      const std::int32_t particles = C::template HopAt<hop>::of(levels_.state);
      covered = covered & ((particles <= levels_.slots[hop]) & (particles >= 0));
    });
    forEachIndex<C::events>([&](auto event) {
      if ((changed & C::template EventAt<event>::template readMask<P>) != 0)
        covered = covered & (levels_.expected[event] <= levels_.bounds[event]) &
                  (levels_.expected[event] >= 0);
    });
    if (!covered) levels_ = context_->cover(levels_, tick);
  }

  Context* context_;
  PlaceLevels<P> levels_;
  std::uint32_t happened_[PlaceLevels<P>::events] = {};
  std::uint64_t hash_ = 0;
};

}  // namespace mass::detail
