#include <mass/dispatch/events/event_bands.hpp>

#include <mass/partition/ghost_numbering.hpp>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

namespace mass::detail {

namespace {

std::int64_t placesPerRow(const PlaceFields& fields) {
  const auto& shape = fields.domain().shape;
  return shape[1] * shape[2];
}

/// Returns the places of a worker: those between two cuts of its device's places, at equal parts
/// of their number or of their cost.
RowRange placesOf(const PlaceFields& fields, const Worker& worker, std::span<const float> costs) {
  const RowRange all = placesOf(fields, worker.device());
  if (costs.empty()) {
    const auto [begin, end] = worker.share(all.size());
    return {all.begin + begin, all.begin + end};
  }
  const std::int64_t first = placesOf(fields, fields.devices().firstLocal()).begin;
  const auto own = costs.subspan(static_cast<std::size_t>(all.begin - first),
                                 static_cast<std::size_t>(all.size()));
  double total = 0;
  for (const float cost : own) total += cost;
  const auto cutAt = [&](int index) {
    if (index == worker.size()) return all.end;
    const double below = total * index / worker.size();
    double sum = 0;
    std::int64_t place = all.begin;
    for (const float cost : own) {
      if (sum + 0.5 * cost >= below) break;
      sum += cost;
      ++place;
    }
    return place;
  };
  return {cutAt(worker.index()), cutAt(worker.index() + 1)};
}

/// Sets how departures by direction become parts of lists.
void connectParts(EventBand& band, const GridNeighbors& neighbors) {
  band.directions = 2 * neighbors.dimensions;
  for (int k = 0; k < band.directions; ++k) {
    const auto number = static_cast<std::size_t>(k);
    const bool isDouble = neighbors.isDouble(k);
    band.parts.of[number] = static_cast<std::uint8_t>(isDouble ? k & ~1 : k);
    band.parts.arriving[number] = isDouble
                                      ? static_cast<std::uint8_t>(k % 2 == 0 ? k : HopParts::none)
                                      : static_cast<std::uint8_t>(k ^ 1);
  }
}

/// Returns the local numbers of a range of places and of the places beside it.
GhostNumbering numberingOf(const GridNeighbors& neighbors, RowRange places) {
  std::vector<std::uint32_t> ghosts;
  for (std::int64_t place = places.begin; place < places.end; ++place) {
    for (int k = 0; k < 2 * neighbors.dimensions; ++k) {
      const std::int64_t next = neighbors.of(place, k);
      if (next >= 0 && (next < places.begin || next >= places.end))
        ghosts.push_back(static_cast<std::uint32_t>(next));
    }
  }
  return {places, std::move(ghosts)};
}

/// Fills the neighbours of a band's places and ghosts.
void connect(EventBand& band, const GridNeighbors& neighbors, RowRange places) {
  connectParts(band, neighbors);
  const GhostNumbering numbering = numberingOf(neighbors, places);
  band.ghostNumbers = numbering.ghosts();
  band.ghostsBelow = static_cast<std::int32_t>(numbering.below());
  band.neighbors.reserve((static_cast<std::size_t>(places.size()) + band.ghostNumbers.size()) *
                         static_cast<std::size_t>(band.directions));
  const auto addNeighbors = [&](std::int64_t place) {
    for (int k = 0; k < band.directions; ++k) {
      const std::int64_t next = neighbors.of(place, k);
      const bool isListed = next >= 0 && (numbering.isOwn(place) || numbering.isOwn(next));
      band.neighbors.push_back(isListed ? static_cast<std::int32_t>(numbering.of(next)) : noPlace);
    }
  };
  const auto addGhosts = [&](std::size_t first, std::size_t end) {
    for (std::size_t ghost = first; ghost < end; ++ghost) addNeighbors(band.ghostNumbers[ghost]);
  };
  const auto below = static_cast<std::size_t>(numbering.below());
  addGhosts(0, below);
  for (std::int64_t place = places.begin; place < places.end; ++place) addNeighbors(place);
  addGhosts(below, band.ghostNumbers.size());
}

}  // namespace

std::int64_t placesIn(const PlaceFields& fields) {
  return fields.domain().shape[0] * placesPerRow(fields);
}

RowRange placesOf(const PlaceFields& fields, int device) {
  const RowRange rows = fields.rows(device);
  return {rows.begin * placesPerRow(fields), rows.end * placesPerRow(fields)};
}

void EventBands::create(const PlaceFields& fields, const GridNeighbors& neighbors,
                        const EventKernel& kernel, bool isWhole, std::span<const float> costs) {
  const DeviceConfig& devices = fields.devices();
  std::vector<RowRange> places;
  firstBands_.clear();
  first_ = static_cast<std::uint32_t>(placesOf(fields, devices.firstLocal()).begin);
  end_ = static_cast<std::uint32_t>(placesOf(fields, devices.local().back()).end);
  if (isWhole) {
    firstBands_.push_back(0);
    places.push_back({first_, end_});
  } else {
    std::mutex mutex;
    std::map<std::pair<int, int>, RowRange> ofWorkers;  // by device and index
    devices.run([&](const Worker& worker) {
      const RowRange range = placesOf(fields, worker, costs);
      const std::scoped_lock lock(mutex);
      ofWorkers[{worker.device(), worker.index()}] = range;
    });
    for (const auto& [worker, range] : ofWorkers) {
      if (worker.second == 0) firstBands_.push_back(places.size());
      places.push_back(range);
    }
  }
  firstDevice_ = devices.firstLocal();
  firstBands_.resize(devices.local().size() + 1, places.size());
  bands_.clear();
  bands_.resize(places.size());
  const auto fill = [&](EventBand& band, RowRange range) {
    band.firstPlace = static_cast<std::uint32_t>(range.begin);
    connect(band, neighbors, range);
    band.allocate(static_cast<std::int32_t>(range.size()),
                  static_cast<std::int32_t>(band.ghostNumbers.size()), kernel.placeBytes,
                  kernel.hops, kernel.events);
    // Places are adjacent to each other: these are ghosts of other workers.
    for (std::size_t ghost = 0; ghost < band.ghostNumbers.size(); ++ghost) {
      band.forEachOwnBeside(ghost, [&](std::int32_t place) {
        band.borders[static_cast<std::size_t>(place)] = EventBand::onBorder;
      });
    }
  };
  if (isWhole) {
    fill(bands_[0], places[0]);
  } else {  // each by its worker, in whose memory it is then
    devices.run([&](const Worker& worker) {
      EventBand& band = of(worker);
      fill(band, places[static_cast<std::size_t>(&band - bands_.data())]);
    });
    for (EventBand& band : bands_) band.findSources(bands_);
  }
}

EventBand& EventBands::of(const Worker& worker) {
  const auto device = static_cast<std::size_t>(worker.device() - firstDevice_);
  return bands_[firstBands_[device] + static_cast<std::size_t>(worker.index())];
}

std::span<const EventBand> EventBands::ofDevice(std::size_t device) const {
  if (firstBands_.empty()) return {};
  return all().subspan(firstBands_[device], firstBands_[device + 1] - firstBands_[device]);
}

std::vector<std::vector<std::uint32_t>> EventBands::placesBeside(const PlaceFields& fields) const {
  const DeviceConfig& devices = fields.devices();
  std::vector<std::vector<std::uint32_t>> places(static_cast<std::size_t>(devices.ranks().count()));
  const std::int64_t perRow = placesPerRow(fields);
  for (const EventBand& band : bands_) {
    for (std::size_t ghost = 0; ghost < band.ghostNumbers.size(); ++ghost) {
      const std::uint32_t number = band.ghostNumbers[ghost];
      if (contains(number)) continue;
      const int rank = devices.rankOf(fields.partition().owner(number / perRow));
      band.forEachOwnBeside(ghost, [&](std::int32_t place) {
        places[static_cast<std::size_t>(rank)].push_back(band.firstPlace +
                                                         static_cast<std::uint32_t>(place));
      });
    }
  }
  for (auto& numbers : places) {
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  }
  return places;
}

}  // namespace mass::detail
