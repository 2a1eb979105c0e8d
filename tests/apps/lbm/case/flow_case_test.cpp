#include "../../outputs.hpp"
#include "../trial.hpp"

#include <apps/lbm/case/flow_case.hpp>
#include <apps/lbm/output/fields.hpp>
#include <apps/lbm/setup.hpp>
#include <apps/lbm/solver/stability_monitor.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using lbm::FaceKind;
using lbm::FlowCase;

FlowCase flowOf(const std::string& yaml) {
  return FlowCase(mass::Settings::parse(yaml, "flow.yaml", lbm::schema()));
}
/// Returns the message with which settings are rejected, or "accepted".
std::string refusal(const std::string& yaml) {
  try {
    flowOf(yaml);
  } catch (const mass::SettingsError& error) {
    return error.what();
  }
  return "accepted";
}
void expectRefusal(const std::string& yaml, const std::string& where, const std::string& why) {
  const std::string message = refusal(yaml);
  EXPECT_NE(message.find(where), std::string::npos) << message;
  EXPECT_NE(message.find(why), std::string::npos) << message;
}

const std::string lid = "velocity:\n  y_high: [2, 0]\n";

TEST(FlowCase, ConvertsToTheLattice) {
  const FlowCase flow =
      flowOf("cells: [100, 50]\nlength: 0.5\nreynolds: 400\nlattice_speed: 0.05\n" + lid);
  EXPECT_NEAR(flow.units.cell, 0.005, 1e-15);
  EXPECT_NEAR(flow.units.step, 0.05 * 0.005 / 2, 1e-18);
  EXPECT_NEAR(flow.viscosity, 2 * 0.25 / 400, 1e-15);  // height of the box, speed of the lid
  EXPECT_NEAR(flow.latticeViscosity, 0.05 * 50 / 400, 1e-12);
  EXPECT_NEAR(flow.relaxationTime(), 0.5 + 3 * 0.05 * 50 / 400, 1e-12);
  EXPECT_NEAR(flow.mach(), 0.05 * std::sqrt(3), 1e-12);
  EXPECT_NEAR(flow.lattice.faces[3].velocity[2], 0.05, 1e-15);
  EXPECT_EQ(flow.lattice.dimensions, 2);
  EXPECT_EQ(flow.lattice.cells[1], 50);
}

TEST(FlowCase, GivesEachFaceItsOwnValues) {
  const std::string start =
      "cells: [10, 20, 30]\nlength: 1\ndensity: 1000\nreference_speed: 0.1\nlattice_speed: 0.01\n"
      "reynolds: 1\nvelocity: {z_low: [0, 0.01, 0], z_high: [0.02, 0.03, 0], y_low: [0, 0.05, 0]}\n"
      "faces: {z_low: lid, z_high: lid, y_low: inlet, y_high: wall, x_low: outlet, x_high: "
      "outlet}\n"
      "pressure: {x_low: 3, x_high: -7}\n";
  const FlowCase flow = flowOf(start);
  const auto& faces = flow.lattice.faces;  // z, y, x
  const std::array<FaceKind, 6> kinds{FaceKind::lid,  FaceKind::lid,    FaceKind::inlet,
                                      FaceKind::wall, FaceKind::outlet, FaceKind::outlet};
  // A lattice speed of 0.01 is 0.1 m/s; the lattice gas has pressure = density * speed^2 / 3.
  const double perSpeed = 0.1, perPressure = 3 / (1000.0 * 10 * 10);
  const double velocities[6][3] = {{0, 0.01, 0}, {0, 0.03, 0.02}, {0, 0.05, 0},
                                   {0, 0, 0},    {0, 0, 0},       {0, 0, 0}};
  const std::array<double, 6> pressures{0, 0, 0, 0, 3, -7};
  for (std::size_t number = 0; number < 6; ++number) {
    EXPECT_EQ(faces[number].kind, kinds[number]) << number;
    for (int axis = 0; axis < 3; ++axis)
      EXPECT_NEAR(faces[number].velocity[axis], perSpeed * velocities[number][axis], 1e-15)
          << number << ", " << axis;
    EXPECT_NEAR(faces[number].density, 1 + perPressure * pressures[number], 1e-15) << number;
  }
}

TEST(FlowCase, TakesAReferenceSpeedInsteadOfThatOfTheFastestFace) {
  const std::string start = "cells: [64, 64]\nreference_speed: 1\n" + lid + "lattice_speed: ";
  const FlowCase flow = flowOf(start + "0.1\n");
  EXPECT_EQ(flow.speed, 1);
  EXPECT_NEAR(flow.lattice.faces[3].velocity[2], 0.2, 1e-15);
  EXPECT_NEAR(flow.mach(), 0.2 * std::sqrt(3), 1e-12) << "of the lid";
  expectRefusal(start + "0.15\n", "'lattice_speed'", "too compressible");
}

TEST(FlowCase, HasTheFreeParametersThatAreAskedFor) {
  const std::string start = "cells: [8, 8, 8]\nvelocity:\n  y_high: [1, 0, 0]\nequilibrium: ";
  const lbm::FreeParameters usual;
  EXPECT_EQ(flowOf(start + "bgk\n").lattice.free.speed, usual.speed);
  const auto free = flowOf(start + "optimal\n").lattice.free;  // d'Humieres et al. 2002
  EXPECT_EQ(free.rest, 0);
  EXPECT_NEAR(free.speed, -475.0 / 63, 1e-12);
  EXPECT_EQ(free.pi, 0);
}

const std::string periodic =
    "faces: {x_low: periodic, x_high: periodic, y_low: periodic, y_high: periodic}\n"
    "reference_speed: 1\n";

