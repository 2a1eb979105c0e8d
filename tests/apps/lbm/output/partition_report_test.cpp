#include "../trial.hpp"

#include <apps/lbm/output/partition_report.hpp>
#include <apps/lbm/solver/fluid.hpp>
#include <apps/lbm/solver/moment_fluid.hpp>

#include <mass/exchange/halo_message.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace lbm;
using namespace lbm::testing;

using Cells = std::vector<std::int64_t>;

/// Returns equal shares of `devices` devices.
std::vector<double> equal(std::size_t devices) {
  return std::vector<double>(devices, 1);
}

using Parts = std::vector<mass::AnyPlaces::Part>;

/// Returns the bands of devices with these shares.
Parts bandsOf(const LatticeCase& lattice, const std::vector<double>& weights) {
  const std::size_t axis = lattice.dimensions == 3 ? 0 : 1;
  const mass::RowPartition rows(lattice.cells[axis], weights);
  Parts parts;
  for (int device = 0; device < rows.devices(); ++device) {
    const mass::RowRange band = rows.range(device);
    Parts::value_type& part = parts.emplace_back();
    for (std::size_t i = axis; i < 3; ++i) {
      part.first.push_back(i == axis ? band.begin : 0);
      part.size.push_back(i == axis ? band.size() : lattice.cells[i]);
    }
  }
  return parts;
}

TEST(PartitionReport, CountsTheCellsAtCuts) {
  const LatticeCase ring = box({10, 4, 3}, oneRate(0.1));
  const PartitionReport three(ring, bandsOf(ring, equal(3)));
  EXPECT_EQ(three.cells, (Cells{36, 48, 36}));
  EXPECT_EQ(three.cellsAtCut, (Cells{24, 24, 24}));
  LatticeCase walled = ring;
  withWalls(walled, 0);
  EXPECT_EQ(PartitionReport(walled, bandsOf(walled, equal(3))).cellsAtCut, (Cells{12, 24, 12}));
  // The one plane of a band borders on both neighbours.
  EXPECT_EQ(PartitionReport(walled, bandsOf(walled, equal(10))).cellsAtCut, Cells(10, 12));
  const std::vector<double> weights{4, 1};
  EXPECT_EQ(PartitionReport(walled, bandsOf(walled, weights)).cells, (Cells{96, 24}));
  EXPECT_EQ(PartitionReport(ring, bandsOf(ring, equal(1))).cellsAtCut, Cells{0});
}

/// Returns the rows that the library sends across cuts per step, counted for each population or
/// moment.
template <class F>
std::int64_t rowsSent(const mass::Places<F>& places) {
  const mass::detail::PlaceFields& fields = *places.population().fields;
  std::vector<mass::detail::GhostField> ghosts;
  for (int component = 0; component < fields.components(); ++component) {
    if (fields.component(component).storage != mass::detail::Storage::single)
      ghosts.push_back({component, 0});
  }
  std::int64_t rows = 0;
  for (const mass::detail::HaloMessage& message : mass::detail::haloMessages(fields, ghosts)) {
    const mass::detail::Layout& layout = fields.layout(message.toDevice);
    if (message.fromDevice == message.toDevice) continue;
    // Components that are not streamed are sent in whole rows, all of one direction together.
    const auto sent = static_cast<std::int64_t>(message.bytes() / sizeof(float));
    const auto lines = static_cast<std::int64_t>(message.rows * message.lines);
    const bool isWhole = sent / lines >= layout.rowStride;
    rows += isWhole ? sent / layout.rowStride : lines / (layout.rowStride / layout.pitch);
  }
  return rows;
}

template <class F>
void expectAsInTheLibrary(const LatticeCase& lattice, const std::vector<double>& weights) {
  auto mass = mass::testing::makeMass(static_cast<int>(weights.size()), 0, weights);
  if (mass.devices().size() < static_cast<int>(weights.size())) return;
  mass::Shape<F::D> shape{};
  for (int axis = 0; axis < F::D; ++axis)
    shape[axis] = lattice.cells[static_cast<std::size_t>(axis + 3 - F::D)];
  const std::size_t axis = lattice.dimensions == 3 ? 0 : 1;
  const bool isRing = lattice.faces[2 * axis].kind == FaceKind::periodic;
  const auto places = mass.createPlaces<F>(
      shape, mass::borders<F>(isRing ? mass::Border::periodic : mass::Border::fixed));
  const PartitionReport split(lattice, mass.places().front().parts());
  const std::int64_t row = lattice.cellCount() / shape[0];
  Cells cells;
  for (const std::int64_t rows : places.population().fields->partition().bands())
    cells.push_back(rows * row);
  EXPECT_EQ(split.cells, cells);
  EXPECT_EQ(split.bytesSent, static_cast<double>(rowsSent(places) * row) * sizeof(float));
}

