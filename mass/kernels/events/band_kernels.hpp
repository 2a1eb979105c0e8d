#pragma once

#include <mass/kernels/events/draw_candidates.hpp>
#include <mass/kernels/events/execute_place.hpp>
#include <mass/launch/event_kernel.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace mass::detail {

/// Draws the candidates of one place of a band.
/// @param room number of candidates and departures for which there is memory
/// @return false if it does not suffice
template <class P, class Arguments>
MASS_FLATTEN bool drawInBand(EventBand& band, const EventWindow& window, const Arguments& arguments,
                             std::int32_t place, std::size_t room) {
  const auto number = static_cast<std::size_t>(place);
  band.candidates.reserve(room + 1);
  band.departures.reserve(2 * room + EventBand::spareDepartures);
  BoundedList<EventCandidate> candidates{band.candidates.end(), static_cast<std::int32_t>(room)};
  BoundedList<Departure> departures{band.departures.end(), static_cast<std::int32_t>(room)};
  drawCandidates<P>(viewOf(band, window), arguments, place, candidates, departures);
  if (candidates.overflowed || departures.overflowed) return false;
  const auto drawn = static_cast<std::uint32_t>(candidates.count);
  const auto leaving = static_cast<std::uint32_t>(departures.count);
  band.candidateLists[number] = {static_cast<std::uint32_t>(band.candidates.size()), drawn};
  band.departureLists[number] = {static_cast<std::uint32_t>(band.departures.size()), leaving};
  band.capacities[number] = leaving + 1 + leaving / 4;
  band.candidates.extend(drawn);
  band.departures.extend(band.capacities[number]);
  return true;
}

/// Draws the candidates of all places of a band and predicts their departures.
template <class P, class Arguments>
void drawBand(EventBand& band, const EventWindow& window, const void* arguments) {
  band.beginWindow();
  for (std::int32_t place = 0; place < band.places; ++place) {
    std::size_t room = 64;
    while (!drawInBand<P>(band, window, *static_cast<const Arguments*>(arguments), place, room))
      room *= 2;
  }
  band.counts.candidates += static_cast<std::int64_t>(band.candidates.size());
  band.counts.placeWindows += band.places;
}

/// Returns the memory of a band for the execution of a place.
inline EventScratch scratchOf(EventBand& band) {
  const auto keys = band.keyMemory.size() / 2;
  return {band.keyMemory.data(),
          band.keyMemory.data() + keys,
          static_cast<std::int32_t>(keys),
          false,
          {band.departureMemory.data(), static_cast<std::int32_t>(band.departureMemory.size())},
          {band.stripMemory.data(), static_cast<std::int32_t>(band.stripMemory.size())}};
}
/// Enlarges the memory of which an execution lacked some.
inline void growScratch(EventBand& band, const EventScratch& scratch) {
  const auto grow = [](auto& memory, bool overflowed) {
    if (overflowed) memory.resize(2 * memory.size());
  };
  grow(band.keyMemory, scratch.keysOverflowed);
  grow(band.departureMemory, scratch.departures.overflowed);
  grow(band.stripMemory, scratch.strips.overflowed);
}

/// Executes a place of a band, and marks the places that receive different departures.
/// @return false if memory did not suffice; nothing is changed then
template <class P, class Arguments>
MASS_FLATTEN bool executeInBand(EventBand& band, const EventWindow& window,
                                const Arguments& arguments, std::int32_t place) {
  constexpr auto events = static_cast<std::size_t>(Channels<P>::events);
  const auto number = static_cast<std::size_t>(place);
  const EventView view = viewOf(band, window);
  EventScratch scratch = scratchOf(band);
  PlaceRun<P, Arguments> run(view, arguments, place, scratch.strips);
  executePlace(view, place, run, scratch);
  if (scratch.overflowed()) {
    growScratch(band, scratch);
    return false;
  }
  reinterpret_cast<P*>(band.end.data())[place] = run.state();
  for (std::size_t e = 0; e < events; ++e)
    band.happened[number * events + e] = run.happened(static_cast<int>(e));
  ++band.counts.executions;
  band.counts.strips += run.stripCount();
  band.noteFault(place, run.fault().fault);
  const auto count = static_cast<std::uint32_t>(scratch.departures.count);
  if (band.replaceDepartures(place, scratch.departures.data, count)) band.noteChange(place);
  return true;
}

/// Executes all places of a band. Marks of places that come later are removed again.
template <class P, class Arguments>
void executeAll(EventBand& band, const EventWindow& window, const void* arguments) {
  for (std::int32_t place = 0; place < band.places; ++place) {
    band.isMarked[static_cast<std::size_t>(place)] = 0;
    while (!executeInBand<P>(band, window, *static_cast<const Arguments*>(arguments), place)) {
    }
  }
  std::erase_if(band.marked, [&](std::int32_t place) {
    return band.isMarked[static_cast<std::size_t>(place)] == 0;
  });
}

/// Executes the marked places of a band until none is marked.
template <class P, class Arguments>
void executeMarked(EventBand& band, const EventWindow& window, const void* arguments) {
  std::vector<std::int32_t> now;
  while (!band.marked.empty()) {
    now.clear();
    now.swap(band.marked);
    ++band.counts.rounds;
    for (const std::int32_t place : now) {
      band.isMarked[static_cast<std::size_t>(place)] = 0;
      while (!executeInBand<P>(band, window, *static_cast<const Arguments*>(arguments), place)) {
      }
    }
  }
}

}  // namespace mass::detail
