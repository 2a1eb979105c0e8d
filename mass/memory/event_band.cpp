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
  undone += more.undone;
  stragglers += more.stragglers;
  cancelled += more.cancelled;
  hash += more.hash;
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
  capacities.assign(own, 0);
  happened.assign(own * static_cast<std::size_t>(events), 0);
  hashes.assign(own, 0);
  eventsOf.assign(static_cast<std::size_t>(hops) + static_cast<std::size_t>(events), 0);
  isMarked.assign(own, 0);
  borders.assign(own, 0);
  faults.assign(own, EventFault::none);
  busy.allocate(count);
}

void EventBand::beginWindow() {
  candidates.clear();
  candidates.reserve(2);  // two are read, even of an empty list
  departures.clear();
  none_ = departures.allocate(2);  // always the first two
  isFaulty = false;
  std::fill(faults.begin(), faults.end(), EventFault::none);
  for (std::size_t ghost = 0; ghost < ghostNumbers.size(); ++ghost) {
    listOf(placeOfGhost(ghost)) = {none_, {}};
  }
}

void EventBand::rest(std::int32_t place) {
  const auto number = static_cast<std::size_t>(place);
  const std::size_t events = eventsOfPlace();
  busy.erase(place);
  candidateLists[number] = {};
  listOf(place) = {none_, {}};
  capacityOf(place) = 0;
  std::memcpy(end.data() + number * placeBytes, start.data() + number * placeBytes, placeBytes);
  std::fill_n(happened.begin() + static_cast<std::ptrdiff_t>(number * events), events, 0U);
  hashes[number] = 0;
}

void EventBand::wakeReceivers() {
  if (busy.isFull()) return;
  busy.forEach([&](std::int32_t place) {
    const DepartureList& list = listOf(place);
    if (list.count() == 0) return;
    const std::span<const std::int32_t> adjacent = neighborsOf(place);
    for (int part = 0; part < directions; ++part) {
      const std::int32_t receiver = adjacent[static_cast<std::size_t>(part)];
      if (list.ends[part] > list.beginOf(part) && isOwn(receiver)) busy.insert(receiver);
    }
  });
}

void EventBand::finishWindow(std::uint64_t window) {
  ++counts.windows;
  const auto sum = [&] {
    return std::accumulate(eventsOf.begin(), eventsOf.end(), std::int64_t{0});
  };
  const std::int64_t before = sum();
  const std::size_t events = eventsOfPlace(), hops = eventsOf.size() - events;
  busy.forEach([&](std::int32_t place) {
    counts.hash += hashFactor(window, firstPlace + static_cast<std::uint32_t>(place)) *
                   hashes[static_cast<std::size_t>(place)];
    for (std::size_t event = 0; event < events; ++event)
      eventsOf[hops + event] += happened[static_cast<std::size_t>(place) * events + event];
    const DepartureList& list = listOf(place);
    for (std::uint32_t i = 0; i < list.count(); ++i) ++eventsOf[list.begin[i].hop];
  });
  counts.events += sum() - before;
  start.swap(end);
}

/// Marks the own places for which the departures of a place or ghost are about to change.
void EventBand::markReceivers(std::int32_t place, const DepartureList& list) {
  const DepartureList& former = listOf(place);
  const std::span<const std::int32_t> adjacent = neighborsOf(place);
  for (int part = 0; part < directions; ++part) {
    const std::span now(list.begin + list.beginOf(part), list.begin + list.ends[part]);
    const std::span before(former.begin + former.beginOf(part), former.begin + former.ends[part]);
    if (!areEqual(now, before))
      mark(adjacent[static_cast<std::size_t>(part)],
           isExtension(now, before) ? markedByArrivals : markedByChanges);
  }
}

bool EventBand::replaceDepartures(std::int32_t place, const DepartureList& list) {
  DepartureList& former = listOf(place);
  const std::uint32_t count = list.count();
  if (std::equal(list.ends, std::end(list.ends), former.ends) &&
      areEqual({list.begin, count}, {former.begin, count}))
    return false;
  markReceivers(place, list);
  std::uint32_t& capacity = capacityOf(place);
  Departure* to = former.begin;
  if (count > capacity || borders[static_cast<std::size_t>(place)] != 0) {
    capacity = count + count / 2 + 2;
    to = departures.allocate(capacity);
  }
  std::copy_n(list.begin, count, to);
  former = list;
  former.begin = to;
  return true;
}

DepartureList EventBand::copyOf(const DepartureList& list) {
  DepartureList copy = list;
  copy.begin = departures.allocate(list.count());
  std::copy_n(list.begin, list.count(), copy.begin);
  return copy;
}

std::optional<std::size_t> EventBand::findGhost(std::uint32_t place, std::size_t first,
                                                std::size_t last) const {
  const std::uint32_t* const numbers = ghostNumbers.data();
  const std::uint32_t* const at = std::lower_bound(numbers + first, numbers + last, place);
  if (at == numbers + last || *at != place) return std::nullopt;
  return static_cast<std::size_t>(at - numbers);
}

void EventBand::findSources(std::span<const EventBand> bands) {
  const auto ghostsBefore = [&](std::uint32_t place) {
    return static_cast<std::size_t>(
        std::lower_bound(ghostNumbers.begin(), ghostNumbers.end(), place) - ghostNumbers.begin());
  };
  sources.clear();
  for (std::size_t number = 0; number < bands.size(); ++number) {
    const EventBand& band = bands[number];
    const std::size_t first = ghostsBefore(band.firstPlace);
    const std::size_t last =
        ghostsBefore(band.firstPlace + static_cast<std::uint32_t>(band.places));
    if (first < last) sources.push_back({number, first, last});
  }
}

std::size_t EventBand::bytes() const {
  return bytesOf(neighbors) + bytesOf(ghostNumbers) + bytesOf(borders) + bytesOf(start) +
         bytesOf(end) + candidates.bytes() + bytesOf(candidateLists) + departures.bytes() +
         bytesOf(departureLists) + bytesOf(capacities) + bytesOf(happened) + bytesOf(hashes) +
         bytesOf(isMarked) + bytesOf(marked) + bytesOf(changed) + bytesOf(faults) + busy.bytes();
}

EventBand& ownerOf(std::span<EventBand> bands, std::uint32_t place) {
  const auto after = std::upper_bound(
      bands.begin(), bands.end(), place,
      [](std::uint32_t number, const EventBand& band) { return number < band.firstPlace; });
  return *(after - 1);
}

}  // namespace detail
}  // namespace mass
