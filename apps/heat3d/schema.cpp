#include <apps/heat3d/setup.hpp>

namespace heat3d {

mass::Schema schema() {
  auto schema = mass::Schema::library();
  schema.add("planes", 64, "places", "extent of the block along z").atLeast(1);
  schema.add("rows", 64, "places", "extent of the block along y").atLeast(1);
  schema.add("columns", 64, "places", "extent of the block along x").atLeast(1);
  schema.add("order", 2, "", "order of accuracy in space: 2, 4, 6 or 8")
      .between(lowestOrder, highestOrder);
  schema.add("precision", "double", "", "type of a temperature: float (32 bits), double (64 bits)")
      .oneOf({"float", "double"});
  schema.add("diffusivity", 1.0, "m^2/s", "thermal diffusivity of the block").above(0);
  schema.add("spacing", 1.0, "m", "distance between places").above(0);
  schema
      .add("time_step", 0.1, "s",
           "time step; at most r spacing^2 / diffusivity, with r = 1/6, 1/8, 0.110294 and 0.102539 "
           "for the orders 2, 4, 6 and 8")
      .above(0);
  schema
      .add("start", "ball", "",
           "ball: a hot ball in a block at 0 K; mode: cosines (faces insulated or periodic) or "
           "sines (faces fixed)")
      .oneOf({"ball", "mode"});
  schema.add("ball_temperature", 100.0, "K", "initial temperature of the ball");
  schema.add("ball_radius", 16.0, "m", "radius of the ball").above(0);
  schema
      .add("faces", "insulated", "",
           "insulated: no heat flux; fixed: at face_temperature; periodic: the block repeats")
      .oneOf({"insulated", "fixed", "periodic"});
  schema.add("face_temperature", 0.0, "K", "temperature of fixed faces; 0 for start: mode");
  schema.add("output.slice", "z", "", "axis normal to the slice shown in pictures")
      .oneOf({"x", "y", "z"});
  schema
      .add("output.slice_at", 0.5, "",
           "position of the slice along that axis, as a share of the extent")
      .between(0, 1);
  return schema;
}

mass::Program program() {
  return {"heat3d", "Heat conduction in a block, by explicit finite differences of order 2 to 8.",
          schema(), setUp};
}

}  // namespace heat3d
