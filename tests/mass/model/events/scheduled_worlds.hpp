#pragma once

#include "../../../support/make_mass.hpp"

#include <mass/support/hash.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

// Random models of scheduled events, and a plain loop that executes them.

namespace mass::testing {

/// Parameters of a random model.
struct Dice {
  double remote = 0;          ///< share of the events for any place
  double idle = 0;            ///< share of those for their own place
  std::uint32_t ticks = 0;    ///< bound of the delay; times are whole numbers of ticks
  double tick = 0;            ///< s; 0: delays of any length
  std::uint32_t births = 16;  ///< one of so many events has two successors, and one none
  double lookahead = 0;       ///< s that delays of events for other places are longer by
  /// Share of the events that cancel the last event that the place has scheduled (for itself, or
  /// for any place: see cancelsElsewhere), and of those that cancel their first successor at once.
  double cancels = 0;
};

/// Successor of an event: its delay in s, and its target.
struct Successor {
  double delay = 0;
  enum { same, near, any } target = same;
  int step = 0;            ///< to a neighbour along the last axis: -1 or 1
  std::int64_t place = 0;  ///< number of any place
};

/// Outcome of an event: its successors, and what it cancels.
struct Act {
  int count = 0;  ///< of successors
  Successor successors[2];
  bool cancelsOwn = false;    ///< the last event that the place has scheduled
  bool cancelsFirst = false;  ///< the first successor
};

/// State that events change, of `Words` numbers.
template <std::size_t Words>
struct State {
  std::uint64_t words[Words] = {};

  /// Changes the state by an event, and draws what follows from it.
  Act act(double time, std::uint32_t value, std::int64_t places, Random random, const Dice& dice) {
    Act outcome;
    std::uint64_t& word = words[value % Words];
    word = detail::mix(word ^ value ^ static_cast<std::uint64_t>(time * 4096));
    const std::uint32_t fate = random.below(dice.births);
    outcome.count = fate == 0 ? 0 : fate == 1 ? 2 : 1;
    for (int i = 0; i < outcome.count; ++i) {
      Successor& successor = outcome.successors[i];
      const std::uint32_t ticks = random.below(dice.ticks);
      successor.delay = dice.tick > 0 ? dice.tick * ticks : random.uniform();
      const double kind = random.uniform();
      successor.step = random.bernoulli(0.5) ? 1 : -1;
      successor.place = random.below(static_cast<std::uint32_t>(places));
      successor.target = kind < dice.remote               ? Successor::any
                         : kind < dice.remote + dice.idle ? Successor::same
                                                          : Successor::near;
      if (successor.target != Successor::same) successor.delay += dice.lookahead;
    }
    outcome.cancelsOwn = random.bernoulli(dice.cancels);
    outcome.cancelsFirst = random.bernoulli(0.1 * dice.cancels);
    return outcome;
  }
};

/// True if places with so many numbers cancel events of other places.
constexpr bool cancelsElsewhere(std::size_t words) {
  return words > 8;
}

/// Places of a random model. A large state is saved word by word.
template <int D, std::size_t Words>
class World : public Place<D> {
 public:
  std::uint64_t words[Words] = {};
  EventHandle own{};  ///< last event that the place has scheduled; see cancelsElsewhere
  using Attributes = mass::Attributes<&World::words, &World::own>;

