#pragma once

#include <mass/mass.hpp>

#include <cmath>
#include <cstdint>

namespace traffic {

/// Lanes of a crossing, by the direction in which vehicles drive. Those of an axis are green
/// together.
enum class Lane : std::int32_t { east, west, south, north };
inline constexpr int lanes = 4;

/// Vehicle in an event: its lane, and when it entered the grid.
struct Vehicle {
  Lane lane = Lane::east;
  double entered = 0;  ///< s
};

/// Signals and streets, the same for all crossings.
struct Plan {
  double inflow = 0;   ///< vehicles/s that enter each lane at a border
  double cycle = 0;    ///< s: east and west are green from 0, south and north from cycle / 2
  double green = 0;    ///< s, at most cycle / 2
  double offset = 0;   ///< s by which signals are later than at the crossing before
  double headway = 0;  ///< s between two vehicles that leave a queue
  double travel = 0;   ///< s from a crossing to the next
  double turns = 0;    ///< probability that a vehicle turns, half of it for each side

  /// Returns the first time from `time` on at which the signal of a lane is green.
  /// @param distance number of crossings that the offsets of the signal add up over
  double greenFrom(double time, Lane lane, std::int64_t distance) const {
    const double shift =
        static_cast<double>(distance) * offset + (lane >= Lane::south ? cycle / 2 : 0);
    double phase = std::fmod(time - shift, cycle);
    if (phase < 0) phase += cycle;
    return phase < green ? time : time + (cycle - phase);
  }
};

/// Crossing of two streets with a signal. Vehicles of a lane leave in the order in which they
/// arrive, at most one each headway, while the signal is green. The signals have a fixed plan, so a
/// vehicle knows on arrival when it is served: a queue is the time at which its last vehicle has
/// left.
class Crossing : public mass::Place<2> {
 public:
  double free[lanes] = {};       ///< s: when the last vehicle of the queue has left
  std::int32_t rowQueue = 0;     ///< vehicles that wait in the lanes to the east and west
  std::int32_t columnQueue = 0;  ///< vehicles that wait in the lanes to the south and north
  std::int32_t entered = 0;      ///< vehicles that came from beyond the border
  std::int32_t left = 0;         ///< vehicles that drove beyond the border
  std::int32_t arrived = 0;      ///< vehicles that came from anywhere
  double waits = 0;              ///< s: sum over the vehicles that arrived
  double journeys = 0;           ///< s: sum over `left`, from entering to leaving the grid
  double moments = 0;  ///< s: times at which vehicles left minus those at which they entered
  using Attributes = mass::Attributes<&Crossing::free, &Crossing::rowQueue, &Crossing::columnQueue,
                                      &Crossing::entered, &Crossing::left, &Crossing::arrived,
                                      &Crossing::waits, &Crossing::journeys, &Crossing::moments>;

  /// Schedules the first vehicle of each lane that begins at this crossing.
  void open(mass::Schedule<Crossing>& schedule, const Plan& plan) {
    for (int lane = 0; lane < lanes; ++lane) {
      const auto direction = static_cast<Lane>(lane);
      if (!schedule.exists(behind(direction))) scheduleEntry(direction, schedule, plan);
    }
  }

  /// A vehicle comes from beyond the border, and the next one is scheduled.
  void enter(Lane lane, mass::Schedule<Crossing>& schedule, const Plan& plan) {
    const double now = schedule.now().count();
    ++entered;
    moments -= now;
    scheduleEntry(lane, schedule, plan);
    arrive({lane, now}, schedule, plan);
  }

  /// A vehicle joins the queue of its lane.
  void arrive(const Vehicle& vehicle, mass::Schedule<Crossing>& schedule, const Plan& plan) {
    const double now = schedule.now().count();
    double& end = free[static_cast<int>(vehicle.lane)];
    const auto at = schedule.coordinates();
    const double served = plan.greenFrom(now < end ? end : now, vehicle.lane, at[0] + at[1]);
    end = served + plan.headway;
    ++arrived;
    ++queueOf(vehicle.lane);
    waits += served - now;
    schedule.after<&Crossing::leave>(mass::seconds(served - now), mass::thisPlace, vehicle);
  }

  /// A vehicle leaves the queue, and drives to the next crossing or beyond the border.
  void leave(Vehicle vehicle, mass::Schedule<Crossing>& schedule, const Plan& plan) {
    --queueOf(vehicle.lane);
    vehicle.lane = turned(vehicle.lane, schedule.random().uniform(), plan.turns);
    const mass::Offset<2> next = ahead(vehicle.lane);
    if (schedule.exists(next)) {
      schedule.after<&Crossing::arrive>(mass::seconds(plan.travel), next, vehicle);
    } else {
      const double now = schedule.now().count();
      ++left;
      journeys += now - vehicle.entered;
      moments += now;
    }
  }
  using Events =
      mass::Events<mass::scheduled<&Crossing::open>, mass::scheduled<&Crossing::enter>,
                   mass::scheduled<&Crossing::arrive>, mass::scheduled<&Crossing::leave>>;

 private:
  std::int32_t& queueOf(Lane lane) { return lane < Lane::south ? rowQueue : columnQueue; }
  static mass::Offset<2> ahead(Lane lane) {
    constexpr int rows[] = {0, 0, 1, -1}, columns[] = {1, -1, 0, 0};
    return mass::neighbor(rows[static_cast<int>(lane)], columns[static_cast<int>(lane)]);
  }
  static mass::Offset<2> behind(Lane lane) {
    const mass::Offset<2> next = ahead(lane);
    return mass::neighbor(-next[0], -next[1]);
  }
  /// Returns the lane after the crossing. @param drawn uniform in [0, 1)
  static Lane turned(Lane lane, double drawn, double turns) {
    if (drawn >= turns) return lane;
    const bool isFirst = drawn < turns / 2;
    if (lane >= Lane::south) return isFirst ? Lane::east : Lane::west;
    return isFirst ? Lane::south : Lane::north;
  }
  static void scheduleEntry(Lane lane, mass::Schedule<Crossing>& schedule, const Plan& plan) {
    if (plan.inflow == 0) return;
    const double wait = -std::log(1 - schedule.random().uniform()) / plan.inflow;
    schedule.after<&Crossing::enter>(mass::seconds(wait), mass::thisPlace, lane);
  }
};

}  // namespace traffic
