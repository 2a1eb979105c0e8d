// Boids against all pairs of them, on several numbers of devices.
#include <apps/boids/flock.hpp>

#include "../../support/make_mass.hpp"
#include "../../support/temporary_folder.hpp"
#include "../outputs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace boids {
namespace {

using mass::testing::contains;
using mass::testing::messageOf;
using mass::testing::TemporaryFolder;
using Vector = std::array<float, 2>;

mass::Settings settingsFor(int devices, const std::vector<std::string>& more = {}) {
  mass::Settings settings(schema());
  mass::testing::setDevices(settings, devices, std::max(devices, 2));
  for (const std::string& assignment : more) settings.set(assignment);
  return settings;
}

struct Bird {
  Vector position{}, velocity{};
};

/// By identity.
std::vector<Bird> birdsOf(const Flock& flock) {
  const auto ids = flock.boids().ids();
  const auto positions = flock.boids().download<&Boid::position>();
  const auto velocities = flock.boids().download<&Boid::velocity>();
  std::vector<Bird> birds(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) birds.at(ids[i]) = {positions[i], velocities[i]};
  return birds;
}

/// A step of one bird in double precision.
struct Step {
  std::array<double, 2> velocity{};
  double before = 0;  ///< its speed before that is brought into its bounds
  int nearby = 0;
  bool isClear = true;  ///< no other is so near to a radius that rounding says whether it counts
};

double wayAround(double from, double to, double width) {
  const double way = to - from;
  return way - width * std::round(way / width);
}

Step stepOf(const std::vector<Bird>& birds, std::size_t self, double width, const Rules& rules) {
  Step step;
  std::array<double, 2> centre{}, along{}, push{};
  for (std::size_t other = 0; other < birds.size(); ++other) {
    if (other == self) continue;
    std::array<double, 2> way{};
    for (std::size_t a = 0; a < 2; ++a) {
      way[a] = wayAround(birds[self].position[a], birds[other].position[a], width);
    }
    const double distance = std::hypot(way[0], way[1]);
    if (std::abs(distance - rules.radius) < 1e-4) step.isClear = false;
    if (distance >= rules.radius) continue;
    ++step.nearby;
    const double near = 1 - distance / rules.separation;
    for (std::size_t a = 0; a < 2; ++a) {
      centre[a] += way[a];
      along[a] += birds[other].velocity[a];
      if (near > 0) push[a] -= rules.collision * way[a] * near * near;
    }
  }
  for (std::size_t a = 0; a < 2; ++a) {
    const double velocity = birds[self].velocity[a];
    const double wanted =
        push[a] + (rules.steer * centre[a] + rules.match * along[a]) / step.nearby;
    step.velocity[a] = step.nearby == 0 ? velocity : velocity + rules.change * (wanted - velocity);
  }
  step.before = std::hypot(step.velocity[0], step.velocity[1]);
  const double speed = std::clamp(step.before, 0.5, 1.0);
  for (double& velocity : step.velocity) velocity *= speed / step.before;
  return step;
}

void expectAllPairs(const std::vector<Bird>& before, const std::vector<Bird>& after, double width,
                    const Rules& rules) {
  for (std::size_t i = 0; i < before.size(); ++i) {
    const Step step = stepOf(before, i, width, rules);
    if (!step.isClear) continue;
    // A slow bird is made faster, and so is its rounding.
    const double tolerance = 2e-6 * std::max(1.0, 0.5 / step.before);
    for (std::size_t a = 0; a < 2; ++a) {
      EXPECT_NEAR(after[i].velocity[a], step.velocity[a], tolerance);
      const double expected = before[i].position[a] + step.velocity[a];
      EXPECT_NEAR(wayAround(expected, after[i].position[a], width), 0, tolerance + 1e-5);
    }
  }
}

TEST(Boids, FlyAsAllPairsSay) {
  for (const Rules& rules : {Rules{}, Rules{.radius = 3,
                                      .separation = 3,
                                      .steer = 0.01F,
                                      .collision = 0.5F,
                                      .match = 1,
                                      .change = 0.2F}}) {
    for (const int devices : {1, 3}) {
      mass::Mass mass(settingsFor(devices));
      const Flock flock(mass, 400, 28.3F, rules);
      auto birds = birdsOf(flock);
      for (int step = 0; step < 20; ++step) {
        flock.step();
        const auto after = birdsOf(flock);
        expectAllPairs(birds, after, flock.space().length(0), rules);
        birds = after;  // each step is judged by itself: in the long run rounding grows
      }
    }
  }
}

TEST(Boids, StayInTheirWorldAndKeepTheirSpeed) {
  mass::Mass mass(settingsFor(2));
  const Flock flock(mass, 300, 17.7F);
  for (int step = 0; step < 60; ++step) {
    flock.step();
    for (const Bird& bird : birdsOf(flock)) {
      for (const float along : bird.position) {
        EXPECT_GE(along, 0);
        EXPECT_LT(along, flock.space().length(0));
      }
      const float speed = std::hypot(bird.velocity[0], bird.velocity[1]);
      EXPECT_GE(speed, 0.5F - 1e-6F);
      EXPECT_LE(speed, 1 + 1e-6F);
    }
  }
  EXPECT_EQ(flock.boids().size(), 300);
}

TEST(Boids, FlyOnWhereTheyLeaveTheWorld) {
  mass::Mass mass(settingsFor(2));
  const Flock flock(mass, 1, 20);
  const Bird start = birdsOf(flock).at(0);
  for (int step = 1; step <= 45; ++step) {
    flock.step();
    const Bird now = birdsOf(flock).at(0);
    EXPECT_EQ(now.velocity, start.velocity);
    for (std::size_t a = 0; a < 2; ++a) {
      const double expected = start.position[a] + static_cast<float>(step) * start.velocity[a];
      EXPECT_NEAR(wayAround(expected, now.position[a], 20), 0, 1e-4);
    }
  }
}

/// How many others each of the boids at these positions of a world of 20 x 20 sees.
std::vector<std::int32_t> seenAt(const std::vector<Vector>& positions) {
  mass::Mass mass(settingsFor(2));
  const auto bins = mass.createPlaces<Bin>({4, 4});
  const auto space = mass::spaceOf(bins, 5);
  std::vector<mass::Coordinates<2>> where;
  for (const Vector& position : positions) where.push_back(space.binOf(position));
  const auto boids = mass.createAgents<Boid>(bins, where);
  boids.initialise<&Boid::position>([&](std::uint64_t id) { return positions[id]; });
  boids.callAll<&Boid::fly>(boids, space, Rules{});
  return boids.download<&Boid::nearby>();
}

TEST(Boids, SeeEachOtherAcrossTheEdgesOfTheWorld) {
  using Seen = std::vector<std::int32_t>;
  EXPECT_EQ(seenAt({{0.5F, 10}, {17.5F, 10}}), (Seen{1, 1}));
  EXPECT_EQ(seenAt({{10, 0.5F}, {10, 17.5F}}), (Seen{1, 1}));
  EXPECT_EQ(seenAt({{0.5F, 0.5F}, {18.5F, 17.5F}}), (Seen{1, 1}));
  EXPECT_EQ(seenAt({{0.5F, 0.5F}, {15, 10}}), (Seen{0, 0}));
  EXPECT_EQ(seenAt({{0.5F, 10}, {15.5F, 10}}), (Seen{0, 0})) << "at the radius, not within";
}

TEST(Boids, AtTheSamePositionSeeEachOtherAndPushNobodyAway) {
  EXPECT_EQ(seenAt({{10, 10}, {10, 10}}), (std::vector<std::int32_t>{1, 1}));
}

TEST(Boids, KeepTheirSpeedWhereTheyAreSteeredAsHardAsCanBe) {
  for (const Rules& rules :
       {Rules{.steer = 1000}, Rules{.collision = 1000}, Rules{.match = 1000}}) {
    mass::Mass mass(settingsFor(1));
    const Flock flock(mass, 300, 17.7F, rules);
    for (int step = 0; step < 10; ++step) flock.step();
    EXPECT_GE(flock.polarisation(), 0);
    EXPECT_LE(flock.polarisation(), 1 + 1e-6);
  }
}

TEST(Boids, StartInDirectionsThatSayNothingOfTheirPositions) {
  mass::Mass mass(settingsFor(1));
  const Flock flock(mass, 4000, 90);
  for (const std::size_t axis : {0U, 1U}) {
    // How much both go round together: 1 if one is the other, and about 1 / sqrt(4000) = 0.016.
    double together = 0;
    for (const Bird& bird : birdsOf(flock)) {
      const double angle = 2 * 3.14159265358979 * static_cast<double>(bird.position[axis]) / 90;
      together += bird.velocity[0] * std::sin(angle) + bird.velocity[1] * std::cos(angle);
    }
    EXPECT_NEAR(together / 4000, 0, 0.1);
  }
}

TEST(Boids, AreShownWithWhereTheyCameFromAcrossTheEdges) {
  mass::Mass mass(settingsFor(1));
  const Flock flock(mass, 1, 48);  // ten pixels a unit
  flock.boids().initialise<&Boid::position>([](std::uint64_t) { return Vector{0.25F, 47.75F}; });
  flock.boids().initialise<&Boid::velocity>([](std::uint64_t) { return Vector{1, 0}; });
  const auto picture = flock.picture();
  const auto at = [&](std::size_t row) { return picture.values.at(row * 480 + 477); };
  EXPECT_EQ(at(2), 1);
  EXPECT_EQ(at(1), 7 / 8.0F);
  EXPECT_EQ(at(479), 5 / 8.0F);
  EXPECT_EQ(at(475), 1 / 8.0F);
  EXPECT_EQ(at(474), 0);
  EXPECT_EQ(at(3), 0);
}

TEST(Boids, FlyByTheRulesOfTheSettings) {
  const TemporaryFolder folder;
  const auto settings = settingsFor(2, {"boids=200", "width=24", "radius=4", "separation=2",
                                        "steer=0.1", "collision=0.3", "match=0.7", "change=0.4"});
  (void)mass::testing::outputsOf(settings, "boids", setUp, folder, 10);
  const auto table = mass::testing::cellsOf(folder / "boids.csv");
  mass::Mass mass(settings);
  const Flock flock(mass, 200, 24, {4, 2, 0.1F, 0.3F, 0.7F, 0.4F});
  for (std::size_t row = 1; row < table.size(); ++row) {
    if (row > 1) flock.step();
    EXPECT_EQ(std::stod(table[row].at(1)), flock.polarisation());
    EXPECT_EQ(std::stod(table[row].at(2)), flock.neighbours());
  }
}

TEST(Boids, AreTheSameOnEveryNumberOfDevicesAndAfterARestart) {
  const TemporaryFolder folder;
  const auto hashOn = [&](int devices) {
    mass::Mass mass(settingsFor(devices));
    const Flock flock(mass, 800, 40.5F);  // 8 rows of bins
    for (int step = 0; step < 15; ++step) flock.step();
    if (devices == 1) mass.saveCheckpoint(folder / "a.h5", "boids");
    for (int step = 0; step < 15; ++step) flock.step();
    EXPECT_EQ(flock.boids().size(), 800);
    return mass.hash();
  };
  const auto expected = hashOn(1);
  for (const int devices : {2, 3, 4, 7, 8}) EXPECT_EQ(hashOn(devices), expected) << devices;
  for (const int devices : {4, 8}) {
    mass::Mass again(settingsFor(devices));
    const Flock flock(again, 800, 40.5F);
    (void)again.restoreCheckpoint(folder / "a.h5", "boids");
    for (int step = 0; step < 15; ++step) flock.step();
    EXPECT_EQ(again.hash(), expected) << devices;
  }
}

TEST(Boids, AreWrittenAsPointsAndRows) {
  const TemporaryFolder folder;
  const auto names =
      mass::testing::outputsOf(settingsFor(2, {"boids=100"}), "boids", setUp, folder);
  EXPECT_TRUE(mass::testing::hasAll(names, {"boids.csv", "flock.csv", "flock.vtkhdf"}));
  const auto rows = mass::testing::cellsOf(folder / "flock.csv");
  EXPECT_EQ(rows.size(), 1U + 3 * 100);
  EXPECT_EQ(rows.front(),
            (std::vector<std::string>{"step", "id", "row", "column", "position.0", "position.1",
                                      "velocity.0", "velocity.1", "nearby"}));
}

TEST(Boids, MayBeNone) {
  mass::Mass mass(settingsFor(2));
  const Flock flock(mass, 0, 30);
  flock.step();
  EXPECT_EQ(flock.boids().size(), 0);
  EXPECT_EQ(flock.polarisation(), 0);
  EXPECT_EQ(flock.neighbours(), 0);
  const auto picture = flock.picture();
  EXPECT_EQ(std::ranges::count(picture.values, 0.0F),
            static_cast<std::ptrdiff_t>(picture.values.size()));
}

TEST(Boids, InOneDirectionAreFullyPolarised) {
  mass::Mass mass(settingsFor(1));
  const Flock flock(mass, 500, 31.6F);
  EXPECT_LT(flock.polarisation(), 0.15);  // 1 / sqrt(500) = 0.045 is to be expected
  flock.boids().initialise<&Boid::velocity>([](std::uint64_t) { return Vector{-0.6F, 0.3F}; });
  EXPECT_NEAR(flock.polarisation(), 1, 1e-6);
  flock.boids().initialise<&Boid::velocity>([](std::uint64_t id) {
    return id % 2 == 0 ? Vector{1, 0} : Vector{-0.5F, 0};
  });
  EXPECT_NEAR(flock.polarisation(), 0, 1e-6);
}

TEST(Boids, SeeAsManyAsTheDensitySays) {
  mass::Mass mass(settingsFor(1));
  const Flock flock(mass, 5000, 100);
  flock.step();
  EXPECT_NEAR(flock.neighbours(), 0.5 * 3.14159 * 25, 1.0);
}

TEST(Boids, ThatMatchTheirNeighboursFlock) {
  mass::Mass mass(settingsFor(2));
  const Flock flock(mass, 300, 24.5F, {.match = 1, .change = 0.15F});
  EXPECT_LT(flock.polarisation(), 0.2);
  for (int step = 0; step < 150; ++step) flock.step();
  EXPECT_GT(flock.polarisation(), 0.9);
}

TEST(Width, FollowsFromTheDensityButIsTwoRadiiAtLeast) {
  EXPECT_DOUBLE_EQ(widthFor(80000, 0.5, 5), 400);
  EXPECT_DOUBLE_EQ(widthFor(1, 0.5, 5), 10);
  EXPECT_DOUBLE_EQ(widthFor(0, 0.5, 5), 10);
}

TEST(Bins, AreNoNarrowerThanTheRadiusInAnyWorld) {
  for (const float radius : {2.11F, 2.3F, 3.3333333F}) {
    for (int bins = 2; bins < 60; ++bins) {
      // A width of as many radii, and its neighbours among the numbers.
      const float width = radius * static_cast<float>(bins);
      for (const float w : {std::nextafter(width, 0.0F), width, std::nextafter(width, 1e9F)}) {
        if (w < 2 * radius) continue;
        mass::Mass mass(settingsFor(1));
        const Flock flock(mass, 0, w, {.radius = radius});
        EXPECT_GE(flock.space().edge, radius);
        EXPECT_GE(flock.space().bins[0], bins - 1);
      }
    }
  }
}

TEST(Settings, ThatAreBadAreRefused) {
  const auto refusal = [](const std::vector<std::string>& assignments) {
    return messageOf<mass::SettingsError>([&] {
      const TemporaryFolder folder;
      auto settings = settingsFor(1, assignments);
      settings.set("output.folder=" + folder.path().string());
      mass::Mass mass(settings);
      mass::Simulation run(mass, "boids");
      setUp(mass, run);
    });
  };
  EXPECT_TRUE(contains(refusal({"width=9.9"}), "width"));
  EXPECT_TRUE(contains(refusal({"separation=6"}), "separation"));
  EXPECT_TRUE(contains(refusal({"radius=1"}), "radius"));
  EXPECT_TRUE(contains(refusal({"boids=-1"}), "boids"));
  EXPECT_TRUE(contains(refusal({"density=0"}), "density"));
  EXPECT_TRUE(contains(refusal({"change=1.5"}), "change"));
  for (const std::string key : {"steer", "collision", "match"}) {
    EXPECT_TRUE(contains(refusal({key + "=1e20"}), key));
  }
  EXPECT_TRUE(contains(refusal({"radius=1e39"}), "radius=1e39"));
  EXPECT_TRUE(contains(refusal({"width=1e39"}), "width=1e39"));
  EXPECT_TRUE(contains(refusal({"width=1048576"}), "width=1048576: the world would be of"));
  EXPECT_TRUE(
      contains(refusal({"density=1e-300"}), "density=1e-300: the world would be 4.472e+151"));
  EXPECT_TRUE(contains(refusal({"density=1e-8"}), "density=1e-8: the world would be of"));
}

}  // namespace
}  // namespace boids
