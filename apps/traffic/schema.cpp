#include <apps/traffic/setup.hpp>

namespace traffic {

mass::Schema schema() {
  auto schema = mass::Schema::library();
  schema.add("rows", 30, "crossings", "height of the grid").between(1, 30000);
  schema.add("columns", 30, "crossings", "width of the grid").between(1, 30000);
  schema.add("inflow", 0.18, "vehicles/s", "vehicles that enter each lane at a border")
      .between(0, 1000);
  schema
      .add("signal.cycle", 60.0, "s",
           "time from green to green; east and west are green first, south and north after half "
           "of it")
      .between(1e-3, 1e6);
  schema.add("signal.green", 27.0, "s", "time of green of each direction; at most half the cycle")
      .between(1e-3, 1e6);
  schema
      .add("signal.offset", 15.0, "s",
           "time by which signals are later than at the crossings to the west and north")
      .between(-1e6, 1e6);
  schema.add("headway", 2.0, "s", "time between two vehicles that leave a queue")
      .between(1e-3, 1e6);
  schema.add("travel", 15.0, "s", "time from a crossing to the next").between(0, 1e6);
  schema.add("turns", 0.2, "", "probability that a vehicle turns, half of it for each side")
      .between(0, 1);
  schema.add("events.step", 5.0, "s", "length of a step of the run").between(1e-3, 1e6);
  schema
      .add("output.most", 15.0, "vehicles",
           "queues at a crossing of the last colour of pictures: those to the east and west")
      .between(1, 1000000);
  return schema;
}

mass::Program program() {
  return {"traffic", "Vehicles in a grid of crossings with signals, as events.", schema(), setUp};
}

}  // namespace traffic
