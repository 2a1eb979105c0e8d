#include <mass/dispatch/events/event_clock.hpp>

#include <mass/support/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

namespace mass::detail {

namespace {

/// Expected hops of the fastest particle in a window, if no length is given.
constexpr double hopsInWindow = 0.2;

void requireRate(double rate) {
  if (!(rate >= 0) || !std::isfinite(rate))
    throw UsageError("hopRate: a rate is {} 1/s; it must be at least 0 and finite", rate);
}

EventCounts& operator+=(EventCounts& sum, const EventCounts& more) {
  sum.events += more.events;
  sum.candidates += more.candidates;
  sum.strips += more.strips;
  sum.executions += more.executions;
  sum.placeWindows += more.placeWindows;
  sum.rounds += more.rounds;
  sum.exchanged += more.exchanged;
  return sum;
}

std::int64_t placesIn(const PlaceFields& fields) {
  const auto& shape = fields.domain().shape;
  return shape[0] * shape[1] * shape[2];
}

/// Returns the places of a worker among those of its device.
RowRange placesOf(const PlaceFields& fields, const Worker& worker) {
  const Layout& layout = fields.layout(worker.device());
  const std::int64_t perRow = layout.lines * layout.columns;
  const RowRange rows = fields.partition().range(worker.device());
  const auto [begin, end] = worker.share(rows.size() * perRow);
  return {rows.begin * perRow + begin, rows.begin * perRow + end};
}

}  // namespace

/// Parameters of a call of run().
struct EventClock::Call {
  const EventKernel* kernel;
  const void* arguments;
  const std::string* name;
  EventWindow window;
  FirstFailure* failure;
};

EventClock::EventClock(const PlaceFields& fields, const PlaceMask* mask, EventSettings settings,
                       int hops)
    : settings_(settings),
      neighbors_{fields.domain().dimensions, mask != nullptr ? mask->shape : fields.domain().shape,
                 mask != nullptr ? mask->borders : fields.domain().borders, mask},
      rates_(static_cast<std::size_t>(hops)) {}

void EventClock::setHopRate(int hop, double rate) {
  requireRate(rate);
  rates_[static_cast<std::size_t>(hop)] = {rate, {}};
}

void EventClock::setHopRates(int hop, std::vector<double> rates) {
  for (const double rate : rates) requireRate(rate);
  rates_[static_cast<std::size_t>(hop)] = {0, std::move(rates)};
}

std::int64_t EventClock::windowsIn(double seconds) const {
  if (!(seconds >= 0) || !std::isfinite(seconds))
    throw UsageError("runEvents: a time of {} s; it must be at least 0 and finite", seconds);
  if (seconds == 0) return 0;
  if (settings_.window > 0) {
    const double windows = std::round(seconds / settings_.window);
    if (windows < 1 || std::abs(windows * settings_.window - seconds) > 1e-6 * settings_.window) {
      throw UsageError(
          "runEvents: {:.9g} s are no whole number of windows of {:.9g} s; the nearest are {:.9g} "
          "s",
          seconds, settings_.window, std::max(windows, 1.0) * settings_.window);
    }
    return static_cast<std::int64_t>(windows);
  }
  double fastest = 0;  // hops of a particle in 1/s
  const int directions = 2 * neighbors_.dimensions;
  for (const HopRateTable& table : rates_) {
    fastest = std::max(fastest, table.each * 2 * neighbors_.openAxes());
    for (std::size_t first = 0; first < table.byPlace.size();
         first += static_cast<std::size_t>(directions)) {
      double sum = 0;
      for (int k = 0; k < directions; ++k)
        sum += table.byPlace[first + static_cast<std::size_t>(k)];
      fastest = std::max(fastest, sum);
    }
  }
  const double windows = std::ceil(seconds * fastest / hopsInWindow * (1 - 1e-12));
  if (windows > 1e12) {
    throw UsageError("runEvents: {} s are {} windows; a call has at most 10^12", seconds, windows);
  }
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(windows));
}

EventCounts EventClock::counts() const {
  EventCounts sum;
  for (const EventCounts& counts : former_) sum += counts;
  for (const EventBand& band : bands_) sum += band.counts;
  return sum;
}

