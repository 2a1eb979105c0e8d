#pragma once

#include <benchmarks/ntw/reaction.hpp>

#include <mass/mass.hpp>

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <string>

namespace ntw {

/// A + B <-> C by scheduled events of the library. A scheduled event cannot be withdrawn, so an
/// arrival schedules a new one, and the former does nothing when its time comes.
class Subvolume : public mass::Place<3> {
 public:
  std::int32_t a = 0, b = 0, c = 0;
  std::int32_t version = 0;  ///< number of the valid scheduled event
  std::int64_t events = 0;   ///< reactions and departures
  using Attributes = mass::Attributes<&Subvolume::a, &Subvolume::b, &Subvolume::c,
                                      &Subvolume::version, &Subvolume::events>;

  void begin(mass::Schedule<Subvolume>& schedule, const Reaction& model) {
    mass::Random random = schedule.random();
    scheduleNext(random, schedule, model);
  }
  void happen(std::int32_t number, mass::Schedule<Subvolume>& schedule, const Reaction& model) {
    if (number != version) return;
    mass::Random random = schedule.random();
    const int degree = degreeOf(schedule);
    Reaction::State counts{a, b, c};
    const Departure departure =
        model.fire(counts, degree, random.uniform() * model.rate(counts, degree));
    a = counts[0], b = counts[1], c = counts[2];
    ++events;
    if (departure.kind >= 0) send(departure, schedule);
    scheduleNext(random, schedule, model);
  }
  void arrive(std::int32_t kind, mass::Schedule<Subvolume>& schedule, const Reaction& model) {
    mass::Random random = schedule.random();
    ++(kind == 0 ? a : kind == 1 ? b : c);
    scheduleNext(random, schedule, model);
  }
  using Events =
      mass::Events<mass::scheduled<&Subvolume::begin>, mass::scheduled<&Subvolume::happen>,
                   mass::scheduled<&Subvolume::arrive>>;

 private:
  static auto neighbour(int direction) {
    const int step = direction % 2 == 0 ? -1 : 1, axis = direction / 2;
    return mass::neighbor(axis == 0 ? step : 0, axis == 1 ? step : 0, axis == 2 ? step : 0);
  }
  static int degreeOf(const mass::Schedule<Subvolume>& schedule) {
    int degree = 0;
    for (int direction = 0; direction < mostNeighbours; ++direction)
      degree += schedule.exists(neighbour(direction)) ? 1 : 0;
    return degree;
  }
  static void send(const Departure& departure, mass::Schedule<Subvolume>& schedule) {
    int left = departure.neighbour;
    for (int direction = 0; direction < mostNeighbours; ++direction) {
      if (!schedule.exists(neighbour(direction)) || left-- > 0) continue;
      schedule.after<&Subvolume::arrive>(mass::seconds(0), neighbour(direction), departure.kind);
      return;
    }
  }
  void scheduleNext(mass::Random& random, mass::Schedule<Subvolume>& schedule,
                    const Reaction& model) {
    ++version;
    const double rate = model.rate({a, b, c}, degreeOf(schedule));
    if (!(rate > 0)) return;
    schedule.after<&Subvolume::happen>(mass::seconds(-std::log(1 - random.uniform()) / rate),
                                       mass::thisPlace, version);
  }
};

/// Runs a cube of sites by `events.engine: time_warp`. @return fields of JSON
inline std::string runScheduled(std::int64_t side, std::int32_t each, const std::string& threads,
                                double end) {
  mass::Settings settings;
  settings.set("backend=cpu");
  settings.set("devices=1");
  settings.set("threads=" + threads);
  settings.set("events.engine=time_warp");
  mass::Mass mass{settings};
  const auto places = mass.createPlaces<Subvolume>({side, side, side},
                                                   mass::borders<Subvolume>(mass::Border::fixed));
  const auto initial = [each](const auto& /*at*/) { return each; };
  places.initialise<&Subvolume::a>(initial);
  places.initialise<&Subvolume::b>(initial);
  places.initialise<&Subvolume::c>(initial);
  places.scheduleAll<&Subvolume::begin>(mass::seconds(0));
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t processor = std::clock();
  places.runEvents(mass::seconds(end), Reaction{1.0 / each});
  const double used = static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC;
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const auto events = static_cast<double>(places.reduce<&Subvolume::events>(mass::sum));
  const mass::EventCounts counts = places.eventCounts();
  return fmt::format(
      R"("queue": "time_warp", "threads": {}, "sites": {}, "events": {}, "seconds": {:.4f}, )"
      R"("processor_seconds": {:.4f}, "rate": {:.1f}, "rate_of_processor": {:.1f}, )"
      R"("executed": {}, "undone": {:.5f}, "stragglers": {})",
      threads, places.size(), events, seconds, used, events / seconds, events / used,
      counts.executions, static_cast<double>(counts.undone) / static_cast<double>(counts.events),
      counts.stragglers);
}

}  // namespace ntw