TEST(FlowCase, BeginsWithVorticesThatDecayAsTaylorSaid) {
  for (const std::int64_t width : {32, 48, 24}) {
    const FlowCase flow = flowOf(fmt::format("cells: [{}, 32]\n", width) + periodic +
                                 "lattice_speed: 0.02\nreynolds: 12.8\nprecision: double\nstart: "
                                 "taylor_green\n");
    EXPECT_NEAR(flow.latticeViscosity, 0.05, 1e-12);
    lbm::testing::Trial run(flow.lattice);
    run.advance(200);
    const double whole = 2 * 3.14159265358979, x = whole / static_cast<double>(width),
                 y = whole / 32, share = std::exp(-0.05 * (x * x + y * y) * 200);
    const auto found = run.solver->macroscopic();
    double maxSpeed = 0;
    for (std::int64_t cell = 0; cell < width * 32; ++cell) {
      const auto start = flow.lattice.start({0, cell / width, cell % width});
      const auto& now = found[static_cast<std::size_t>(cell)];
      for (const std::size_t axis : {1U, 2U}) {
        EXPECT_NEAR(now.velocity[axis], share * start.velocity[axis], 0.01 * 0.02) << cell;
        maxSpeed = std::max(maxSpeed, start.velocity[axis]);
      }
      EXPECT_NEAR(now.density - 1, share * share * (start.density - 1), 0.1 * 6e-4) << cell;
    }
    EXPECT_NEAR(maxSpeed, 0.02, 1e-12);
  }
  expectRefusal(
      "cells: [32, 32]\nstart: taylor_green\nfaces: {y_low: periodic, y_high: "
      "periodic}\nreference_speed: 1\n",
      "flow.yaml:2: 'start'", "make faces.x_low and faces.x_high periodic");
}

TEST(FlowCase, TakesAViscosityInstead) {
  const FlowCase flow = flowOf("cells: [64, 64]\nviscosity: 0.02\n" + lid);
  EXPECT_NEAR(flow.reynolds(), 100, 1e-9);
  expectRefusal("cells: [64, 64]\nviscosity: 0.02\nreynolds: 5\n" + lid, "flow.yaml:2",
                "give one of");
}

TEST(FlowCase, GivesTheRatesOfEachCollision) {
  const std::string start = "cells: [64, 64]\n" + lid + "collision: ";
  using Rates = std::array<double, 6>;
  const auto ratesOf = [&](const std::string& collision) -> Rates {
    const auto r = flowOf(start + collision + "\n").lattice.rates;
    return {r.shear, r.energy, r.energySquare, r.flux, r.pi, r.third};
  };
  const double shear = ratesOf("bgk")[0];
  EXPECT_EQ(ratesOf("bgk"), (Rates{shear, shear, shear, shear, shear, shear}));
  const double odd = ratesOf("trt\nmagic: 0.25")[3];
  EXPECT_NEAR((1 / shear - 0.5) * (1 / odd - 0.5), 0.25, 1e-12);
  EXPECT_EQ(ratesOf("trt\nmagic: 0.25"), (Rates{shear, shear, shear, odd, shear, odd}));
  EXPECT_EQ(ratesOf("mrt"), (Rates{shear, 1.19, 1.4, 1.2, 1.4, 1.98}));
  EXPECT_EQ(ratesOf("mrt\nmrt_rates: [1.1, 1.3, 1.5, 1.7, 1.9]"),
            (Rates{shear, 1.1, 1.3, 1.5, 1.7, 1.9}));
}

TEST(FlowCase, StoresMomentsWhereThatIsAskedFor) {
  const std::string start = "cells: [64, 64]\n" + lid + "collision: regularized\n";
  EXPECT_FALSE(flowOf("cells: [64, 64]\n" + lid).lattice.storesMoments);
  const auto lattice = flowOf(start).lattice;
  EXPECT_TRUE(lattice.storesMoments);
  EXPECT_EQ(lattice.rates.energy, lattice.rates.shear);  // Latt & Chopard 2006
  EXPECT_EQ(flowOf(start + "mrt_rates: [1.3]\n").lattice.rates.energy, 1.3);
  EXPECT_EQ(flowOf(start + "streaming: two_buffers\n").lattice.rates.shear, lattice.rates.shear);
}

TEST(FlowCase, RefusesWhatMeansNothingToMoments) {
  const std::string start = "cells: [64, 64]\n" + lid + "collision: regularized\n";
  expectRefusal(start + "magic: 0.25\n", "flow.yaml:5: 'magic'", "is for collision: trt");
  expectRefusal(start + "streaming: in_place\n", "flow.yaml:5: 'streaming'", "is for populations");
  expectRefusal(start + "equilibrium: optimal\n", "flow.yaml:5: 'equilibrium'", "collision: mrt");
  for (const std::string rates : {"[1.19, 1.4, 1.2, 1.4, 1.98]", "[2]", "[0]", "[]"})
    expectRefusal(start + "mrt_rates: " + rates + "\n", "flow.yaml:5: 'mrt_rates'", "one number");
  expectRefusal(start + "precision: half\n", "'precision'", "three dimensions");
}

TEST(FlowCase, RefusesWhatIsNoFluid) {
  expectRefusal(lid + "viscosity: 0\n", "flow.yaml:3: 'viscosity'", "above 0");
  expectRefusal(lid + "viscosity: -1\n", "flow.yaml:3: 'viscosity'", "above 0");
  expectRefusal(lid + "collision: bkg\n", "flow.yaml:3: 'collision'", "bgk");
  expectRefusal(lid + "faces: {x_low: open}\n", "faces.x_low",
                "wall, lid, inlet, outlet or periodic");
  expectRefusal(lid + "cells: [4]\n", "'cells'", "two or three");
  expectRefusal(lid + "cells: [4, 4.5]\n", "'cells'", "at least one cell");
  expectRefusal(lid + "precision: half\n", "'precision'", "three dimensions");
  expectRefusal(lid + "mrt_rates: [1, 1]\n", "'mrt_rates'", "five numbers");
  expectRefusal("cells: [8, 8]\n", "'reference_speed'", "no face moves");
}

TEST(FlowCase, RefusesAMagicNumberThatMakesNoRate) {
  const std::string start = "cells: [64, 64]\n" + lid + "collision: trt\nmagic: ";
  for (const std::string magic : {"1e300", "20.3", "1e-9", "1e-300"})
    expectRefusal(start + magic + "\n", "flow.yaml:5: 'magic'", "for moments of odd order; use");
  EXPECT_EQ(refusal(start + "20.2\n"), "accepted");
  EXPECT_EQ(refusal(start + "0.01\n"), "accepted");
}

