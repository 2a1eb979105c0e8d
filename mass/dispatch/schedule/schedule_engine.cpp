#include <mass/dispatch/schedule/schedule_engine.hpp>
#include <mass/support/error.hpp>

namespace mass::detail {

void ScheduleCounts::add(const ScheduleCounts& more) {
  committed += more.committed;
  executed += more.executed;
  undone += more.undone;
  stragglers += more.stragglers;
  cancelled += more.cancelled;
  sent += more.sent;
  messages += more.messages;
  rounds += more.rounds;
  hash += more.hash;
  for (std::size_t rule = 0; rule < of.size(); ++rule) of[rule] += more.of[rule];
}

void failDepth(const ScheduleRun& run, const ScheduledEvent& event) {
  throw UsageError(
      "{}, place ({}), at {:.10g} s: more than {} events in a chain without a delay; the last is "
      "'{}'. Let them end, or schedule with a delay above 0",
      run.world->name, run.world->textOf(event.place), event.time, ScheduledEvent::mostDepth,
      run.kernel->names[event.rule]);
}

void failAtOnce(const ScheduleRun& run, const ScheduledEvent& event) {
  throw UsageError(
      "{}, place ({}), at {:.10g} s: more than {} events without a delay at this place and time; "
      "the "
      "last is '{}'. Let them end, or schedule with a delay above 0",
      run.world->name, run.world->textOf(event.place), event.time, ScheduledEvent::mostAtOnce,
      run.kernel->names[event.rule]);
}

}  // namespace mass::detail
