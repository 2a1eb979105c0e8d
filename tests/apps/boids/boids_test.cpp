// Compares boids with a sum over all pairs, on several numbers of devices.
#include <apps/boids/setup.hpp>

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

/// Returns the boids in the order of their identities.
std::vector<Bird> birdsOf(const World& world) {
  const auto ids = world.boids().ids();
  const auto positions = world.boids().download<&Boid::position>();
  const auto velocities = world.boids().download<&Boid::velocity>();
  std::vector<Bird> birds(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) birds.at(ids[i]) = {positions[i], velocities[i]};
  return birds;
}

/// Step of one boid, computed in double precision.
struct Step {
  std::array<double, 2> velocity{};
  double before = 0;  ///< speed before it is brought into [0.5, 1]
  int nearby = 0;
  bool isClear = true;  ///< false if rounding decides whether another one is within the radius
};

double wayAround(double from, double to, double width) {
  const double way = to - from;
  return way - width * std::round(way / width);
}

Step stepOf(const std::vector<Bird>& birds, std::size_t self, double width,
            const Parameters& parameters) {
  Step step;
  std::array<double, 2> centre{}, along{}, push{};
  for (std::size_t other = 0; other < birds.size(); ++other) {
    if (other == self) continue;
    std::array<double, 2> way{};
    for (std::size_t a = 0; a < 2; ++a) {
      way[a] = wayAround(birds[self].position[a], birds[other].position[a], width);
    }
    const double distance = std::hypot(way[0], way[1]);
    if (std::abs(distance - parameters.radius) < 1e-4) step.isClear = false;
    if (distance >= parameters.radius) continue;
    ++step.nearby;
    const double near = 1 - distance / parameters.separation;
    for (std::size_t a = 0; a < 2; ++a) {
      centre[a] += way[a];
      along[a] += birds[other].velocity[a];
      if (near > 0) push[a] -= parameters.collision * way[a] * near * near;
    }
  }
  for (std::size_t a = 0; a < 2; ++a) {
    const double velocity = birds[self].velocity[a];
    const double wanted =
        push[a] + (parameters.steer * centre[a] + parameters.match * along[a]) / step.nearby;
    step.velocity[a] =
        step.nearby == 0 ? velocity : velocity + parameters.change * (wanted - velocity);
  }
  step.before = std::hypot(step.velocity[0], step.velocity[1]);
  const double speed = std::clamp(step.before, 0.5, 1.0);
  for (double& velocity : step.velocity) velocity *= speed / step.before;
  return step;
}

void expectAllPairs(const std::vector<Bird>& before, const std::vector<Bird>& after, double width,
                    const Parameters& parameters) {
  for (std::size_t i = 0; i < before.size(); ++i) {
    const Step step = stepOf(before, i, width, parameters);
    if (!step.isClear) continue;
    // Raising a low speed to 0.5 scales its rounding error, too.
    const double tolerance = 2e-6 * std::max(1.0, 0.5 / step.before);
    for (std::size_t a = 0; a < 2; ++a) {
      EXPECT_NEAR(after[i].velocity[a], step.velocity[a], tolerance);
      const double expected = before[i].position[a] + step.velocity[a];
      EXPECT_NEAR(wayAround(expected, after[i].position[a], width), 0, tolerance + 1e-5);
    }
  }
}

TEST(Boids, FlyAsAllPairsSay) {
  for (const Parameters& parameters : {Parameters{}, Parameters{.radius = 3,
                                                     .separation = 3,
                                                     .steer = 0.01F,
                                                     .collision = 0.5F,
                                                     .match = 1,
                                                     .change = 0.2F}}) {
    for (const int devices : {1, 3}) {
      mass::Mass mass(settingsFor(devices));
      const World world(mass, 400, 28.3F, parameters);
      auto birds = birdsOf(world);
      for (int step = 0; step < 20; ++step) {
        world.step();
        const auto after = birdsOf(world);
        expectAllPairs(birds, after, world.space().length(0), parameters);
        birds = after;  // compares single steps: over many steps rounding errors grow
      }
    }
  }
}

