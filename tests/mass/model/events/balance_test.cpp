// Cuts between devices by the expected events of rows.

#include "../../../support/mass_on_ranks.hpp"
#include "reactions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace {

using mass::Balance;
using mass::Mass;
using mass::testing::makeMass;
using mass::testing::Record;
using mass::testing::Walkers;

class Stone : public mass::Place<1> {
 public:
  int weight = 1;
  using Attributes = mass::Attributes<&Stone::weight>;
};

/// Returns 30 rows, whose middle has all walkers.
mass::Places<Walkers> gathered(Mass& mass) {
  auto places = mass.createPlaces<Walkers>({30, 4});
  places.initialise<&Walkers::count>(
      [](const auto& at) { return 12 <= at[0] && at[0] < 18 ? 200 : 0; });
  places.hopRate<&Walkers::count>(0.25);
  return places;
}

TEST(EventBalance, MovesRowsToTheirEvents) {
  Mass mass = makeMass(3);
  const auto places = gathered(mass);
  places.runEvents(mass::seconds(0.2));
  const auto first = mass.rebalance(Balance::rate);
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].before, (std::vector<std::int64_t>{10, 10, 10}));
  EXPECT_GT(first[0].imbalance, 1.0);
  EXPECT_LT(first[0].expected, 0.2);
  EXPECT_LE(first[0].after[1], 4);
  EXPECT_TRUE(mass.rebalance(Balance::rate).empty()) << "no window has ended with these cuts";
  places.runEvents(mass::seconds(0.2));
  EXPECT_LT(mass.rebalance(Balance::rate)[0].imbalance, 0.3);
}

TEST(EventBalance, KeepsTheBitsOnRanks) {
  std::vector<mass::testing::RankSetup> setups = mass::testing::usualRanks();
  setups.push_back({.devices = {1, 1, 1, 1, 1}});
  mass::testing::expectSameOnRanks(setups, [](Mass& mass, Record& record) {
    const auto places = gathered(mass);
    for (int call = 0; call < 6; ++call) {
      places.runEvents(mass::seconds(0.4));
      (void)mass.rebalance(call % 2 == 0 ? Balance::rate : Balance::time, 0.02);
    }
    record.add("hash", mass.hash());
    record.add("events", places.eventCounts().events);
    EXPECT_EQ(places.reduce<&Walkers::count>(mass::sum), 6 * 4 * 200);
  });
}

TEST(EventBalance, NeedsEvents) {
  Mass mass = makeMass(2);
  (void)mass.createPlaces<Stone>({30});
  EXPECT_THROW((void)mass.rebalance(Balance::rate), mass::UsageError);
}

}  // namespace
