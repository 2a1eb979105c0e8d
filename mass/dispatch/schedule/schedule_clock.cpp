#include <mass/dispatch/schedule/block_map.hpp>
#include <mass/dispatch/schedule/conservative.hpp>
#include <mass/dispatch/schedule/schedule_clock.hpp>
#include <mass/dispatch/schedule/sequential_engine.hpp>
#include <mass/dispatch/schedule/time_parts.hpp>
#include <mass/dispatch/schedule/time_warp.hpp>
#include <mass/support/error.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace mass::detail {

namespace {

void requireSupport(const std::string& name, const DeviceConfig& devices, EventEngine engine) {
  if (devices.anyGpus())
    throw UsageError("events of '{}': scheduled events run on CPUs; set backend: cpu", name);
  if (engine == EventEngine::reference && devices.ranks().count() > 1)
    throw UsageError(
        "events of '{}': events.engine: reference runs on one rank, not on {}; set it to "
        "time_warp or conservative",
        name, devices.ranks().count());
}

std::int64_t count(const Domain& domain) {
  return domain.shape[0] * domain.shape[1] * domain.shape[2];
}

/// Returns events, each of `bytes`, in the order of isBefore().
std::vector<std::byte> inOrder(const std::vector<std::byte>& events, std::size_t bytes) {
  std::vector<const ScheduledEvent*> order;
  for (std::size_t at = 0; at < events.size(); at += bytes)
    order.push_back(reinterpret_cast<const ScheduledEvent*>(events.data() + at));
  std::ranges::sort(order, [](const auto* a, const auto* b) { return isBefore(*a, *b); });
  std::vector<std::byte> sorted(events.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    std::memcpy(sorted.data() + i * bytes, order[i], bytes);
  return sorted;
}

/// Returns the sums of counts over all ranks. All ranks call it together.
ScheduleCounts ofAllRanks(ScheduleCounts counts, Ranks& ranks) {
  for (std::int64_t* const count :
       {&counts.committed, &counts.executed, &counts.undone, &counts.stragglers, &counts.cancelled,
        &counts.sent, &counts.messages, &counts.rounds})
    *count = static_cast<std::int64_t>(ranks.sum(static_cast<std::uint64_t>(*count)));
  for (std::int64_t& count : counts.of)
    count = static_cast<std::int64_t>(ranks.sum(static_cast<std::uint64_t>(count)));
  counts.hash = ranks.sum(counts.hash);
  return counts;
}

std::unique_ptr<ScheduleEngine> makeEngine(EventEngine engine, const ScheduleKernel& kernel,
                                           std::int64_t places, const DeviceConfig& devices) {
  if (engine == EventEngine::reference) return std::make_unique<SequentialEngine>(kernel);
  if (engine == EventEngine::conservative)
    return std::make_unique<Conservative>(kernel, places, devices);
  return std::make_unique<TimeWarp>(kernel, places, devices);
}

}  // namespace

ScheduleClock::ScheduleClock(const PlaceFields& fields, const PlaceMask* mask, std::string name,
                             std::uint64_t seed, std::uint32_t population,
                             const EventSettings& settings, const ScheduleKernel& kernel)
    : devices_(&fields.devices()), settings_(settings), kernel_(kernel), event_(kernel.eventBytes) {
  requireSupport(name, *devices_, settings.engine);
  world_.name = std::move(name);
  world_.places = count(fields.domain());
  if (world_.places > std::numeric_limits<std::int32_t>::max())
    throw UsageError("events of '{}': {} places; scheduled events run on at most 2^31 - 1",
                     world_.name, world_.places);
  const Domain& domain = fields.domain();
  world_.dimensions = kernel.dimensions;
  world_.reach = kernel.reach;
  world_.shape = mask != nullptr ? mask->shape : domain.shape;
  world_.borders = mask != nullptr ? mask->borders : domain.borders;
  world_.mask = mask;
  world_.seed = seed;
  world_.population = population;
  firstPlaces_ = firstPlacesOfRanks(*devices_, world_.places);
  const auto rank = static_cast<std::size_t>(devices_->ranks().number());
  states_ = std::make_unique<ScheduleStates>(
      firstPlaces_[rank], firstPlaces_[rank + 1] - firstPlaces_[rank], kernel.placeBytes);
  engine_ = makeEngine(settings.engine, kernel, world_.places, *devices_);
  parts_ = std::make_unique<TimeParts>();
}

ScheduleClock::~ScheduleClock() = default;

/// Takes over the links of nodes if rules have changed them.
void ScheduleClock::updateLinks(const PlaceFields& fields) {
  if (fields.links() == nullptr || fields.links()->sharedNetwork() == network_) return;
  network_ = fields.links()->sharedNetwork();
  graph_ = network_->byNodes();
  world_.graph = &*graph_;
}

std::int64_t ScheduleClock::pending() const {
  std::uint64_t pending = 0;
  engine_->forEachPending([&](const ScheduledEvent& /*event*/) { ++pending; });
  return static_cast<std::int64_t>(devices_->ranks().sum(pending));
}

void ScheduleClock::requireWhole() const {
  if (hasFailed_)
    throw UsageError("events of '{}': a rule has failed; no further events can run", world_.name);
}

/// @throws UsageError if the engine needs a lookahead and there is none
void ScheduleClock::requireLookahead() const {
  if (settings_.engine == EventEngine::conservative && !(world_.lookahead > 0))
    throw UsageError(
        "events of '{}': events.engine: conservative needs a lookahead above 0; declare it by "
        "Places::lookahead, or set events.engine to time_warp",
        world_.name);
}

ScheduledEvent& ScheduleClock::prepare(double delay, std::int64_t place, std::uint32_t rule) {
  requireWhole();
  if (!(delay >= 0 && std::isfinite(now_ + delay)))
    throw UsageError("schedule<{}> of '{}': a delay of {:.10g} s; give a finite number, 0 or more",
                     kernel_.names[rule], world_.name, delay);
  if (scheduled_ == ScheduledEvent::none)
    throw UsageError("schedule<{}> of '{}': after {} events that the program has scheduled",
                     kernel_.names[rule], world_.name, scheduled_);
  if (place < 0 || place >= world_.places)
    throw UsageError("schedule<{}> of '{}': there is no place {}; there are 0 to {}",
                     kernel_.names[rule], world_.name, place, world_.places - 1);
  event_.clear();
  ScheduledEvent& event = event_.add();
  event.time = now_ + delay;
  event.place = static_cast<std::uint32_t>(place);
  event.origin = ScheduledEvent::none;
  event.number = scheduled_++;
  event.rule = rule & 0xffU;
  return event;
}

EventHandle ScheduleClock::add() {
  engine_->insert(event_[0]);
  return handleOf(event_[0]);
}

void ScheduleClock::cancel(const EventHandle& event) {
  requireWhole();
  if (event.time >= now_ && event.place < world_.places) engine_->cancel(event);
}

void ScheduleClock::setLookahead(double seconds) {
  if (!(seconds >= 0 && std::isfinite(seconds)))
    throw UsageError("lookahead of '{}': {:.10g} s; give a finite number, 0 or more", world_.name,
                     seconds);
  world_.lookahead = seconds;
  requireLookahead();
}

void ScheduleClock::run(PlaceFields& fields, const ScheduleKernel& kernel, const void* arguments,
                        double seconds) {
  requireWhole();
  if (!(seconds >= 0 && std::isfinite(now_ + seconds)))
    throw UsageError("runEvents: a time of {} s; it must be at least 0 and finite", seconds);
  requireLookahead();
  const double end = callEnd_.value_or(now_ + seconds);
  updateLinks(fields);
  const PlaceObjects objects = states_->objects([&](void* values, std::size_t bytes) {
    gatherPlaces(devices_->ranks(), firstPlaces_, values, bytes);
  });
  kernel.load(fields, objects);
  try {
    now_ = runUntil(end, kernel, arguments);
  } catch (...) {
    hasFailed_ = true;
    throw;
  }
  callEnd_.reset();
  if (continues_ && now_ < end) callEnd_ = end;
  kernel.store(fields, objects);
}

/// Executes the events before `end`, or until an end is wanted. @return time up to which they have
/// been executed
double ScheduleClock::runUntil(double end, const ScheduleKernel& kernel, const void* arguments) {
  const auto run = [&](double from, double to) {
    engine_->run({&world_, &kernel, arguments, states_.get(), devices_, from, to, settings_.bytes,
                  settings_.saving});
  };
  const bool isPrompt = isEndWanted_ && !continues_;
  if (isEndWanted_ || engine_->movesBlocks())
    return parts_->make(devices_->ranks(), now_, end,
                        isPrompt ? PartTime::prompt() : PartTime::economical(), isEndWanted_, run);
  run(now_, end);
  return end;
}

EventReport ScheduleClock::report() const {
  const ScheduleCounts counts = ofAllRanks(engine_->counts(), devices_->ranks());
  EventReport report;
  report.isScheduled = true;
  report.pending = pending();
  report.counts.events = counts.committed;
  report.counts.executions = counts.executed;
  report.counts.undone = counts.undone;
  report.counts.stragglers = counts.stragglers;
  report.counts.cancelled = counts.cancelled;
  report.counts.exchanged = counts.sent;
  report.counts.rounds = counts.rounds;
  report.counts.hash = formerHash_ + counts.hash;
  report.rules = kernel_.names;
  report.events = counts.of;
  report.bytes =
      static_cast<std::int64_t>(devices_->ranks().sum(states_->bytes() + engine_->bytes()));
  return report;
}

/// Calls f(place) for the places of this rank.
template <class F>
void ScheduleClock::forEachOwn(F&& f) const {
  for (std::int64_t i = 0; i < states_->places(); ++i)
    f(static_cast<std::uint32_t>(states_->first() + i));
}

ScheduleRecord ScheduleClock::record() const {
  requireWhole();
  Ranks& ranks = devices_->ranks();
  ScheduleRecord record{
      now_, scheduled_, formerHash_ + ranks.sum(engine_->counts().hash), 0, callEnd_, {}, {}};
  record.counts.resize(static_cast<std::size_t>(world_.places));
  forEachOwn([&](std::uint32_t place) { record.counts[place] = states_->counts(place); });
  gatherPlaces(ranks, firstPlaces_, record.counts.data(), sizeof(PlaceCounts));
  std::vector<std::byte> events;
  engine_->forEachPending([&](const ScheduledEvent& event) {
    const std::size_t at = events.size(), used = sizeof(event) + kernel_.valueBytes[event.rule];
    events.resize(at + kernel_.eventBytes);
    std::memcpy(events.data() + at, &event, used);
    auto& copy = *reinterpret_cast<ScheduledEvent*>(events.data() + at);
    copy.first = copy.next = ScheduledEvent::none;
    copy.state = 0;
  });
  std::vector<std::size_t> offsets{0};
  for (const std::size_t bytes : ranks.allGather(events.size()))
    offsets.push_back(offsets.back() + bytes);
  record.pending = offsets.back() / kernel_.eventBytes;
  std::vector<std::byte> all(ranks.isFirst() ? offsets.back() : 0);
  ranks.gatherToFirst(events.data(), all.data(), offsets);
  record.events = inOrder(all, kernel_.eventBytes);
  return record;
}

void ScheduleClock::restore(const ScheduleRecord& record) {
  requireValid(record);
  now_ = record.now;
  scheduled_ = record.scheduled;
  formerHash_ = record.hash;
  callEnd_ = record.callEnd;
  forEachOwn([&](std::uint32_t place) { states_->counts(place) = record.counts[place]; });
  for (std::size_t at = 0; at < record.events.size(); at += kernel_.eventBytes)
    engine_->insert(*reinterpret_cast<const ScheduledEvent*>(record.events.data() + at));
}

/// @throws CheckpointError if an event of a checkpoint cannot happen here
void ScheduleClock::requireValid(const ScheduleRecord& record) const {
  if (!(record.now >= 0 && std::isfinite(record.now)))
    throw CheckpointError("the checkpoint's scheduled events of '{}' are at {} s", world_.name,
                          record.now);
  if (record.callEnd && !(*record.callEnd > record.now && std::isfinite(*record.callEnd)))
    throw CheckpointError(
        "the checkpoint's scheduled events of '{}' are at {} s of a call until {} s", world_.name,
        record.now, *record.callEnd);
  for (std::size_t i = 0; i < record.pending; ++i) {
    const auto& event =
        *reinterpret_cast<const ScheduledEvent*>(record.events.data() + i * kernel_.eventBytes);
    if (event.time >= record.now && std::isfinite(event.time) && event.place < world_.places &&
        event.rule < kernel_.names.size() && event.depth <= ScheduledEvent::mostDepth)
      continue;
    throw CheckpointError(
        "the checkpoint's scheduled events of '{}' cannot be used: event {} is at {} s, after "
        "{} s, place {} of {}, rule {} of {}",
        world_.name, i, event.time, record.now, event.place, world_.places,
        static_cast<unsigned>(event.rule), kernel_.names.size());
  }
}

std::uint64_t ScheduleClock::hash() const {
  std::uint64_t ofEvents = 0;
  engine_->forEachPending(
      [&](const ScheduledEvent& event) { ofEvents += mix(ScheduleCounts::hashOf(event)); });
  forEachOwn([&](std::uint32_t place) {
    const PlaceCounts& counts = states_->counts(place);
    if (counts.executed == 0 && counts.scheduled == 0) return;
    ofEvents += mix(mix(mix(std::uint64_t{place}) + counts.executed) + counts.scheduled);
  });
  const std::uint64_t hash = devices_->ranks().sum(ofEvents);
  return now_ > 0 ? hash + mix(std::bit_cast<std::uint64_t>(now_)) : hash;
}

}  // namespace mass::detail
