#pragma once

#include <mass/kernels/events/event_kernel.hpp>
#include <mass/kernels/schedule/schedule_kernel.hpp>
#include <mass/launch/scheduled_rates.hpp>
#include <mass/support/error.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace mass::detail {

/// State of a place whose events at rates are executed as scheduled events.
template <class P>
struct RatePlace {
  static constexpr std::uint64_t atRest = ~std::uint64_t{0};

  PlaceLevels<P> levels;
  StripCounts<P> strips;
  std::uint64_t window = atRest;  ///< that of `levels`; atRest: nothing can happen
  std::uint32_t stripNumber = 0;  ///< candidates of strips in the window
  // Since the place was loaded:
  std::uint32_t allStrips = 0;
  std::uint64_t hash = 0;  ///< see hashFactor()
  std::uint32_t happened[PlaceLevels<P>::events] = {};
};

/// Execution of a scheduled event of a place: the same functions as under the engine `windows`, for
/// one candidate or arrival. Candidates and arrivals at equal times have the order of that engine:
/// of the places where they begin, then of the candidates there, those of strips last.
template <class P, class Arguments>
class RateExecution {
 public:
  using C = Channels<P>;
  using Context = PlaceContext<P, Arguments, FaultRecord<P>>;
  using Run = PlaceRun<P, Arguments, FaultRecord<P>>;

  RateExecution(void* place, ScheduleCall& call, const void* arguments)
      : self_(*static_cast<RatePlace<P>*>(place)),
        call_(call),
        rates_(*static_cast<const ScheduledRates*>(arguments)),
        arguments_(*static_cast<const Arguments*>(rates_.arguments)),
        view_(rates_.view),
        place_(static_cast<std::int32_t>(call.event->place)) {
    view_.window = rates_.windowOf(call.event->time);
  }

  /// Draws the candidates of a window.
  void begin() {
    if (view_.window == rates_.firstOfCall &&
        happenImmediately(self_.levels.state, arguments_) != EventFault::none)
      fail(faultMessage(EventFault::endless, "", 0, 0, attributesText(self_.levels.state)));
    const P start = self_.levels.state;
    beginLevels();
    PlaceDraw<P, Arguments> draw(view_, arguments_, place_, start);
    if (draw.isAtRest()) {
      self_.window = RatePlace<P>::atRest;
      return;
    }
    if (draw.fault() == EventFault::tooFastAtStart)
      fail(describeTooFast<P, Arguments>(view_, &arguments_, place_, secondsOf(0), start));
    Departure departure[2];
    std::uint8_t part[2];
    std::uint32_t number = 0;
    EventCandidate candidate;
    BoundedList<EventCandidate> list{&candidate, 1};
    forEachPoint<pointsAtATime>(draw.key(), draw.scale(), 0, 0.0, [&](double time, double height) {
      DepartureRecord ignored{departure, part, 2};
      list.count = 0;
      draw.add(time, height, list, ignored);
      schedule(candidate, number++);
    });
    scheduleNextWindow();
  }
  /// Decides a candidate.
  void decide(EventCandidate candidate) {
    candidate.tick = ScheduledRates::tickOf(call_.event->time);
    const bool isHop = candidate.channel < C::hops;
    const bool departs = run([&](Run& run) {
      if (!isHop) {
        run.decideEvent(candidate);
        return false;
      }
      const bool goes =
          run.decideHop(candidate.channel, true, candidate.particle(), candidate.tick);
      run.noteHop(goes, candidate);
      return goes;
    });
    if (!departs) return;
    ScheduledEvent& arrival = call_.added->add();
    arrival = *call_.event;
    arrival.place = static_cast<std::uint32_t>(view_.neighborsOf(place_)[candidate.direction()]);
    arrival.rule = (ScheduledRates::arrive + candidate.channel) & 0xffU;
    arrival.first = arrival.next = ScheduledEvent::none;
    arrival.state = 0;
  }
  /// Lets a particle arrive.
  void arrive() {
    if (self_.window == RatePlace<P>::atRest) {
      beginLevels();
      scheduleNextWindow();
    }
    const auto hop = static_cast<int>(call_.event->rule - ScheduledRates::arrive);
    run([&](Run& run) {
      return run.decideHop(hop, false, 0, ScheduledRates::tickOf(call_.event->time));
    });
  }

 private:
  /// Number of the first candidate of a strip, which is after those of the begin of the window.
  static constexpr std::uint32_t firstOfStrips = std::uint32_t{1} << 31;

