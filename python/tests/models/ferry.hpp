#pragma once

#include <mass/mass.hpp>

#include <cstdint>

namespace ferry {

/// Time that a ferry takes to the next port, in s.
struct Timetable {
  double sailing = 1, stop = 0.5;
};

/// Port of a ring, which ferries visit in turn.
class Port : public mass::Place<1> {
 public:
  std::int32_t visits = 0, passengers = 0;
  using Attributes = mass::Attributes<&Port::visits, &Port::passengers>;

  void arrive(std::int32_t seats, mass::Schedule<Port>& schedule, const Timetable& times) {
    ++visits;
    passengers += seats;
    schedule.after<&Port::leave>(mass::seconds(times.stop), mass::thisPlace, seats);
  }
  void leave(std::int32_t seats, mass::Schedule<Port>& schedule, const Timetable& times) {
    schedule.after<&Port::arrive>(mass::seconds(times.sailing), mass::neighbor(1), seats);
  }
  void close() { passengers = -1; }
  using Events = mass::Events<mass::scheduled<&Port::arrive>, mass::scheduled<&Port::leave>,
                              mass::scheduled<&Port::close>>;
};

}  // namespace ferry
