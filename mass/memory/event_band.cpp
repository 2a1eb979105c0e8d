#include <mass/memory/event_band.hpp>

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace mass::detail {

namespace {

template <class T>
std::size_t bytesOf(const std::vector<T>& vector) {
  return vector.capacity() * sizeof(T);
}

/// True if two lists of departures are equal.
bool areEqual(const Departure* a, const Departure* b, std::uint32_t count) {
  static_assert(std::has_unique_object_representations_v<Departure>);
  return std::memcmp(a, b, count * sizeof(Departure)) == 0;
}

}  // namespace

void EventBand::allocate(std::int32_t count, std::int32_t ghosts, std::size_t bytesOfPlace,
                         int events) {
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
  for (const std::uint32_t count : happened) counts.events += count;
  for (std::int32_t place = 0; place < places; ++place) counts.events += listOf(place).count();
  start.swap(end);
}

bool EventBand::replaceDepartures(std::int32_t place, const Departure* list,
                                  const DepartureList& ranges) {
  DepartureList& former = listOf(place);
  const std::uint32_t count = ranges.count();
  const Departure* const old = former.begin;
  const auto number = static_cast<std::size_t>(std::int64_t{place} + ghostsBelow);
  const std::int32_t* const adjacent =
      neighbors.data() + number * static_cast<std::size_t>(directions);
  if (std::equal(ranges.ends, std::end(ranges.ends), former.ends) && areEqual(list, old, count))
    return false;
  for (int part = 0; part < directions; ++part) {
    const std::uint32_t first = ranges.beginOf(part), formerFirst = former.beginOf(part);
    const std::uint32_t arriving = ranges.ends[part] - first;
    if (arriving != former.ends[part] - formerFirst ||
        !areEqual(list + first, old + formerFirst, arriving))
      mark(adjacent[part]);
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

std::size_t EventBand::bytes() const {
  return bytesOf(neighbors) + bytesOf(ghostNumbers) + bytesOf(borders) + bytesOf(start) +
         bytesOf(end) + candidates.bytes() + bytesOf(candidateLists) + departures.bytes() +
         bytesOf(departureLists) + bytesOf(capacities) + bytesOf(happened) + bytesOf(isMarked) +
         bytesOf(marked) + bytesOf(changed) + bytesOf(faults);
}

}  // namespace mass::detail
