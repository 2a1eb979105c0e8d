#pragma once

#include <mass/kernels/events/draw_candidates.hpp>
#include <mass/kernels/events/execute_place.hpp>
#include <mass/launch/event_kernel.hpp>
#include <mass/support/qualifiers.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace mass::detail {

/// Returns the memory of a band for the departures of a place.
inline DepartureRecord recordOf(EventBand& band) {
  return {band.departureMemory.data(), band.partMemory.data(),
          static_cast<std::uint32_t>(band.departureMemory.size())};
}
/// Returns the memory of a band for the execution of a place.
inline EventScratch scratchOf(EventBand& band) {
  const auto keys = band.tickMemory.size();
  return {{band.keyMemory.data(), band.keyMemory.data() + keys, band.tickMemory.data(),
           static_cast<int>(keys)},
          false,
          false,
          recordOf(band),
          {band.stripMemory.data(), static_cast<std::int32_t>(band.stripMemory.size())}};
}
/// Enlarges the memory of which an execution lacked some.
inline void growScratch(EventBand& band, const EventScratch& scratch) {
  const auto grow = [](auto& memory, bool overflowed) {
    if (overflowed) memory.resize(2 * memory.size());
  };
  grow(band.keyMemory, scratch.agendaOverflowed);
  grow(band.tickMemory, scratch.agendaOverflowed);
  grow(band.departureMemory, scratch.departuresOverflowed);
  grow(band.groupedMemory, scratch.departuresOverflowed);
  grow(band.partMemory, scratch.departuresOverflowed);
  grow(band.stripMemory, scratch.strips.overflowed);
}

/// Work of one worker on its places in a window.
template <class P, class Arguments>
class BandWork {
 public:
  BandWork(EventBand& band, const EventWindow& window, const void* arguments)
      : band_(band),
        window_(window),
        arguments_(*static_cast<const Arguments*>(arguments)),
        view_(viewOf(band, window)) {}

  /// Draws the candidates of all places and predicts their departures.
  void draw() {
    band_.beginWindow();
    for (std::int32_t place = band_.busy.next(0); place < band_.places;) place = drawBlock(place);
    band_.wakeReceivers();
    band_.counts.candidates += static_cast<std::int64_t>(band_.candidates.size());
    band_.counts.placeWindows += band_.places;
  }
  /// Executes all busy places. Marks of places that come later are removed again.
  void executeAll() {
    band_.busy.forEach([&](std::int32_t place) {
      band_.isMarked[static_cast<std::size_t>(place)] = 0;
      execute(place);
      ++band_.counts.executions;
    });
    std::erase_if(band_.marked, [&](std::int32_t place) {
      return band_.isMarked[static_cast<std::size_t>(place)] == 0;
    });
  }
  /// Executes the marked places until none is marked.
  void executeMarked() {
    std::vector<std::int32_t> now;
    while (!band_.marked.empty()) {
      now.clear();
      now.swap(band_.marked);
      ++band_.counts.rounds;
      for (const std::int32_t place : now) {
        std::uint8_t& mark = band_.isMarked[static_cast<std::size_t>(place)];
        if (mark == 0) continue;  // marked before and after executeAll() reached it
        ++band_.counts.executions;
        ++(mark == EventBand::markedByArrivals ? band_.counts.byArrivals : band_.counts.byChanges);
        mark = 0;
        band_.counts.friendly += !execute(place);
      }
    }
  }

 private:
  /// Places whose first points are drawn together: a vector register has points of several places.
  static constexpr std::int32_t block = 16;
  static constexpr int mostFirst = 16;  ///< first points of a place, at most
  static constexpr int points = pointsAtATime;

  /// First points of the places of a block, one place after the other.
  struct FirstPoints {
    static constexpr std::size_t capacity = block * mostFirst + points;

    alignas(64) std::uint64_t places[capacity];   // by point
    alignas(64) std::uint64_t numbers[capacity];  // by point, within its place
    alignas(64) double gaps[capacity];            // as exponentialOf()
    alignas(64) double heights[capacity];
    std::size_t begins[block + 1];  // by place
  };

