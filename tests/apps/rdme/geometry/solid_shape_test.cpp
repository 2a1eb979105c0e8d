// Sites, volumes and areas of bodies against formulas.
#include <apps/rdme/geometry/solid_shape.hpp>
#include <apps/rdme/geometry/voxelize.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace rdme {
namespace {

using std::numbers::pi;

constexpr Grid cube{{64, 64, 64}, 16e-9, {}};
constexpr Point middle{0.512e-6, 0.512e-6, 0.512e-6};
constexpr double um3 = 1e-18, um2 = 1e-12;

double volumeOnLattice(const SolidShape& shape, const Grid& lattice) {
  const VoxelizedShape voxels = voxelize(shape, lattice);
  const auto sites = std::count(voxels.layers.begin(), voxels.layers.end(), std::uint8_t{1});
  return static_cast<double>(sites) * std::pow(lattice.spacing, 3);
}

TEST(SolidShape, boxFillsItsSitesExactly) {
  // 10 x 20 x 30 sites of 16 nm: 0.16 x 0.32 x 0.48 um.
  const SolidShape box = SolidShape::box({0.16e-6, 0, 0.32e-6}, {0.32e-6, 0.32e-6, 0.8e-6});
  EXPECT_NEAR(box.volume() / (0.16 * 0.32 * 0.48 * um3), 1, 1e-12);
  EXPECT_NEAR(box.area() / (2 * (0.16 * 0.32 + 0.32 * 0.48 + 0.16 * 0.48) * um2), 1, 1e-12);
  const VoxelizedShape voxels = voxelize(box, cube);
  EXPECT_EQ(std::count(voxels.layers.begin(), voxels.layers.end(), std::uint8_t{1}), 6000);
}

TEST(SolidShape, boxesThatTouchShareNoSite) {
  // The common face contains the centers of sites: 10.5 * 16 nm.
  const double face = 0.168e-6;
  const SolidShape low = SolidShape::box({0, 0, 0}, {face, 1e-6, 1e-6});
  const SolidShape high = SolidShape::box({face, 0, 0}, {1e-6, 1e-6, 1e-6});
  const Point site{face, 0.104e-6, 0.104e-6};
  EXPECT_NE(low.contains(site), high.contains(site));
}

TEST(SolidShape, ballHasItsVolumeAndArea) {
  // d = 0.8 um: pi d³/6 = 0.268083 um³, pi d² = 2.010619 um².
  const SolidShape ball = SolidShape::sphere(middle, 0.8e-6);
  EXPECT_NEAR(ball.volume(), 0.268083 * um3, 1e-6 * um3);
  EXPECT_NEAR(ball.area(), 2.010619 * um2, 1e-6 * um2);
  EXPECT_NEAR(volumeOnLattice(ball, cube) / ball.volume(), 1, 0.005);
}

TEST(SolidShape, cylinderHasItsVolumeAndAreaAlongEveryAxis) {
  // d = 0.8 um, l = 0.96 um: pi d²/4 l = 0.482549 um³, pi d l + pi d²/2 = 3.418053 um².
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const SolidShape cylinder = SolidShape::cylinder(middle, 0.96e-6, 0.8e-6, axis);
    EXPECT_NEAR(cylinder.volume(), 0.482549 * um3, 1e-6 * um3);
    EXPECT_NEAR(cylinder.area(), 3.418053 * um2, 1e-6 * um2);
    EXPECT_NEAR(volumeOnLattice(cylinder, cube) / cylinder.volume(), 1, 0.01);
    EXPECT_DOUBLE_EQ(cylinder.high(axis) - cylinder.low(axis), 0.96e-6);
    EXPECT_DOUBLE_EQ(cylinder.high((axis + 1) % 3) - cylinder.low((axis + 1) % 3), 0.8e-6);
  }
}

