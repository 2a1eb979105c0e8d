#include <apps/lbm/case/surface_thickness.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

namespace lbm {
namespace {

using std::numbers::pi;
using Triangles = std::vector<std::array<Point, 3>>;

Triangles box(const Point& low, const Point& high) {
  const auto corner = [&](unsigned i) {
    return Point{(i & 1U) != 0 ? high[0] : low[0], (i & 2U) != 0 ? high[1] : low[1],
                 (i & 4U) != 0 ? high[2] : low[2]};
  };
  Triangles triangles;
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
    triangles.push_back({corner(a), corner(b), corner(c)});
  return triangles;
}

/// Body of revolution about the z axis. @param profile radius and z, from the lowest point on the
/// axis to the highest
Triangles revolved(const std::vector<std::pair<double, double>>& profile, int sides = 48) {
  const auto at = [&](std::size_t i, int side) {
    const double angle = 2 * pi * (side % sides) / sides;
    return Point{profile[i].first * std::cos(angle), profile[i].first * std::sin(angle),
                 profile[i].second};
  };
  Triangles triangles;
  for (std::size_t i = 0; i + 1 < profile.size(); ++i) {
    for (int side = 0; side < sides; ++side) {
      triangles.push_back({at(i, side), at(i, side + 1), at(i + 1, side + 1)});
      triangles.push_back({at(i, side), at(i + 1, side + 1), at(i + 1, side)});
    }
  }
  return triangles;
}

Triangles sphere(double radius) {
  std::vector<std::pair<double, double>> profile{{0, -radius}};
  for (int i = 1; i < 24; ++i)
    profile.emplace_back(radius * std::sin(pi * i / 24), -radius * std::cos(pi * i / 24));
  profile.emplace_back(0, radius);
  return revolved(profile);
}

Triangles turnedOver(Triangles triangles) {
  for (auto& triangle : triangles) std::swap(triangle[1], triangle[2]);
  return triangles;
}

ThinPart thin(const std::vector<Triangles>& bodies, double limit) {
  MeshBuilder builder;
  for (const Triangles& body : bodies)
    for (const auto& triangle : body) builder.add(triangle);
  return thinPart(builder.build(), limit);
}

TEST(SurfaceThickness, isThatOfPlatesAndBars) {
  EXPECT_EQ(thin({box({0, 0, 0}, {1, 2, 0.1})}, 0.099).share, 0);
  const ThinPart plate = thin({box({0, 0, 0}, {1, 2, 0.1})}, 0.2);
  EXPECT_NEAR(plate.thickness, 0.1, 1e-12);
  EXPECT_NEAR(plate.share, 4 / 4.6, 1e-9) << "the sides are wide";
  EXPECT_NEAR(thin({box({0, 0, 0}, {0.1, 0.1, 7})}, 0.2).share, 2.8 / 2.82, 1e-9);
  EXPECT_EQ(thin({box({0, 0, 0}, {1, 1, 1})}, 0.99).share, 0);
}

TEST(SurfaceThickness, isTheDiameterOfRoundBodies) {
  EXPECT_EQ(thin({sphere(1)}, 1.95).share, 0);
  EXPECT_NEAR(thin({sphere(1)}, 2.1).share, 1, 1e-9);
  EXPECT_NEAR(thin({sphere(1)}, 2.1).thickness, 1.99, 0.02);
  const Triangles needle = revolved({{0, 0}, {0.1, 0}, {0.1, 5}, {0, 5}});
  EXPECT_EQ(thin({needle}, 0.19).share, 0);
  EXPECT_GT(thin({needle}, 0.21).share, 0.95);
}

TEST(SurfaceThickness, isThatOfAWallAroundAHollow) {
  const std::vector<Triangles> hollow{sphere(1), turnedOver(sphere(0.9))};
  EXPECT_EQ(thin(hollow, 0.09).share, 0);
  EXPECT_NEAR(thin(hollow, 0.12).share, 1, 1e-9);
  EXPECT_NEAR(thin(hollow, 0.12).thickness, 0.1, 0.002);
}

TEST(SurfaceThickness, isSmallInPartsOfABody) {
  const ThinPart fin = thin({box({0, 0, 0}, {1, 1, 1}), box({2, 0, 0}, {2.01, 1, 1})}, 0.1);
  EXPECT_NEAR(fin.thickness, 0.01, 1e-12);
  EXPECT_NEAR(fin.share, 2 / (6 + 2.04), 1e-9);
  EXPECT_NEAR(fin.at[0], 2, 0.011);
  // The tip of a cone of 14 degrees.
  const ThinPart cone = thin({revolved({{0, 0}, {0.5, 0}, {0, 4}})}, 0.25);
  EXPECT_GT(cone.share, 0.02);
  EXPECT_LT(cone.share, 0.08);
  EXPECT_GT(cone.at[2], 3);
  EXPECT_EQ(thin({revolved({{0, 0}, {1, 0}, {0, 1.8}})}, 0.25).share, 0) << "a blunt edge";
}

TEST(SurfaceThickness, isThatOfBodiesWhichTouchOrOverlapTogether) {
  const Triangles low = box({0, 0, 0}, {1, 1, 0.06}), high = box({0, 0, 0.06}, {1, 1, 0.12});
  EXPECT_NEAR(thin({low}, 0.1).thickness, 0.06, 1e-12);
  EXPECT_EQ(thin({low, high}, 0.1).share, 0);
  EXPECT_EQ(thin({low, low}, 0.05).share, 0);
  EXPECT_NEAR(thin({low, low}, 0.1).thickness, 0.06, 1e-12);
  EXPECT_EQ(thin({box({0, 0, 0}, {1, 1, 1}), box({0.2, 0.2, 0.5}, {0.8, 0.8, 0.51})}, 0.1).share,
            0);
}

TEST(SurfaceThickness, isZeroWithoutAVolume) {
  const ThinPart sheet = thin({box({0, 0, 0}, {1, 1, 0})}, 0.1);
  EXPECT_EQ(sheet.thickness, 0);
  EXPECT_NEAR(sheet.share, 1, 1e-9);
}

TEST(SurfaceThickness, doesNotDependOnTheSizeOfTriangles) {
  // A side of 100,000 triangles, another of two; limits far below and above their edges.
  Triangles fine;
  const int n = 200;
  const auto at = [&](int i, int j) { return Point{i / 200.0, j / 200.0, 0.05}; };
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      fine.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      fine.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  }
  const Triangles coarse{{Point{0, 0, 0}, {0, 1, 0}, {1, 1, 0}},
                         {Point{0, 0, 0}, {1, 1, 0}, {1, 0, 0}}};
  EXPECT_NEAR(thin({fine, coarse}, 0.06).thickness, 0.05, 1e-12);
  EXPECT_EQ(thin({fine, coarse}, 0.04).share, 0);
}

}  // namespace
}  // namespace lbm
