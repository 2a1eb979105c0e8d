// Compares the circles model with a sum over all pairs, on several numbers of devices.
#include <apps/circles/setup.hpp>

#include "../../support/make_mass.hpp"
#include "../outputs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

namespace circles {
namespace {

using Position = std::array<float, 3>;

mass::Settings settingsFor(int devices) {
  mass::Settings settings(schema());
  mass::testing::setDevices(settings, devices, std::max(devices, 2));
  return settings;
}
mass::Mass makeMass(int devices) {
  return mass::Mass(settingsFor(devices));
}

/// Returns the positions after one step, computed over all pairs in double precision.
std::vector<Position> moved(const std::vector<Position>& before, double radius, double repulsion) {
  std::vector<Position> after = before;
  for (std::size_t i = 0; i < before.size(); ++i) {
    std::array<double, 3> sum{};
    int nearby = 0;
    for (std::size_t k = 0; k < before.size(); ++k) {
      std::array<double, 3> way{};
      double squares = 0;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        way[axis] = static_cast<double>(before[k][axis]) - static_cast<double>(before[i][axis]);
        squares += way[axis] * way[axis];
      }
      const double distance = std::sqrt(squares);
      if (k == i || distance >= radius) continue;
      const double pull = std::sin(-2 * std::numbers::pi * distance / radius) * repulsion;
      for (std::size_t axis = 0; axis < 3; ++axis) sum[axis] += pull * way[axis] / distance;
      ++nearby;
    }
    for (std::size_t axis = 0; axis < 3 && nearby > 0; ++axis) {
      after[i][axis] += static_cast<float>(sum[axis] / nearby);
    }
  }
  return after;
}

/// Returns the positions in the order of identities.
std::vector<Position> positionsOf(const mass::Agents<Circle>& particles) {
  const auto ids = particles.ids();
  const auto positions = particles.download<&Circle::position>();
  std::vector<Position> byId(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) byId[ids[i]] = positions[i];
  return byId;
}

TEST(Circles, MoveAsAllPairsSay) {
  for (const int devices : {1, 3}) {
    mass::Mass mass = makeMass(devices);
    const auto [space, particles] = createWorld(mass, 600, 9, 2);
    std::vector<Position> expected = positionsOf(particles);
    for (int step = 0; step < 20; ++step) {
      particles.callAll<&Circle::move>(particles, space, 2.0F, 0.05F);
      particles.manageAll();
      expected = moved(expected, 2, 0.05);
      const std::vector<Position> found = positionsOf(particles);
      for (std::size_t i = 0; i < found.size(); ++i) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
          EXPECT_NEAR(found[i][axis], expected[i][axis], 2e-5F) << "step " << step;
        }
      }
      expected = found;  // compares single steps: over many steps rounding errors grow
    }
  }
}

TEST(Circles, AreTheSameOnEveryNumberOfDevicesAndAfterARestart) {
  const mass::testing::TemporaryFolder folder;
  const auto run = [](const World& world) {
    for (int step = 0; step < 15; ++step) world.step(2, 0.05F);
  };
  const auto hashOn = [&](int devices) {
    mass::Mass mass = makeMass(devices);
    const World world = createWorld(mass, 1000, 16, 2);  // 8 rows of bins
    run(world);
    if (devices == 2) mass.saveCheckpoint(folder / "a.h5", "circles");
    run(world);
    EXPECT_EQ(world.circles.size(), 1000);
    return mass.hash();
  };
  const auto expected = hashOn(1);
  for (const int devices : {2, 3, 4, 5, 8}) EXPECT_EQ(hashOn(devices), expected) << devices;
  for (const int devices : {1, 4, 8}) {
    mass::Mass again = makeMass(devices);
    const World world = createWorld(again, 1000, 16, 2);
    (void)again.restoreCheckpoint(folder / "a.h5", "circles");
    run(world);
    EXPECT_EQ(again.hash(), expected) << "after a restart on " << devices;
  }
}

TEST(Circles, AreWrittenAsPointsAndRows) {
  const mass::testing::TemporaryFolder folder;
  mass::Settings settings = settingsFor(2);
  settings.set("particles=100");
  settings.set("width=6");
  const auto names = mass::testing::outputsOf(settings, "circles", setUp, folder);
  EXPECT_TRUE(mass::testing::hasAll(names, {"circles.csv", "Circle.csv", "Circle.vtkhdf"}));
  const auto rows = mass::testing::cellsOf(folder / "Circle.csv");
  EXPECT_EQ(rows.size(), 1U + 3 * 100);
  EXPECT_EQ(rows.front(),
            (std::vector<std::string>{"step", "id", "row", "line", "column", "position.0",
                                      "position.1", "position.2", "speed", "nearby"}));
}

TEST(Circles, GoOnInBinsOfTheSameEdgeOnly) {
  const mass::testing::TemporaryFolder folder;
  const auto go = [&](int devices, const std::string& radius, bool isFirst) {
    mass::Settings settings = settingsFor(devices);
    settings.set("particles=100");
    settings.set("radius=" + radius);  // width 20: 10 bins along an axis for radius 2
    mass::Mass mass(settings);
    mass::Simulation run(mass, "circles");
    setUp(mass, run);
    const auto file = folder / "state.h5";
    if (isFirst)
      mass.saveCheckpoint(file, "circles", {{"simulation.step", 0}});
    else
      run.restart(file);
  };
  go(2, "2", true);
  EXPECT_NO_THROW(go(1, "2", false));
  EXPECT_TRUE(mass::testing::contains(
      mass::testing::messageOf<mass::CheckpointError>([&] { go(1, "2.1", false); }),
      "another edge of the bins of 'Bin': '2', not '2.1'"));
}

