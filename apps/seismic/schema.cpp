#include <apps/seismic/setup.hpp>

#include <vector>

namespace seismic {
namespace {

void addGround(mass::Schema& schema) {
  schema
      .add("cells", std::vector<double>{120, 120, 80}, "",
           "number of cells along x, y and z, which points down")
      .atLeast(1);
  schema.add("spacing", 25.0, "m", "extent of a cell along each axis").above(0);
  schema
      .add("time_step", 0.0, "s",
           "time step; at most 0.49487 spacing / vp of the fastest material; 0 = nine tenths of it")
      .atLeast(0);
  schema.add("duration", 0.0, "s", "time to simulate, unless steps is given; 0 = use steps")
      .atLeast(0);
  schema.add("precision", "float", "", "type of all numbers: float (32 bits), double (64 bits)")
      .oneOf({"float", "double"});
  schema.add("vp", 3000.0, "m/s", "speed of P waves below all layers").above(0);
  schema.add("vs", 1700.0, "m/s", "speed of S waves below all layers; below vp / sqrt(2)")
      .atLeast(0);
  schema.add("density", 2500.0, "kg/m^3", "density below all layers").above(0);
  schema.addTree("layers", "layers from the surface down, each with thickness, vp, vs and density");
  schema.addTree("basin",
                 "half-ellipsoid below the surface, with center, radii, depth, vp, vs and density");
  schema.addTree("model",
                 "file with the datasets vp, vs and density, or three files, in place of layers");
}

void addFaces(mass::Schema& schema) {
  schema
      .add("top", "free", "",
           "the surface: free of stress, absorbing, or periodic together with the bottom, which "
           "absorbs otherwise")
      .oneOf({"free", "absorbing", "periodic"});
  schema.add("sides", "absorbing", "", "the four sides").oneOf({"absorbing", "periodic"});
  schema.add("sponge.width", 20, "cells", "width of the sponge at absorbing faces")
      .between(0, 1 << 20);
  schema
      .add("sponge.damping", 0.92, "",
           "factor of velocities and stresses in a step at an absorbing face; it rises to 1 at "
           "the inner edge of the sponge")
      .between(0, 1);
}

void addSource(mass::Schema& schema) {
  schema.add("source.position", std::vector<double>{}, "m",
             "x, y and z of the source; empty = the middle of the world");
  schema.add("source.tensor", std::vector<double>{1, 1, 1, 0, 0, 0}, "",
             "moment tensor over its scalar moment: xx, yy, zz, xy, xz and yz");
  schema.add("source.moment_rate", 1.0e15, "N m/s", "largest moment rate");
  schema
      .add("source.frequency", 4.0, "Hz",
           "frequency of the largest amplitude of the source's Ricker wavelet")
      .above(0);
  schema
      .add("source.delay", 0.0, "s", "time of the largest moment rate; 0 = 1.5 / source.frequency")
      .atLeast(0);
  schema.addTree("receivers", "points [x, y, z] in m whose velocity is in the table");
}

void addOutput(mass::Schema& schema) {
  schema.add("motion", false, "",
             "true: keeps displacement and peak velocity, one more pass over memory in each step");
  schema.add("output.energy", true, "",
             "a column with the energy, a pass over memory for each row of the table");
  schema
      .add("output.quantity", "vertical", "",
           "quantity of the pictures: vertical velocity (positive: up), speed, or with motion: "
           "true peak, the largest speed so far, and displacement, the vertical one (positive: up)")
      .oneOf({"vertical", "speed", "peak", "displacement"});
  schema
      .add("output.slice", "surface", "",
           "pictures show the surface, or the vertical section along x or y through the source")
      .oneOf({"surface", "x", "y"});
  schema
      .add("output.scale", 0.0, "m/s",
           "value of the last colour (of a displacement in m); 0 = an estimate from the source")
      .atLeast(0);
}

}  // namespace

mass::Schema schema() {
  auto schema = mass::Schema::library();
  addGround(schema);
  addFaces(schema);
  addSource(schema);
  addOutput(schema);
  return schema;
}

mass::Program program() {
  return {"seismic", "Seismic waves in an elastic ground, by finite differences.", schema(), setUp};
}

}  // namespace seismic
