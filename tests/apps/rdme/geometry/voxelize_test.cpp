#include <apps/rdme/geometry/voxelize.hpp>
#include <apps/rdme/lattice/lattice.hpp>  // names of both must not clash

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace rdme {
namespace {

/// Returns the number of sites in a layer.
std::int64_t countOf(const VoxelizedShape& voxels, int layer) {
  return std::count(voxels.layers.begin(), voxels.layers.end(), static_cast<std::uint8_t>(layer));
}

/// Box of 6 x 6 x 6 sites in the center of 10 x 10 x 10 sites of 1 m.
constexpr Grid lattice{{10, 10, 10}, 1, {}};
const SolidShape box = SolidShape::box({2, 2, 2}, {8, 8, 8});

TEST(VoxelizedShape, shellOfABoxIsItsOuterLayer) {
  const VoxelizedShape voxels = voxelize(box, lattice, 1);
  EXPECT_EQ(countOf(voxels, 1), 4 * 4 * 4);
  EXPECT_EQ(countOf(voxels, 2), 6 * 6 * 6 - 4 * 4 * 4);
}

TEST(VoxelizedShape, thickShellsAreLayers) {
  const VoxelizedShape voxels = voxelize(box, lattice, 2);
  EXPECT_EQ(countOf(voxels, 1), 2 * 2 * 2);
  EXPECT_EQ(countOf(voxels, 2), 6 * 6 * 6 - 4 * 4 * 4);
  EXPECT_EQ(countOf(voxels, 3), 4 * 4 * 4 - 2 * 2 * 2);
  EXPECT_EQ(countOf(voxelize(box, lattice, 9), 1), 0);
}

TEST(VoxelizedShape, beyondTheBorderOfTheLatticeIsOutside) {
  const SolidShape all = SolidShape::box({0, 0, 0}, {10, 10, 10});
  EXPECT_EQ(countOf(voxelize(all, lattice, 1), 2), 1000 - 512);
  // Periodic along z: the box has no ends there.
  const Grid wraps{{10, 10, 10}, 1, {true, false, false}};
  EXPECT_EQ(countOf(voxelize(all, wraps, 1), 2), 1000 - 10 * 64);
  // A box that does not span the periodic axis ends at its border.
  const SolidShape half = SolidShape::box({0, 0, 0}, {5, 10, 10});
  EXPECT_EQ(countOf(voxelize(half, wraps, 1), 2), 500 - 3 * 64);
}

TEST(VoxelizedShape, shellsByFacesAreThinnerInCorners) {
  const SolidShape ball = SolidShape::sphere({5, 5, 5}, 8);
  const auto byFaces = countOf(voxelize(ball, lattice, 1, Connectivity::faces), 2);
  const auto byAll = countOf(voxelize(ball, lattice, 1, Connectivity::all), 2);
  EXPECT_LT(byFaces, byAll);
}

}  // namespace
}  // namespace rdme
