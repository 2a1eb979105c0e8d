#include <apps/lbm/case/flow_case.hpp>
#include <apps/lbm/setup.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace lbm {
namespace {

void addFluidKeys(mass::Schema& schema) {
  schema
      .add("cells", std::vector<double>{128, 128}, "",
           "number of cells along x, y and, in three dimensions, z")
      .atLeast(1);
  schema.add("length", 1.0, "m", "extent of the box along x").above(0);
  schema.add("reynolds", 100.0, "", "Reynolds number of reference_length and reference_speed")
      .above(0);
  schema.add("viscosity", 1.0, "m^2/s", "kinematic viscosity; alternative to reynolds").above(0);
  schema.add("density", 1000.0, "kg/m^3", "density of the fluid at rest").above(0);
  schema
      .add("reference_length", 0.0, "m",
           "length of the Reynolds number; 0 = extent of the box along y")
      .atLeast(0);
  schema
      .add("reference_speed", 0.0, "m/s",
           "speed of the Reynolds number; 0 = speed of the fastest face")
      .atLeast(0);
  schema
      .add("lattice_speed", 0.1, "cells/step",
           "reference speed in lattice units; determines the time step")
      .above(0);
  schema.add("duration", 0.0, "s", "time to simulate, unless steps is given; 0 = use steps")
      .atLeast(0);
  schema
      .add("collision", "mrt", "",
           "one, two or multiple relaxation rates; regularized: stores moments, not populations")
      .oneOf({"bgk", "trt", "mrt", "regularized"});
  schema
      .add("magic", 0.1875, "",
           "magic number of trt: 3/16 places walls half-way between cells, 1/4 is the most stable")
      .above(0);
  schema.add(
      "mrt_rates", std::vector<double>{1.19, 1.4, 1.2, 1.4, 1.98}, "",
      "rates of e, epsilon, q, pi and m (d'Humieres et al. 2002); of regularized, the rate of e");
  schema.add("equilibrium", "bgk", "", "free parameters of mrt; optimal: in three dimensions only")
      .oneOf({"bgk", "optimal"});
  schema
      .add("precision", "float", "",
           "half: stored in 16 bits, computed in 32; in three dimensions only")
      .oneOf({"half", "float", "double"});
}

void addBoundaryKeys(mass::Schema& schema) {
  const std::vector<double> none;
  for (const std::size_t number : {4U, 5U, 2U, 3U, 0U, 1U}) {
    schema
        .add(std::string("faces.") + faceNames[number], number == 3 ? "lid" : "wall", "",
             "boundary condition")
        .oneOf({"wall", "lid", "inlet", "outlet", "periodic"});
  }
  for (const std::size_t number : {4U, 5U, 2U, 3U, 0U, 1U})
    schema.add(std::string("velocity.") + faceNames[number], none, "m/s",
               "velocity of a lid or inlet: x, y (, z)");
  for (const std::size_t number : {4U, 5U, 2U, 3U, 0U, 1U})
    schema.add(std::string("pressure.") + faceNames[number], 0.0, "Pa",
               "pressure of an outlet, above that at rest");
  schema.add("acceleration", none, "m/s^2", "body force per mass, such as gravity: x, y (, z)");
  schema.add("start", "rest", "", "initial state of the fluid")
      .oneOf({"rest", "uniform", "taylor_green"});
  schema.add("start_velocity", none, "m/s", "initial velocity for start: uniform: x, y (, z)");
}

void addOutputKeys(mass::Schema& schema) {
  schema.add("output.quantity", "speed", "", "quantity shown in pictures")
      .oneOf({"speed", "vorticity", "pressure"});
  schema
      .add("output.slice", "z", "",
           "axis normal to the slice shown in pictures, in three dimensions")
      .oneOf({"x", "y", "z"});
  schema
      .add("output.slice_at", 0.5, "",
           "position of the slice along that axis, as a share of the extent")
      .between(0, 1);
  schema.add("output.units", "si", "", "units of tables and data").oneOf({"si", "lattice"});
}

}  // namespace

mass::Schema schema() {
  auto schema = mass::Schema::library();
  schema.setDefault("steps", 10000);
  addFluidKeys(schema);
  addBoundaryKeys(schema);
  addOutputKeys(schema);
  schema.addTree("obstacles", "solid bodies: spheres, boxes, cylinders, STL files");
  schema.addTree("probes", "points whose velocity and pressure are columns of the table");
  return schema;
}

mass::Program program() {
  return {programName, "Flow in a box by the lattice Boltzmann method.", schema(), setUp};
}

}  // namespace lbm
