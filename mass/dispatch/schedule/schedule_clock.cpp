#include <mass/dispatch/schedule/schedule_clock.hpp>
#include <mass/dispatch/schedule/sequential_engine.hpp>
#include <mass/dispatch/schedule/time_warp.hpp>
#include <mass/support/error.hpp>

#include <cmath>
#include <limits>
#include <utility>

namespace mass::detail {

namespace {

void requireSupport(const std::string& name, const DeviceConfig& devices) {
  if (devices.areGpus())
    throw UsageError("events of '{}': scheduled events run on CPUs; set backend: cpu", name);
  if (devices.ranks().count() > 1)
    throw UsageError("events of '{}': scheduled events run on one rank, not on {}", name,
                     devices.ranks().count());
}

std::int64_t count(const Domain& domain) {
  return domain.shape[0] * domain.shape[1] * domain.shape[2];
}

/// Returns a network in the order of nodes.
Graph inOrderOfNodes(const Network& network) {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> targets;
  std::vector<double> weights;
  for (const std::int32_t row : network.rowOfNode) {
    for (const std::int32_t target : network.graph.linksOf(row))
      targets.push_back(network.nodeOfRow[static_cast<std::size_t>(target)]);
    if (network.graph.isWeighted())
      for (const double weight : network.graph.weightsOf(row)) weights.push_back(weight);
    offsets.push_back(static_cast<std::int64_t>(targets.size()));
  }
  return Graph::ofLinks(
      offsets, targets, weights,
      {Graph::Direction::directed, Graph::SelfLoops::keep, Graph::Duplicates::keep});
}

std::unique_ptr<ScheduleEngine> makeEngine(EventEngine engine, const ScheduleKernel& kernel,
                                           std::int64_t places, const DeviceConfig& devices) {
  if (engine == EventEngine::reference) return std::make_unique<SequentialEngine>(kernel);
  return std::make_unique<TimeWarp>(kernel, places, devices);
}

}  // namespace

ScheduleClock::ScheduleClock(const PlaceFields& fields, const PlaceMask* mask, std::string name,
                             std::uint64_t seed, std::uint32_t population, EventEngine engine,
                             const ScheduleKernel& kernel)
    : devices_(&fields.devices()), rules_(kernel.names), event_(kernel.eventBytes) {
  requireSupport(name, *devices_);
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
  if (fields.links() != nullptr) {
    const Network& network = fields.links()->network();
    if (network.isOrdered()) graph_ = inOrderOfNodes(network);
    world_.graph = graph_ ? &*graph_ : &network.graph;
  }
  states_ = std::make_unique<ScheduleStates>(world_.places, kernel.placeBytes);
  engine_ = makeEngine(engine, kernel, world_.places, *devices_);
}

ScheduleClock::~ScheduleClock() = default;

std::int64_t ScheduleClock::pending() const {
  return engine_->pending();
}

void ScheduleClock::requireWhole() const {
  if (hasFailed_)
    throw UsageError("events of '{}': a rule has failed; no further events can run", world_.name);
}

ScheduledEvent& ScheduleClock::prepare(double delay, std::int64_t place, std::uint32_t rule) {
  requireWhole();
  if (!(delay >= 0 && std::isfinite(now_ + delay)))
    throw UsageError("schedule<{}> of '{}': a delay of {:.10g} s; give 0 or more, and no NaN",
                     rules_[rule], world_.name, delay);
  if (place < 0 || place >= world_.places)
    throw UsageError("schedule<{}> of '{}': there is no place {}; there are 0 to {}", rules_[rule],
                     world_.name, place, world_.places - 1);
  event_.clear();
  ScheduledEvent& event = event_.add();
  event.time = now_ + delay;
  event.place = static_cast<std::uint32_t>(place);
  event.origin = ScheduledEvent::none;
  event.number = scheduled_++;
  event.rule = rule & 0xffU;
  return event;
}

void ScheduleClock::add() {
  engine_->insert(event_[0]);
}

void ScheduleClock::run(PlaceFields& fields, const ScheduleKernel& kernel, const void* arguments,
                        double seconds) {
  requireWhole();
  if (!(seconds >= 0 && std::isfinite(now_ + seconds)))
    throw UsageError("runEvents: a time of {} s; it must be at least 0 and finite", seconds);
  const double end = now_ + seconds;
  fields.restoreLayout();
  kernel.load(fields, states_->object(0), states_->stride());
  try {
    engine_->run({&world_, &kernel, arguments, states_.get(), devices_, end});
  } catch (...) {
    hasFailed_ = true;
    throw;
  }
  kernel.store(fields, states_->object(0), states_->stride());
  now_ = end;
}

EventReport ScheduleClock::report() const {
  const ScheduleCounts counts = engine_->counts();
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
  report.counts.hash = counts.hash;
  report.rules = rules_;
  report.events = counts.of;
  report.bytes = static_cast<std::int64_t>(states_->bytes() + engine_->bytes());
  return report;
}

}  // namespace mass::detail