  void act(std::uint32_t value, Schedule<World>& schedule, const Dice& dice) {
    State<Words> state;
    std::copy(words, words + Words, state.words);
    const Act act =
        state.act(schedule.now().count(), value, schedule.places(), schedule.random(), dice);
    std::copy(state.words, state.words + Words, words);
    if (act.cancelsOwn)
      schedule.cancel(own, seconds(own.place == schedule.index() ? 0 : dice.lookahead));
    for (int i = 0; i < act.count; ++i) {
      const Successor& next = act.successors[i];
      const auto delay = seconds(next.delay);
      const std::uint32_t changed = 3 * value + static_cast<std::uint32_t>(i);
      Offset<D> offset{};
      offset[D - 1] = next.step;
      EventHandle event;
      if (next.target == Successor::any) {
        event = schedule.template after<&World::act>(delay, place(next.place), changed);
      } else if (next.target == Successor::near && schedule.exists(offset)) {
        event = schedule.template after<&World::act>(delay, offset, changed);
      } else {
        event = schedule.template after<&World::act>(delay, thisPlace, changed);
      }
      if (cancelsElsewhere(Words) || event.place == schedule.index()) own = event;
      if (act.cancelsFirst && i == 0 && event.place == schedule.index()) schedule.cancel(event);
    }
  }
  using Events = std::conditional_t<cancelsElsewhere(Words),
                                    mass::Events<mass::cancellation, mass::scheduled<&World::act>>,
                                    mass::Events<mass::scheduled<&World::act>>>;
};

/// Random numbers of a model, by name.
struct Names {
  std::uint64_t seed;
  std::uint64_t below(std::uint64_t limit, std::uint64_t name) const {
    return detail::mix(detail::mix(seed) ^ name) % limit;
  }
};

/// A random model.
template <int D>
struct Model {
  Shape<D> shape{};
  Border border = Border::periodic;
  Dice dice;
  std::vector<std::pair<double, std::int64_t>> first;  ///< delays and places
  std::vector<double> calls;                           ///< s