TEST(Boids, StayInTheirWorldAndKeepTheirSpeed) {
  mass::Mass mass(settingsFor(2));
  const World world(mass, 300, 17.7F);
  for (int step = 0; step < 60; ++step) {
    world.step();
    for (const Bird& bird : birdsOf(world)) {
      for (const float along : bird.position) {
        EXPECT_GE(along, 0);
        EXPECT_LT(along, world.space().length(0));
      }
      const float speed = std::hypot(bird.velocity[0], bird.velocity[1]);
      EXPECT_GE(speed, 0.5F - 1e-6F);
      EXPECT_LE(speed, 1 + 1e-6F);
    }
  }
  EXPECT_EQ(world.boids().size(), 300);
}

TEST(Boids, FlyOnWhereTheyLeaveTheWorld) {
  mass::Mass mass(settingsFor(2));
  const World world(mass, 1, 20);
  const Bird start = birdsOf(world).at(0);
  for (int step = 1; step <= 45; ++step) {
    world.step();
    const Bird now = birdsOf(world).at(0);
    EXPECT_EQ(now.velocity, start.velocity);
    for (std::size_t a = 0; a < 2; ++a) {
      const double expected = start.position[a] + static_cast<float>(step) * start.velocity[a];
      EXPECT_NEAR(wayAround(expected, now.position[a], 20), 0, 1e-4);
    }
  }
}

/// Returns the number of others that each boid sees, for boids at `positions` of a world of 20
/// x 20.
std::vector<std::int32_t> seenAt(const std::vector<Vector>& positions) {
  mass::Mass mass(settingsFor(2));
  const auto bins = mass.createPlaces<Bin>({4, 4});
  const auto space = mass::spaceOf(bins, 5);
  std::vector<mass::Coordinates<2>> where;
  for (const Vector& position : positions) where.push_back(space.binOf(position));
  const auto boids = mass.createAgents<Boid>(bins, where);
  boids.initialise<&Boid::position>([&](std::uint64_t id) { return positions[id]; });
  boids.callAll<&Boid::fly>(boids, space, Parameters{});
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
  for (const Parameters& parameters :
       {Parameters{.steer = 1000}, Parameters{.collision = 1000}, Parameters{.match = 1000}}) {
    mass::Mass mass(settingsFor(1));
    const World world(mass, 300, 17.7F, parameters);
    for (int step = 0; step < 10; ++step) world.step();
    EXPECT_GE(world.polarisation(), 0);
    EXPECT_LE(world.polarisation(), 1 + 1e-6);
  }
}

TEST(Boids, StartInDirectionsThatSayNothingOfTheirPositions) {
  mass::Mass mass(settingsFor(1));
  const World world(mass, 4000, 90);
  for (const std::size_t axis : {0U, 1U}) {
    // Correlation of direction and position as angles: 1 if they are equal, about 1 / sqrt(4000) =
    // 0.016 if they are independent.
    double together = 0;
    for (const Bird& bird : birdsOf(world)) {
      const double angle = 2 * 3.14159265358979 * static_cast<double>(bird.position[axis]) / 90;
      together += bird.velocity[0] * std::sin(angle) + bird.velocity[1] * std::cos(angle);
    }
    EXPECT_NEAR(together / 4000, 0, 0.1);
  }
}

TEST(Boids, AreShownWithWhereTheyCameFromAcrossTheEdges) {
  mass::Mass mass(settingsFor(1));
  const World world(mass, 1, 48);  // ten pixels per unit
  world.boids().initialise<&Boid::position>([](std::uint64_t) { return Vector{0.25F, 47.75F}; });
  world.boids().initialise<&Boid::velocity>([](std::uint64_t) { return Vector{1, 0}; });
  const auto picture = world.picture();
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
  const World world(mass, 200, 24, {4, 2, 0.1F, 0.3F, 0.7F, 0.4F});
  for (std::size_t row = 1; row < table.size(); ++row) {
    if (row > 1) world.step();
    EXPECT_EQ(std::stod(table[row].at(1)), world.polarisation());
    EXPECT_EQ(std::stod(table[row].at(2)), world.neighbours());
  }
}

