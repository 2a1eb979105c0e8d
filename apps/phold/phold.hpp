#pragma once

#include <mass/mass.hpp>

#include <cmath>
#include <cstdint>

namespace phold {

/// Parameters of PHOLD, the same for all places.
struct Parameters {
  double remote = 0.1;   ///< probability that an event goes to any place, the own one among them
  double lookahead = 0;  ///< s: least delay of an event
  double mean = 1;       ///< s: mean delay, at least `lookahead`
};

/// Place of PHOLD (Fujimoto, "Performance of Time Warp under synthetic workloads", 1990): an event
/// schedules another one after a random time, at its own place or at any place.
class Object : public mass::Place<1> {
 public:
  std::int64_t events = 0;  ///< number of events that have happened here
  using Attributes = mass::Attributes<&Object::events>;

  /// Schedules the first events of the place. @param count their number
  void begin(std::int32_t count, mass::Schedule<Object>& schedule, const Parameters& parameters) {
    mass::Random random = schedule.random();
    for (std::int32_t i = 0; i < count; ++i) send(random, schedule, parameters);
  }
  void happen(mass::Schedule<Object>& schedule, const Parameters& parameters) {
    ++events;
    mass::Random random = schedule.random();
    send(random, schedule, parameters);
  }
  using Events = mass::Events<mass::scheduled<&Object::begin>, mass::scheduled<&Object::happen>>;

 private:
  /// Schedules an event after the lookahead and an exponential time.
  static void send(mass::Random& random, mass::Schedule<Object>& schedule,
                   const Parameters& parameters) {
    const double rest = parameters.mean - parameters.lookahead;
    const auto delay = mass::seconds(parameters.lookahead - rest * std::log(1 - random.uniform()));
    if (random() * 0x1p-32 < parameters.remote) {
      const auto places = static_cast<std::uint32_t>(schedule.places());
      schedule.after<&Object::happen>(delay, mass::place(random.below(places)));
    } else {
      schedule.after<&Object::happen>(delay, mass::thisPlace);
    }
  }
};

}  // namespace phold