std::size_t EventClock::bytes() const {
  std::size_t sum = 0;
  for (const EventBand& band : bands_) sum += band.bytes();
  return sum;
}

EventBand& EventClock::bandOf(const Worker& worker) {
  const auto device = static_cast<std::size_t>(worker.device());
  return bands_[firstBands_[device] + static_cast<std::size_t>(worker.index())];
}

std::size_t EventClock::bandOf(std::uint32_t place) const {
  const auto after = std::upper_bound(
      bands_.begin(), bands_.end(), place,
      [](std::uint32_t number, const EventBand& band) { return number < band.firstPlace; });
  return static_cast<std::size_t>(after - bands_.begin()) - 1;
}

void EventClock::createBands(const PlaceFields& fields, const EventKernel& kernel) {
  if (partition_ == fields.partition()) return;
  for (const EventBand& band : bands_) former_.push_back(band.counts);
  const DeviceConfig& devices = fields.devices();
  std::vector<RowRange> places;
  if (settings_.engine == EventEngine::reference) {
    places.push_back({0, placesIn(fields)});
  } else {
    std::mutex mutex;
    std::map<std::pair<int, int>, RowRange> ofWorkers;  // by device and index
    devices.run([&](const Worker& worker) {
      const std::scoped_lock lock(mutex);
      ofWorkers[{worker.device(), worker.index()}] = placesOf(fields, worker);
    });
    firstBands_.assign(static_cast<std::size_t>(devices.size()), 0);
    for (const auto& [worker, range] : ofWorkers) {
      if (worker.second == 0) firstBands_[static_cast<std::size_t>(worker.first)] = places.size();
      places.push_back(range);
    }
  }
  bands_.clear();
  bands_.resize(places.size());
  for (std::size_t number = 0; number < places.size(); ++number) {
    EventBand& band = bands_[number];
    band.firstPlace = static_cast<std::uint32_t>(places[number].begin);
    band.placeBytes = kernel.placeBytes;
    connect(band, places[number]);
    band.allocate(static_cast<std::int32_t>(places[number].size()),
                  static_cast<std::int32_t>(band.ghostNumbers.size()), kernel.placeBytes,
                  static_cast<int>(kernel.events.size()));
  }
  for (const EventBand& band : bands_) {
    for (const std::uint32_t ghost : band.ghostNumbers) {
      EventBand& owner = bands_[bandOf(ghost)];
      owner.borders[ghost - owner.firstPlace] = EventBand::onBorder;
    }
  }
  partition_ = fields.partition();
}

/// Fills the neighbours of a band's places and ghosts.
void EventClock::connect(EventBand& band, RowRange places) const {
  const int directions = 2 * neighbors_.dimensions;
  band.directions = directions;
  for (int k = 0; k < directions; ++k) {
    const auto number = static_cast<std::size_t>(k);
    const bool isDouble = neighbors_.isDouble(k);
    band.parts.of[number] = static_cast<std::uint8_t>(isDouble ? k & ~1 : k);
    band.parts.arriving[number] = isDouble
                                      ? static_cast<std::uint8_t>(k % 2 == 0 ? k : HopParts::none)
                                      : static_cast<std::uint8_t>(k ^ 1);
  }
  const auto isOwn = [&](std::int64_t place) {
    return places.begin <= place && place < places.end;
  };
  std::vector<std::uint32_t> ghosts;
  for (std::int64_t place = places.begin; place < places.end; ++place) {
    for (int k = 0; k < directions; ++k) {
      const std::int64_t next = neighbors_.of(place, k);
      if (next >= 0 && !isOwn(next)) ghosts.push_back(static_cast<std::uint32_t>(next));
    }
  }
  std::sort(ghosts.begin(), ghosts.end());
  ghosts.erase(std::unique(ghosts.begin(), ghosts.end()), ghosts.end());
  const auto below = std::lower_bound(ghosts.begin(), ghosts.end(), places.begin) - ghosts.begin();
  band.ghostsBelow = static_cast<std::int32_t>(below);
  const auto localOf = [&](std::int64_t place) {
    if (place < 0) return noPlace;
    if (isOwn(place)) return static_cast<std::int32_t>(place - places.begin);
    const auto at = std::lower_bound(ghosts.begin(), ghosts.end(), place) - ghosts.begin() - below;
    return static_cast<std::int32_t>(at < 0 ? at : at + places.size());
  };
  band.neighbors.reserve((static_cast<std::size_t>(places.size()) + ghosts.size()) *
                         static_cast<std::size_t>(directions));
  const auto addNeighbors = [&](std::int64_t place) {
    for (int k = 0; k < directions; ++k) {
      const std::int64_t next = neighbors_.of(place, k);
      band.neighbors.push_back(isOwn(place) || isOwn(next) ? localOf(next) : noPlace);
    }
  };
  for (std::size_t ghost = 0; ghost < static_cast<std::size_t>(below); ++ghost)
    addNeighbors(ghosts[ghost]);
  for (std::int64_t place = places.begin; place < places.end; ++place) addNeighbors(place);
  for (std::size_t ghost = static_cast<std::size_t>(below); ghost < ghosts.size(); ++ghost)
    addNeighbors(ghosts[ghost]);
  band.ghostNumbers = std::move(ghosts);
}