  /// @param leastRows least number of rows
  explicit Model(const Names& names, std::int64_t leastRows = 1) {
    for (int axis = 0; axis < D; ++axis)
      shape[axis] =
          1 + static_cast<std::int64_t>(names.below(12, 10U + static_cast<std::uint64_t>(axis)));
    shape[0] = std::max(shape[0], leastRows);
    border = static_cast<Border>(names.below(3, 1));
    constexpr double shares[] = {0, 0.1, 0.5, 1};
    dice.remote = shares[names.below(4, 2)];
    dice.idle = dice.remote == 1 ? 0 : 0.2;
    dice.tick = names.below(3, 3) == 0 ? 0 : 0x1p-8;
    dice.ticks = names.below(2, 4) == 0 ? 256 : 8;
    dice.births = names.below(2, 5) == 0 ? 16 : 64;
    constexpr double cancels[] = {0, 0.02, 0.2};
    dice.cancels = cancels[names.below(3, 8)];
    const std::uint64_t events = 1 + names.below(40, 6);
    const std::int64_t places = count(shape);
    for (std::uint64_t i = 0; i < events; ++i)
      first.emplace_back(
          static_cast<double>(names.below(16, 100 + i)) * 0x1p-4,
          static_cast<std::int64_t>(names.below(static_cast<std::uint64_t>(places), 200 + i)));
    const double mean = dice.tick > 0 ? 0.5 * dice.ticks * dice.tick : 0.5;
    if (names.below(2, 9) == 0)
      dice.lookahead = 0.5 * mean * static_cast<double>(1 + names.below(4, 12));
    for (std::uint64_t call = 0; call <= names.below(3, 7); ++call)
      calls.push_back(mean * static_cast<double>(20 + names.below(20, 300 + call)));
  }
};

/// Outcome of a model.
struct Result {
  std::vector<std::uint64_t> words;
  std::int64_t events = 0, pending = 0;
  friend bool operator==(const Result&, const Result&) = default;
};

/// Returns the places of a model with its first events, at the begin of a run.
template <int D, std::size_t Words>
Places<World<D, Words>> placesOf(Mass& mass, const Model<D>& model) {
  using P = World<D, Words>;
  const auto places = mass.createPlaces<P>(model.shape, borders<P>(model.border));
  places.lookahead(seconds(model.dice.lookahead));
  for (const auto& [delay, place] : model.first)
    places.template schedule<&P::act>(seconds(delay), place, static_cast<std::uint32_t>(place));
  return places;
}

/// Returns the outcome of a run.
template <int D, std::size_t Words>
Result resultOf(const Places<World<D, Words>>& places) {
  using P = World<D, Words>;
  Result result;
  for (const auto& each : places.template download<&P::words>())
    result.words.insert(result.words.end(), each.begin(), each.end());
  result.events = places.eventCounts().events;
  result.pending = places.pendingEvents();
  return result;
}

/// Returns the place of an event that a place schedules.
template <int D>
std::int64_t targetOf(const Model<D>& model, const Successor& next, std::int64_t place) {
  const std::int64_t length = model.shape[D - 1];
  const std::int64_t column = sourceOf(place % length + next.step, length, model.border);
  if (next.target == Successor::any) return next.place;
  return next.target == Successor::near && column >= 0 ? place - place % length + column : place;
}

/// Returns the outcome of a model by a plain loop over a sorted set of events.
template <int D, std::size_t Words>
Result expectedOf(const Model<D>& model, std::uint64_t seed) {
  using Key = std::tuple<double, std::uint32_t, std::int64_t, std::uint32_t, std::uint32_t,
                         std::uint32_t>;  // time, depth, place, origin, number, value
  const std::int64_t places = count(model.shape);
  std::vector<State<Words>> states(static_cast<std::size_t>(places));
  std::vector<std::uint64_t> executed(states.size());
  std::vector<std::uint32_t> scheduled(states.size());
  std::set<Key> events;
  std::vector<Key> own(states.size(), Key(-1, 0, 0, 0, 0, 0));
  std::map<Key, Key> cancels;  // cancelled event, by the event that cancels it
  std::uint32_t number = 0;
  for (const auto& [delay, place] : model.first)
    events.emplace(delay, 0, place, ~0U, number++, static_cast<std::uint32_t>(place));
  double end = 0;
  for (const double call : model.calls) end += call;
  Result result;
  while (!events.empty() && std::get<0>(*events.begin()) < end) {
    const auto [time, depth, place, origin, counted, value] = *events.begin();
    events.erase(events.begin());
    const auto at = static_cast<std::size_t>(place);
    if (const auto cancel = cancels.find({time, depth, place, origin, counted, value});
        cancel != cancels.end()) {
      events.erase(cancel->second);
      ++executed[at], ++result.events;
      continue;
    }
    const Random random({.seed = seed,
                         .index = static_cast<std::uint64_t>(place),
                         .step = executed[at]++,
                         .call = 0xff,
                         .population = 0,
                         .stream = 0});
    const Act act = states[at].act(time, value, places, random, model.dice);
    if (const std::int64_t of = std::get<2>(own[at]);
        act.cancelsOwn && std::get<0>(own[at]) >= 0 && of != place) {
      const double then = time + model.dice.lookahead;
      const Key event(then, then > time ? 0 : depth + 1, of, static_cast<std::uint32_t>(place),
                      scheduled[at]++, ~0U);
      events.insert(event);
      cancels[event] = own[at];
    } else if (act.cancelsOwn) {
      events.erase(own[at]);
    }
    for (int i = 0; i < act.count; ++i) {
      const Successor& next = act.successors[i];
      const std::int64_t target = targetOf(model, next, place);
      const double then = time + next.delay;
      const Key event(then, then > time ? 0 : depth + 1, target, static_cast<std::uint32_t>(place),
                      scheduled[at]++, 3 * value + static_cast<std::uint32_t>(i));
      events.insert(event);
      if (cancelsElsewhere(Words) || target == place) own[at] = event;
      if (act.cancelsFirst && i == 0 && target == place) events.erase(event);
    }
    ++result.events;
  }
  for (const auto& state : states)
    result.words.insert(result.words.end(), state.words, state.words + Words);
  result.pending = static_cast<std::int64_t>(events.size());
  return result;
}

}  // namespace mass::testing
