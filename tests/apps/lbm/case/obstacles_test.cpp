// Bodies and probes in the settings: cells, and the lines that a run prints about them.
#include <apps/lbm/case/obstacles.hpp>
#include <apps/lbm/setup.hpp>

#include <gtest/gtest.h>

#include <mass/mass.hpp>
#include <tests/support/temporary_folder.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
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
std::string periodicBox(int cells) {
  return fmt::format(
      "cells: [{0}, {0}, {0}]\nlength: 1\nreynolds: 2\nreference_speed: 1\nlattice_speed: 0.05\n"
      "faces: {{x_low: periodic, x_high: periodic, y_low: periodic, y_high: periodic, z_low: "
      "periodic, z_high: periodic}}\n",
      cells);
}

/// Returns a cube of side 1 as binary STL. @param zero returns the coordinate in place of 0 in a
/// triangle
template <class Zero>
std::string cube(const Zero& zero, const std::string& header = "part", bool isInward = false) {
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
  return cube([](std::size_t) { return 0.0F; }, header, isInward);
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
      {cube([](std::size_t face) {
         return std::array{0.0F, 2.4e-18F, -5.7e-17F}[face % 3];
       }),
       "vertices that differ by rounding were merged with others at most 1.03e-16 away"},
      {cube() + "\n", "1 bytes behind the 12 triangles of its header are ignored"},
      {cube("solid part by some CAD") + std::string(428, '\0'),
       "428 bytes behind the 12 triangles of its header are ignored"},
      {cube("part", true), "its triangles face inwards and are turned over"}};
  for (const Case& is : cases) {
    const FlowCase flow = flowAround(is.bytes);
    EXPECT_EQ(solidCells(flow), 512) << is.note;
    EXPECT_EQ(flow.notes.size(), is.note.empty() ? 0U : 1U);
    EXPECT_TRUE(contains(flow.report(), is.note));
  }
}

TEST(Obstacles, mayTouchTheBoxUpToRounding) {
  const TemporaryFolder folder;
  writeBytes(folder / "cube.stl", cube([](std::size_t) { return -1e-7F; }));
  const std::string start =
      "cells: [8, 8, 8]\nreference_speed: 1\nreynolds: 2\nobstacles: {part: "
      "{surface: {file: '" +
      (folder / "cube.stl").string() + "', scale: ";
  EXPECT_EQ(solidCells(flowOf(start + "0.5, shift: [0, 0.5, 0]}}}\n")), 64);
  EXPECT_TRUE(contains(
      messageOf<mass::SettingsError>([&] { flowOf(start + "0.5, shift: [0, 0.501, 0]}}}\n"); }),
      "extends from 0.501 m to 1.001 m along y"));
}

}  // namespace
}  // namespace lbm
