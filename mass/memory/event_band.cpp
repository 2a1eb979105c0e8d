#include <mass/memory/event_band.hpp>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <type_traits>

namespace mass {

EventCounts& EventCounts::operator+=(const EventCounts& more) {
  events += more.events;
  candidates += more.candidates;
  strips += more.strips;
  manyStrips += more.manyStrips;
  executions += more.executions;
  byArrivals += more.byArrivals;
  byChanges += more.byChanges;
  friendly += more.friendly;
  placeWindows += more.placeWindows;
  windows += more.windows;
  rounds += more.rounds;
  exchanged += more.exchanged;
  drawing += more.drawing;
  settling += more.settling;
  waiting += more.waiting;
  return *this;
}

namespace detail {

namespace {

template <class T>
std::size_t bytesOf(const std::vector<T>& vector) {
  return vector.capacity() * sizeof(T);
}

/// True if a list has all departures of another one, in its order.
bool isExtension(std::span<const Departure> list, std::span<const Departure> former) {
  auto next = former.begin();
  for (const Departure& departure : list)
    if (next != former.end() && departure == *next) ++next;
  return next == former.end();
}

/// True if two lists of departures are equal.
bool areEqual(std::span<const Departure> a, std::span<const Departure> b) {
  static_assert(std::has_unique_object_representations_v<Departure>);
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

}  // namespace

void EventBand::allocate(std::int32_t count, std::int32_t ghosts, std::size_t bytesOfPlace,
                         int hops, int events) {
  const auto own = static_cast<std::size_t>(count);
  const std::size_t all = own + static_cast<std::size_t>(ghosts);
  places = count;
  placeBytes = bytesOfPlace;
  start.resize(own * placeBytes);
  end.resize(own * placeBytes);
  candidateLists.assign(own, {});
  departureLists.assign(all, {});
  capacities.assign(all, 0);
  happened.assign(own * static_cast<std::size_t>(events), 0);
  eventsOf.assign(static_cast<std::size_t>(hops + events), 0);
  isMarked.assign(own, 0);
  borders.assign(own, 0);
  faults.assign(own, EventFault::none);
}

void EventBand::beginWindow() {
  candidates.clear();
  departures.clear();
  Departure* const none = departures.allocate(0);
  isFaulty = false;
  std::fill(faults.begin(), faults.end(), EventFault::none);
  for (std::size_t ghost = 0; ghost < ghostNumbers.size(); ++ghost) {
    listOf(placeOfGhost(ghost)) = {none, {}};
    capacityOf(placeOfGhost(ghost)) = 0;
  }
}

void EventBand::finishWindow() {
  ++counts.windows;
  const auto sum = [&] {
    return std::accumulate(eventsOf.begin(), eventsOf.end(), std::int64_t{0});
  };
  const std::int64_t before = sum();
  const std::size_t events = places == 0 ? 0 : happened.size() / static_cast<std::size_t>(places);
  const std::size_t hops = eventsOf.size() - events;
  for (std::size_t i = 0; i < happened.size(); i += events)
    for (std::size_t event = 0; event < events; ++event)
      eventsOf[hops + event] += happened[i + event];
  for (std::int32_t place = 0; place < places; ++place) {
    const DepartureList& list = listOf(place);
    for (std::uint32_t i = 0; i < list.count(); ++i) ++eventsOf[list.begin[i].hop];
  }
  counts.events += sum() - before;
  start.swap(end);
}

bool EventBand::replaceDepartures(std::int32_t place, const Departure* list,
                                  const DepartureList& ranges) {
  DepartureList& former = listOf(place);
  const std::uint32_t count = ranges.count();
  const Departure* const old = former.begin;
  const std::span<const std::int32_t> adjacent = neighborsOf(place);
  if (std::equal(ranges.ends, std::end(ranges.ends), former.ends) &&
      areEqual({list, count}, {old, count}))
    return false;
  for (int part = 0; part < directions; ++part) {
    const std::span now(list + ranges.beginOf(part), list + ranges.ends[part]);
    const std::span before(old + former.beginOf(part), old + former.ends[part]);
    if (!areEqual(now, before))
      mark(adjacent[static_cast<std::size_t>(part)],
           isExtension(now, before) ? markedByArrivals : markedByChanges);
  }
  std::uint32_t& capacity = capacityOf(place);
  Departure* to = former.begin;
  if (count > capacity) {
    capacity = count + count / 2 + 2;
    to = departures.allocate(capacity);
  }
  std::copy_n(list, count, to);
  former = ranges;
  former.begin = to;
  return true;
}

std::optional<std::size_t> EventBand::findGhost(std::uint32_t place) const {
  const auto at = std::lower_bound(ghostNumbers.begin(), ghostNumbers.end(), place);
  if (at == ghostNumbers.end() || *at != place) return std::nullopt;
  return static_cast<std::size_t>(at - ghostNumbers.begin());
}

std::size_t EventBand::bytes() const {
  return bytesOf(neighbors) + bytesOf(ghostNumbers) + bytesOf(borders) + bytesOf(start) +
         bytesOf(end) + candidates.bytes() + bytesOf(candidateLists) + departures.bytes() +
         bytesOf(departureLists) + bytesOf(capacities) + bytesOf(happened) + bytesOf(isMarked) +
         bytesOf(marked) + bytesOf(changed) + bytesOf(faults);
}

EventBand& ownerOf(std::span<EventBand> bands, std::uint32_t place) {
  const auto after = std::upper_bound(
      bands.begin(), bands.end(), place,
      [](std::uint32_t number, const EventBand& band) { return number < band.firstPlace; });
  return *(after - 1);
}

}  // namespace detail
}  // namespace mass
