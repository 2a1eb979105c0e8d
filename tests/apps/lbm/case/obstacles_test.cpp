// Bodies and probes in the settings: cells, and the lines that a run prints about them.
#include <apps/lbm/case/obstacles.hpp>
#include <apps/lbm/setup.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <mass/mass.hpp>
#include <tests/support/temporary_folder.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace lbm {
namespace {

using mass::testing::contains;
using mass::testing::messageOf;
using mass::testing::TemporaryFolder;
using mass::testing::writeBytes;

FlowCase flowOf(const std::string& yaml) {
  return FlowCase(mass::Settings::parse(yaml, "flow.yaml", schema()));
}

std::int64_t solidCells(const FlowCase& flow) {
  return std::count(flow.lattice.solid.begin(), flow.lattice.solid.end(), 1);
}

/// Returns the settings of a periodic box of side 1.
std::string periodicBox(int cells, double latticeSpeed = 0.05) {
  return fmt::format(
      "cells: [{0}, {0}, {0}]\nlength: 1\nreynolds: 2\nreference_speed: 1\nlattice_speed: {1}\n"
      "faces: {{x_low: periodic, x_high: periodic, y_low: periodic, y_high: periodic, z_low: "
      "periodic, z_high: periodic}}\n",
      cells, latticeSpeed);
}

/// Returns a cube of side 1 as binary STL. @param zero returns the coordinate in place of 0 in a
/// triangle
template <class Zero>
std::string cubeOf(const Zero& zero, const std::string& header = "part", bool isInward = false) {
  constexpr std::array<std::array<unsigned, 3>, 12> faces{{{0, 3, 1},
                                                           {0, 2, 3},
                                                           {4, 5, 7},
                                                           {4, 7, 6},
                                                           {0, 1, 5},
                                                           {0, 5, 4},
                                                           {1, 3, 7},
                                                           {1, 7, 5},
                                                           {3, 2, 6},
                                                           {3, 6, 7},
                                                           {2, 0, 4},
                                                           {2, 4, 6}}};
  std::string bytes = header;
  bytes.resize(80);
  const auto append = [&](std::uint32_t value) {
    for (unsigned i = 0; i < 4; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFFU);
  };
  append(12);
  for (std::size_t face = 0; face < 12; ++face) {
    bytes.append(12, '\0');
    for (std::size_t i = 0; i < 3; ++i) {
      const unsigned corner = faces[face][isInward ? 2 - i : i];
      for (unsigned axis = 0; axis < 3; ++axis)
        append(std::bit_cast<std::uint32_t>((corner >> axis & 1U) != 0 ? 1.0F : zero(face)));
    }
    bytes.append(2, '\0');
  }
  return bytes;
}
std::string cube(const std::string& header = "part", bool isInward = false) {
  return cubeOf([](std::size_t) { return 0.0F; }, header, isInward);
}

/// Returns the flow around a surface, scaled by a half and moved by 1/4.
FlowCase flowAround(const std::string& bytes) {
  const TemporaryFolder folder;
  writeBytes(folder / "cube.stl", bytes);
  return flowOf(periodicBox(16) + "obstacles: {part: {surface: {file: '" +
                (folder / "cube.stl").string() + "', scale: 0.5, shift: [0.25, 0.25, 0.25]}}}\n");
}

TEST(Obstacles, haveTheCellsOfSurfacesAsProgramsWriteThem) {
  struct Case {
    std::string bytes, note;
  };
  const std::vector<Case> cases{
      {cube(), ""},
      // Zeros are 0, 2.4e-18 or -5.7e-17.
      {cubeOf([](std::size_t face) {
         return std::array{0.0F, 2.4e-18F, -5.7e-17F}[face % 3];
       }),
       "vertices that differ by rounding were merged with others at most 1.03e-16 of its units "
       "away"},
      {cube() + "\n", "1 bytes behind the 12 triangles of its header are ignored"},
      {cube("solid part by some CAD") + std::string(428, '\0'),
       "428 bytes behind the 12 triangles of its header are ignored"},
      {cube("part", true), "its triangles face inwards and are turned over"}};
  for (const Case& is : cases) {
    const FlowCase flow = flowAround(is.bytes);
    EXPECT_EQ(solidCells(flow), 512) << is.note;
    EXPECT_EQ(flow.obstacles.notes.size(), is.note.empty() ? 0U : 1U);
    EXPECT_TRUE(contains(flow.report(), is.note));
  }
}

TEST(Obstacles, mayTouchTheBoxUpToRounding) {
  const TemporaryFolder folder;
  writeBytes(folder / "cube.stl", cubeOf([](std::size_t) { return -1e-7F; }));
  const std::string start =
      "cells: [8, 8, 8]\nreference_speed: 1\nreynolds: 2\nobstacles: {part: "
      "{surface: {file: '" +
      (folder / "cube.stl").string() + "', scale: ";
  EXPECT_EQ(solidCells(flowOf(start + "0.5, shift: [0, 0.5, 0]}}}\n")), 64);
  EXPECT_TRUE(contains(
      messageOf<mass::SettingsError>([&] { flowOf(start + "0.5, shift: [0, 0.501, 0]}}}\n"); }),
      "extends from 0.501 m to 1.001 m along y"));
}

std::string refusalOf(const std::string& yaml) {
  return messageOf<mass::SettingsError>([&] { flowOf(yaml); });
}

/// Returns solid cells moved round a periodic cube of cells by some cells along x, y, z.
std::vector<std::uint8_t> shifted(const FlowCase& flow, const std::array<std::size_t, 3>& by) {
  const auto n = static_cast<std::size_t>(flow.lattice.cells[0]);
  std::vector<std::uint8_t> moved(n * n * n);
  for (std::size_t z = 0; z < n; ++z)
    for (std::size_t y = 0; y < n; ++y)
      for (std::size_t x = 0; x < n; ++x)
        moved[((z + by[2]) % n * n + (y + by[1]) % n) * n + (x + by[0]) % n] =
            flow.lattice.solid[(z * n + y) * n + x];
  return moved;
}

TEST(Obstacles, continueBeyondPeriodicFaces) {
  const auto ball = [](const std::string& center) {
    return flowOf(periodicBox(20) + "obstacles: {ball: {sphere: {center: [" + center +
                  "], diameter: 0.6}}}\n");
  };
  EXPECT_EQ(solidCells(ball("0.5, 0.5, 0.5")), 912);
  for (const std::string center :
       {"0, 0, 0", "1, 0, 1", "0, 0.5, 0.5", "-0.5, 1.5, 2", "0.5, 0.5, 0.9"})
    EXPECT_EQ(solidCells(ball(center)), 912) << center;
}

TEST(Obstacles, ofAnyShapeContinueBeyondPeriodicFaces) {
  const TemporaryFolder folder;
  writeBytes(folder / "cube.stl", cube());
  // Each shape in the middle of 16 cells, and moved by some cells.
  const std::vector<std::function<std::string(double, double, double)>> shapes{
      [](double x, double y, double z) {
        return fmt::format("sphere: {{center: [{}, {}, {}], diameter: 0.55}}", x, y, z);
      },
      [](double x, double y, double z) {
        return fmt::format("box: {{low: [{}, {}, {}], high: [{}, {}, {}]}}", x - 0.25, y - 0.125,
                           z - 0.375, x + 0.25, y + 0.25, z + 0.375);
      },
      [](double x, double y, double z) {
        return fmt::format("cylinder: {{axis: y, center: [{}, {}, {}], diameter: 0.55}}", x, y, z);
      },
      [&](double x, double y, double z) {
        return fmt::format("surface: {{file: '{}', scale: 0.5, shift: [{}, {}, {}]}}",
                           (folder / "cube.stl").string(), x - 0.25, y - 0.25, z - 0.25);
      }};
  for (const auto& shape : shapes) {
    const auto at = [&](const std::array<int, 3>& by) {
      return flowOf(periodicBox(16) + "obstacles: {a: {" +
                    shape(0.5 + by[0] / 16.0, 0.5 + by[1] / 16.0, 0.5 + by[2] / 16.0) + "}}\n");
    };
    const FlowCase middle = at({0, 0, 0});
    for (const auto& by : std::vector<std::array<int, 3>>{{8, 8, 8},
                                                          {-8, -8, -8},
                                                          {5, 0, 0},
                                                          {0, -6, 0},
                                                          {0, 0, 7},
                                                          {-5, 4, 10},
                                                          {-16, 16, 1}}) {
      std::array<std::size_t, 3> steps{};
      for (std::size_t i = 0; i < 3; ++i) steps[i] = static_cast<std::size_t>(by[i] + 16) % 16;
      EXPECT_EQ(at(by).lattice.solid, shifted(middle, steps))
          << shape(0.5 + by[0] / 16.0, 0.5 + by[1] / 16.0, 0.5 + by[2] / 16.0);
    }
  }
}

TEST(Obstacles, continueBeyondPeriodicFacesOnly) {
  const std::string start =
      "cells: [20, 20]\nlength: 1\nreynolds: 2\nreference_speed: 1\nlattice_speed: 0.05\n"
      "faces: {x_low: periodic, x_high: periodic, y_high: wall}\nobstacles: {a: {";
  const auto cells = [&](const std::string& shape) {
    return solidCells(flowOf(start + shape + "}}\n"));
  };
  const std::int64_t whole = cells("sphere: {center: [0.5, 0.5], diameter: 0.6}");
  EXPECT_EQ(cells("sphere: {center: [0, 0.5], diameter: 0.6}"), whole);
  EXPECT_EQ(cells("sphere: {center: [0.5, 0], diameter: 0.6}"), whole / 2);
  EXPECT_EQ(cells("cylinder: {center: [1, 1], diameter: 0.6}"), whole / 2);
  EXPECT_EQ(cells("box: {low: [0.8, -0.1], high: [1.1, 0.2]}"), 6 * 4);
  EXPECT_EQ(cells("box: {low: [-3, 0], high: [8, 0.2]}"), 20 * 4);
  EXPECT_TRUE(
      contains(refusalOf(start + "sphere: {center: [0.5, 1.5], diameter: 0.6}}}\n"), "outside"));
}

TEST(Obstacles, mayTouchTheirPeriodicImagesAndOverlapThem) {
  const auto cells = [](double diameter) {
    return solidCells(flowOf(periodicBox(20) + fmt::format("obstacles: {{a: {{sphere: {{center: "
                                                           "[0.1, 0.7, 0], diameter: {}}}}}}}\n",
                                                           diameter)));
  };
  // A simple cubic packing of touching spheres leaves 1 - pi/6 of the space.
  EXPECT_NEAR(static_cast<double>(cells(1)) / 8000, 0.5236, 0.01);
  // Spheres of diameter 1.2 overlap with 6 caps of height 0.1 each.
  EXPECT_NEAR(static_cast<double>(cells(1.2)) / 8000, 0.9048 - 6 * 3.14159 * 0.01 * (1.8 - 0.1) / 3,
              0.01);
}

TEST(Obstacles, mayBeALittleLongerThanAPeriodAndNotFarOutside) {
  const auto sphere = [](const std::string& center, const std::string& diameter) {
    return refusalOf(periodicBox(8) + "obstacles: {a: {sphere: {center: [" + center +
                     "], diameter: " + diameter + "}}}\n");
  };
  EXPECT_TRUE(contains(sphere("0, 0, 0", "2.1"),
                       "extends over 2.1 m along x, more than twice the periodic box, 1 m"));
  EXPECT_TRUE(contains(sphere("0.5, -1.5, 0.5", "0.5"),
                       "has its centre at -1.5 m along y, more than a period outside of the"));
  EXPECT_TRUE(contains(sphere("1e300, 0, 0", "1e300"), "extends over 1e+300 m along x"));
  const TemporaryFolder folder;
  writeBytes(folder / "cube.stl", cube());
  const std::string surface = periodicBox(8) + "obstacles: {a: {surface: {file: '" +
                              (folder / "cube.stl").string() + "', scale: ";
  EXPECT_TRUE(contains(refusalOf(surface + "1000}}}\n"), "more than twice the periodic box"));
}

TEST(Obstacles, fromAFileMaySpanThePeriod) {
  // A bar that overlaps its images along x.
  const TemporaryFolder folder;
  writeBytes(folder / "cube.stl", cube());
  const std::string start =
      "cells: [16, 64, 64]\nlength: 1\nreynolds: 20\nreference_speed: 1\nlattice_speed: 0.05\n"
      "faces: {x_low: periodic, x_high: periodic, y_high: wall}\nobstacles: {a: {surface: {file: "
      "'" +
      (folder / "cube.stl").string() + "', scale: 1.5, shift: [-0.3, 1, 1]}}}\n";
  EXPECT_EQ(solidCells(flowOf(start)), 16 * 24 * 24);
}

/// Returns the report of a flow with obstacles in a box of side 1 with walls.
ObstacleReport reportOf(const std::string& obstacles, int cells = 20) {
  return flowOf(fmt::format("cells: [{0}, {0}, {0}]\nreference_speed: 1\nreynolds: 2\n"
                            "lattice_speed: 0.05\nobstacles: {{{1}}}\n",
                            cells, obstacles))
      .obstacles;
}

std::string allOf(const std::vector<std::string>& lines) {
  return fmt::format("{}", fmt::join(lines, "; "));
}

TEST(Obstacles, areReportedWithTheirCellsAndVolumes) {
  const ObstacleReport report = reportOf(
      "a: {sphere: {center: [0.5, 0.5, 0.5], diameter: 0.6}}, b: {box: {low: [0, 0, 0], high: [1, "
      "0.1, 0.1]}, cylinder: {center: [0.9, 0.9, 0], diameter: 0.1}}");
  EXPECT_EQ(report.bodies,
            (std::vector<std::string>{"a: sphere of 0.1131 m^3, 912 cells of 0.114 m^3",
                                      "b: box of 0.01 m^3, 80 cells of 0.01 m^3",
                                      "b: cylinder of 0.007854 m^3, 80 cells of 0.01 m^3"}));
  EXPECT_EQ(allOf(report.notes), "");
  EXPECT_EQ(allOf(report.warnings),
            "flow.yaml:5: 'obstacles.b.cylinder': its cells have 1.27 times its own volume: use "
            "more cells");
  const FlowCase flat = flowOf(
      "cells: [20, 20]\nlength: 1\nreference_speed: 1\nreynolds: 2\nlattice_speed: 0.05\n"
      "obstacles: {a: {sphere: {center: [0.5, 0.5], diameter: 0.6}}}\n");
  EXPECT_TRUE(contains(flat.report(),
                       "  obstacles   112 cells\n              a: sphere of 0.2827 "
                       "m^2, 112 cells of 0.28 m^2\n"));
}

TEST(Obstacles, areReportedIfTheirVolumesDifferByAFifth) {
  const auto warnings = [](const std::string& body) { return allOf(reportOf(body).warnings); };
  // Three and a half by three cells, of which four by three or three by three have their centres
  // inside: a seventh more or less.
  EXPECT_EQ(warnings("a: {box: {low: [0, 0, 0], high: [0.15, 0.15, 0.176]}}"), "");
  EXPECT_EQ(warnings("a: {box: {low: [0, 0, 0], high: [0.15, 0.15, 0.174]}}"), "");
  EXPECT_TRUE(contains(warnings("a: {box: {low: [0, 0, 0], high: [0.15, 0.15, 0.0751]}}"),
                       "'obstacles.a.box': its cells have 1.33 times its own volume: use more"));
  EXPECT_TRUE(contains(warnings("a: {sphere: {center: [0.5, 0, 1], diameter: 0.6}}"),
                       "have 0.252 times its own volume: it extends beyond the box along y and z"));
  EXPECT_TRUE(contains(warnings("a: {cylinder: {center: [1, 0.5, 0], diameter: 0.6}}"),
                       "it extends beyond the box along x"));
  EXPECT_TRUE(contains(warnings("a: {box: {low: [-1, 0, 0], high: [1, 1, 0.5]}}"),
                       "have 0.5 times its own volume: it extends beyond the box along x"));
  // One of two shapes has no cell.
  EXPECT_TRUE(
      contains(warnings("a: {box: {low: [0, 0, 0], high: [0.5, 0.5, 0.5]}, sphere: {center: "
                        "[0.8, 0.8, 0.8], diameter: 0.04}}"),
               "'obstacles.a.sphere': covers no cell: it contains the centre of no cell"));
}

TEST(Obstacles, areReportedIfTheyAreThinnerThanACell) {
  const auto warnings = [](const std::string& body) { return allOf(reportOf(body).warnings); };
  EXPECT_TRUE(contains(warnings("a: {box: {low: [0.2, 0.2, 0.21], high: [0.8, 0.8, 0.25]}}"),
                       "'obstacles.a.box': is 0.04 m thick; cells have edges of 0.05 m, so its "
                       "cells may have holes: use more cells or a thicker body"));
  EXPECT_TRUE(contains(warnings("a: {sphere: {center: [0.525, 0.525, 0.525], diameter: 0.045}}"),
                       "is 0.045 m thick"));
  EXPECT_EQ(warnings("a: {box: {low: [0.2, 0.2, 0.2], high: [0.8, 0.8, 0.25]}}"), "");
}

/// Returns the surface of a plate that rises along x, as ASCII STL.
std::string plate(double rise, double thickness) {
  const auto corner = [&](unsigned i) {
    const double x = i & 1U, y = i >> 1U & 1U;
    return fmt::format("vertex {} {} {}\n", x, y, rise * x + ((i & 4U) != 0 ? thickness : 0));
  };
  std::string text = "solid plate\n";
  for (const auto& [a, b, c] : std::vector<std::array<unsigned, 3>>{{0, 3, 1},
                                                                    {0, 2, 3},
                                                                    {4, 5, 7},
                                                                    {4, 7, 6},
                                                                    {0, 1, 5},
                                                                    {0, 5, 4},
                                                                    {1, 3, 7},
                                                                    {1, 7, 5},
                                                                    {3, 2, 6},
                                                                    {3, 6, 7},
                                                                    {2, 0, 4},
                                                                    {2, 4, 6}})
    text += "facet normal 0 0 0\nouter loop\n" + corner(a) + corner(b) + corner(c) +
            "endloop\nendfacet\n";
  return text + "endsolid plate\n";
}

TEST(Obstacles, fromFilesAreReportedIfTheyAreThinnerThanACell) {
  const TemporaryFolder folder;
  const auto report = [&](const std::string& bytes, int cells) {
    writeBytes(folder / "body.stl", bytes);
    return flowOf(periodicBox(cells, 0.02) + "obstacles: {part: {surface: {file: '" +
                  (folder / "body.stl").string() + "', scale: 0.8, shift: [0.1, 0.1, 0.3]}}}\n")
        .obstacles;
  };
  // Half a cell thick, measured along z.
  const ObstacleReport thin = report(plate(0.35, 0.03), 16);
  EXPECT_TRUE(contains(allOf(thin.bodies), "part: surface of 0.01536 m^3, "));
  EXPECT_TRUE(contains(allOf(thin.warnings), "'obstacles.part.surface': is 0.0227 m thick at ("));
  EXPECT_TRUE(
      contains(allOf(thin.warnings), "cells have edges of 0.0625 m, so its cells may have"));
  EXPECT_TRUE(contains(allOf(report(plate(0.35, 0.08), 16).warnings), "thinner than a cell"));
  EXPECT_EQ(allOf(report(plate(0.35, 0.09), 16).warnings), "");
  EXPECT_EQ(allOf(report(plate(0.35, 0.03), 64).warnings), "");
  EXPECT_EQ(allOf(report(plate(0, 1.0 / 12.8), 16).warnings), "");
  EXPECT_EQ(allOf(report(cube(), 16).warnings), "");
}

TEST(Obstacles, withoutFurtherCellsAreRefusedForTheReason) {
  const auto refusal = [](const std::string& body) {
    return messageOf<mass::SettingsError>([&] { reportOf(body); });
  };
  const std::string a = "a: {sphere: {center: [0.5, 0.5, 0.5], diameter: 0.6}}, ";
  EXPECT_TRUE(contains(refusal(a + "b: {sphere: {center: [0.5, 0.5, 0.5], diameter: 0.3}}"),
                       "'obstacles.b': covers no further cell: all of its 136 cells are "
                       "those of a: leave it out, or move it"));
  EXPECT_TRUE(contains(refusal("c: {box: {low: [0, 0, 0], high: [1, 1, 0.5]}}, d: {box: {low: [0, "
                               "0, 0.5], high: [0.1, 0.1, 0.6]}}, e: {box: {low: [0.2, 0, 0.5], "
                               "high: [1, 1, 0.8]}}, b: {sphere: {center: [0.5, 0.5, 0.5], "
                               "diameter: 0.3}}"),
                       "all of its 136 cells are those of c and e"));
  EXPECT_TRUE(contains(refusal("b: {sphere: {center: [5, 0.5, 0.5], diameter: 1}}"),
                       "covers no cell: it extends from 4.5 to 5.5 m along x, outside of the box, "
                       "which extends from 0 to 1 m: move it"));
  EXPECT_TRUE(contains(refusal("b: {box: {low: [0, 0, -2], high: [1, 1, 0]}}"),
                       "from -2 to 0 m along z, outside of the box"));
  EXPECT_TRUE(contains(refusal("b: {sphere: {center: [-0.1, -0.1, 0.5], diameter: 0.24}}"),
                       "it is outside of the box, beyond one of its edges"));
  EXPECT_TRUE(contains(refusal("b: {sphere: {center: [0.5, 0.5, 0.5], diameter: 0.04}}"),
                       "it contains the centre of no cell: it lies between centres, which are 0.05 "
                       "m apart: enlarge it, move it or use more cells"));
  EXPECT_TRUE(contains(refusal("b: {box: {low: [0, 0, 0.03], high: [1, 1, 0.07]}}"),
                       "it lies between centres"));
}

TEST(Probes, goRoundPeriodicFaces) {
  const auto cell = [](const std::string& at) {
    return flowOf(periodicBox(10) + "probes: {p: [" + at + "]}\n").probes.at(0).cell;
  };
  using Cell = std::array<std::int64_t, 3>;  // z, y, x
  EXPECT_EQ(cell("0.25, 0.55, 0.95"), (Cell{9, 5, 2}));
  EXPECT_EQ(cell("1, 1.25, -0.05"), (Cell{9, 2, 0}));
  EXPECT_EQ(cell("-0.95, 1.95, 0"), (Cell{0, 9, 0}));
  EXPECT_TRUE(contains(refusalOf(periodicBox(10) + "probes: {p: [0.5, 2.05, 0.5]}\n"),
                       "is more than a period outside of the box, which extends from 0 to 1 m "
                       "along y"));
  // In an image of an obstacle.
  EXPECT_TRUE(contains(
      refusalOf(periodicBox(10) + "obstacles: {a: {sphere: {center: [0, 0, 0], diameter: 0.4}}}\n"
                                  "probes: {p: [0.95, 0.95, 0.05]}\n"),
      "is inside an obstacle"));
}

}  // namespace
}  // namespace lbm