TEST(FlowCase, NamesAGridThatHoldsTheFlow) {
  const std::string message = refusal("cells: [64, 64]\nreynolds: 100000\n" + lid);
  EXPECT_NE(message.find("flow.yaml:2: 'reynolds'"), std::string::npos) << message;
  const auto at = message.find("cells: [");
  ASSERT_NE(at, std::string::npos) << message;
  const std::string cells = message.substr(at, message.find(']', at) + 1 - at);
  EXPECT_EQ(refusal(cells + "\nreynolds: 100000\n" + lid), "accepted");
  expectRefusal("cells: [64, 64]\nlattice_speed: 0.3\nreynolds: 1000\n" + lid, "'lattice_speed'",
                "too compressible");
  expectRefusal("cells: [64, 64]\nreynolds: 0.1\n" + lid, "'lattice_speed'", "inaccurate");
}

TEST(FlowCase, GoesByTheFastestThatIsPrescribed) {
  // The cell Reynolds number of the reference speed is 20; 30 is the limit.
  const std::string start = "cells: [64, 64]\nlattice_speed: 0.05\nreynolds: 1280\n";
  const std::string byLid = start + "reference_speed: 1\nvelocity: {y_high: [";
  EXPECT_EQ(refusal(byLid + "1.4, 0]}\n"), "accepted");
  expectRefusal(byLid + "1.6, 0]}\n", "'reynolds'", "viscosity is 32, and");
  const std::string byStart = start + periodic + "start: uniform\nstart_velocity: [0, ";
  EXPECT_EQ(refusal(byStart + "1.4]\n"), "accepted");
  expectRefusal(byStart + "1.6]\n", "'reynolds'", "viscosity is 32, and");
}

TEST(FlowCase, NamesALatticeSpeedThatHoldsTheFlow) {
  const auto remedyOf = [](const std::string& yaml) {
    const std::string message = refusal(yaml + "lattice_speed: 0.3\n");
    const auto end = message.find(" would do");
    EXPECT_NE(message.find("'lattice_speed'"), std::string::npos) << message;
    if (end == std::string::npos) return "none: " + message;
    const auto begin = message.rfind(' ', end - 1);
    return message.substr(begin, end - begin);
  };
  for (int i = 1; i <= 20; ++i) {
    const std::string fast = fmt::format(
        "cells: [64, 64]\nreference_speed: 1\nvelocity: {{y_high: [{}, 0]}}\n", 1 + 0.07 * i);
    EXPECT_EQ(refusal(fast + "lattice_speed:" + remedyOf(fast) + "\n"), "accepted") << fast;
    const std::string slow = fmt::format("cells: [64, 64]\nreynolds: {}\n", 0.1 + 0.07 * i) + lid;
    EXPECT_EQ(refusal(slow + "lattice_speed:" + remedyOf(slow) + "\n"), "accepted") << slow;
  }
}

TEST(FlowCase, NamesOnlyWhatHoldsTheFlow) {
  const std::string bgk = "cells: [64, 64]\ncollision: bgk\n" + lid + "reynolds: ";
  expectRefusal(bgk + "1500\n", "'reynolds'", "or collision: mrt or a more viscous");
  EXPECT_EQ(refusal(bgk + "2500\n").find("mrt"), std::string::npos);
  // Speed 0.1; cell Reynolds number 20, then 40.
  const std::string start = "cells: [64, 64]\ncollision: regularized\n" + lid;
  expectRefusal(start + "reynolds: 1280\n", "'reynolds'", "or mrt_rates: [1.19] or a more viscous");
  EXPECT_EQ(refusal(start + "reynolds: 1280\nmrt_rates: [1.19]\n"), "accepted");
  EXPECT_EQ(refusal(start + "reynolds: 2560\n").find("mrt"), std::string::npos);
  expectRefusal(start + "reynolds: 2560\nmrt_rates: [1.19]\n", "'reynolds'", "up to 30; cells");
  expectRefusal(start + "reynolds: 1280\nmrt_rates: [1.6]\n", "'reynolds'", "up to 7.5; cells");
  // At most 2^40 cells are supported.
  const std::string beyond = refusal(bgk + "1e30\n");
  EXPECT_EQ(beyond.find("cells: ["), std::string::npos) << beyond;
  EXPECT_NE(beyond.find("a more viscous fluid would do"), std::string::npos) << beyond;
}

TEST(FlowCase, RefusesWhatWouldBreakAtOnce) {
  const std::string start = "cells: [8, 8]\n" + lid;
  expectRefusal(start + "start: uniform\nstart_velocity: [10, 0]\n", "'start_velocity'", "Mach");
  expectRefusal(start + "acceleration: [0, 1e9]\n", "'acceleration'", "Mach");
  for (const std::string pressure : {"1e9", "-1e9"}) {
    expectRefusal(start + "faces: {x_low: outlet}\npressure: {x_low: " + pressure + "}\n",
                  "pressure.x_low", "as dense as at rest");
  }
}

const std::string duct =
    "cells: [8, 16, 16]\nlength: 8\nviscosity: 1\nreference_speed: 1\nlattice_speed: 0.1\nfaces: "
    "{x_low: periodic, x_high: periodic, y_high: wall";
const std::string channel = duct + ", z_low: periodic, z_high: periodic}\nacceleration: ";
const std::string unbound = "cells: [8, 8]\nlength: 8\nviscosity: 1\nlattice_speed: 0.1\n" +
                            periodic + "acceleration: [0.04, 0.03]\n";

