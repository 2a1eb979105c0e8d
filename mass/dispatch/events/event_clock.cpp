#include <mass/dispatch/events/event_clock.hpp>
#include <mass/dispatch/events/rate_engine.hpp>

#include <mass/support/error.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <utility>

namespace mass::detail {

namespace {

/// Returns the expected hops of the fastest particle in a window, if no length is given. More
/// particles in a place are more arrivals that repeat its execution; few of them leave the fixed
/// costs of a window. Measured: docs/decisions/event-windows.md.
/// @param mean mean number of hopping particles of a place
/// @param most number in the place that has most of them, whose hops cross all at once
double hopsFor(double mean, double most) {
  constexpr double crowded = 10, least = 0.2, longest = 4, mostOfPlace = 1000;
  const double hops = mean > 0 ? least * std::sqrt(crowded / mean) : longest;
  return std::clamp(std::min(hops, mostOfPlace / std::max(most, 1.0)), least, longest);
}
/// Seconds of waiting for each second of a division of places between workers, above which they are
/// divided anew.
constexpr double worthDividing = 10;

void requireWindows(double windows, double seconds) {
  if (!(windows <= 1e12))
    throw UsageError(
        "runEvents: {:.9g} s are {:.4g} windows of events.window; a call has at most 10^12",
        seconds, windows);
}

void requireRate(double rate) {
  if (!(rate >= 0) || !std::isfinite(rate))
    throw UsageError("hopRate: a rate is {} 1/s; it must be at least 0 and finite", rate);
}

/// Stopwatch of a worker, which divides its time between phases.
class PhaseClock {
 public:
  explicit PhaseClock(EventCounts& counts) : counts_(&counts) {}

