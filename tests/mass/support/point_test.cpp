// Tests the arithmetic of points, positions at the ends of a space, and rules that move by them
// beside a plain program.
#include <mass/support/point.hpp>

#include "../../support/mass_on_ranks.hpp"

#include <mass/mass.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace {

using mass::Point;
using mass::Space;

TEST(Point, HasTheArithmeticOfVectors) {
  constexpr Point<3> a{1, 2, 3}, b{4, -5, 6};
  static_assert(a + b == Point<3>{5, -3, 9});
  static_assert(a - b == Point<3>{-3, 7, -3});
  static_assert(2 * a == Point<3>{2, 4, 6} && a * 2 == 2 * a && -a == -1 * a);
  static_assert(b / 2 == Point<3>{2, -2.5F, 3});
  static_assert(a.dot(b) == 12 && a.squared() == 14);
  Point<3> c = a;
  c += b;
  c -= a;
  c *= 2;
  c /= 4;
  EXPECT_EQ(c, b / 2);
}

TEST(Point, HasAUnitVectorUnlessItIsTheOrigin) {
  EXPECT_EQ((Point<2>{3, 4}.unit()), (Point<2>{0.6F, 0.8F}));
  EXPECT_EQ((Point<2>{}.unit()), (Point<2>{}));
}

TEST(Point, TurnsFromTheFirstAxisToTheSecond) {
  const auto expectNear = [](const Point<2>& a, const Point<2>& b) {
    EXPECT_LT((a - b).length(), 1e-6F) << a[0] << ", " << a[1];
  };
  expectNear(Point<2>::heading(0), {1, 0});
  expectNear(Point<2>::heading(0.25F), {0, 1});
  expectNear(Point<2>{1, 0}.turned(0.125F), {std::sqrt(0.5F), std::sqrt(0.5F)});
  expectNear(Point<2>{0, 2}.turned(0.25F), {-2, 0});
  expectNear(Point<2>{0, 2}.turned(-0.75F), {-2, 0});
}

TEST(Point, DrawsDirectionsOfAllSidesWithTheSameProbability) {
  mass::Random random({.seed = 1});
  Point<3> sum, squares;
  constexpr int draws = 30000;
  for (int i = 0; i < draws; ++i) {
    const auto direction = Point<3>::direction(random);
    EXPECT_NEAR(direction.length(), 1, 1e-6);
    sum += direction;
    for (int axis = 0; axis < 3; ++axis) squares[axis] += direction[axis] * direction[axis];
  }
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_NEAR(sum[axis] / draws, 0, 0.015);
    EXPECT_NEAR(squares[axis] / draws, 1.0 / 3, 0.008);
  }
}

TEST(Tuple, AddsAndScalesOffsets) {
  constexpr mass::Offset<2> a{1, -2}, b{3, 5};
  static_assert(a + b == mass::Offset<2>{4, 3} && a - b == mass::Offset<2>{-2, -7});
  static_assert(a * 3 == 3 * a && -a == mass::Offset<2>{-1, 2});
  constexpr mass::Coordinates<2> place{7, 8};
  static_assert(place + a == mass::Coordinates<2>{8, 6});
}

constexpr Space<2> mixed{2, {4, 3}, {true, false}};  // 8 x 6, periodic along axis 0

TEST(Space, ConfinesAPositionByWrappingAndReflecting) {
  Point<2> position{-1, 7}, velocity{3, 4};
  mixed.confine(position, velocity);
  EXPECT_EQ(position, (Point<2>{7, 5}));
  EXPECT_EQ(velocity, (Point<2>{3, -4}));
  position = {9, -2};
  mixed.confine(position);
  EXPECT_EQ(position, (Point<2>{1, 2}));
  position = {8, 6};
  mixed.confine(position);
  EXPECT_EQ(position, (Point<2>{0, 6})) << "the end of an axis that is not periodic is inside";
}

TEST(Space, ConfinesNoPositionFarOutside) {
  Point<2> position{1, 12.5F};
  mixed.confine(position);
  EXPECT_TRUE(std::isnan(position[1]));
  EXPECT_EQ(mixed.binOf(position)[0], Space<2>::nowhere);
}

TEST(Space, FindsTheShorterOffsetToAPosition) {
  EXPECT_EQ(mixed.offsetTo({0, 0}, Point<2>{7, 5}), (mass::Offset<2>{-1, 2}));
  EXPECT_EQ(mixed.offsetTo({0, 0}, Point<2>{-1, -1}), (mass::Offset<2>{-1, -1}));
  EXPECT_EQ(mixed.offsetTo({3, 2}, Point<2>{8.5F, 4}), (mass::Offset<2>{1, 0}));
}

TEST(Space, DrawsPositionsInABin) {
  mass::Random random({.seed = 1});
  const Space<2> fine{0.1F, {1000, 1000}, {true, true}};
  for (int i = 0; i < 1000; ++i) {
    const mass::Coordinates<2> bin{i, 999 - i};
    EXPECT_EQ(mixed.binOf(mixed.draw({i % 4, i % 3}, random)),
              (mass::Coordinates<2>{i % 4, i % 3}));
    EXPECT_EQ(fine.binOf(fine.center(bin)), bin);
  }
}

