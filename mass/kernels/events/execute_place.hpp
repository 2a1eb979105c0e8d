#pragma once

#include <mass/kernels/events/agenda.hpp>
#include <mass/kernels/events/departure_record.hpp>
#include <mass/kernels/events/place_run.hpp>

namespace mass::detail {

/// Memory of one worker for the execution of a place.
struct EventScratch {
  Agenda agenda;
  bool agendaOverflowed = false, departuresOverflowed = false;
  DepartureRecord departures;
  BoundedList<EventCandidate> strips;

  MASS_FN bool overflowed() const {
    return agendaOverflowed || departuresOverflowed || strips.overflowed;
  }
};

/// Appends a part of a departure list.
MASS_FN inline void appendArrivals(const DepartureRange& range, unsigned source, Agenda& agenda) {
  constexpr std::uint32_t few = 2;  // read without branches
  const Departure* const list = range.list;
  const auto append = [&](std::uint32_t i) {
    agenda.addIf(i < range.count, AgendaKey::of(list[i].tick, source, i, list[i].hop));
  };
  for (std::uint32_t i = 0; i < few; ++i) append(i);
  for (std::uint32_t i = few; i < range.count; ++i) append(i);
}

/// Collects the events of a place: arrivals, and its candidates at the start of the window.
/// @pre the agenda has memory for them
/// @param hops number of hop channels
template <int Directions>
MASS_FN void makeAgenda(const EventView& view, const PlaceSources<Directions>& sources,
                        const ListRange& own, int hops, Agenda& agenda) {
  agenda.count = 0;
  if (sources.departures > 0) {
    for (int k = 0; k < Directions; ++k)
      appendArrivals(sources.ranges[k], static_cast<unsigned>(k), agenda);
  }
  constexpr std::uint32_t few = 2;  // read without branches
  const EventCandidate* const candidates = view.candidates + own.begin;
  const auto append = [&](std::uint32_t i) {
    const unsigned channel = candidates[i].channel;
    const unsigned code =
        channel < static_cast<unsigned>(hops) ? AgendaKey::own + channel : AgendaKey::ownEvent;
    agenda.addIf(i < own.count, AgendaKey::of(candidates[i].tick, maxDirections, i, code));
  };
  for (std::uint32_t i = 0; i < few; ++i) append(i);
  for (std::uint32_t i = few; i < own.count; ++i) append(i);
  agenda.sort(sources);
}

template <class P>
using SourcesOf = PlaceSources<Channels<P>::directions>;

/// Executes a place from the start of the window, with what its neighbours send.
/// @param context the execution's context, with the strips of `scratch`
/// @param scratch gets the departures, in order of time; see EventScratch::overflowed()
template <class P, class Arguments, class Faults>
MASS_FN PlaceRun<P, Arguments, Faults> executePlace(const EventView& view, std::int32_t place,
                                                    const SourcesOf<P>& sources,
                                                    PlaceContext<P, Arguments, Faults>& context,
                                                    EventScratch& scratch) {
  constexpr int hops = Channels<P>::hops;
  const ListRange own = view.candidateLists[place];
  Agenda& agenda = scratch.agenda;
  scratch.agendaOverflowed =
      sources.departures + own.count + 32 > static_cast<std::uint32_t>(agenda.capacity);
  const EventCandidate* const candidates = view.candidates + own.begin;
  scratch.departuresOverflowed =
      own.count + static_cast<std::uint32_t>(scratch.strips.capacity) > scratch.departures.capacity;
  PlaceRun<P, Arguments, Faults> run(context, static_cast<const P*>(view.start)[place]);
  if (scratch.overflowed()) return run;
  makeAgenda(view, sources, own, hops, agenda);
  DepartureRecord departures = scratch.departures;
  const auto depart = [&](bool departs, const EventCandidate& candidate) {
    run.noteHop(departs, candidate);
    departures.addIf(departs, {candidate.tick, candidate.channel},
                     view.parts.of[candidate.direction()]);
  };
  const auto decideStrip = [&] {
    const EventCandidate candidate = context.takeStrip();
    if (candidate.channel < hops) {
      depart(run.decideHop(candidate.channel, true, candidate.particle(), candidate.tick),
             candidate);
    } else {
      run.decideEvent(candidate);
    }
  };
  for (int i = 0; i < agenda.count; ++i) {
    const std::uint64_t key = agenda.sorted[i];
    const std::uint32_t tick = AgendaKey::tick(key);
    // Candidates of strips are the last ones of this place at their tick.
    while (context.stripTick() < tick ||
           (context.stripTick() == tick && sources.originOf(key) > place))
      decideStrip();
    const unsigned code = AgendaKey::code(key);
    const bool isOwn = code >= AgendaKey::own;
    const unsigned position = AgendaKey::position(key) & (0U - static_cast<unsigned>(isOwn));
    const EventCandidate& candidate = candidates[position];
    if (code == AgendaKey::ownEvent) {
      run.decideEvent(candidate);
    } else {
      depart(run.decideHop(static_cast<int>(code & 0x7f), isOwn, candidate.particle(), tick),
             candidate);
    }
  }
  while (context.stripTick() >> 32 == 0) decideStrip();
  scratch.departures = departures;
  return run;
}

}  // namespace mass::detail