TEST(PartitionReport, IsThatOfTheLibrary) {
  for (const bool isRing : {true, false}) {
    LatticeCase cube = box({7, 4, 3}, oneRate(0.1)), square = box({1, 11, 3}, oneRate(0.1));
    cube.isDouble = square.isDouble = false;
    if (!isRing) {
      withWalls(cube, 0);
      withWalls(square, 1);
    }
    for (const std::vector<double>& weights : {equal(2), equal(3), {1, 4}, equal(7)}) {
      cube.storesMoments = square.storesMoments = false;
      expectAsInTheLibrary<Fluid<D3Q19, float>>(cube, weights);
      expectAsInTheLibrary<Fluid<D2Q9, float>>(square, weights);
      cube.storesMoments = square.storesMoments = true;
      expectAsInTheLibrary<MomentFluid<D3Q19, float>>(cube, weights);
      expectAsInTheLibrary<MomentFluid<D2Q9, float>>(square, weights);
    }
  }
}

TEST(PartitionReport, CountsTheBytesOfAStep) {
  LatticeCase lattice = box({256, 64, 32}, oneRate(0.1));
  withWalls(lattice, 0);
  const double cells = 256 * 64 * 32, plane = 64 * 32;
  for (const auto& [doubles, halves, bytes] :
       {std::tuple{true, false, 8.0}, {false, false, 4.0}, {false, true, 2.0}}) {
    lattice.isDouble = doubles;
    lattice.isHalf = halves;
    const PartitionReport split(lattice, bandsOf(lattice, equal(4)));
    EXPECT_EQ(split.bytesMoved, cells * (2 * 19 * bytes + 1));
    EXPECT_EQ(split.bytesSent, 2 * 3 * plane * 5 * bytes);
  }
  LatticeCase flat = box({1, 64, 32}, oneRate(0.1));
  const PartitionReport split(flat, bandsOf(flat, equal(4)));
  EXPECT_EQ(split.bytesMoved, 64 * 32 * (2 * 9 * 8 + 1));
  EXPECT_EQ(split.bytesSent, 2 * 4 * 32 * 3 * 8);
}

TEST(PartitionReport, CountsTheBytesOfAStepOfMoments) {
  LatticeCase lattice = box({256, 64, 32}, oneRate(0.1));
  lattice.storesMoments = true;
  const double cells = 256 * 64 * 32, plane = 64 * 32;
  for (const auto& [doubles, halves, bytes] :
       {std::tuple{true, false, 80.0}, {false, false, 40.0}, {false, true, 28.0}}) {
    lattice.isDouble = doubles;
    lattice.isHalf = halves;
    const PartitionReport split(lattice, bandsOf(lattice, equal(4)));
    EXPECT_EQ(split.bytesMoved, cells * (2 * bytes + 1));
    EXPECT_EQ(split.bytesSent, 2 * 4 * plane * bytes);
  }
}

TEST(PartitionReport, CountsTheCellsOfBlocks) {
  const LatticeCase ring = box({10, 4, 3}, oneRate(0.1));
  auto mass = mass::testing::makeMass(4, 0, {}, {"partition=2x2"});
  if (mass.devices().size() < 4) return;
  const auto places = mass.createPlaces<Fluid<D3Q19, float>>({10, 4, 3});
  const PartitionReport blocks(ring, mass.places().front().parts());
  EXPECT_EQ(blocks.cells, Cells(4, 5 * 2 * 3));
  EXPECT_EQ(blocks.cellsAtCut, Cells(4, 5 * 2 * 3));
  EXPECT_EQ(blocks.bytesSent, 4 * (2 * 2 * 3 + 2 * 5 * 3) * 5 * 8);
}

TEST(PartitionReport, SaysWhatItCosts) {
  LatticeCase lattice = box({512, 512, 512}, oneRate(0.1));
  lattice.isDouble = false;
  const std::string report = PartitionReport(lattice, bandsOf(lattice, equal(4))).report();
  EXPECT_EQ(report,
            "  devices     4, of 33554432 cells each, 524288 of them at a cut\n"
            "  cuts        40.00 MiB transferred across them per step, 0.2 % of the 19584.0 MiB of "
            "memory traffic\n");
}

}  // namespace
