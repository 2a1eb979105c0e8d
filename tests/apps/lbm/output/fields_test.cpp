// Fields derived from density and velocity, and their pictures and data.
#include <apps/lbm/output/fields.hpp>
#include <apps/lbm/setup.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using lbm::Fields;
using lbm::FlowCase;
using Vector = std::array<double, 3>;  // x, y, z

const std::string lid = "velocity:\n  y_high: [1, 0]\n";
const std::string lidIn3D = "velocity:\n  y_high: [1, 0, 0]\n";

mass::Settings settingsOf(const std::string& yaml) {
  return mass::Settings::parse(yaml, "flow.yaml", lbm::schema());
}

/// Returns fields whose velocity is a function of the position, in cells along x, y, z.
template <class Velocity>
Fields fieldsOf(const FlowCase& flow, const Velocity& velocityAt) {
  std::vector<lbm::Macroscopic<3>> cells;
  const auto& [nz, ny, nx] = flow.lattice.cells;
  for (std::int64_t z = 0; z < nz; ++z) {
    for (std::int64_t y = 0; y < ny; ++y) {
      for (std::int64_t x = 0; x < nx; ++x) {
        const Vector velocity = velocityAt(
            Vector{static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
        lbm::Macroscopic<3>& cell = cells.emplace_back();
        for (std::size_t i = 0; i < 3; ++i) cell.velocity[2 - i] = velocity[i];
      }
    }
  }
  return {flow.lattice, cells};
}

TEST(Fields, HaveTheVorticityOfALinearFlowInEveryCell) {
  const std::string start = "cells: [4, 5, 6]\nreynolds: 10\n" + lidIn3D;
  for (const std::string units : {"si", "lattice"}) {
    const FlowCase flow(settingsOf(start + "output.units: " + units + "\n"));
    const Fields fields = fieldsOf(flow, [](const Vector& at) {
      const auto& [x, y, z] = at;
      return Vector{2e-3 * y + 3e-3 * z, 5e-3 * x + 7e-3 * z, 11e-3 * x + 13e-3 * y};
    });
    const Vector expected{6e-3, -8e-3, 3e-3};
    const mass::DataFrame frame = dataOf(flow, fields);
    const auto* const written = static_cast<const float*>(frame.arrays.at(3).data);
    const double turns = units == "si" ? 1 / flow.units.step : 1;
    for (std::size_t cell = 0; cell < fields.size(); ++cell) {
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(fields.vorticity(cell)[i], expected[i], 1e-12) << cell << ", " << i;
        EXPECT_NEAR(written[3 * cell + i] / turns, expected[i], 1e-6) << cell << ", " << i;
      }
    }
  }
}

TEST(Fields, LookAcrossPeriodicFaces) {
  const FlowCase flow(
      settingsOf("cells: [4, 3]\nreynolds: 10\nfaces: {x_low: periodic, x_high: "
                 "periodic}\n" +
                 lid));
  const Fields fields = fieldsOf(flow, [](const Vector& at) { return Vector{0, at[0], 0}; });
  const std::array<double, 4> expected{-1, 1, 1, -1};
  for (std::size_t cell = 0; cell < fields.size(); ++cell)
    EXPECT_EQ(fields.vorticity(cell)[2], expected[cell % 4]) << cell;
}

TEST(Fields, DoNotLookIntoObstacles) {
  const FlowCase flow(
      settingsOf("cells: [6, 6]\nlength: 6\nreynolds: 10\nobstacles:\n  a: {box: "
                 "{low: [2, 2], high: [4, 4]}}\n" +
                 lid));
  const auto isSolid = [](double along) { return along >= 2 && along < 4; };
  const Fields fields = fieldsOf(flow, [&](const Vector& at) {
    return Vector{0, isSolid(at[0]) && isSolid(at[1]) ? 1000 : at[0], 0};
  });
  for (std::size_t cell = 0; cell < fields.size(); ++cell) {
    const bool isInside = flow.lattice.solid[cell] != 0;
    EXPECT_EQ(fields.vorticity(cell)[2], isInside ? 0 : 1) << cell << ": no flow inside";
  }
}

/// Returns a sampler of a velocity that is a function of the position. @param asked set to the
/// number of cells of the last call
template <class Velocity>
lbm::SampleBox observing(const Velocity& velocityAt, std::size_t* asked = nullptr) {
  return [=](const std::array<std::int64_t, 3>& low, const std::array<std::int64_t, 3>& high) {
    std::vector<lbm::Macroscopic<3>> cells;
    for (std::int64_t z = low[0]; z < high[0]; ++z) {
      for (std::int64_t y = low[1]; y < high[1]; ++y) {
        for (std::int64_t x = low[2]; x < high[2]; ++x) {
          const Vector velocity = velocityAt(
              Vector{static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
          lbm::Macroscopic<3>& cell = cells.emplace_back();
          for (std::size_t i = 0; i < 3; ++i) cell.velocity[2 - i] = velocity[i];
        }
      }
    }
    if (asked != nullptr) *asked = cells.size();
    return cells;
  };
}

TEST(Picture, ShowsASliceWithItsTopFirst) {
  // 2 cells along x, 3 along y, 4 along z; the speed is 100 z + 10 y + x, scaled by the lid's.
  const std::string start = "cells: [2, 3, 4]\nreynolds: 10\n" + lidIn3D + "output: {slice: ";
  const auto shown = [&](const std::string& slice) {
    const mass::Settings settings = settingsOf(start + slice + "}\n");
    const FlowCase flow(settings);
    std::size_t asked = 0;
    const auto velocity = [&](const Vector& at) {
      return Vector{0, 0, -flow.latticeSpeed * (100 * at[2] + 10 * at[1] + at[0])};
    };
    const mass::Picture picture = pictureOf(flow, settings, observing(velocity, &asked));
    EXPECT_EQ(asked, picture.values.size()) << "no other cells are sampled";
    std::vector<std::vector<int>> rows;
    for (std::size_t i = 0; i < picture.values.size(); ++i) {
      if (i % static_cast<std::size_t>(picture.columns) == 0) rows.emplace_back();
      rows.back().push_back(static_cast<int>(picture.values[i] / picture.high + 0.5F));
    }
    EXPECT_EQ(static_cast<std::int64_t>(rows.size()), picture.rows);
    return rows;
  };
  using Rows = std::vector<std::vector<int>>;
  EXPECT_EQ(shown("z"), (Rows{{220, 221}, {210, 211}, {200, 201}}));
  EXPECT_EQ(shown("z, slice_at: 0"), (Rows{{20, 21}, {10, 11}, {0, 1}}));
  EXPECT_EQ(shown("y"), (Rows{{310, 311}, {210, 211}, {110, 111}, {10, 11}}));
  EXPECT_EQ(shown("x, slice_at: 1"),
            (Rows{{301, 311, 321}, {201, 211, 221}, {101, 111, 121}, {1, 11, 21}}));
}

TEST(Picture, ShowsTheVorticityOfAllFieldsAcrossTheSlice) {
  const std::string start =
      "cells: [5, 6, 7]\nlength: 5\nreynolds: 10\nfaces: {x_low: periodic, x_high: "
      "periodic}\nobstacles:\n  a: {box: {low: [1, 2, 3], high: [3, 4, 5]}}\n" +
      lidIn3D + "output: {quantity: vorticity, slice_at: 0.5, slice: ";
  const auto velocity = [](const Vector& at) {
    const auto& [x, y, z] = at;
    return Vector{1e-3 * y * z + 2e-3 * x * y, 3e-3 * x * z, 5e-3 * x * y + 7e-3 * y * z};
  };
  for (const std::size_t across : {0U, 1U, 2U}) {
    const mass::Settings settings = settingsOf(start + "zyx"[across] + "}\n");
    const FlowCase flow(settings);
    const Fields fields = fieldsOf(flow, velocity);
    const mass::Picture picture = pictureOf(flow, settings, observing(velocity));
    EXPECT_EQ(picture.unit, "1/s");
    // Turns of the lid's speed over a tenth of the length.
    EXPECT_FLOAT_EQ(picture.high, static_cast<float>(10 * flow.speed / flow.length));
    EXPECT_EQ(picture.low, -picture.high);
    const auto& cells = flow.lattice.cells;
    const std::size_t up = across == 0 ? 1 : 0, right = across == 2 ? 1 : 2;
    for (std::int64_t row = 0; row < picture.rows; ++row) {
      for (std::int64_t column = 0; column < picture.columns; ++column) {
        std::array<std::int64_t, 3> at{};
        at[across] = cells[across] / 2;
        at[up] = picture.rows - 1 - row;
        at[right] = column;
        const auto cell = static_cast<std::size_t>((at[0] * cells[1] + at[1]) * cells[2] + at[2]);
        EXPECT_EQ(picture.values[static_cast<std::size_t>(row * picture.columns + column)],
                  static_cast<float>(fields.vorticity(cell)[2 - across] * (1 / flow.units.step)))
            << across << ": " << row << ", " << column;
      }
    }
  }
}

}  // namespace