TEST(SolidShape, capsuleHasItsVolumeAndArea) {
  // The cell: d = 1 um, l = 4 um, of which 3 um cylinder: pi 0.25 * 3 + pi/6 = 2.879793 um³, and
  // pi * 3 + pi = 12.566371 um².
  const Grid lattice{{256, 64, 64}, 16e-9, {}};
  const SolidShape capsule = SolidShape::capsule({2.048e-6, 0.512e-6, 0.512e-6}, 4e-6, 1e-6, 0);
  EXPECT_NEAR(capsule.volume(), 2.879793 * um3, 1e-6 * um3);
  EXPECT_NEAR(capsule.area(), 12.566371 * um2, 1e-6 * um2);
  EXPECT_NEAR(volumeOnLattice(capsule, lattice) / capsule.volume(), 1, 0.002);
  EXPECT_DOUBLE_EQ(capsule.high(0), 4.048e-6);
}

TEST(SolidShape, areasAreDerivativesOfVolumes) {
  // A body that grows by h on all sides gains its area times h, to first order (Steiner formula).
  constexpr double h = 1e-12;
  const auto expectGrowth = [&](const SolidShape& larger, const SolidShape& smaller) {
    EXPECT_NEAR((larger.volume() - smaller.volume()) / h / smaller.area(), 1, 1e-4);
  };
  expectGrowth(SolidShape::sphere(middle, 1e-6 + 2 * h), SolidShape::sphere(middle, 1e-6));
  expectGrowth(SolidShape::cylinder(middle, 2e-6 + 2 * h, 1e-6 + 2 * h, 1),
               SolidShape::cylinder(middle, 2e-6, 1e-6, 1));
  expectGrowth(SolidShape::capsule(middle, 2e-6 + 2 * h, 1e-6 + 2 * h, 2),
               SolidShape::capsule(middle, 2e-6, 1e-6, 2));
  expectGrowth(SolidShape::box({-h, -h, -h}, {1e-6 + h, 2e-6 + h, 3e-6 + h}),
               SolidShape::box({0, 0, 0}, {1e-6, 2e-6, 3e-6}));
}

TEST(SolidShape, layersAreTheBodyWithoutASmallerOne) {
  const auto expect = [](const SolidShape& body, const SolidShape& inner,
                         const std::array<bool, 3>& wraps = {}) {
    EXPECT_NEAR(body.layerVolume(0.1e-6, wraps) / (body.volume() - inner.volume()), 1, 1e-12);
  };
  expect(SolidShape::sphere(middle, 1e-6), SolidShape::sphere(middle, 0.8e-6));
  expect(SolidShape::cylinder(middle, 2e-6, 1e-6, 1),
         SolidShape::cylinder(middle, 1.8e-6, 0.8e-6, 1));
  expect(SolidShape::capsule(middle, 2e-6, 1e-6, 2),
         SolidShape::capsule(middle, 1.8e-6, 0.8e-6, 2));
  expect(SolidShape::box({0, 0, 0}, {1e-6, 2e-6, 3e-6}),
         SolidShape::box({0, 0, 0}, {0.8e-6, 1.8e-6, 2.8e-6}));
  // No layer at the ends of a periodic axis.
  expect(SolidShape::cylinder(middle, 2e-6, 1e-6, 1), SolidShape::cylinder(middle, 2e-6, 0.8e-6, 1),
         {false, true, false});
  expect(SolidShape::box({0, 0, 0}, {1e-6, 2e-6, 3e-6}),
         SolidShape::box({0, 0, 0}, {1e-6, 1.8e-6, 2.8e-6}), {true, false, false});
  // A body that is nowhere deeper is all layer.
  const SolidShape ball = SolidShape::sphere(middle, 1e-6);
  EXPECT_EQ(ball.layerVolume(0.5e-6), ball.volume());
  const SolidShape plate = SolidShape::box({0, 0, 0}, {1e-6, 2e-6, 0.2e-6});
  EXPECT_EQ(plate.layerVolume(0.1e-6), plate.volume());
}

TEST(SolidShape, periodicBodiesHaveNoEnds) {
  const SolidShape box = SolidShape::box({0, 0, 0}, {1e-6, 2e-6, 3e-6});
  EXPECT_NEAR(box.area({true, false, false}) / (2 * (1 * 3 + 1 * 2) * um2), 1, 1e-12);
  EXPECT_EQ(box.area({true, true, true}), 0);
  const SolidShape cylinder = SolidShape::cylinder(middle, 1e-6, 0.5e-6, 0);
  EXPECT_NEAR(cylinder.area({true, false, false}) / (pi * 0.5 * um2), 1, 1e-12);
}

}  // namespace
}  // namespace rdme