TEST(FlowCase, KnowsHowFastAForceDrivesIt) {
  // A cell is 1 m, a step 0.1 s, the viscosity 0.1 cells^2/step.
  const auto speedOf = [](const std::string& yaml) {
    const FlowCase flow = flowOf(yaml);
    EXPECT_EQ(flow.maxLatticeSpeed, std::max(flow.latticeSpeed, flow.forceDriven.speed));
    return flow.forceDriven.speed;
  };
  const double force = 4e-4, between = force * 16 * 16 / (8 * 0.1);
  EXPECT_NEAR(speedOf(channel + "[0.04, 0, 0]\nsteps: 100000\n"), between, 1e-9);
  EXPECT_NEAR(speedOf(channel + "[0, 0, 0.04]\nsteps: 100000\n"), between, 1e-9);
  EXPECT_NEAR(speedOf(channel + "[0.04, 0, 0]\nsteps: 10\n"), 10 * force, 0.2 * force);
  // White, Viscous Fluid Flow: 0.07367 times the square of the width, to 1 %.
  EXPECT_NEAR(speedOf(duct + "}\nacceleration: [0.04, 0, 0]\nsteps: 100000\n"),
              0.07367 * force * 256 / 0.1, 0.01 * between);
  EXPECT_EQ(speedOf(duct + "}\nacceleration: [0, 0.04, 0]\nsteps: 100000\n"), 0);
  EXPECT_NEAR(speedOf(unbound + "steps: 300\n"), 300 * 5e-4, 1e-9);
  EXPECT_NEAR(speedOf(unbound + "steps: 300\nstart: uniform\nstart_velocity: [-0.8, -0.6]\n"),
              300 * 5e-4 - 0.1, 1e-9);
}

TEST(FlowCase, IsAsFastAsItKnowsThatAForceDrivesIt) {
  if (mass::checked) GTEST_SKIP() << "takes minutes where rules are checked";
  for (const std::string& yaml : {channel + "[0.04, 0, 0]\nsteps: 3000\n", unbound + "steps: 300\n",
                                  duct + "}\nacceleration: [0.04, 0, 0]\nsteps: 3000\n"}) {
    const FlowCase flow = flowOf(yaml);
    lbm::testing::Trial run(flow.lattice);
    EXPECT_NEAR(run.advance(flow.steps).solver->maxSpeed() / flow.forceDriven.speed, 1, 0.02)
        << yaml;
  }
}

TEST(FlowCase, RefusesAForceThatMakesItTooFast) {
  // 0.2021 cells/step are a Mach number of 0.35.
  const std::string free = "cells: [8, 8]\nlength: 8\nviscosity: 1\nlattice_speed: 0.1\n" +
                           periodic + "acceleration: [0, 0.1]\nsteps: ";
  EXPECT_EQ(refusal(free + "200\n"), "accepted");
  expectRefusal(free + "1000\n", "'acceleration'", "number of 0.35 by step 203, and to 1.73 by");
  EXPECT_EQ(refusal(channel + "[0.06, 0, 0]\n"), "accepted");
  expectRefusal(channel + "[0.07, 0, 0]\n", "'acceleration'", "and to 0.388 by step 10000");
  EXPECT_EQ(refusal(channel + "[0.07, 0, 0]\nsteps: 300\n"), "accepted") << "not as fast by then";
  EXPECT_EQ(refusal(duct + "}\nacceleration: [0.1, 0, 0]\n"), "accepted") << "four walls";
  // Turbulent flows and flows around obstacles are slower than the estimate.
  EXPECT_EQ(refusal("cells: [8, 64]\nlength: 8\nreynolds: 1800\nreference_speed: 1\nfaces: {x_low: "
                    "periodic, x_high: periodic, y_high: wall}\nacceleration: [0.0128, 0]\n"),
            "accepted");
  EXPECT_EQ(refusal(free + "1000\nobstacles:\n  a: {box: {low: [0, 0], high: [1, 1]}}\n"),
            "accepted");
  // Fluid at rest under its weight.
  const std::string basin =
      "cells: [8, 80]\nlength: 8\nviscosity: 1\nreference_speed: "
      "1\nlattice_speed: 0.1\nfaces: {y_high: wall}\nacceleration: [0, ";
  EXPECT_EQ(refusal(basin + "-0.35]\n"), "accepted");
  expectRefusal(basin + "-0.4]\n", "'acceleration'", "times its density at rest");
}

TEST(FlowCase, RefusesWhatIsBeyondNumbers) {
  for (const std::string length : {"1e-300", "1e-200", "1e200", "1e308"})
    expectRefusal(lid + "length: " + length + "\n", "flow.yaml:3: 'length'", "nothing can be");
  expectRefusal("velocity: {y_high: [1e-300, 0]}\n", "'length'", "a speed of 1e-300 m/s");
}

TEST(FlowCase, RefusesFacesThatMakeNoSense) {
  expectRefusal(lid + "faces: {x_low: periodic}\n", "faces.x_high", "periodic");
  expectRefusal("velocity:\n  y_high: [1, 1]\n", "velocity.y_high", "along itself");
  expectRefusal("velocity:\n  y_high: [1, 0, 0]\n", "velocity.y_high", "2 numbers");
  expectRefusal(lid + "  x_low: [1, 0]\n", "velocity.x_low", "has no velocity");
  expectRefusal(lid + "pressure: {x_low: 1}\n", "pressure.x_low", "has no pressure");
  for (const std::string key :
       {"faces: {z_low: wall}", "velocity: {z_high: [1, 0]}", "pressure: {z_low: 1}"})
    expectRefusal("cells: [8, 8]\nreference_speed: 1\n" + key + "\n", "flow.yaml:3",
                  "is for three dimensions");
  const std::string inlets = "velocity: {x_low: [1, 0], x_high: [1, 0]}\nfaces: {x_low: inlet, ";
  expectRefusal(inlets + "x_high: inlet}\n", "faces.x_low", "there is no outlet");
  EXPECT_EQ(refusal(inlets + "x_high: inlet, y_low: outlet}\n"), "accepted");
}

