// The circles model against all pairs of particles, on several numbers of devices.
#include <apps/circles/circles.hpp>

#include "../../mass/model/make_mass.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

namespace circles {
namespace {

using Position = std::array<float, 3>;

mass::Mass makeMass(int devices) {
  mass::Settings settings(schema());
  mass::testing::setDevices(settings, devices, 2);
  return mass::Mass(settings);
}

/// One step of all pairs, in double precision.
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

/// Positions by identity.
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
    const auto [space, particles] = makeWorld(mass, 600, 9, 2);
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
      expected = found;  // each step is judged by itself: in the long run rounding grows
    }
  }
}

TEST(Circles, AreTheSameOnEveryNumberOfDevices) {
  const auto hashOn = [](int devices) {
    mass::Mass mass = makeMass(devices);
    const auto [space, particles] = makeWorld(mass, 700, 10, 2);
    for (int step = 0; step < 30; ++step) {
      particles.callAll<&Circle::move>(particles, space, 2.0F, 0.05F);
      particles.manageAll();
    }
    EXPECT_EQ(particles.size(), 700);
    return mass.hash();
  };
  for (const int devices : {2, 3, 4, 5}) EXPECT_EQ(hashOn(devices), hashOn(1)) << devices;
}

TEST(Circles, TwoThatAreNearMoveApartAndTwoThatAreFarTogether) {
  for (const float distance : {0.3F, 1.6F}) {
    mass::Mass mass = makeMass(1);
    const auto [space, particles] = makeWorld(mass, 2, 6, 2);
    particles.initialise<&Circle::position>([&](std::uint64_t id) {
      return Position{3, 3, id == 0 ? 3 : 3 + distance};
    });
    // Where they are now is found out by their first step.
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

TEST(Circles, NoneAndOneDoNothing) {
  for (const int count : {0, 1}) {
    mass::Mass mass = makeMass(2);
    const auto [space, particles] = makeWorld(mass, count, 6, 2);
    const auto before = positionsOf(particles);
    particles.callAll<&Circle::move>(particles, space, 2.0F, 0.05F);
    particles.manageAll();
    EXPECT_EQ(positionsOf(particles), before);
  }
}

}  // namespace
}  // namespace circles
