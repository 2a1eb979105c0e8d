#pragma once

#include <mass/kernels/events/place_run.hpp>

namespace mass::detail {

/// Appends the departures of a list that arrive by some directions.
/// @param arriving bit mask of the directions
/// @return the end of `keys`
MASS_FN inline int appendArrivals(const EventView& view, std::int32_t source, unsigned arriving,
                                  unsigned rank, std::uint64_t* keys, int count) {
  constexpr std::uint32_t block =
      onGpu ? 1 : 8;  // lists are short; loops of a fixed length are fast
  const ListRange range = view.departureLists[source];
  const Departure* const list = view.departures + range.begin;
  for (std::uint32_t first = 0; first < range.count; first += block) {
    for (std::uint32_t i = first; i < first + block; ++i) {
      const Departure departure = list[i];
      keys[count] = AgendaKey::of(departure.tick, rank, i, departure.hop);
      count += static_cast<int>((arriving >> departure.direction & 1U) & (i < range.count));
    }
  }
  return count;
}

/// Collects what happens at a place: arrivals, and its candidates at the start of the window.
/// @return the number of entries of `scratch.sorted`
MASS_FN inline int makeAgenda(const EventView& view, std::int32_t place, int hops,
                              const PlaceRanks& ranks, EventScratch& scratch) {
  const ListRange own = view.candidateLists[place];
  std::int64_t room = own.count + 32;
  for (int k = 0; k < view.directions; ++k) {
    const std::int32_t source = view.neighbor(place, k);
    if (source >= 0) room += view.departureLists[source].count;
  }
  scratch.keysOverflowed = room > scratch.keyCapacity;
  if (scratch.keysOverflowed) return 0;
  int count = 0;
  for (int k = 0; k < view.directions; ++k) {
    const std::int32_t source = view.neighbor(place, k);
    if (source >= 0)
      count = appendArrivals(view, source, view.arrivingBy[static_cast<std::size_t>(k)],
                             ranks.of[k], scratch.keys, count);
  }
  const EventCandidate* const candidates = view.candidates + own.begin;
  for (std::uint32_t i = 0; i < own.count; ++i) {
    const unsigned channel = candidates[i].channel;
    const unsigned code =
        channel < static_cast<unsigned>(hops) ? AgendaKey::own + channel : AgendaKey::ownEvent;
    scratch.keys[count++] = AgendaKey::of(candidates[i].tick, ranks.own, i, code);
  }
  sortKeys(scratch.keys, count, scratch.sorted);
  return count;
}

/// Executes a place from the start of the window, with what its neighbours send.
/// @param scratch gets the departures, in order of time; see EventScratch::overflowed()
template <class P, class Arguments>
MASS_FN void executePlace(const EventView& view, std::int32_t place, PlaceRun<P, Arguments>& run,
                          EventScratch& scratch) {
  const PlaceRanks ranks(view, place);
  const int count = makeAgenda(view, place, Channels<P>::hops, ranks, scratch);
  const ListRange own = view.candidateLists[place];
  const EventCandidate* const candidates = view.candidates + own.begin;
  scratch.departures.count = 0;
  scratch.departures.overflowed =
      static_cast<std::int64_t>(own.count) + scratch.strips.capacity > scratch.departures.capacity;
  if (scratch.overflowed()) return;
  const auto depart = [&](bool departs, const EventCandidate& candidate) {
    scratch.departures.data[scratch.departures.count] = {
        candidate.tick, static_cast<std::uint8_t>(candidate.direction),
        static_cast<std::uint8_t>(candidate.channel)};
    scratch.departures.count += static_cast<int>(departs);
  };
  const auto decideStrip = [&] {
    const EventCandidate candidate = run.takeStrip();
    if (candidate.channel < Channels<P>::hops) {
      depart(run.decideHop(candidate.channel, true, candidate.height, candidate.tick), candidate);
    } else {
      run.decideEvent(candidate);
    }
  };
  for (int i = 0; i < count; ++i) {
    const std::uint64_t key = scratch.sorted[i];
    const std::uint32_t tick = AgendaKey::tick(key);
    // Candidates of strips are the last ones of this place at their tick.
    while (run.stripTick() < tick || (run.stripTick() == tick && AgendaKey::rank(key) > ranks.own))
      decideStrip();
    const unsigned code = AgendaKey::code(key);
    const bool isOwn = code >= AgendaKey::own;
    const EventCandidate& candidate = candidates[isOwn ? AgendaKey::position(key) : 0];
    if (code == AgendaKey::ownEvent) {
      run.decideEvent(candidate);
    } else {
      depart(run.decideHop(static_cast<int>(code & 0x7f), isOwn, candidate.height, tick),
             candidate);
    }
  }
  while (run.stripTick() >> 32 == 0) decideStrip();
}

}  // namespace mass::detail