/// Copies the predicted departures of all ghosts.
void EventClock::copyPredictions(EventBand& band) {
  for (std::size_t ghost = 0; ghost < band.ghostNumbers.size(); ++ghost)
    copyDepartures(band, ghost, bands_[bandOf(band.ghostNumbers[ghost])]);
}

/// Copies the departures of a ghost. @param owner band of the place
void EventClock::copyDepartures(EventBand& band, std::size_t ghost, EventBand& owner) {
  const std::uint32_t number = band.ghostNumbers[ghost];
  const DepartureList list = owner.listOf(static_cast<std::int32_t>(number - owner.firstPlace));
  band.replaceDepartures(band.placeOfGhost(ghost), list.begin, list);
  ++band.counts.exchanged;
}

/// Copies the departures of ghosts that changed, and marks the places that receive them.
void EventClock::copyChanges(EventBand& band) {
  for (EventBand& owner : bands_) {
    if (&owner == &band) continue;
    for (const std::int32_t place : owner.changed) {
      const std::uint32_t number = owner.firstPlace + static_cast<std::uint32_t>(place);
      const auto at = std::lower_bound(band.ghostNumbers.begin(), band.ghostNumbers.end(), number);
      if (at != band.ghostNumbers.end() && *at == number)
        copyDepartures(band, static_cast<std::size_t>(at - band.ghostNumbers.begin()), owner);
    }
  }
}

void EventClock::runWindow(EventBand& band, const Call& call, const Worker& worker) {
  const EventKernel& kernel = *call.kernel;
  bool hasFailed = false;
  const auto attempt = [&](const auto& work) {
    try {
      if (!hasFailed) work();
    } catch (...) {
      hasFailed = true;
      call.failure->record(static_cast<std::int64_t>(call.window.number), worker);
    }
  };
  attempt([&] { kernel.draw(band, call.window, call.arguments); });
  worker.barrier();
  attempt([&] { copyPredictions(band); });
  worker.barrier();
  attempt([&] { kernel.executeAll(band, call.window, call.arguments); });
  for (int round = 0;; ++round) {
    std::atomic<std::size_t>& changes = changes_[round % 2];
    attempt([&] { kernel.executeMarked(band, call.window, call.arguments); });
    changes += band.changed.size();
    worker.barrier();
    if (changes == 0) break;
    attempt([&] { copyChanges(band); });
    worker.barrier();
    if (worker.isCaller()) changes = 0;
    band.clearChanges();
  }
  attempt([&] { checkFaults(band, call); });
  worker.barrier();
}

/// @throws UsageError if an execution of the window that counts failed
void EventClock::checkFaults(EventBand& band, const Call& call) const {
  if (!band.isFaulty) return;
  for (std::int32_t place = 0; place < band.places; ++place) {
    if (band.faults[static_cast<std::size_t>(place)] != EventFault::none)
      throw faultOf(band, call, place);
  }
}

