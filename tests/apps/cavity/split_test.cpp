#include "trial.hpp"

#include <apps/cavity/fluid.hpp>
#include <apps/cavity/moment_fluid.hpp>
#include <apps/cavity/split.hpp>

#include <mass/exchange/halo_message.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace cavity;
using namespace cavity::testing;

using Cells = std::vector<std::int64_t>;

/// So many devices with equal shares.
std::vector<double> equal(std::size_t devices) {
  return std::vector<double>(devices, 1);
}

TEST(Split, CountsTheCellsAtCuts) {
  const Problem ring = box({10, 4, 3}, oneRate(0.1));
  const Split three(ring, equal(3));
  EXPECT_EQ(three.cells, (Cells{36, 48, 36}));
  EXPECT_EQ(three.atCut, (Cells{24, 24, 24}));
  Problem walled = ring;
  withWalls(walled, 0);
  EXPECT_EQ(Split(walled, equal(3)).atCut, (Cells{12, 24, 12}));
  // A band of one plane is at both of its cuts.
  EXPECT_EQ(Split(walled, equal(10)).atCut, Cells(10, 12));
  const std::vector<double> weights{4, 1};
  EXPECT_EQ(Split(walled, weights).cells, (Cells{96, 24}));
  EXPECT_EQ(Split(ring, equal(1)).atCut, Cells{0});
}

/// Rows that the library sends across cuts for a step, one for each population or moment.
template <class F>
std::int64_t rowsSent(const mass::Places<F>& places) {
  const mass::detail::PlaceFields& fields = *places.population().fields;
  std::vector<mass::detail::GhostField> ghosts;
  for (int component = 0; component < fields.components(); ++component) {
    if (!fields.component(component).constant) ghosts.push_back({component, 0});
  }
  std::int64_t rows = 0;
  for (const mass::detail::HaloMessage& message : mass::detail::haloMessages(fields, ghosts)) {
    const mass::detail::Layout& layout = fields.layout(message.toDevice);
    if (message.fromDevice == message.toDevice) continue;
    // What is not streamed goes in whole rows, and all that go one way together.
    const bool isWhole = message.stride == 0;
    const auto lines = static_cast<std::int64_t>(message.lines);
    rows += isWhole ? static_cast<std::int64_t>(message.bytes() / sizeof(float)) / layout.rowStride
                    : lines / (layout.rowStride / layout.pitch);
  }
  return rows;
}

template <class F>
void expectAsInTheLibrary(const Problem& problem, const std::vector<double>& weights) {
  auto mass = mass::testing::makeMass(static_cast<int>(weights.size()), 0, weights);
  if (mass.devices().size() < static_cast<int>(weights.size())) return;
  mass::Shape<F::D> shape{};
  for (int axis = 0; axis < F::D; ++axis)
    shape[axis] = problem.cells[static_cast<std::size_t>(axis + 3 - F::D)];
  const std::size_t axis = problem.dimensions == 3 ? 0 : 1;
  const bool isRing = problem.faces[2 * axis].kind == FaceKind::periodic;
  const auto places = mass.createPlaces<F>(
      shape, mass::borders<F>(isRing ? mass::Border::periodic : mass::Border::fixed));
  const Split split(problem, mass.devices().weights());
  const std::int64_t row = problem.cellCount() / shape[0];
  Cells cells;
  for (const std::int64_t rows : places.population().fields->partition().bands())
    cells.push_back(rows * row);
  EXPECT_EQ(split.cells, cells);
  EXPECT_EQ(split.sent, static_cast<double>(rowsSent(places) * row) * sizeof(float));
}

TEST(Split, IsThatOfTheLibrary) {
  for (const bool isRing : {true, false}) {
    Problem cube = box({7, 4, 3}, oneRate(0.1)), square = box({1, 11, 3}, oneRate(0.1));
    cube.doubles = square.doubles = false;
    if (!isRing) {
      withWalls(cube, 0);
      withWalls(square, 1);
    }
    for (const std::vector<double>& weights : {equal(2), equal(3), {1, 4}, equal(7)}) {
      cube.moments = square.moments = false;
      expectAsInTheLibrary<Fluid<D3Q19, float>>(cube, weights);
      expectAsInTheLibrary<Fluid<D2Q9, float>>(square, weights);
      cube.moments = square.moments = true;
      expectAsInTheLibrary<MomentFluid<D3Q19, float>>(cube, weights);
      expectAsInTheLibrary<MomentFluid<D2Q9, float>>(square, weights);
    }
  }
}

TEST(Split, CountsTheBytesOfAStep) {
  Problem problem = box({256, 64, 32}, oneRate(0.1));
  withWalls(problem, 0);
  const double cells = 256 * 64 * 32, plane = 64 * 32;
  for (const auto& [doubles, halves, bytes] :
       {std::tuple{true, false, 8.0}, {false, false, 4.0}, {false, true, 2.0}}) {
    problem.doubles = doubles;
    problem.halves = halves;
    const Split split(problem, equal(4));
    EXPECT_EQ(split.moved, cells * (2 * 19 * bytes + 1));
    EXPECT_EQ(split.sent, 2 * 3 * plane * 5 * bytes);
  }
  Problem flat = box({1, 64, 32}, oneRate(0.1));
  const Split split(flat, equal(4));
  EXPECT_EQ(split.moved, 64 * 32 * (2 * 9 * 8 + 1));
  EXPECT_EQ(split.sent, 2 * 4 * 32 * 3 * 8);
}

TEST(Split, CountsTheBytesOfAStepOfMoments) {
  Problem problem = box({256, 64, 32}, oneRate(0.1));
  problem.moments = true;
  const double cells = 256 * 64 * 32, plane = 64 * 32;
  for (const auto& [doubles, halves, bytes] :
       {std::tuple{true, false, 80.0}, {false, false, 40.0}, {false, true, 28.0}}) {
    problem.doubles = doubles;
    problem.halves = halves;
    const Split split(problem, equal(4));
    EXPECT_EQ(split.moved, cells * (2 * bytes + 1));
    EXPECT_EQ(split.sent, 2 * 4 * plane * bytes);
  }
}

TEST(Split, SaysWhatItCosts) {
  Problem problem = box({512, 512, 512}, oneRate(0.1));
  problem.doubles = false;
  const std::string report = Split(problem, equal(4)).report();
  EXPECT_EQ(report,
            "  devices     4, of 33554432 cells each, 524288 of them at a cut\n"
            "  cuts        40.00 MiB sent across them in a step, 0.2 % of the 19584.0 MiB that it "
            "moves in memory\n");
}

}  // namespace