TEST(Circles, HaveTheirMeansInTheTable) {
  const mass::testing::TemporaryFolder folder;
  mass::Settings settings = settingsFor(2);
  settings.set("particles=200");
  settings.set("width=6");
  (void)mass::testing::outputsOf(settings, "circles", setUp, folder);
  const auto table = mass::testing::cellsOf(folder / "circles.csv");
  const auto particles = mass::testing::cellsOf(folder / "Circle.csv");
  ASSERT_EQ(table.size(), 4U);
  for (std::size_t row = 1; row < table.size(); ++row) {
    double speed = 0, nearby = 0;
    for (const auto& cells : particles) {
      if (cells[0] != table[row][0]) continue;
      speed += std::stod(cells.at(8)) / 200;
      nearby += std::stod(cells.at(9)) / 200;
    }
    EXPECT_NEAR(std::stod(table[row].at(1)), speed, 1e-6);
    EXPECT_NEAR(std::stod(table[row].at(2)), nearby, 1e-9);
    EXPECT_EQ(nearby > 0, row > 1);
  }
}

TEST(Circles, TwoThatAreNearMoveApartAndTwoThatAreFarTogether) {
  for (const float distance : {0.3F, 1.6F}) {
    mass::Mass mass = makeMass(1);
    const auto [space, particles] = createWorld(mass, 2, 6, 2);
    particles.initialise<&Circle::position>([&](std::uint64_t id) {
      return Position{3, 3, id == 0 ? 3 : 3 + distance};
    });
    // Moves the particles to the bins of their new positions.
    particles.callAll<&Circle::move>(particles, space, 2.0F, 0.0F);
    for (int step = 0; step < 3; ++step) {
      particles.manageAll();
      particles.callAll<&Circle::move>(particles, space, 2.0F, 0.05F);
    }
    const auto positions = positionsOf(particles);
    const float after = positions[1][2] - positions[0][2];
    EXPECT_EQ(after > distance, distance < 1) << distance << " -> " << after;
    EXPECT_NE(after, distance);
  }
}

TEST(Circles, TwoAtTheSamePositionSeeOthersButNotEachOther) {
  mass::Mass mass = makeMass(1);
  const auto [space, particles] = createWorld(mass, 3, 6, 2);
  particles.initialise<&Circle::position>([](std::uint64_t id) {
    return Position{3, 3, id == 2 ? 3.5F : 3};
  });
  // Moves the particles to the bins of their new positions.
  particles.callAll<&Circle::move>(particles, space, 2.0F, 0.0F);
  particles.manageAll();
  particles.callAll<&Circle::move>(particles, space, 2.0F, 0.05F);
  const auto positions = positionsOf(particles);
  EXPECT_EQ(positions[0], positions[1]);
  EXPECT_NEAR(positions[0][2], 2.95, 1e-6);
  EXPECT_NEAR(positions[2][2], 3.55, 1e-6);
  const auto ids = particles.ids();
  const auto nearby = particles.download<&Circle::nearby>();
  for (std::size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(nearby[i], ids[i] == 2 ? 2 : 1);
}

TEST(Circles, RefuseSettingsWithWhichTheyCannotGoOn) {
  const auto refusal = [](const std::vector<std::string>& assignments) {
    return mass::testing::messageOf<mass::SettingsError>([&] {
      const mass::testing::TemporaryFolder folder;
      mass::Settings settings = settingsFor(1);
      for (const std::string& assignment : assignments) settings.set(assignment);
      settings.set("output.folder=" + folder.path().string());
      mass::Mass mass(settings);
      mass::Simulation run(mass, "circles");
      setUp(mass, run);
    });
  };
  const auto refused = [&](const std::vector<std::string>& assignments, const char* why) {
    return mass::testing::contains(refusal(assignments), why);
  };
  EXPECT_TRUE(
      refused({"radius=0.4", "repulsion=0.4"}, "repulsion=0.4: particles may move at most"));
  EXPECT_TRUE(refused({"width=1e30"}, "width=1e30"));
  EXPECT_TRUE(refused({"radius=1e-30"}, "radius=1e-30"));
  EXPECT_TRUE(refused({"radius=1e39"}, "radius=1e39"));
  EXPECT_TRUE(refused({"radius=1e-9"}, "'width' = 20 (the default): the cube would have 2"));
  EXPECT_TRUE(refused({"particles=1073741825"}, "particles=1073741825"));
}

TEST(Circles, NoneAndOneDoNothing) {
  for (const int count : {0, 1}) {
    mass::Mass mass = makeMass(2);
    const auto [space, particles] = createWorld(mass, count, 6, 2);
    const auto before = positionsOf(particles);
    particles.callAll<&Circle::move>(particles, space, 2.0F, 0.05F);
    particles.manageAll();
    EXPECT_EQ(positionsOf(particles), before);
  }
}

}  // namespace
}  // namespace circles