  /// Sets the levels at the start of the window.
  void beginLevels() {
    self_.window = view_.window;
    self_.stripNumber = 0;
    self_.strips = {};
    BoundedList<EventCandidate> none;
    Context context(view_, arguments_, place_, none);
    const P start = self_.levels.state;
    self_.levels = context.begin(start);
    requireNoFault(context.faults());
  }
  /// Executes f(run) on the levels, and schedules the candidates of the strips that it draws.
  template <class F>
  bool run(F&& f) {
    constexpr std::size_t few = 32;
    EventCandidate memory[few];
    std::vector<EventCandidate> more;
    BoundedList<EventCandidate> strips{memory, few};
    for (;;) {
      Context context(view_, arguments_, place_, strips, self_.strips);
      Run run(context, self_.levels);
      const bool result = f(run);
      if (strips.overflowed) {
        more.resize(2 * static_cast<std::size_t>(strips.capacity));
        strips = {more.data(), static_cast<std::int32_t>(more.size())};
        continue;
      }
      requireNoFault(context.faults());
      self_.levels = run.levels();
      self_.allStrips += context.stripCounts().all - self_.strips.all;
      self_.strips = context.stripCounts();
      if (run.hash() != 0)
        self_.hash += hashFactor(view_.window, static_cast<std::uint64_t>(place_)) * run.hash();
      forEachIndex<C::events>(
          [&](auto event) { self_.happened[event] += run.template happened<event>(); });
      for (std::int32_t i = 0; i < strips.count; ++i)
        schedule(strips.data[i], firstOfStrips + self_.stripNumber++);
      return result;
    }
  }
  /// Schedules a candidate of this place in the window.
  void schedule(const EventCandidate& candidate, std::uint32_t number) {
    ScheduledEvent& event = call_.added->add();
    event.time = rates_.tickTime(view_.window, candidate.tick);
    event.place = event.origin = call_.event->place;
    event.number = number;
    event.depth = ScheduledEvent::byOrigin;
    event.rule = ScheduledRates::decide;
    std::memcpy(static_cast<void*>(&event + 1), &candidate, sizeof(candidate));
  }
  void scheduleNextWindow() {
    const std::uint64_t next = view_.window + 1;
    if (next == rates_.endOfCall) return;
    ScheduledEvent& event = call_.added->add();
    event.time = rates_.beginTime(next, call_.event->place, call_.world->places);
    event.place = event.origin = call_.event->place;
    event.number = static_cast<std::uint32_t>(next);
    event.rule = ScheduledRates::begin;
  }
  /// Returns the time of a tick since the start of the call in s.
  double secondsOf(std::uint32_t tick) const {
    return (static_cast<double>(view_.window - rates_.firstOfCall) + tick * 0x1p-32) *
           view_.seconds;
  }
  void requireNoFault(const FaultRecord<P>& record) const {
    if (record.fault() == EventFault::none) return;
    const bool isRate = record.fault() == EventFault::invalidRate;
    fail(faultMessage(record.fault(), nameOfChannel<P>(record.channel() + (isRate ? C::hops : 0)),
                      record.value(), secondsOf(record.tick()), attributesText(record.state())));
  }
  [[noreturn]] void fail(const std::string& text) const {
    throw UsageError("{}, place ({}): {}", *rates_.name, call_.world->textOf(place_), text);
  }

  RatePlace<P>& self_;
  ScheduleCall& call_;
  const ScheduledRates& rates_;
  const Arguments& arguments_;
  EventView view_;
  std::int32_t place_;
};

/// Returns the functions of class P, whose events happen at rates, for scheduled events.
template <class P, class Arguments>
RateKernel rateKernel() {
  using Execution = RateExecution<P, Arguments>;
  RateKernel kernel;
  ScheduleKernel& schedule = kernel.schedule;
  schedule.dimensions = P::dimensions;
  schedule.placeBytes = sizeof(RatePlace<P>);
  schedule.eventBytes = sizeof(ScheduledEvent) + 16;  // a candidate
  static_assert(sizeof(EventCandidate) <= 16);
  schedule.names = {"begin", "decide"};
  schedule.valueBytes = {0, sizeof(EventCandidate)};
  schedule.rules = {
      [](void* place, const std::byte* /*values*/, ScheduleCall& call, const void* arguments) {
        Execution(place, call, arguments).begin();
      },
      [](void* place, const std::byte* values, ScheduleCall& call, const void* arguments) {
        EventCandidate candidate;
        std::memcpy(&candidate, values, sizeof(candidate));
        Execution(place, call, arguments).decide(candidate);
      }};
  for (const std::string& hop : namesOfHops<P>()) {
    schedule.names.push_back(hop);
    schedule.valueBytes.push_back(0);
    schedule.rules.push_back(
        [](void* place, const std::byte* /*values*/, ScheduleCall& call, const void* arguments) {
          Execution(place, call, arguments).arrive();
        });
  }
  schedule.inverses.resize(schedule.rules.size());
  schedule.load = &loadScheduled<P, RatePlace<P>>;
  schedule.store = &storeScheduled<P, RatePlace<P>>;
  kernel.count = [](const PlaceObjects& objects, RateCounts& counts) {
    counts.happened.resize(static_cast<std::size_t>(Channels<P>::events));
    for (std::int64_t i = 0; i < objects.count; ++i) {
      const auto& place = *reinterpret_cast<const RatePlace<P>*>(
          objects.memory + static_cast<std::size_t>(i) * objects.stride);
      for (std::size_t event = 0; event < counts.happened.size(); ++event)
        counts.happened[event] += place.happened[event];
      counts.strips += place.allStrips;
      counts.hash += place.hash;
    }
  };
  return kernel;
}

}  // namespace mass::detail
