#include <mass/model/rank_reduction.hpp>

#include "../../support/mass_on_ranks.hpp"

#include <mass/mass.hpp>
#include <mass/support/hash.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

namespace {

using mass::Mass;
using mass::detail::Ranks;
using mass::testing::expectSameOnRanks;
using mass::testing::onRanks;
using mass::testing::RankSetup;
using mass::testing::Record;
using mass::testing::runOnThreadRanks;
using mass::testing::usualRanks;

/// Returns a number that depends on the index; sums of them depend on the order of additions.
MASS_FN double numberAt(std::int64_t index) {
  const std::uint64_t bits = mass::detail::mix(static_cast<std::uint64_t>(index));
  return (static_cast<double>(bits >> 40) - 8e6) / static_cast<double>(1 + bits % 1000);
}

/// Operation of a user: the length of a vector with the values as its components.
struct Length {
  template <class T>
  using Result = double;
  template <class R>
  MASS_FN static constexpr R identity() {
    return R{0};
  }
  template <class R>
  MASS_FN R operator()(R a, R b) const {
    return std::sqrt(a * a + b * b);
  }
};

/// Returns the reduction of `count` numbers in 16 lanes.
template <class Op>
double reduced(Op op, std::int64_t count) {
  std::vector<double> lanes(16, Op::template identity<double>());
  for (std::int64_t i = 0; i < count; ++i) {
    double& lane = lanes[static_cast<std::size_t>(i % 16)];
    lane = op(lane, numberAt(i));
  }
  double total = lanes[0];
  for (std::size_t k = 1; k < lanes.size(); ++k) total = op(total, lanes[k]);
  return total;
}

/// Cuts [0, count) at random into a part for each rank; many are empty.
std::vector<std::int64_t> randomCuts(std::mt19937& random, int ranks, std::int64_t count) {
  std::vector<std::int64_t> cuts{0, count};
  std::uniform_int_distribution<std::int64_t> cut(0, count);
  for (int rank = 1; rank < ranks; ++rank)
    cuts.push_back(rank % 3 == 0 ? cuts.back() : cut(random));
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

TEST(RankReduction, HasTheBitsOfOneRankWhereverTheValuesAreCut) {
  std::mt19937 random(7);
  for (const int count : {1, 2, 3, 5, 6}) {
    for (const std::int64_t values : {0, 1, 5, 15, 16, 17, 101, 1009}) {
      const auto cuts = randomCuts(random, count, values);
      runOnThreadRanks(count, [&](Ranks& ranks) {
        const auto rank = static_cast<std::size_t>(ranks.number());
        std::vector<double> own;
        for (std::int64_t i = cuts[rank]; i < cuts[rank + 1]; ++i) own.push_back(numberAt(i));
        const auto reduceBy = [&](auto op) {
          return mass::detail::reduceOnRanks<double, double>(ranks, op, cuts[rank], own);
        };
        EXPECT_EQ(reduceBy(mass::sum), reduced(mass::sum, values)) << count << ' ' << values;
        EXPECT_EQ(reduceBy(Length{}), reduced(Length{}, values)) << count << ' ' << values;
        EXPECT_EQ(reduceBy(mass::maximum), reduced(mass::maximum, values));
      });
    }
  }
}

template <int D>
class Spot : public mass::Place<D> {
 public:
  double level = 0;
  bool flag = false;
  using Attributes = mass::Attributes<&Spot::level, &Spot::flag>;

  MASS_FN void set(const mass::Here<D>& here) {
    level = numberAt(here.index());
    flag = here.index() % 3 == 1;
  }
  MASS_FN double slope(const mass::Neighborhood<Spot>& near) const {
    mass::Offset<D> after{};
    after[0] = 1;
    return near(after).level - level;
  }
};

class Snail : public mass::Agent<Spot<1>> {
 public:
  double shell = 0;
  using Attributes = mass::Attributes<&Snail::shell>;
};

template <int D>
mass::Places<Spot<D>> spotsOf(Mass& mass, const mass::Shape<D>& shape) {
  auto spots = mass.createPlaces<Spot<D>>(shape);
  spots.template callAll<&Spot<D>::set>();
  return spots;
}

/// Records all reductions of places.
template <int D>
void recordReductions(const mass::Places<Spot<D>>& spots, Record& record) {
  using P = Spot<D>;
  record.add("sum", spots.template reduce<&P::level>(mass::sum));
  record.add("slope", spots.template reduce<&P::slope>(mass::sum));
  record.add("length", spots.template reduce<&P::level>(Length{}));
  record.add("minimum", spots.template reduce<&P::level>(mass::minimum));
  record.add("count", spots.template reduce<&P::flag>(mass::sum));
  record.add("any", spots.template reduce<&P::flag>(mass::maximum));
  record.add("all", spots.template reduce<&P::flag>(mass::minimum));
  record.add("map", spots.template map<&P::slope>());
  record.add("flags", spots.template map<&P::flag>());
}

TEST(ReductionsOfPlacesOnRanks, HaveTheBitsOfOneRank) {
  auto setups = usualRanks();
  setups.push_back({.devices = {1, 1, 1, 1}, .weights = {20, 1, 1, 20}});
  expectSameOnRanks(setups, [](Mass& mass, Record& record) {
    recordReductions<1>(spotsOf<1>(mass, {997}), record);
    recordReductions<2>(spotsOf<2>(mass, {13, 37}), record);
    recordReductions<3>(spotsOf<3>(mass, {11, 3, 19}), record);
  });
}

TEST(ReductionsOfPlacesOnRanks, HaveTheOrderOfLanes) {
  for (const std::int64_t size : {7, 17, 101, 1009}) {
    onRanks({.devices = {2, 1, 1}, .weights = {1, 3, 7, 2}}, [&](Mass& mass) {
      const auto spots = spotsOf<1>(mass, {size});
      EXPECT_EQ(spots.reduce<&Spot<1>::level>(mass::sum), reduced(mass::sum, size));
      EXPECT_EQ(spots.reduce<&Spot<1>::level>(Length{}), reduced(Length{}, size));
    });
  }
}

TEST(ReductionsOfPlacesOnRanks, OfBoolsAreAnyAndAll) {
  onRanks({.devices = {1, 2}}, [](Mass& mass) {
    const auto line = spotsOf<1>(mass, {7});
    EXPECT_TRUE(line.reduce<&Spot<1>::flag>(mass::maximum));
    EXPECT_FALSE(line.reduce<&Spot<1>::flag>(mass::minimum));
    const auto plane = spotsOf<2>(mass, {7, 2});  // flags at 1, 4, 7, 10 and 13
    EXPECT_TRUE(plane.reduce<&Spot<2>::flag>(mass::maximum));
    EXPECT_FALSE(plane.reduce<&Spot<2>::flag>(mass::minimum));
    EXPECT_EQ(plane.reduceRows<&Spot<2>::flag>(mass::maximum),
              (std::vector<bool>{true, false, true, true, false, true, true}));
  });
}

TEST(ReductionsOfPlacesOnRanks, OfRowsAreOnAllRanks) {
  expectSameOnRanks(usualRanks(), [](Mass& mass, Record& record) {
    record.add("rows", spotsOf<2>(mass, {13, 37}).reduceRows<&Spot<2>::level>(mass::sum));
    record.add("planes", spotsOf<3>(mass, {11, 3, 19}).reduceRows<&Spot<3>::level>(Length{}));
  });
}

/// Expects the reductions and results of `count` agents on the places given, whatever the ranks.
void expectReductionsOfAgents(std::int64_t count,
                              const std::function<std::int64_t(std::int64_t)>& placeOf) {
  onRanks({.devices = {1, 2, 1, 1}}, [&](Mass& mass) {
    const auto spots = spotsOf<1>(mass, {101});
    std::vector<mass::Coordinates<1>> where;
    for (std::int64_t i = 0; i < count; ++i) where.push_back({placeOf(i)});
    const auto snails = mass.createAgents<Snail>(spots, where, "snails");
    std::int64_t next = 0;
    snails.initialise<&Snail::shell>([&](std::uint64_t) { return numberAt(next++); });
    EXPECT_EQ(snails.reduce<&Snail::shell>(mass::sum), reduced(mass::sum, count));
    EXPECT_EQ(snails.reduce<&Snail::shell>(Length{}), reduced(Length{}, count));
    EXPECT_EQ(snails.reduce<&Snail::shell>(mass::maximum), reduced(mass::maximum, count));
    const std::vector<double> shells = snails.map<&Snail::shell>();
    ASSERT_EQ(shells.size(), static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i)
      EXPECT_EQ(shells[static_cast<std::size_t>(i)], numberAt(i));
  });
}

TEST(ReductionsOfAgentsOnRanks, HaveTheOrderOfLanes) {
  expectReductionsOfAgents(307, [](std::int64_t i) { return i * 37 % 101; });
}

TEST(ReductionsOfAgentsOnRanks, OfNoAgents) {
  expectReductionsOfAgents(0, [](std::int64_t) { return 0; });
}

TEST(ReductionsOfAgentsOnRanks, OfFewerAgentsThanRanks) {
  expectReductionsOfAgents(2, [](std::int64_t i) { return 99 * i; });
}

TEST(ReductionsOfAgentsOnRanks, OfAgentsOfOneRank) {
  for (const std::int64_t place : {0, 50, 100})
    expectReductionsOfAgents(45, [&](std::int64_t) { return place; });
}

}  // namespace