  /// Adds the time since the last call to a phase.
  void end(double EventCounts::*phase) {
    const Clock::time_point now = Clock::now();
    counts_->*phase += std::chrono::duration<double>(now - begin_).count();
    begin_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;

  EventCounts* counts_;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace

/// Parameters of a call of run().
struct EventClock::Call {
  const EventKernel* kernel;
  const void* arguments;
  const std::string* name;
  EventWindow window;
  FirstFailure* failure;
  Ranks* ranks;
};

EventClock::EventClock(const PlaceFields& fields, const PlaceMask* mask, EventSettings settings,
                       const std::vector<std::string>& hops, const std::vector<std::string>& events,
                       CountParticles count)
    : settings_(settings),
      countParticles_(count),
      neighbors_{fields.domain().dimensions, mask != nullptr ? mask->shape : fields.domain().shape,
                 mask != nullptr ? mask->borders : fields.domain().borders, mask},
      rates_(hops.size()),
      devices_(&fields.devices()),
      former_(fields.devices().local().size()),
      formerEvents_(hops.size() + events.size()),
      channels_(hops) {
  channels_.insert(channels_.end(), events.begin(), events.end());
  if (settings_.engine == EventEngine::conservative)
    throw UsageError(
        "events.engine: conservative needs a lookahead, and events at rates have none: a particle "
        "arrives at the time at which it leaves; set it to windows, time_warp or reference");
  const int ranks = fields.devices().ranks().count();
  if (isReference() && ranks > 1)
    throw UsageError("events.engine: reference runs on one rank, not on {}; set it to windows",
                     ranks);
}

EventClock::~EventClock() = default;

void EventClock::setHopRate(int hop, double rate) {
  requireRate(rate);
  rates_[static_cast<std::size_t>(hop)] = {rate, {}, rate * 2 * neighbors_.openAxes()};
}

void EventClock::setHopRates(int hop, std::vector<double> rates) {
  for (const double rate : rates) requireRate(rate);
  const auto directions = 2 * std::ptrdiff_t{neighbors_.dimensions};
  double fastest = 0;
  for (auto first = rates.begin(); first != rates.end(); first += directions)
    fastest = std::max(fastest, std::accumulate(first, first + directions, 0.0));
  rates_[static_cast<std::size_t>(hop)] = {0, std::move(rates), fastest};
}

std::int64_t EventClock::windowsIn(PlaceFields& fields, double seconds,
                                   const std::string& name) const {
  if (!(seconds >= 0) || !std::isfinite(seconds))
    throw UsageError("runEvents: a time of {} s; it must be at least 0 and finite", seconds);
  if (seconds == 0) return 0;
  checkDevices(fields, name);
  if (settings_.window > 0) {
    const double windows = std::round(seconds / settings_.window);
    requireWindows(windows, seconds);
    if (windows < 1 || std::abs(windows * settings_.window - seconds) > 1e-6 * settings_.window) {
      throw UsageError(
          "runEvents: {:.9g} s are no whole number of windows of {:.9g} s (events.window); the "
          "nearest are {:.9g} s",
          seconds, settings_.window, std::max(windows, 1.0) * settings_.window);
    }
    return static_cast<std::int64_t>(windows);
  }
  const double windows = std::ceil(seconds * fastestHops() / hopsInWindow(fields) * (1 - 1e-12));
  requireWindows(windows, seconds);
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(windows));
}

/// Returns the expected hops of the fastest particle in a window by the numbers of particles, those
/// of each kind in proportion to their hop rate. All ranks call it together.
double EventClock::hopsInWindow(const PlaceFields& fields) const {
  std::vector<ParticleCount> ofRank(rates_.size());
  std::mutex mutex;
  fields.run([&](const Worker& worker) {
    const RowRange places = placesOf(fields, worker.device());
    const auto [begin, end] = worker.share(places.size());
    const auto own =
        countParticles_({places.begin + begin, places.begin + end}, fields, worker.device());
    const std::scoped_lock lock(mutex);
    for (std::size_t hop = 0; hop < own.size(); ++hop) ofRank[hop].add(own[hop]);
  });
  double sum = 0, most = 0;
  const double fastest = fastestHops();
  for (std::size_t hop = 0; hop < ofRank.size() && fastest > 0; ++hop) {
    ParticleCount all;
    for (const ParticleCount& count : fields.devices().ranks().allGather(ofRank[hop]))
      all.add(count);
    const double weight = rates_[hop].fastest / fastest;
    sum += static_cast<double>(all.sum) * weight;
    most += static_cast<double>(all.most) * weight;
  }
  return hopsFor(sum / static_cast<double>(placesIn(fields)), most);
}

/// Returns the largest rate of the hops of a particle in 1/s.
double EventClock::fastestHops() const {
  double fastest = 0;
  for (const HopRateTable& table : rates_) fastest = std::max(fastest, table.fastest);
  return fastest;
}

/// Returns the sums over the workers of each device of this rank.
std::vector<EventCounts> EventClock::localCounts() const {
  std::vector<EventCounts> counts = former_;
  for (std::size_t device = 0; device < counts.size(); ++device)
    for (const EventBand& band : bands_.ofDevice(device)) counts[device] += band.counts;
  return counts;
}

std::vector<EventCounts> EventClock::counts() const {
  std::vector<EventCounts> counts(static_cast<std::size_t>(devices_->size()));
  const std::vector<EventCounts> local = localCounts();
  std::copy(local.begin(), local.end(), counts.begin() + devices_->firstLocal());
  std::vector<std::size_t> offsets;
  for (const int device : devices_->firstDevices())
    offsets.push_back(static_cast<std::size_t>(device) * sizeof(EventCounts));
  devices_->ranks().allGatherInPlace(counts.data(), offsets);
  return counts;
}

EventReport EventClock::report() const {
  EventReport report;
  report.isScheduled = settings_.engine == EventEngine::timeWarp;
  report.rules = channels_;
  report.events = eventsOf();
  report.ofDevice = counts();
  Ranks& ranks = devices_->ranks();
  for (const EventCounts& counts : report.ofDevice) report.counts += counts;
  const std::size_t rules = report.events.size(), bytesOfRank = rules * sizeof(std::int64_t);
  std::vector<std::int64_t> all(rules * static_cast<std::size_t>(ranks.count()));
  std::copy(report.events.begin(), report.events.end(),
            all.begin() + static_cast<std::ptrdiff_t>(rules) * ranks.number());
  std::vector<std::size_t> offsets;
  for (int rank = 0; rank <= ranks.count(); ++rank)
    offsets.push_back(static_cast<std::size_t>(rank) * bytesOfRank);
  ranks.allGatherInPlace(all.data(), offsets);
  std::fill(report.events.begin(), report.events.end(), 0);
  for (std::size_t i = 0; i < all.size(); ++i) report.events[i % rules] += all[i];
  report.windowSeconds = windowSeconds_;
  report.hopsInWindow = windowSeconds_ * fastestHops();
  report.bytes = static_cast<std::int64_t>(ranks.sum(bytes()));
  return report;
}

/// Returns how often the events of each channel have happened on this rank.
std::vector<std::int64_t> EventClock::eventsOf() const {
  std::vector<std::int64_t> events = formerEvents_;
  for (const EventBand& band : bands_.all()) {
    std::transform(events.begin(), events.end(), band.eventsOf.begin(), events.begin(),
                   std::plus<>());
  }
  return events;
}

std::vector<double> EventClock::costsOfRows(const PlaceFields& fields) const {
  std::vector<double> costs(static_cast<std::size_t>(fields.partition().rows()));
  if (partition_ != fields.partition()) return costs;
  const std::size_t perRow = static_cast<std::size_t>(placesIn(fields)) / costs.size();
  for (const EventBand& band : bands_.all()) {
    for (std::size_t place = 0; place < band.candidateLists.size(); ++place)
      costs[(band.firstPlace + place) / perRow] += 1 + band.candidateLists[place].count;
  }
  const DeviceConfig& devices = fields.devices();
  std::vector<std::size_t> offsets;  // in bytes, by rank
  for (const int device : devices.firstDevices()) {
    const bool isEnd = device == devices.size();
    offsets.push_back(sizeof(double) * static_cast<std::size_t>(isEnd ? fields.partition().rows()
                                                                      : fields.rows(device).begin));
  }
  devices.ranks().allGatherInPlace(costs.data(), offsets);
  return costs;
}

/// Returns the number of bytes that the workers of this rank have allocated.
std::size_t EventClock::bytes() const {
  std::size_t sum = 0;
  for (const EventBand& band : bands_.all()) sum += band.bytes();
  return sum + (rateEngine_ ? rateEngine_->bytes() : 0);
}

/// Creates bands without states. @param costs see EventBands::create()
void EventClock::createBands(const PlaceFields& fields, const EventKernel& kernel,
                             std::span<const float> costs) {
  formerEvents_ = eventsOf();
  bands_.create(fields, neighbors_, kernel, isReference(), costs);
}

/// Calls work(band, worker) for all bands, each by its worker; the worker is null if there is one
/// band for all places.
void EventClock::forEachBand(const PlaceFields& fields,
                             const std::function<void(EventBand&, const Worker*)>& work) {
  if (isReference()) {
    work(bands_.all().front(), nullptr);
  } else {
    fields.run([&](const Worker& worker) { work(bands_.of(worker), &worker); });
  }
}

/// Fills the bands with the states of their places, and lets immediate events happen.
void EventClock::load(const PlaceFields& fields, const Call& call) {
  forEachBand(fields, [&](EventBand& band, const Worker* /*worker*/) {
    for (const int device : fields.devices().local()) call.kernel->load(band, fields, device);
    band.busy.fill();
    band.isFaulty = false;
    const std::int32_t faulty = call.kernel->begin(band, call.arguments);
    if (faulty >= 0) throw faultOf(band, call, faulty);
  });
}

/// Begins the counts of a call, and adds the seconds that workers have lost in the last one to
/// `lostSeconds_`: those in which the others waited for the one with most work.
void EventClock::beginCounts() {
  former_ = localCounts();
  workSeconds_.clear();
  for (EventBand& band : bands_.all()) {
    workSeconds_.push_back(band.counts.drawing + band.counts.settling);
    band.counts = {};
  }
  if (workSeconds_.empty()) return;
  const double sum = std::accumulate(workSeconds_.begin(), workSeconds_.end(), 0.0);
  lostSeconds_ += *std::max_element(workSeconds_.begin(), workSeconds_.end()) -
                  sum / static_cast<double>(workSeconds_.size());
}

/// Divides the places of each device anew between its workers: by their expected candidates, and by
/// the seconds that these have taken in the last call.
void EventClock::divideByCost(const PlaceFields& fields, const Call& call) {
  const std::uint32_t first = bands_.all().front().firstPlace;
  const EventBand& last = bands_.all().back();
  std::vector<float> costs(last.firstPlace - first + static_cast<std::size_t>(last.places));
  forEachBand(fields, [&](EventBand& band, const Worker* /*worker*/) {
    Call own = call;
    own.window.hopRates = ratesOf(band);
    const auto ofBand =
        std::span(costs).subspan(band.firstPlace - first, static_cast<std::size_t>(band.places));
    call.kernel->costs(band, own.window, call.arguments, ofBand.data());
    const double sum = std::accumulate(ofBand.begin(), ofBand.end(), 0.0);
    const double seconds = workSeconds_[static_cast<std::size_t>(&band - bands_.all().data())];
    if (seconds > 0)
      for (float& cost : ofBand) cost *= static_cast<float>(seconds / sum);
  });
  createBands(fields, *call.kernel, costs);
  load(fields, call);
}

/// Copies the predicted departures of all ghosts.
void EventClock::copyPredictions(EventBand& band) {
  for (const auto& [number, begin, end] : band.sources) {
    EventBand& owner = bands_.all()[number];
    for (std::size_t ghost = begin; ghost < end; ++ghost) {
      const std::uint32_t place = band.ghostNumbers[ghost] - owner.firstPlace;
      band.expect(ghost, owner.listOf(static_cast<std::int32_t>(place)));
    }
  }
  copyReceived(band);
}

/// Copies the departures of ghosts that changed, and marks the places that receive them.
void EventClock::copyChanges(EventBand& band) {
  for (const auto& [number, begin, end] : band.sources) {
    EventBand& owner = bands_.all()[number];
    for (const std::int32_t place : owner.changed) {
      const auto ghost =
          band.findGhost(owner.firstPlace + static_cast<std::uint32_t>(place), begin, end);
      if (ghost) band.receive(*ghost, owner.listOf(place));
    }
  }
  copyReceived(band);
}

/// Copies the departures that have come from other ranks.
void EventClock::copyReceived(EventBand& band) {
  for (const RemoteDepartures& remote : exchange_.received())
    if (const auto ghost = band.findGhost(remote.place))
      band.receive(*ghost, band.copyOf(remote.list));
}

void EventClock::runWindow(EventBand& band, const Call& call, const Worker& worker) {
  const EventKernel& kernel = *call.kernel;
  const bool isShared = call.ranks->count() > 1;
  bool hasFailed = false;
  PhaseClock clock(band.counts);
  const auto attempt = [&](const auto& work) {
    try {
      if (!hasFailed) work();
    } catch (...) {
      hasFailed = true;
      call.failure->record(static_cast<std::int64_t>(call.window.number), worker);
    }
  };
  const auto wait = [&](double EventCounts::*phase) {
    clock.end(phase);
    worker.barrier();
  };
  attempt([&] { kernel.draw(band, call.window, call.arguments); });
  wait(&EventCounts::drawing);
  if (isShared) {
    if (worker.isCaller()) attempt([&] { exchange_.exchangeAll(*call.ranks, bands_.all()); });
    worker.barrier();
  }
  clock.end(&EventCounts::waiting);
  attempt([&] { copyPredictions(band); });
  wait(&EventCounts::settling);
  clock.end(&EventCounts::waiting);
  attempt([&] { kernel.executeAll(band, call.window, call.arguments); });
  for (int round = 0;; ++round) {
    std::atomic<std::size_t>& changes = changes_[round % 2];
    attempt([&] { kernel.executeMarked(band, call.window, call.arguments); });
    changes += band.changed.size();
    wait(&EventCounts::settling);
    if (isShared) {
      if (worker.isCaller()) {
        attempt([&] { changes = exchangeChanges(*call.ranks, changes); });
        if (hasFailed) changes = 0;
      }
      worker.barrier();
    }
    clock.end(&EventCounts::waiting);
    if (changes == 0) break;
    attempt([&] { copyChanges(band); });
    wait(&EventCounts::settling);
    clock.end(&EventCounts::waiting);
    if (worker.isCaller()) changes = 0;
    band.clearChanges();
  }
  attempt([&] { checkFaults(band, call); });
  wait(&EventCounts::settling);
  clock.end(&EventCounts::waiting);
}

/// Sends the changed departures to other ranks, if there are any on one of them.
/// @return their number on all ranks
std::size_t EventClock::exchangeChanges(Ranks& ranks, std::size_t changes) {
  const std::uint64_t sum = ranks.sum(changes);
  if (sum > 0) exchange_.exchangeChanged(ranks, bands_.all());
  return sum;
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
  band.busy.fill();  // executes all places, without the marks of those that are reached
  checkFaults(band, call);
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

/// @throws UsageError if events cannot run on the devices
void EventClock::checkDevices(const PlaceFields& fields, const std::string& name) const {
  const DeviceConfig& devices = fields.devices();
  if (devices.anyGpus())
    throw UsageError("runEvents on '{}': events run on CPUs; set backend: cpu", name);
  const std::int64_t places = placesIn(fields);
  if (places > std::numeric_limits<std::int32_t>::max())
    throw UsageError("runEvents on '{}': {} places; events run on at most 2^31 - 1", name, places);
}

/// Provides bands for the partition of the places, which have about equal work, with their states.
void EventClock::prepare(const PlaceFields& fields, const Call& call) {
  const bool isNew = partition_ != fields.partition();
  beginCounts();
  if (isNew) {
    createBands(fields, *call.kernel, {});
    workSeconds_.assign(bands_.all().size(), 0);
    if (call.ranks->count() > 1) exchange_.connect(bands_.placesBeside(fields));
    partition_ = fields.partition();
  }
  load(fields, call);
  if (bands_.all().size() == 1 || (!isNew && lostSeconds_ < worthDividing * divisionSeconds_))
    return;
  const auto begin = std::chrono::steady_clock::now();
  divideByCost(fields, call);
  divisionSeconds_ =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  lostSeconds_ = 0;
}

/// Executes windows by Time Warp.
void EventClock::runScheduled(PlaceFields& fields, const Call& call, std::int64_t windows) {
  if (rateEngine_ == nullptr)
    rateEngine_ = std::make_unique<RateEngine>(fields, neighbors_, *call.name, settings_.bytes);
  ScheduledRates rates;
  for (const HopRateTable& table : rates_)
    rates.hopRates.push_back({table.each, table.byPlace.empty() ? nullptr : table.byPlace.data()});
  rates.view.seed = call.window.seed;
  rates.view.seconds = call.window.seconds;
  rates.view.tickMask = call.window.tickMask;
  rates.firstOfCall = call.window.number;
  rates.endOfCall = rates.firstOfCall + static_cast<std::uint64_t>(windows);
  rates.arguments = call.arguments;
  try {
    fields.step = rateEngine_->run(fields, call.kernel->rates, rates, isEndWanted_);
  } catch (...) {
    rateEngine_.reset();
    throw;
  }
  const RateWork& work = rateEngine_->work();
  EventCounts& counts = former_.front();
  counts.events += work.events();
  counts.candidates += work.candidates;
  counts.strips += work.places.strips;
  counts.executions += work.executions;
  counts.exchanged += work.exchanged;
  counts.rounds += work.rounds;
  counts.undone += work.undone;
  counts.stragglers += work.stragglers;
  counts.cancelled += work.cancelled;
  counts.hash += work.places.hash;
  if (devices_->ranks().isFirst()) {
    const auto executed = static_cast<std::int64_t>(fields.step - call.window.number);
    counts.windows += executed;
    counts.placeWindows += executed * placesIn(fields);
  }
  std::vector<std::int64_t> events = work.hops;
  events.insert(events.end(), work.places.happened.begin(), work.places.happened.end());
  std::transform(events.begin(), events.end(), formerEvents_.begin(), formerEvents_.begin(),
                 std::plus<>());
}

void EventClock::run(PlaceFields& fields, const EventKernel& kernel, const void* arguments,
                     double seconds, std::uint64_t seed, const std::string& name,
                     DeviceTimes* times) {
  const std::int64_t windows = windowsIn(fields, seconds, name);
  if (windows == 0) return;
  const DeviceConfig& devices = fields.devices();
  FirstFailure failure;
  Call call{&kernel, arguments, &name, {}, &failure, &devices.ranks()};
  call.window.seed = seed;
  call.window.number = call.window.firstOfCall = fields.step;
  call.window.seconds = seconds / static_cast<double>(windows);
  call.window.tickMask = settings_.tickMask;
  windowSeconds_ = call.window.seconds;
  if (settings_.engine == EventEngine::timeWarp) return runScheduled(fields, call, windows);
  prepare(fields, call);
  // A worker reads it before a window; the caller lowers it before one that all others execute.
  std::atomic<std::int64_t> last = windows - 1;
  forEachBand(fields, [&](EventBand& band, const Worker* worker) {
    Call own = call;
    own.window.hopRates = ratesOf(band);
    const bool asks = isEndWanted_ && (worker == nullptr || worker->isCaller());
    const double before = band.counts.drawing + band.counts.settling;
    for (std::int64_t window = 0; window <= last; ++window) {
      if (asks && isEndWanted_()) last = window;
      own.window.number = fields.step + static_cast<std::uint64_t>(window);
      if (worker == nullptr) {
        runInOrder(band, own);
      } else {
        runWindow(band, own, *worker);
      }
      if (failure.hasFailedBy(static_cast<std::int64_t>(own.window.number))) break;
      band.finishWindow(own.window.number);
    }
    if (worker != nullptr && times != nullptr)
      times->add(*worker, band.counts.drawing + band.counts.settling - before);
  });
  if (failure.exception()) {
    partition_.reset();  // bands keep marks of the failed window
    std::rethrow_exception(failure.exception());
  }
  forEachBand(fields, [&](EventBand& band, const Worker* /*worker*/) {
    for (const int device : devices.local()) kernel.store(band, fields, device);
  });
  for (int component = 0; component < fields.components(); ++component) {
    if (fields.component(component).storage != Storage::single) fields.refreshPadding(component);
  }
  fields.step += static_cast<std::uint64_t>(last + 1);
}

}  // namespace mass::detail