TEST(FlowCase, FindsTheCellsOfObstacles) {
  const auto count = [](const std::string& body, const std::string& cells) {
    const FlowCase flow = flowOf("cells: " + cells + "\nvelocity:\n  y_high: [1, 0" +
                                 (cells.size() > 10 ? ", 0" : "") +
                                 "]\nreynolds: 10\nobstacles:\n  body: " + body + "\n");
    return static_cast<double>(std::count(flow.lattice.solid.begin(), flow.lattice.solid.end(), 1));
  };
  EXPECT_EQ(count("{box: {low: [0, 0], high: [0.5, 0.25]}}", "[40, 40]"), 200);
  EXPECT_NEAR(count("{cylinder: {center: [0.5, 0.5], diameter: 0.5}}", "[40, 40]"), 314, 8);
  EXPECT_NEAR(count("{sphere: {center: [0.5, 0.5, 0.5], diameter: 0.5}}", "[40, 40, 40]"), 4189,
              60);
  EXPECT_NEAR(
      count("{cylinder: {center: [0.5, 0.5, 0.5], diameter: 0.5, axis: x}}", "[40, 40, 40]"), 12566,
      320);
}

TEST(FlowCase, HasACylinderInItsSettingsThatIsAlikeAboveAndBelow) {
  const FlowCase flow(
      mass::Settings::load(MASS_SOURCE_DIR "/settings/cylinder.yaml", lbm::schema()));
  const auto& [nz, ny, nx] = flow.lattice.cells;
  std::int64_t different = 0;
  for (std::int64_t y = 0; y < ny; ++y) {
    for (std::int64_t x = 0; x < nx; ++x)
      different += flow.lattice.solid[static_cast<std::size_t>(y * nx + x)] !=
                   flow.lattice.solid[static_cast<std::size_t>((ny - 1 - y) * nx + x)];
  }
  EXPECT_EQ(different, 0) << "the mean of the force across the flow is 0";
}

TEST(FlowCase, RefusesObstaclesAndProbesThatAreNotThere) {
  const std::string start = "cells: [8, 8]\n" + lid;
  expectRefusal(start + "obstacles:\n  a: {ball: {diameter: 1}}\n", "flow.yaml:5", "ball");
  expectRefusal(start + "obstacles:\n  a: {}\n", "flow.yaml:5", "has no shape");
  expectRefusal(start + "obstacles:\n  a: {sphere: {center: [5, 5], diameter: 0.1}}\n",
                "flow.yaml:5", "outside");
  expectRefusal(start + "obstacles:\n  a: {sphere: {center: [5, 5], diameter: -1}}\n", "diameter",
                "above 0");
  expectRefusal(start + "obstacles:\n  a: {box: {low: [0, 0], high: [1, 1]}}\n", "obstacles",
                "no room");
  expectRefusal(start + "probes:\n  p: [1.5, 0.5]\n", "flow.yaml:5", "outside of the box");
}

TEST(FlowCase, RefusesProbesThatShowNothing) {
  const std::string start = "cells: [8, 8]\n" + lid;
  const std::string body = start + "obstacles:\n  a: {box: {low: [0.25, 0.5], high: [0.5, 1]}}\n";
  expectRefusal(body + "probes:\n  p: [0.4, 0.6]\n", "flow.yaml:7: 'probes.p'",
                "inside an obstacle");
  EXPECT_EQ(refusal(body + "probes:\n  p: [0.6, 0.4]\n"), "accepted");
  EXPECT_EQ(refusal(body + "probes:\n  p: [0.4, 0.4]\n"), "accepted");  // its own mirror image
  for (const std::string name : {"'a,b'", "'a\"b'", "\"a\\nb\"", "''"})
    expectRefusal(start + "probes:\n  " + name + ": [0.5, 0.5]\n", "flow.yaml:5", "without commas");
}

/// Cube of side 1 from (0, 0, 0) with outward or inward triangles, as ASCII STL.
std::string cubeOf(bool outwards) {
  std::string text = "solid cube\n";
  for (int axis = 0; axis < 3; ++axis) {
    for (const int side : {0, 1}) {
      const auto corner = [&](int a, int b) {
        int point[3] = {};
        point[axis] = side;
        point[(axis + 1) % 3] = a;
        point[(axis + 2) % 3] = b;
        return fmt::format("vertex {} {} {}\n", point[0], point[1], point[2]);
      };
      for (const int half : {0, 1}) {
        const std::string last = corner(half, 1 - half);
        const bool turned = (half == 0) == ((side == 1) == outwards);
        text += "facet normal 0 0 0\nouter loop\n" +
                (turned ? corner(1, 1) + last + corner(0, 0) : corner(0, 0) + last + corner(1, 1)) +
                "endloop\nendfacet\n";
      }
    }
  }
  return text + "endsolid cube\n";
}

TEST(FlowCase, TakesASurfaceWhereItIsPutAlsoInsideOut) {
  const mass::testing::TemporaryFolder folder;
  const auto settings = [&](bool outwards) {
    mass::testing::writeBytes(folder / "cube.stl", cubeOf(outwards));
    return "cells: [8, 6, 4]\nlength: 8\nvelocity:\n  y_high: [1, 0, 0]\nreynolds: 10\n"
           "obstacles:\n  a: {surface: {file: " +
           (folder / "cube.stl").string() + ", scale: 2, shift: [3, 1, 2]}}\n";
  };
  for (const bool outwards : {true, false}) {
    const FlowCase flow = flowOf(settings(outwards));
    std::size_t number = 0;
    for (int z = 0; z < 4; ++z) {
      for (int y = 0; y < 6; ++y) {
        for (int x = 0; x < 8; ++x, ++number) {
          const bool is = z >= 2 && (y == 1 || y == 2) && (x == 3 || x == 4);
          EXPECT_EQ(flow.lattice.solid[number], is ? 1 : 0) << x << ", " << y << ", " << z;
        }
      }
    }
    EXPECT_EQ(flow.report().find("'obstacles.a.surface.file': its triangles face inwards and are "
                                 "turned over\n") == std::string::npos,
              outwards);
  }
}

