#include <apps/lbm/case/flow_case.hpp>
#include <apps/lbm/lbm.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace lbm {

mass::Schema schema() {
  auto schema = mass::Schema::library();
  const std::vector<double> none;
  schema.setDefault("steps", 10000);
  schema.add("cells", std::vector<double>{128, 128}, "", "cells along x, y and perhaps z")
      .atLeast(1);
  schema.add("length", 1.0, "m", "of the box along x").above(0);
  schema.add("reynolds", 100.0, "", "Reynolds number, by reference_length and reference_speed")
      .above(0);
  schema.add("viscosity", 1.0, "m^2/s", "kinematic; instead of reynolds").above(0);
  schema.add("density", 1000.0, "kg/m^3", "of the fluid at rest").above(0);
  schema.add("reference_length", 0.0, "m", "0 = the length of the box along y").atLeast(0);
  schema.add("reference_speed", 0.0, "m/s", "0 = that of the fastest face").atLeast(0);
  schema.add("lattice_speed", 0.1, "cells a step", "the reference speed, which makes the time step")
      .above(0);
  schema.add("duration", 0.0, "s", "how long to run, unless steps are given; 0 = by steps")
      .atLeast(0);
  schema.add("collision", "mrt", "", "one, two or many rates; or moments stored, not populations")
      .oneOf({"bgk", "trt", "mrt", "regularized"});
  schema.add("magic", 0.1875, "", "of trt: 3/16 puts walls half-way, 1/4 is the most stable")
      .above(0);
  schema.add("mrt_rates", std::vector<double>{1.19, 1.4, 1.2, 1.4, 1.98}, "",
             "of e, epsilon, q, pi and m (d'Humieres et al. 2002); of regularized, that of e");
  schema.add("equilibrium", "bgk", "", "free parameters of mrt in three dimensions")
      .oneOf({"bgk", "optimal"});
  schema.add("precision", "float", "", "half: 16 bits in memory, 32 in use; three dimensions")
      .oneOf({"half", "float", "double"});
  for (const std::size_t number : {4U, 5U, 2U, 3U, 0U, 1U}) {
    schema
        .add(std::string("faces.") + faceNames[number], number == 3 ? "lid" : "wall", "",
             "what is there")
        .oneOf({"wall", "lid", "inlet", "outlet", "periodic"});
  }
  for (const std::size_t number : {4U, 5U, 2U, 3U, 0U, 1U})
    schema.add(std::string("velocity.") + faceNames[number], none, "m/s",
               "of a lid or inlet: x, y (, z)");
  for (const std::size_t number : {4U, 5U, 2U, 3U, 0U, 1U})
    schema.add(std::string("pressure.") + faceNames[number], 0.0, "Pa",
               "of an outlet, beyond that at rest");
  schema.add("acceleration", none, "m/s^2", "of all of the fluid, such as gravity: x, y (, z)");
  schema.add("start", "rest", "", "of the fluid").oneOf({"rest", "uniform", "taylor_green"});
  schema.add("start_velocity", none, "m/s", "for start: uniform");
  schema.add("output.quantity", "speed", "", "what pictures show")
      .oneOf({"speed", "vorticity", "pressure"});
  schema.add("output.slice", "z", "", "the axis that pictures in three dimensions look along")
      .oneOf({"x", "y", "z"});
  schema.add("output.slice_at", 0.5, "", "where along it, from 0 to 1").between(0, 1);
  schema.add("output.units", "si", "", "of tables and data").oneOf({"si", "lattice"});
  schema.addTree("obstacles", "solid bodies: spheres, boxes, cylinders, STL files");
  schema.addTree("probes", "places where the table has velocity and pressure");
  return schema;
}

}  // namespace lbm