TEST(Boids, AreTheSameOnEveryNumberOfDevicesAndAfterARestart) {
  const TemporaryFolder folder;
  const auto hashOn = [&](int devices) {
    mass::Mass mass(settingsFor(devices));
    const World world(mass, 800, 40.5F);  // 8 rows of bins
    for (int step = 0; step < 15; ++step) world.step();
    if (devices == 1) mass.saveCheckpoint(folder / "a.h5", "boids");
    for (int step = 0; step < 15; ++step) world.step();
    EXPECT_EQ(world.boids().size(), 800);
    return mass.hash();
  };
  const auto expected = hashOn(1);
  for (const int devices : {2, 3, 4, 7, 8}) EXPECT_EQ(hashOn(devices), expected) << devices;
  for (const int devices : {4, 8}) {
    mass::Mass again(settingsFor(devices));
    const World world(again, 800, 40.5F);
    (void)again.restoreCheckpoint(folder / "a.h5", "boids");
    for (int step = 0; step < 15; ++step) world.step();
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
  const World world(mass, 0, 30);
  world.step();
  EXPECT_EQ(world.boids().size(), 0);
  EXPECT_EQ(world.polarisation(), 0);
  EXPECT_EQ(world.neighbours(), 0);
  const auto picture = world.picture();
  EXPECT_EQ(std::ranges::count(picture.values, 0.0F),
            static_cast<std::ptrdiff_t>(picture.values.size()));
}

TEST(Boids, InOneDirectionAreFullyPolarised) {
  mass::Mass mass(settingsFor(1));
  const World world(mass, 500, 31.6F);
  EXPECT_LT(world.polarisation(), 0.15);  // expected: 1 / sqrt(500) = 0.045
  world.boids().initialise<&Boid::velocity>([](std::uint64_t) { return Vector{-0.6F, 0.3F}; });
  EXPECT_NEAR(world.polarisation(), 1, 1e-6);
  world.boids().initialise<&Boid::velocity>([](std::uint64_t id) {
    return id % 2 == 0 ? Vector{1, 0} : Vector{-0.5F, 0};
  });
  EXPECT_NEAR(world.polarisation(), 0, 1e-6);
}

TEST(Boids, SeeAsManyAsTheDensitySays) {
  mass::Mass mass(settingsFor(1));
  const World world(mass, 5000, 100);
  world.step();
  EXPECT_NEAR(world.neighbours(), 0.5 * 3.14159 * 25, 1.0);
}

TEST(Boids, ThatMatchTheirNeighboursFlock) {
  mass::Mass mass(settingsFor(2));
  const World world(mass, 300, 24.5F, {.match = 1, .change = 0.15F});
  EXPECT_LT(world.polarisation(), 0.2);
  for (int step = 0; step < 150; ++step) world.step();
  EXPECT_GT(world.polarisation(), 0.9);
}

TEST(Width, FollowsFromTheDensityButIsTwoRadiiAtLeast) {
  EXPECT_DOUBLE_EQ(widthFor(80000, 0.5, 5), 400);
  EXPECT_DOUBLE_EQ(widthFor(1, 0.5, 5), 10);
  EXPECT_DOUBLE_EQ(widthFor(0, 0.5, 5), 10);
}

TEST(Bins, AreNoNarrowerThanTheRadiusInAnyWorld) {
  for (const float radius : {2.11F, 2.3F, 3.3333333F}) {
    for (int bins = 2; bins < 60; ++bins) {
      // Width of `bins` radii, and the adjacent floating-point numbers.
      const float width = radius * static_cast<float>(bins);
      for (const float w : {std::nextafter(width, 0.0F), width, std::nextafter(width, 1e9F)}) {
        if (w < 2 * radius) continue;
        mass::Mass mass(settingsFor(1));
        const World world(mass, 0, w, {.radius = radius});
        EXPECT_GE(world.space().edge, radius);
        EXPECT_GE(world.space().bins[0], bins - 1);
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
  EXPECT_TRUE(contains(refusal({"width=1048576"}), "width=1048576: the world would have"));
  EXPECT_TRUE(
      contains(refusal({"density=1e-300"}), "density=1e-300: the world would be 4.472e+151"));
  EXPECT_TRUE(contains(refusal({"density=1e-8"}), "density=1e-8: the world would have"));
}

}  // namespace
}  // namespace boids