TEST(FlowCase, RefusesSurfacesThatCannotBeUsed) {
  const std::string start =
      "cells: [8, 8, 8]\nvelocity:\n  y_high: [1, 0, 0]\nobstacles:\n  a: {surface: {file: ";
  expectRefusal(start + "/nowhere/part.stl}}\n", "flow.yaml:5", "/nowhere/part.stl");
  expectRefusal(start + MASS_SOURCE_DIR "/settings/surfaces/ball.stl}}\n", "flow.yaml:5",
                "give it another scale");
  expectRefusal(start + MASS_SOURCE_DIR
                    "/settings/surfaces/ball.stl, scale: 1e308, shift: [1.79e308, 0, 0]}}\n",
                "flow.yaml:5", "not finite");
  const mass::testing::TemporaryFolder folder;
  const auto open = folder.path() / "open.stl";
  std::ofstream(open)
      << "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 "
         "0\nendloop\nendfacet\nendsolid a\n";
  expectRefusal(start + open.string() + "}}\n", "flow.yaml:5", "closed");
}

/// Exit code and output of a run of the program, with its results in a folder.
struct Said {
  int code = 0;
  std::string out, error;
};
Said run(const std::filesystem::path& folder, const std::string& yaml,
         const std::string& checkpoint = {}) {
  const auto settings = folder / "flow.yaml";
  std::ofstream(settings) << yaml << "\noutput.folder: " << (folder / "out").string() << '\n';
  const std::string file = settings.string();
  const char* const arguments[] = {"lbm", file.c_str(), "--restart", checkpoint.c_str()};
  const int count = checkpoint.empty() ? 2 : 4;
  ::testing::internal::CaptureStderr();
  ::testing::internal::CaptureStdout();
  Said said;
  said.code =
      mass::runProgram(count, arguments, {lbm::programName, "Flow.", lbm::schema(), lbm::setUp});
  said.out = ::testing::internal::GetCapturedStdout();
  said.error = ::testing::internal::GetCapturedStderr();
  return said;
}

TEST(FlowCase, SaysHowItIsSplitAndRefusesWhatCannotBe) {
  const mass::testing::TemporaryFolder folder;
  const std::string start = "cells: [8, 8]\nsteps: 1\nbackend: cpu\n" + lid + "devices: ";
  EXPECT_NE(run(folder.path(), start + "2\n").out.find("2, of 32 cells each, 8 of them at a cut"),
            std::string::npos);
  EXPECT_EQ(run(folder.path(), start + "1\n").out.find("cut"), std::string::npos);
  const Said refused = run(folder.path(), start + "9\n");
  EXPECT_NE(refused.error.find("has only 8 rows"), std::string::npos) << refused.error;
}

TEST(FlowCase, LeavesNothingOfARunThatIsRefused) {
  const mass::testing::TemporaryFolder folder;
  const Said said = run(folder.path(), "cells: [8, 8]\n" + lid + "probes: {'a,b': [0.5, 0.5]}\n");
  EXPECT_NE(said.error.find("flow.yaml:4: 'probes.a,b'"), std::string::npos) << said.error;
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "out"));
}

TEST(FlowCase, SaysWhatMemoryItTakes) {
  const mass::testing::TemporaryFolder folder;
  const std::string start =
      "cells: [256, 256]\nsteps: 1\nbackend: cpu\noutput.table_every: 0\n" + lid;
  for (const auto& [streaming, least, most] :
       {std::tuple{"in_place", 37.0, 41.0}, std::tuple{"two_buffers", 73.0, 81.0}}) {
    const Said said = run(folder.path(), start + "streaming: " + streaming + "\n");
    const auto at = said.out.find("MiB, ");
    ASSERT_NE(at, std::string::npos) << said.out;
    const double bytes = std::stod(said.out.substr(at + 5));
    EXPECT_GE(bytes, least) << said.out;
    EXPECT_LE(bytes, most) << said.out;
  }
  const Said said = run(folder.path(), start + "collision: regularized\n");
  const auto at = said.out.find("MiB, ");
  ASSERT_NE(at, std::string::npos) << said.out;
  const double bytes = std::stod(said.out.substr(at + 5));
  EXPECT_GE(bytes, 2 * 6 * 4 + 1);
  EXPECT_LE(bytes, 1.08 * (2 * 6 * 4 + 1));
}

TEST(FlowCase, WritesDensityAndPressure) {
  const std::string start = "cells: [4, 2]\nreynolds: 10\ndensity: 800\n" + lid;
  const FlowCase si = flowOf(start), lattice = flowOf(start + "output.units: lattice\n");
  std::vector<lbm::Macroscopic<3>> cells(8);
  cells[5].density = 1.01;
  for (const FlowCase* flow : {&si, &lattice}) {
    const mass::DataFrame frame = dataOf(*flow, {flow->lattice, cells});
    ASSERT_EQ(frame.arrays.size(), 4U);
    const auto value = [&](std::size_t array, std::size_t cell) {
      return static_cast<double>(static_cast<const float*>(frame.arrays[array].data)[cell]);
    };
    EXPECT_EQ(frame.arrays[0].name, "density");
    EXPECT_EQ(frame.arrays[1].name, "pressure");
    EXPECT_EQ(frame.arrays[2].name, "velocity");
    EXPECT_EQ(frame.arrays[3].name, "vorticity");
    EXPECT_NEAR(value(0, 0), flow->inSi ? 800 : 1, 1e-4);
    EXPECT_NEAR(value(0, 5), flow->inSi ? 808 : 1.01, 1e-4);
    EXPECT_EQ(value(1, 0), 0);
    // p = c^2 (rho - rho0), with the speed of sound c = 1/sqrt(3) cells/step.
    const double sound = flow->inSi ? flow->units.speed() : 1;
    EXPECT_NEAR(value(1, 5) / ((value(0, 5) - value(0, 0)) * sound * sound / 3), 1, 1e-4);
  }
}

