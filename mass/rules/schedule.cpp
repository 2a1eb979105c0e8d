#include <mass/rules/schedule.hpp>
#include <mass/support/error.hpp>

#include <string>

namespace mass::detail {

std::string ScheduleWorld::textOf(std::int64_t place) const {
  std::int64_t rest = indexOf(place);
  std::string text;
  for (auto axis = static_cast<std::size_t>(dimensions); axis-- > 0; rest /= shape[axis])
    text = std::to_string(rest % shape[axis]) + (text.empty() ? "" : ", ") + text;
  return text;
}

namespace {

/// Returns the begin of a message: the place and the time of an event.
std::string textOf(const ScheduleCall& call) {
  return fmt::format("{}, place ({}), at {:.10g} s", call.world->name,
                     call.world->textOf(call.event->place), call.event->time);
}

}  // namespace

void failDelay(const ScheduleCall& call, std::string_view rule, double seconds) {
  throw UsageError(
      "{}: the rule '{}' is scheduled after {:.10g} s; give a finite number, 0 or more",
      textOf(call), rule, seconds);
}
void failPlace(const ScheduleCall& call, std::string_view rule, std::int64_t number) {
  throw UsageError("{}: the rule '{}' is scheduled at place {}; there are places 0 to {}",
                   textOf(call), rule, number, call.world->places - 1);
}
void failOffset(const ScheduleCall& call, std::string_view rule, const int* offset) {
  std::string text;
  for (int axis = 0; axis < call.world->dimensions; ++axis)
    text += (axis == 0 ? "" : ", ") + std::to_string(offset[axis]);
  throw UsageError(
      "{}: the rule '{}' is scheduled at the neighbour ({}); the reach is {}, and no place is "
      "beyond a fixed border (ask schedule.exists(...))",
      textOf(call), rule, text, call.world->reach);
}
void failLink(const ScheduleCall& call, std::string_view rule, int link) {
  throw UsageError("{}: the rule '{}' is scheduled at the end of link {}; the node has {} links",
                   textOf(call), rule, link, call.world->graph->degree(call.event->place));
}

void failLookahead(const ScheduleCall& call, std::string_view rule, double seconds,
                   std::int64_t place) {
  throw UsageError(
      "{}: the rule '{}' is scheduled after {:.10g} s at place ({}); events for other places are "
      "at least the lookahead of {:.10g} s ahead (Places::lookahead)",
      textOf(call), rule, seconds, call.world->textOf(place), call.world->lookahead);
}
void failCount(const ScheduleCall& call, std::string_view rule) {
  throw UsageError("{}: the rule '{}' is scheduled after {} events that the place has scheduled",
                   textOf(call), rule, ScheduledEvent::none);
}
void failStreams(const ScheduleCall& call) {
  throw UsageError(
      "{}: more than {} calls of Schedule::random() in a rule; draw several numbers from one "
      "generator",
      textOf(call), ScheduleCall::mostStreams);
}
void failCancel(const ScheduleCall& call, const EventHandle& event) {
  throw UsageError(
      "{}: an event of place number {} is cancelled, after a delay or at another place; add "
      "mass::cancellation to the Events of the class",
      textOf(call), event.place);
}

}  // namespace mass::detail
