#include <mass/memory/event_band.hpp>

#include <algorithm>
#include <bit>

namespace mass::detail {

namespace {

template <class T>
std::size_t bytesOf(const std::vector<T>& vector) {
  return vector.capacity() * sizeof(T);
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
  departures.reserve(spareDepartures);
  isFaulty = false;
  for (std::size_t ghost = static_cast<std::size_t>(places); ghost < capacities.size(); ++ghost) {
    departureLists[ghost] = {};
    capacities[ghost] = 0;
  }
}

void EventBand::finishWindow() {
  for (const std::uint32_t count : happened) counts.events += count;
  for (std::size_t place = 0; place < static_cast<std::size_t>(places); ++place)
    counts.events += departureLists[place].count;
  start.swap(end);
}

unsigned EventBand::differingDirections(const Departure* a, std::uint32_t countA,
                                        const Departure* b, std::uint32_t countB) {
  unsigned directions = 0;
  std::uint32_t i = 0;
  std::uint32_t j = 0;
  while (i < countA || j < countB) {
    if (i < countA && j < countB && a[i] == b[j]) {
      ++i, ++j;
    } else if (j == countB || (i < countA && a[i].tick <= b[j].tick)) {
      directions |= 1U << a[i++].direction;
    } else {
      directions |= 1U << b[j++].direction;
    }
  }
  return directions;
}

bool EventBand::replaceDepartures(std::int32_t place, const Departure* list, std::uint32_t count) {
  const auto number = static_cast<std::size_t>(place);
  ListRange& range = departureLists[number];
  const Departure* const former = departures.data() + range.begin;
  if (range.count == count && std::equal(list, list + count, former)) return false;
  unsigned differing = differingDirections(former, range.count, list, count);
  if (count > capacities[number]) {
    const std::uint32_t capacity = count + count / 2 + 2;
    departures.reserve(capacity + spareDepartures);
    range.begin = static_cast<std::uint32_t>(departures.size());
    departures.extend(capacity);
    capacities[number] = capacity;
  }
  std::copy_n(list, count, departures.data() + range.begin);
  range.count = count;
  const std::int32_t* const adjacent =
      neighbors.data() + number * static_cast<std::size_t>(directions);
  for (; differing != 0; differing &= differing - 1) mark(adjacent[std::countr_zero(differing)]);
  return true;
}

std::size_t EventBand::bytes() const {
  return bytesOf(neighbors) + bytesOf(ghostNumbers) + bytesOf(borders) + bytesOf(start) +
         bytesOf(end) + candidates.bytes() + bytesOf(candidateLists) + departures.bytes() +
         bytesOf(departureLists) + bytesOf(capacities) + bytesOf(happened) + bytesOf(isMarked) +
         bytesOf(marked) + bytesOf(changed) + bytesOf(faults);
}

}  // namespace mass::detail