/// Returns the table columns of a force-driven flow around a cube in a periodic box.
std::map<std::string, std::vector<double>> tableOf(const std::string& more) {
  const mass::testing::TemporaryFolder folder;
  const Said said = run(
      folder.path(),
      "cells: [8, 8, 8]\nlength: 0.008\nreynolds: 1\nreference_speed: 0.01\nlattice_speed: "
      "0.05\nfaces: {x_low: periodic, x_high: periodic, y_low: periodic, y_high: periodic, z_low: "
      "periodic, z_high: periodic}\nacceleration: [0.05, 0.02, 0.01]\nobstacles:\n  a: {box: "
      "{low: [0.002, 0.002, 0.002], high: [0.006, 0.006, 0.006]}}\nprobes:\n  p: [0.0005, 0.0005, "
      "0.0005]\nsteps: 600\noutput.table_every: 600\nbackend: cpu\n" +
          more);
  EXPECT_EQ(said.code, 0) << said.error;
  const auto rows = mass::testing::cellsOf(folder.path() / "out" / "lbm.csv");
  std::map<std::string, std::vector<double>> columns;
  for (std::size_t i = 0; i < rows.at(0).size(); ++i) {
    for (std::size_t row = 1; row < rows.size(); ++row)
      columns[rows[0][i]].push_back(std::stod(rows[row].at(i)));
  }
  return columns;
}

TEST(FlowCase, HasForcesProbesAndSumsInTheTable) {
  auto si = tableOf(""), lattice = tableOf("output.units: lattice\n");
  // In the steady state the cube bears the force on the fluid: 512 - 64 mm^3 of 1000 kg/m^3.
  const double fluid = 448e-6;
  EXPECT_NEAR(si["force_x"].at(1) / (0.05 * fluid), 1, 1e-3);
  EXPECT_NEAR(si["force_y"].at(1) / (0.02 * fluid), 1, 1e-3);
  EXPECT_NEAR(si["force_z"].at(1) / (0.01 * fluid), 1, 1e-3);
  EXPECT_GT(si["p.u"].at(1), 1.5 * si["p.v"].at(1));
  EXPECT_GT(si["p.v"].at(1), 1.5 * si["p.w"].at(1));
  EXPECT_GT(si["p.w"].at(1), 0);
  EXPECT_NEAR(si["mass"].at(0), 1, 1e-6);
  EXPECT_NEAR(si["mass"].at(1), 1, 1e-4);
  EXPECT_NEAR(si["p.p"].at(0), 0, 1e-3) << "above that at rest";
  EXPECT_NEAR(lattice["p.density"].at(0), 1, 1e-6);
  // A cell is 1 mm, a step 5 ms, so a speed of 1 is 0.2 m/s.
  EXPECT_NEAR(si["time"].at(1), 600 * 0.005, 1e-9);
  EXPECT_EQ(lattice["time"].at(1), 600);
  EXPECT_NEAR(si["p.u"].at(1) / lattice["p.u"].at(1), 0.2, 1e-6);
  EXPECT_NEAR(si["energy"].at(1) / lattice["energy"].at(1), 1000 * 0.04, 1e-3);
  EXPECT_NEAR(si["force_x"].at(1) / lattice["force_x"].at(1), 1000 * 0.04 * 1e-6, 1e-9);
}

/// Rates near 2 are unstable with a lid of this speed.
const std::string breaking =
    "cells: [16, 16]\nreynolds: 450\nlattice_speed: 0.2\ncollision: mrt\nmrt_rates: [1.999, 1.999, "
    "1.999, 1.999, 1.999]\n" +
    lid;

/// Steps that the message of a diverged run names: of the last good check, the failed check, and
/// the first divergence; -1 if it does not name one. `where` names the cells.
struct ReportedDivergence {
  std::int64_t after = -1, by = -1, first = -1;
  std::string where;
};
ReportedDivergence reportedDivergence(const Said& said) {
  ReportedDivergence reportedDivergence;
  const auto at = said.error.find("between steps ");
  const auto cells = said.error.find("in ", std::min(at, said.error.size()));
  if (said.code != 2 || cells == std::string::npos) return reportedDivergence;
  std::istringstream text(said.error.substr(at));
  std::string word;
  text >> word >> word >> reportedDivergence.after >> word >> reportedDivergence.by;
  reportedDivergence.where = said.error.substr(cells, said.error.find(": use", cells) - cells);
  const std::string first = "unstable, first at step ";
  if (const auto is = said.error.find(first); is != std::string::npos)
    reportedDivergence.first = std::stoll(said.error.substr(is + first.size()));
  return reportedDivergence;
}
std::int64_t divergedBy(const Said& said) {
  return reportedDivergence(said).by;
}

TEST(FlowCase, EndsADivergedRunAndKeepsTheCheckpoint) {
  const mass::testing::TemporaryFolder folder;
  const Said said =
      run(folder.path(), breaking + "steps: 20000\noutput.table_every: 0\ncheckpoint.every: 10\n");
  EXPECT_EQ(reportedDivergence(said).by - reportedDivergence(said).after, 10) << said.error;
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "out" / "checkpoint.h5"));
}

TEST(FlowCase, LocatesTheStepAndRegionOfDivergence) {
  const mass::testing::TemporaryFolder folder;
  const std::string start = breaking + "steps: 20000\noutput.table_every: 0\nbackend: cpu\n";
  const ReportedDivergence each =
      reportedDivergence(run(folder.path(), start + "checkpoint.every: 1\n"));
  ASSERT_GT(each.by, 20);
  EXPECT_EQ(each.first, each.by) << "each step was checked";
  EXPECT_EQ(each.where.find("from 0, 0 to 15, 15"), std::string::npos) << each.where;
  // Recomputed from the start, and from the last checkpoint.
  for (const std::int64_t every : {std::int64_t{0}, each.by - 5, each.by / 2}) {
    const ReportedDivergence found = reportedDivergence(
        run(folder.path(), start + "checkpoint.every: " + std::to_string(every) + "\n"));
    EXPECT_EQ(found.first, each.first) << every;
    EXPECT_EQ(found.where, each.where) << every;
    EXPECT_EQ(found.after % (every > 0 ? every : 100), 0);
  }
}

