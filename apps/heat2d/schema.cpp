#include <apps/heat2d/setup.hpp>

namespace heat2d {

mass::Schema schema() {
  auto schema = mass::Schema::library();
  schema.add("rows", 100, "places", "height of the plate").atLeast(1);
  schema.add("columns", 100, "places", "width of the plate").atLeast(1);
  schema.add("precision", "double", "", "type of a temperature: float (32 bits), double (64 bits)")
      .oneOf({"float", "double"});
  schema.add("diffusivity", 1.0, "m^2/s", "thermal diffusivity of the plate").above(0);
  schema.add("spacing", 2.0, "m", "distance between places").above(0);
  schema.add("time_step", 1.0, "s", "time step; at most spacing^2 / (4 diffusivity)").above(0);
  schema
      .add("start", "plate", "",
           "plate: at 0 K, with a source at the top centre; mode: a sine (edges fixed) or a cosine "
           "(edges insulated), no source")
      .oneOf({"plate", "mode"});
  schema.add("edges", "insulated", "", "insulated: no heat flux; fixed: at edge_temperature")
      .oneOf({"insulated", "fixed"});
  schema.add("edge_temperature", 0.0, "K", "temperature of fixed edges; 0 for start: mode");
  schema.add("source_temperature", 19.0, "K",
             "temperature of the middle third of the top row while the source is on");
  schema.add("heat_time", 2700, "steps", "time for which the source is on").atLeast(0);
  return schema;
}

mass::Program program() {
  return {"heat2d", "Heat conduction in a plate, by the explicit finite-difference method.",
          schema(), setUp};
}

}  // namespace heat2d
