// Places that are created by their indices in a box.

#include "../../../support/mass_on_ranks.hpp"
#include "reactions.hpp"

#include <mass/program/simulation.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace {

using mass::Mass;
using mass::UsageError;
using mass::testing::makeMass;
using mass::testing::onRanks;
using Particles = mass::testing::Meeting<3>;

void runFor(const mass::Places<Particles>& places, double seconds) {
  places.hopRate<&Particles::a>(1.5);
  places.hopRate<&Particles::b>(
      [](const auto& from, const auto& to) { return from[2] == to[2] ? 1.0 : 0.5; });
  places.runEvents(mass::seconds(seconds), 0.1);
}

TEST(PlaceMask, OfAllPlacesIsTheBox) {
  Mass mass = makeMass(1);
  const auto box = mass.createPlaces<Particles>({4, 3, 5});
  std::vector<std::int64_t> all(60);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
  mass::PlacesOptions<Particles> options;
  options.name = "masked";
  const auto masked = mass.createPlaces<Particles>({4, 3, 5}, all, options);
  EXPECT_EQ(masked.shape(), box.shape());
  for (const auto& places : {box, masked}) {
    places.initialise<&Particles::a>([](const auto& at) { return at[0] + 2 * at[2]; });
    places.initialise<&Particles::b>([](const auto& at) { return 3 * at[1]; });
    runFor(places, 1);
  }
  EXPECT_EQ(masked.download<&Particles::a>(), box.download<&Particles::a>());
  EXPECT_EQ(masked.download<&Particles::b>(), box.download<&Particles::b>());
  EXPECT_EQ(masked.eventCounts().events, box.eventCounts().events);
}

/// Returns the indices of a branching structure in a box of 6 x 7 x 9.
std::vector<std::int64_t> branches() {
  std::vector<std::int64_t> indices;
  for (std::int64_t z = 0; z < 6; ++z)
    for (std::int64_t y = 0; y < 7; ++y)
      for (std::int64_t x = 0; x < 9; ++x)
        if ((y == 3 && x == 4) || (z == 2 && (y == 3 || x == 4)) || (z == 5 && x == 0 && y == 6))
          indices.push_back((z * 7 + y) * 9 + x);
  return indices;
}

struct Result {
  std::uint64_t hash = 0;
  std::int64_t events = 0;
  friend bool operator==(const Result&, const Result&) = default;
};

Result runBranches(Mass& mass) {
  const auto places = mass.createPlaces<Particles>({6, 7, 9}, branches(),
                                                   mass::borders<Particles>(mass::Border::fixed));
  EXPECT_EQ(places.size(), static_cast<std::int64_t>(branches().size()));
  places.initialise<&Particles::a>([](const auto& at) { return 5 * (at[0] == 2); });
  places.initialise<&Particles::b>([](const auto& at) { return at[1] == 3 ? 4 : 0; });
  runFor(places, 2);
  return {places.hash(), places.eventCounts().events};
}

TEST(PlaceMask, HasTheBitsOfOneThreadOnAnyDevices) {
  const auto runOn = [](int devices, int threads, const std::vector<double>& weights = {},
                        const std::vector<std::string>& more = {}) {
    Mass mass = makeMass(devices, threads, weights, more);
    return runBranches(mass);
  };
  const Result expected = runOn(1, 1, {}, {"events.engine=reference"});
  EXPECT_GT(expected.events, 100);
  for (const auto& [devices, threads] :
       std::vector<std::pair<int, int>>{{1, 1}, {1, 3}, {2, 2}, {5, 7}})
    EXPECT_EQ(runOn(devices, threads), expected) << devices << ", " << threads;
  EXPECT_EQ(runOn(3, 3, {1, 5, 0.5}), expected);
  for (const auto& devices : {std::vector<int>{1, 1}, {2, 1, 3, 1, 1}})
    onRanks({.devices = devices, .threads = 3},
            [&](Mass& mass) { EXPECT_EQ(runBranches(mass), expected); });
}

TEST(PlaceMask, HasNoWayToAPlaceOfAnotherPiece) {
  Mass mass = makeMass(2);
  const auto places = mass.createPlaces<Particles>({6, 7, 9}, branches());
  places.initialise<&Particles::a>([](const auto& at) { return at[0] == 5 && at[2] == 0 ? 7 : 1; });
  runFor(places, 5);
  const auto a = places.download<&Particles::a>();
  EXPECT_EQ(a.back(), 7);
  EXPECT_EQ(places.coordinates(places.size() - 1), (mass::Coordinates<3>{5, 6, 0}));
  EXPECT_EQ(places.reduce<&Particles::a>(mass::sum),
            7 + static_cast<std::int64_t>(branches().size()) - 1);
}

class Mover : public mass::Agent<Particles> {
 public:
  std::int32_t age = 0;
  using Attributes = mass::Attributes<&Mover::age>;
};

TEST(PlaceMask, HasNoAgents) {
  Mass mass = makeMass(1);
  const auto places = mass.createPlaces<Particles>({6, 7, 9}, branches());
  EXPECT_THROW(mass.createAgents<Mover>(places, 3), UsageError);
}

class Cell : public mass::Place<2> {
 public:
  std::int32_t count = 0;
  std::int8_t kind = -1;
  using Attributes = mass::Attributes<&Cell::count, &Cell::kind>;
};

TEST(PlaceMask, HasDataOfTheBox) {
  Mass mass = makeMass(2);
  const auto places = mass.createPlaces<Cell>({2, 3}, {1, 2, 4});
  places.initialise<&Cell::count>([](const auto& at) { return 10 * at[0] + at[1]; });
  places.initialise<&Cell::kind>([](const auto&) { return 5; });
  mass::DataFrame frame;
  mass::detail::addArray<&Cell::count>(places, frame);
  mass::detail::addArray<&Cell::kind>(places, frame);
  const auto* const counts = static_cast<const std::int32_t*>(frame.arrays[0].data);
  const auto* const kinds = static_cast<const std::int8_t*>(frame.arrays[1].data);
  EXPECT_EQ(std::vector<std::int32_t>(counts, counts + 6),
            (std::vector<std::int32_t>{0, 1, 2, 0, 11, 0}));
  EXPECT_EQ(std::vector<std::int8_t>(kinds, kinds + 6),
            (std::vector<std::int8_t>{-1, 5, 5, -1, 5, -1}));
  const auto geometry = mass::detail::geometryOf(places.population(), 0.5);
  EXPECT_EQ(geometry.shape, (std::vector<std::int64_t>{2, 3}));
}

TEST(PlaceMask, RefusesIndicesOutsideTheBoxOrUnordered) {
  Mass mass = makeMass(1);
  EXPECT_THROW(mass.createPlaces<Particles>({2, 2, 2}, {0, 8}), UsageError);
  EXPECT_THROW(mass.createPlaces<Particles>({2, 2, 2}, {-1}), UsageError);
  EXPECT_THROW(mass.createPlaces<Particles>({2, 2, 2}, {3, 3}), UsageError);
  EXPECT_THROW(mass.createPlaces<Particles>({2, 2, 2}, std::vector<std::int64_t>{}), UsageError);
}

}  // namespace