TEST(FlowCase, LocatesTheRegionOfDivergenceWithoutACheckpoint) {
  const mass::testing::TemporaryFolder folder;
  const std::string start = breaking + "output.table_every: 0\nbackend: cpu\n";
  ASSERT_EQ(run(folder.path(), start + "steps: 20\ncheckpoint.every: 10\n").code, 0);
  const std::string saved = (folder.path() / "saved.h5").string();
  std::filesystem::rename(folder.path() / "out" / "checkpoint.h5", saved);
  const ReportedDivergence found =
      reportedDivergence(run(folder.path(), start + "steps: 20000\n", saved));
  EXPECT_GT(found.by, 20);
  EXPECT_EQ(found.first, -1);
  EXPECT_EQ(found.where.rfind("in ", 0), 0U) << found.where;
}

TEST(FlowCase, WarnsOnceWhenItBecomesTooFast) {
  // Pressure-driven channel flow, slower than sound.
  const auto errorOf = [](const std::string& pressure) {
    const mass::testing::TemporaryFolder folder;
    const std::string start =
        "cells: [24, 8]\nlength: 24\nreference_speed: 1\nviscosity: 0.5\ndensity: 1\nfaces: "
        "{x_low: outlet, x_high: outlet, y_high: wall}\nsteps: 2000\noutput.table_every: "
        "100\nbackend: cpu\npressure.x_low: ";
    return run(folder.path(), start + pressure + "\n").error;
  };
  const std::string error = errorOf("4");
  const auto first = error.find("Mach number has reached 0.");
  ASSERT_NE(first, std::string::npos) << error;
  EXPECT_EQ(error.find("Mach number has reached", first + 1), std::string::npos) << error;
  EXPECT_EQ(errorOf("1"), "");
}

TEST(FlowCase, IsNoneWhereTheDensityHasLeftAllBounds) {
  for (const bool moments : {false, true}) {
    for (const auto& [density, isSound] :
         {std::pair{0.45, false}, {0.55, true}, {1.45, true}, {1.55, false}}) {
      auto lattice = lbm::testing::box({1, 4, 4}, lbm::testing::oneRate(0.1));
      lattice.storesMoments = moments;
      lattice.start = [density = density](const std::array<std::int64_t, 3>& cell) {
        lbm::Macroscopic<3> at;
        if (cell[1] == 2 && cell[2] == 3) at.density = density;
        return at;
      };
      EXPECT_EQ(lbm::testing::Trial(lattice).solver->divergedRegion().count, isSound ? 0 : 1)
          << density;
    }
  }
}

TEST(FlowCase, GoesOnFromACheckpointWithItsObstaclesAndFacesOnly) {
  const mass::testing::TemporaryFolder folder;
  const std::string saved = (folder.path() / "saved.h5").string();
  for (const std::string collision : {"mrt", "regularized"}) {
    const std::string start =
        "cells: [8, 8]\nreynolds: 20\nbackend: cpu\noutput.table_every: 0\ncollision: " +
        collision + "\n" + lid;
    const std::string body = "obstacles:\n  a: {box: {low: [0.25, 0.25], high: [0.5, ";
    const std::string first = start + body + "0.5]}}\n";
    EXPECT_EQ(run(folder.path(), first + "steps: 4\ncheckpoint.every: 4\n").code, 0);
    std::filesystem::rename(folder.path() / "out" / "checkpoint.h5", saved);
    EXPECT_EQ(run(folder.path(), first + "steps: 8\n", saved).code, 0);
    for (const std::string& other : {start, start + body + "0.625]}}\n",
                                     first + "faces: {x_low: periodic, x_high: periodic}\n"}) {
      const Said said = run(folder.path(), other + "steps: 8\n", saved);
      EXPECT_EQ(said.code, 2);
      EXPECT_NE(said.error.find("was written with another 'fluid.kind'"), std::string::npos)
          << said.error;
    }
  }
}

TEST(FlowCase, LooksAtAllThatIsKeptOfARun) {
  const mass::testing::TemporaryFolder folder;
  const std::string none = breaking + "output.table_every: 0\n";
  const std::int64_t first =
      divergedBy(run(folder.path(), none + "steps: 20000\ncheckpoint.every: 1\n"));
  ASSERT_GT(first, 1);
  const std::string there = std::to_string(first), beyond = "steps: 20000\n";
  for (const std::string& more :
       {"steps: " + there, beyond + "output.frame_every: " + there,
        beyond + "output.data_every: " + there,
        "duration: " + std::to_string(static_cast<double>(first) * 0.2 / 16 / 2)}) {
    EXPECT_EQ(divergedBy(run(folder.path(), none + more)), first) << more;
  }
  // Rows of the table are not checked each, only at the interval.
  const std::int64_t later =
      divergedBy(run(folder.path(), breaking + beyond + "output.table_every: 1\n"));
  EXPECT_GE(later, first);
  EXPECT_LE(later, 4000);
}

TEST(StabilityMonitor, ChecksWhenDueHoweverManyStepsRunAtOnce) {
  // A uniform flow that a force accelerates by 1.28e-4 cells/step in each step, to the speed of
  // sound after 4,510: more than settings permit.
  FlowCase flow = flowOf("cells: [8, 8]\n" + periodic);
  flow.lattice.force[2] = 1.28e-4;
  for (const std::int64_t looked : {4000, 4133}) {
    lbm::testing::Trial run(flow.lattice);
    lbm::StabilityMonitor monitor(run.mass, flow.lattice, *run.solver, [](const std::string&) {});
    monitor.advance(0, looked);
    monitor.check(looked);  // simulates the check before a checkpoint
    try {
      monitor.advance(looked, 2'000'000);
      ADD_FAILURE() << "no divergence was reported";
    } catch (const mass::ModelError& error) {
      const std::string message = error.what();
      const auto expect = [&](const std::string& what) {
        EXPECT_NE(message.find(what), std::string::npos) << message;
      };
      expect(fmt::format("between steps {} and 8000 the flow has become unstable", looked));
      expect("first at step 4511, in 64 cells from 0, 0 to 7, 7: use more cells");
    }
  }
}

}  // namespace