  /// Returns the number of points to draw first, which rarely is too small.
  static std::size_t firstOf(const PlaceDraw<P, Arguments>& draw) {
    return 2 + static_cast<std::size_t>(std::min(mostFirst - 2.0, 1.5 * draw.expected()));
  }
  /// Draws the candidates of the next busy places in which something can happen.
  /// @param place the first one to draw @return the next one
  MASS_FLATTEN std::int32_t drawBlock(std::int32_t place) {
    FirstPoints first;
    std::int32_t drawn[block];
    std::int32_t number = 0;
    std::size_t count = 0;
    for (; place < band_.places && number < block; place = band_.busy.next(place + 1)) {
      const PlaceDraw<P, Arguments>* const draw =
          new (drawAt(number)) PlaceDraw<P, Arguments>(view_, arguments_, place);
      if (draw->isAtRest()) {
        band_.rest(place);
        continue;
      }
      const std::size_t more = firstOf(*draw);
      for (std::size_t i = 0; i < mostFirst; ++i) {  // further ones are overwritten
        first.places[count + i] = draw->key().place;
        first.numbers[count + i] = i;
      }
      first.begins[number] = count;
      drawn[number++] = place;
      count += more;
    }
    first.begins[number] = count;
    for (std::size_t i = 0; i < count; i += points) {
      typename VectorOf<points>::Words places, numbers;
      std::memcpy(&places, first.places + i, sizeof(places));
      std::memcpy(&numbers, first.numbers + i, sizeof(numbers));
      const PointDraws<points> draws = drawPointsOf<points>(drawAt(0)->key(), places, numbers);
      const auto gaps = exponentialOf<points>(draws.gaps);
      std::memcpy(first.gaps + i, &gaps, sizeof(gaps));
      std::memcpy(first.heights + i, &draws.heights, sizeof(draws.heights));
    }
    for (std::int32_t i = 0; i < number; ++i) {
      const std::size_t at = first.begins[i];
      add(drawn[i], *drawAt(i), first.gaps + at, first.heights + at,
          static_cast<int>(first.begins[i + 1] - at));
    }
    return place;
  }
  PlaceDraw<P, Arguments>* drawAt(std::int32_t number) {
    return reinterpret_cast<PlaceDraw<P, Arguments>*>(draws_) + number;
  }
  /// Appends the candidates of a place, given its first `count` points.
  void add(std::int32_t place, PlaceDraw<P, Arguments>& draw, const double* gaps,
           const double* heights, int count) {
    const auto number = static_cast<std::size_t>(place);
    band_.candidates.reserve(mostFirst + 1);
    BoundedList<EventCandidate> candidates{band_.candidates.end()};
    DepartureRecord departures = recordOf(band_);
    const double scale = draw.scale();
    double time = 0;
    int point = 0;
    for (; point < count; ++point) {
      time += gaps[point] * scale;
      if (!(time < 1)) break;
      draw.add(time, heights[point], candidates, departures);
    }
    if (point == count) addFurther(draw, point, time, candidates, departures);
    if (draw.fault() != EventFault::none) band_.noteFault(place, draw.fault());
    const auto drawn = static_cast<std::uint32_t>(candidates.count);
    const std::uint32_t leaving = departures.count;
    band_.candidateLists[number] = {static_cast<std::uint32_t>(band_.candidates.size()), drawn};
    DepartureList& list = band_.listOf(place);
    const std::uint32_t capacity = leaving + 2 + leaving / 4;  // two more are read
    Departure* const grouped = band_.departures.allocate(capacity);
    list = departures.groupInto(grouped);
    list.begin = grouped;
    band_.capacityOf(place) = capacity;
    band_.candidates.extend(drawn);
  }
  /// Appends the candidates from point `first` on, for which memory is reserved as they come.
  __attribute__((noinline)) void addFurther(PlaceDraw<P, Arguments>& draw, int first, double time,
                                            BoundedList<EventCandidate>& candidates,
                                            DepartureRecord& departures) {
    const auto from = static_cast<std::uint32_t>(first);
    forEachPoint<points>(draw.key(), draw.scale(), from, time, [&](double at, double height) {
      band_.candidates.reserve(static_cast<std::size_t>(candidates.count) + 2);
      candidates.data = band_.candidates.end();
      if (static_cast<std::size_t>(departures.count) + 2 > band_.departureMemory.size()) {
        band_.departureMemory.resize(2 * band_.departureMemory.size());
        band_.groupedMemory.resize(band_.departureMemory.size());
        band_.partMemory.resize(band_.departureMemory.size());
        departures.list = band_.departureMemory.data();
        departures.parts = band_.partMemory.data();
        departures.capacity = static_cast<std::uint32_t>(band_.departureMemory.size());
      }
      draw.add(at, height, candidates, departures);
    });
  }

  /// Executes a place, and marks the places that receive different departures.
  /// @return true if there are any
  MASS_FLATTEN bool execute(std::int32_t place) {
    constexpr auto events = static_cast<std::size_t>(Channels<P>::events);
    const auto number = static_cast<std::size_t>(place);
    if (band_.faults[number] == EventFault::tooFastAtStart) return false;
    view_.candidates = band_.candidates.data();
    const SourcesOf<P> sources(view_, place);
    const bool isFaulty = band_.faults[number] != EventFault::none;  // perhaps no longer
    if (sources.departures == 0 && view_.candidateLists[place].count == 0 && !isFaulty) {
      static_cast<P*>(static_cast<void*>(band_.end.data()))[place] =
          static_cast<const P*>(view_.start)[place];
      for (std::size_t e = 0; e < events; ++e) band_.happened[number * events + e] = 0;
      band_.hashes[number] = 0;
      if (band_.listOf(place).count() == 0) return false;
    }
    EventScratch scratch = scratchOf(band_);
    PlaceContext<P, Arguments, FaultOnly<P>> context(view_, arguments_, place, scratch.strips);
    const auto run = executePlace(view_, place, sources, context, scratch);
    if (scratch.overflowed()) {
      growScratch(band_, scratch);
      return executeAgain(place);
    }
    static_cast<P*>(static_cast<void*>(band_.end.data()))[place] = run.state();
    forEachIndex<Channels<P>::events>([&](auto event) {
      band_.happened[number * events + std::size_t{event}] = run.template happened<event>();
    });
    band_.hashes[number] = run.hash();
    band_.counts.strips += context.stripCounts().all;
    band_.counts.manyStrips += context.stripCounts().all > 16;
    const EventFault fault = context.faults().fault();
    if (fault != band_.faults[number]) band_.noteFault(place, fault);
    DepartureList list = scratch.departures.groupInto(band_.groupedMemory.data());
    list.begin = band_.groupedMemory.data();
    const bool changes = band_.replaceDepartures(place, list);
    if (changes) band_.noteChange(place);
    return changes;
  }
  __attribute__((noinline)) bool executeAgain(std::int32_t place) { return execute(place); }

  EventBand& band_;
  const EventWindow& window_;
  const Arguments& arguments_;
  EventView view_;
  alignas(64) std::byte draws_[block * sizeof(PlaceDraw<P, Arguments>)];
};

}  // namespace mass::detail
