#include <tests/apps/rdme/small_models.hpp>

#include <apps/rdme/lattice/rate_tables.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace rdme {
namespace {

TEST(RateTables, GroupChannelsOfThePairInTheirOrder) {
  Model model = testing::modelWith("  site types: [c, m]\n  species: {A: 1 um2/s, B: 1 um2/s}\n");
  // Unsorted, some with reversed reactants.
  model.channels = {{2, {0, 1}, {0}, 0.25, "", ""}, {1, {1}, {}, 0.5, "", ""},
                    {2, {}, {1}, 0.125, "", ""},    {1, {0, 1}, {1}, 0.5, "", ""},
                    {2, {1, 0}, {1}, 0.5, "", ""},  {2, {0, 1}, {}, 0.0625, "", ""}};
  const RateTables tables(model);
  const NetworkIndex& index = tables.index;
  EXPECT_TRUE(index.hasSources);
  ASSERT_EQ(tables.outcomes.size(), 6U);
  const auto products = [&](int type, int number) {
    const ReactionGroup& group =
        tables.groups.at(static_cast<std::size_t>(index.firstGroup(type) + number));
    std::vector<std::vector<int>> all;
    for (int i = group.begin; i < group.end; ++i) {
      const Outcome& outcome = tables.outcomes.at(static_cast<std::size_t>(i));
      all.emplace_back(outcome.products, outcome.products + outcome.count);
    }
    return all;
  };
  using Products = std::vector<std::vector<int>>;
  EXPECT_EQ(products(2, index.secondOrder(1, 2)), (Products{{1}, {2}, {}}));
  EXPECT_EQ(products(2, 0), (Products{{2}}));
  EXPECT_EQ(products(1, index.secondOrder(1, 2)), (Products{{2}}));
  EXPECT_EQ(products(1, index.firstOrder(2)), (Products{{}}));
  EXPECT_EQ(products(1, index.firstOrder(1)), Products{});
  EXPECT_EQ(products(1, index.secondOrder(2, 1)), Products{}) << "pairs are in ascending order";
  const auto pair = static_cast<std::size_t>(index.firstGroup(2) + index.secondOrder(1, 2));
  EXPECT_EQ(tables.groups[pair].propensity, 0.8125);
  const auto first = static_cast<std::size_t>(tables.groups[pair].begin);
  EXPECT_EQ(tables.outcomes[first].cumulative, 0.25);
  EXPECT_EQ(tables.outcomes[first + 1].cumulative, 0.75);
  EXPECT_EQ(tables.outcomes[first + 2].cumulative, 0.8125);
  ASSERT_EQ(tables.bounds.size(), tables.groups.size());
  EXPECT_GT(tables.bounds[pair], 0.8125F);
  EXPECT_EQ(tables.bounds[0], 0);
}

TEST(RateTables, HaveTheLargestHopOfEachSpeciesInEachType) {
  const Model model = testing::modelWith(
      "  site types: [c, m]\n"
      "  species: {A: {c: 1 um2/s, m: 0.5 um2/s}, B: {c: 0.3 um2/s, m: 2 um2/s}}\n");
  // D timestep / spacing², as 32 bits. Between the types the smaller coefficient applies.
  const auto hop = [](double coefficient) {
    return coefficient * 1e-12 * 50e-6 / (16e-9 * 16e-9) * 0x1p32;
  };
  const std::vector<double> expected{0, 0, hop(1), hop(0.3), hop(0.5), hop(2)};
  const RateTables tables(model);
  ASSERT_EQ(tables.maxHops.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(tables.maxHops[i], expected[i], 1) << i;
}

}  // namespace
}  // namespace rdme