/// Ground with a scent that hikers smell ahead.
class Ground : public mass::Place<2> {
 public:
  float scent = 0;
  using Attributes = mass::Attributes<&Ground::scent>;

  MASS_FN void smell(const mass::Here<2>& here) {
    const auto at = here.coordinates();
    scent = static_cast<float>((at[0] * 7 + at[1] * 5) % 11);
  }
};
class Hiker : public mass::Agent<Ground> {
 public:
  Point<2> position, velocity;
  float smelled = 0;
  using Attributes = mass::Attributes<&Hiker::position, &Hiker::velocity, &Hiker::smelled>;

  MASS_FN void begin(mass::Intent<Hiker>& intent, mass::Space<2> space) {
    auto random = intent.random();
    position = space.draw(intent.coordinates(), random);
    velocity = 0.9F * space.edge * Point<2>::direction(random);
  }
  MASS_FN void walk(const mass::Neighborhood<Ground>& near, mass::Intent<Hiker>& intent,
                    mass::Space<2> space) {
    smelled = near.at(space, position + velocity).scent;
    velocity = velocity.turned(smelled / 100);
    position += velocity;
    intent.moveTo(space, position, velocity);
  }
};

/// Makes a step of a hiker in a plain program.
/// @pre axis 0 is periodic, axis 1 mirrored
void walk(const Space<2>& space, Point<2>& position, Point<2>& velocity) {
  const Point<2> ahead = position + velocity;
  std::array<std::int64_t, 2> bin{};
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const std::int64_t length = space.bins[static_cast<int>(axis)];
    bin[axis] = static_cast<std::int64_t>(std::floor(ahead[axis] / space.edge));
    if (axis == 0) bin[axis] = (bin[axis] + length) % length;
    if (axis == 1 && bin[axis] < 0) bin[axis] = -1 - bin[axis];
    if (axis == 1 && bin[axis] >= length) bin[axis] = 2 * length - 1 - bin[axis];
  }
  const auto smelled = static_cast<float>((bin[0] * 7 + bin[1] * 5) % 11);
  velocity = velocity.turned(smelled / 100);
  position += velocity;
  const float length = space.length(0), width = space.length(1);
  if (position[0] < 0) position[0] += length;
  if (position[0] >= length) position[0] -= length;
  if (position[1] < 0 || position[1] > width) {
    position[1] = position[1] < 0 ? -position[1] : 2 * width - position[1];
    velocity[1] = -velocity[1];
  }
}

void hike(mass::Mass& mass, mass::testing::Record& record) {
  const auto ground = mass.createPlaces<Ground>(
      {13, 9}, {.borders = {mass::Border::periodic, mass::Border::mirrored}});
  const auto space = mass::spaceOf(ground, 1.5F);
  const auto hikers = mass.createAgents<Hiker>(ground, 100);
  ground.callAll<&Ground::smell>();
  hikers.callAll<&Hiker::begin>(space);
  // By identity, the order of agents before they move.
  auto positions = hikers.download<&Hiker::position>();
  auto velocities = hikers.download<&Hiker::velocity>();
  for (int step = 0; step < 20; ++step) {
    hikers.callAll<&Hiker::walk>(space);
    hikers.manageAll();
    for (std::size_t i = 0; i < positions.size(); ++i) walk(space, positions[i], velocities[i]);
  }
  const std::vector<Point<2>> now = hikers.download<&Hiker::position>();
  const auto ids = hikers.ids();
  const auto places = hikers.coordinates();
  for (std::size_t i = 0; i < now.size(); ++i) {
    EXPECT_EQ(now[i], positions[ids[i]]) << "hiker " << ids[i];
    EXPECT_EQ(places[i], space.binOf(now[i]));
  }
  record.add("hash", mass.hash());
}

TEST(Point, MovesAgentsAsAPlainProgramDoes) {
  mass::testing::expectSameOnRanks({{.devices = {2}}, {.devices = {3}}, {.devices = {8}}}, hike);
  mass::testing::expectSameOnRanks(mass::testing::usualRanks(), hike);
}

class Marked : public mass::Agent<Ground> {
 public:
  float position[2] = {1, 2};
  using Attributes = mass::Attributes<&Marked::position>;
};
class Pointed : public mass::Agent<Ground> {
 public:
  Point<2> position{1, 2};
  using Attributes = mass::Attributes<&Pointed::position>;
};

TEST(Point, IsStoredAsAnArray) {
  mass::Mass mass = mass::testing::makeMass(2);
  const auto ground = mass.createPlaces<Ground>({5, 4});
  const auto marked = mass.createAgents<Marked>(ground, 20);
  const auto pointed = mass.createAgents<Pointed>(ground, 20);
  const auto infos = mass.agents();
  EXPECT_EQ(infos[1].attributes()[0].components, 2);
  pointed.initialise<&Pointed::position>([](std::uint64_t id) {
    return Point<2>{static_cast<float>(id), 3};
  });
  EXPECT_EQ(pointed.download<&Pointed::position>().front()[1], 3);
  const std::vector<Point<2>> same(20, {1, 2});
  pointed.upload<&Pointed::position>(same);
  EXPECT_EQ(pointed.download<&Pointed::position>(), same);
}

}  // namespace