/// Returns the error of a fault of an own place.
UsageError EventClock::faultOf(EventBand& band, const Call& call, std::int32_t place) const {
  std::int64_t number = band.firstPlace + static_cast<std::uint32_t>(place);
  if (neighbors_.mask != nullptr)
    number = neighbors_.mask->indices[static_cast<std::size_t>(number)];
  std::string at;
  for (int axis = neighbors_.dimensions - 1; axis >= 0; --axis) {
    const std::int64_t length = neighbors_.shape[static_cast<std::size_t>(axis)];
    at = std::to_string(number % length) + (at.empty() ? "" : ", ") + at;
    number /= length;
  }
  return UsageError("{}, place ({}): {}", *call.name, at,
                    call.kernel->describe(band, call.window, call.arguments, place));
}

void EventClock::runInOrder(EventBand& band, const Call& call) {
  call.kernel->draw(band, call.window, call.arguments);
  call.kernel->executeInOrder(band, call.window, call.arguments);
  checkFaults(band, call);
}

std::vector<HopRates> EventClock::ratesOf(const EventBand& band) const {
  std::vector<HopRates> rates;
  const std::size_t first = band.firstPlace * static_cast<std::size_t>(band.directions);
  for (const HopRateTable& table : rates_)
    rates.push_back({table.each, table.byPlace.empty() ? nullptr : table.byPlace.data() + first});
  return rates;
}

void EventClock::run(PlaceFields& fields, const EventKernel& kernel, const void* arguments,
                     double seconds, std::uint64_t seed, const std::string& name) {
  const std::int64_t windows = windowsIn(seconds);
  if (windows == 0) return;
  const DeviceConfig& devices = fields.devices();
  if (devices.areGpus())
    throw UsageError("runEvents on '{}': events run on CPUs; set backend: cpu", name);
  if (devices.ranks().count() > 1)
    throw UsageError("runEvents on '{}': events run on one rank", name);
  const std::int64_t places = placesIn(fields);
  if (places > std::numeric_limits<std::int32_t>::max())
    throw UsageError("runEvents on '{}': {} places; events run on at most 2^31 - 1", name, places);
  createBands(fields, kernel);
  fields.restoreLayout();
  FirstFailure failure;
  Call call{&kernel, arguments, &name, {}, &failure};
  call.window.seed = seed;
  call.window.number = fields.step;
  call.window.seconds = seconds / static_cast<double>(windows);
  call.window.tickMask = settings_.tickMask;
  const auto forEachBand = [&](const auto& work) {
    if (settings_.engine == EventEngine::reference) {
      work(bands_[0], nullptr);
    } else {
      devices.run([&](const Worker& worker) { work(bandOf(worker), &worker); });
    }
  };
  forEachBand([&](EventBand& band, const Worker* /*worker*/) {
    for (const int device : devices.local()) kernel.load(band, fields, device);
    band.isFaulty = false;
    const std::int32_t faulty = kernel.begin(band, arguments);
    if (faulty >= 0) throw faultOf(band, call, faulty);
  });
  forEachBand([&](EventBand& band, const Worker* worker) {
    Call own = call;
    own.window.hopRates = ratesOf(band);
    for (std::int64_t window = 0; window < windows; ++window) {
      own.window.number = fields.step + static_cast<std::uint64_t>(window);
      if (worker == nullptr) {
        runInOrder(band, own);
      } else {
        runWindow(band, own, *worker);
      }
      if (failure.hasFailedBy(static_cast<std::int64_t>(own.window.number))) break;
      band.finishWindow();
    }
  });
  if (failure.exception()) {
    partition_.reset();  // bands keep marks of the failed window
    std::rethrow_exception(failure.exception());
  }
  forEachBand([&](EventBand& band, const Worker* /*worker*/) {
    for (const int device : devices.local()) kernel.store(band, fields, device);
  });
  for (int component = 0; component < fields.components(); ++component) {
    if (fields.component(component).storage != Storage::single) fields.refreshPadding(component);
  }
  fields.step += static_cast<std::uint64_t>(windows);
}

}  // namespace mass::detail
