#include <apps/phold/setup.hpp>

namespace phold {

mass::Schema schema() {
  auto schema = mass::Schema::library();
  schema.add("places", 16384, "places", "number of places").between(1, 2147483647);
  schema.add("population", 16, "events", "events of each place at the start").between(0, 1000000);
  schema
      .add("remote", 0.1, "",
           "probability that an event schedules its successor at any place, and not at its own")
      .between(0, 1);
  schema.add("mean", 1.0, "s", "mean delay of an event").between(1e-6, 1e6);
  schema
      .add("lookahead", 0.0, "s",
           "least delay of an event, at most the mean; the rest of the delay is exponential. "
           "events.engine: conservative needs one above 0")
      .between(0, 1e6);
  schema.add("events.step", 1.0, "s", "length of a step of the run").between(1e-6, 1e6);
  return schema;
}

mass::Program program() {
  return {"phold", "PHOLD, the benchmark of parallel discrete event simulation.", schema(), setUp};
}

}  // namespace phold
