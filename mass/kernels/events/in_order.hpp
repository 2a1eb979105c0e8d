#pragma once

#include <mass/kernels/events/place_run.hpp>
#include <mass/launch/event_kernel.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <utility>
#include <vector>

namespace mass::detail {

/// Place of the engine that executes events one after the other, over all places.
template <class P, class Arguments>
struct OrderedPlace {
  static constexpr std::size_t stripCapacity = 64;

  std::vector<EventCandidate> stripMemory;
  BoundedList<EventCandidate> strips;
  PlaceContext<P, Arguments, FaultOnly<P>> context;
  PlaceRun<P, Arguments> run;
  const EventCandidate* next;
  const EventCandidate* end;

  OrderedPlace(const EventView& view, const Arguments& arguments, std::int32_t place,
               std::size_t capacity)
      : stripMemory(capacity),
        strips{stripMemory.data(), static_cast<std::int32_t>(capacity)},
        context(view, arguments, place, strips),
        run(context, static_cast<const P*>(view.start)[place]),
        next(view.candidates + view.candidateLists[place].begin),
        end(next + view.candidateLists[place].count) {}

  /// Returns the tick of its next candidate, or 2^32.
  std::uint64_t tick() const {
    const std::uint64_t own = next == end ? std::uint64_t{1} << 32 : next->tick;
    return std::min(own, context.stripTick());
  }
  /// Removes its next candidate. Those of strips are the last ones of their tick.
  EventCandidate take() {
    if (next != end && next->tick <= context.stripTick()) return *next++;
    return context.takeStrip();
  }
};

/// Executes the events of a window in their order, by a priority queue of the places' next
/// candidates. The candidates are those of the band's last draw.
/// @param capacity number of candidates of strips for which a place has memory
/// @return false if it does not suffice; nothing is changed then
template <class P, class Arguments>
bool executeInOrder(EventBand& band, const EventWindow& window, const Arguments& arguments,
                    std::size_t capacity) {
  using C = Channels<P>;
  using Entry = std::pair<std::uint64_t, std::int32_t>;  // tick, place
  const EventView view = viewOf(band, window);
  std::vector<std::unique_ptr<OrderedPlace<P, Arguments>>> places;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  const auto enqueue = [&](std::int32_t place) {
    const std::uint64_t tick = places[static_cast<std::size_t>(place)]->tick();
    if (tick >> 32 == 0) queue.emplace(tick, place);
  };
  for (std::int32_t place = 0; place < band.places; ++place) {
    places.push_back(
        std::make_unique<OrderedPlace<P, Arguments>>(view, arguments, place, capacity));
    enqueue(place);
  }
  std::array<std::int64_t, static_cast<std::size_t>(C::hops) + 1> hops{};  // by channel
  while (!queue.empty()) {
    const auto [tick, number] = queue.top();
    queue.pop();
    auto& place = *places[static_cast<std::size_t>(number)];
    if (place.tick() != tick) continue;  // an entry that is out of date
    const EventCandidate candidate = place.take();
    if (candidate.channel >= C::hops) {
      place.run.decideEvent(candidate);
    } else if (place.run.decideHop(candidate.channel, true, candidate.particle(), candidate.tick)) {
      ++hops[candidate.channel];
      place.run.noteHop(true, candidate);
      const std::int32_t target = view.neighborsOf(number)[candidate.direction()];
      auto& receiver = *places[static_cast<std::size_t>(target)];
      receiver.run.decideHop(candidate.channel, false, 0, candidate.tick);
      if (receiver.strips.overflowed) return false;
      if (target != number) enqueue(target);
    }
    if (place.strips.overflowed) return false;
    enqueue(number);
  }
  for (std::int32_t place = 0; place < band.places; ++place) {
    const auto number = static_cast<std::size_t>(place);
    const auto& run = places[number]->run;
    reinterpret_cast<P*>(band.end.data())[place] = run.state();
    forEachIndex<C::events>([&](auto event) {
      band.happened[number * std::size_t{C::events} + std::size_t{event}] =
          run.template happened<event>();
    });
    band.hashes[number] = run.hash();
    band.noteFault(place, places[number]->context.faults().fault());
    band.listOf(place) = {};
  }
  for (std::size_t hop = 0; hop < static_cast<std::size_t>(C::hops); ++hop) {
    band.eventsOf[hop] += hops[hop];
    band.counts.events += hops[hop];
  }
  band.counts.executions += band.places;
  return true;
}

}  // namespace mass::detail
