// Events of places of models of the user.

#include <python/src/bind_events.hpp>

#include <python/src/arguments.hpp>
#include <python/src/signals.hpp>

#include <mass/mass.hpp>

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mass::python {
namespace {

/// Returns the events of a class. @throws UsageError if it has none
const EventFunctions& eventsOf(const ModelPlaces& places) {
  const auto& type = places.type();
  if (type.events == nullptr) throw UsageError("'{}' has no events (mass::Events)", type.name);
  return *type.events;
}

/// Sets the rate of hops in each direction.
void setHopRate(ModelPlaces& self, int hop, double rate) {
  const EventFunctions& events = eventsOf(self);
  self.session().change([&] { events.clock(self.state()).setHopRate(hop, rate); });
}

/// Sets the rates of hops by place. @param rates for each direction, then each place
void setHopRates(ModelPlaces& self, int hop,
                 const nb::ndarray<const double, nb::c_contig, nb::device::cpu>& rates) {
  const EventFunctions& events = eventsOf(self);
  self.session().change([&] {
    detail::EventClock& clock = events.clock(self.state());
    const std::int64_t places = self.any().size();
    const int directions = 2 * self.type().dimensions;
    std::vector<double> byPlace;
    for (std::int64_t place = 0; place < places; ++place) {
      for (int k = 0; k < directions; ++k)
        byPlace.push_back(clock.neighbors().of(place, k) < 0 ? 0.0
                                                             : rates.data()[k * places + place]);
    }
    clock.setHopRates(hop, std::move(byPlace));
  });
}

/// Returns the scheduled events of a class. @throws UsageError if it has none
const EventFunctions& scheduledOf(const ModelPlaces& places) {
  const EventFunctions& events = eventsOf(places);
  if (events.schedule == nullptr)
    throw UsageError("'{}' has no scheduled events (mass::scheduled)", places.type().name);
  return events;
}

/// Schedules an event at each of some places. @return the handle of the last one
EventHandle schedule(ModelPlaces& self, int number, double delay,
                     const std::vector<std::int64_t>& places, const nb::tuple& given) {
  const ScheduledRuleInfo& rule = scheduledOf(self).scheduled[static_cast<std::size_t>(number)];
  if (rule.schedule == nullptr)
    throw UsageError(
        "'{}' of '{}' cannot be scheduled from Python: its values are numbers, enums and "
        "structures of them",
        rule.name, self.type().name);
  const Arguments values(rule.name, rule.parameters, given);
  return self.session().change([&] {
    EventHandle last;
    for (const std::int64_t place : places)
      last = rule.schedule(self.state(), delay, place, values.values());
    return last;
  });
}

void cancel(ModelPlaces& self, const EventHandle& event) {
  const EventFunctions& events = scheduledOf(self);
  self.session().change([&] { events.schedule(self.state()).cancel(event); });
}

void setLookahead(ModelPlaces& self, double seconds) {
  const EventFunctions& events = scheduledOf(self);
  self.session().change([&] { events.schedule(self.state()).setLookahead(seconds); });
}

std::int64_t pending(ModelPlaces& self) {
  const EventFunctions& events = scheduledOf(self);
  return self.session().use([&] { return events.schedule(self.state()).pending(); });
}

/// Lets Ctrl-C end the calls of a clock within `run`.
template <class Clock>
void runUnlessInterrupted(Clock& clock, const std::function<void()>& run) {
  Signals signals;
  clock.endIf([&signals] { return signals.haveFailed(); });
  const std::shared_ptr<void> end(nullptr, [&clock](void*) { clock.endIf({}); });
  run();
}

/// Executes events. Ctrl-C ends it at the end of a window of events at rates, or between two
/// scheduled events.
void run(ModelPlaces& self, double seconds, const nb::tuple& given) {
  const EventFunctions& events = eventsOf(self);
  if (events.run == nullptr)
    throw UsageError(
        "the events of '{}' cannot be run from Python: the arguments of their rates and changes "
        "are numbers, enums and structures of them",
        self.type().name);
  const Arguments arguments("runEvents", events.parameters, given);
  const Session::Change change(self.session());
  {
    const nb::gil_scoped_release released;
    const auto run = [&] { events.run(self.state(), seconds, arguments.values()); };
    if (events.schedule != nullptr) {
      runUnlessInterrupted(events.schedule(self.state()), run);
    } else {
      runUnlessInterrupted(events.clock(self.state()), run);
    }
  }
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
}

std::int64_t windows(ModelPlaces& self, double seconds) {
  const EventFunctions& events = eventsOf(self);
  return self.session().use([&] {
    return events.clock(self.state()).windowsIn(*self.state()->fields, seconds, self.name());
  });
}

/// Returns the counts of the work of runEvents by name.
std::map<std::string, std::int64_t> counts(ModelPlaces& self) {
  const EventFunctions& events = eventsOf(self);
  return self.session().use([&] {
    if (events.schedule != nullptr) {
      const EventCounts of = events.schedule(self.state()).report().counts;
      return std::map<std::string, std::int64_t>{
          {"events", of.events}, {"executions", of.executions}, {"undone", of.undone}};
    }
    EventCounts total;
    for (const EventCounts& each : events.clock(self.state()).counts()) total += each;
    return std::map<std::string, std::int64_t>{{"events", total.events},
                                               {"executions", total.executions},
                                               {"byArrivals", total.byArrivals},
                                               {"byChanges", total.byChanges},
                                               {"windows", total.windows}};
  });
}

}  // namespace

void bindEvents(nb::class_<ModelPlaces, PlacesPopulation>& places) {
  places.def("set_hop_rate", &setHopRate)
      .def("set_hop_rates", &setHopRates)
      .def("run_events", &run)
      .def("event_windows", &windows)
      .def("event_counts", &counts)
      .def("schedule", &schedule)
      .def("cancel_event", &cancel)
      .def("set_lookahead", &setLookahead)
      .def("pending_events", &pending);
}

}  // namespace mass::python
