#include <mass/random/philox.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

namespace {

using mass::Random;
using mass::detail::RandomKey;

std::vector<std::uint32_t> first(const RandomKey& key, std::size_t count) {
  Random random(key);
  std::vector<std::uint32_t> numbers(count);
  for (auto& number : numbers) number = random();
  return numbers;
}

using Numbers = std::vector<std::uint32_t>;

// Known-answer vectors of Random123 for philox4x32-10: counter, key, result.
TEST(Philox, KnownAnswerOfZeros) {
  EXPECT_EQ(first({}, 4), (Numbers{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
}

// The other two published vectors use all 128 bits of the counter. Random reserves the low 24 bits
// of the last word for the block number, so the test calls r123::Philox4x32 itself.
TEST(Philox, KnownAnswersOfTheGeneratorBeneath) {
  using Engine = r123::Philox4x32;
  const auto ones = Engine()({{~0U, ~0U, ~0U, ~0U}}, {{~0U, ~0U}});
  EXPECT_EQ(Numbers(ones.begin(), ones.end()),
            (Numbers{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  const auto pi =
      Engine()({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, {{0xa4093822, 0x299f31d0}});
  EXPECT_EQ(Numbers(pi.begin(), pi.end()),
            (Numbers{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, TheKeyFillsTheCounterAsDocumented) {
  const RandomKey key{.seed = 0x299f31d0a4093822,
                      .index = 0x13243f6a88,
                      .step = 0x0385a308d3,
                      .call = 0x19,
                      .population = 0x8a,
                      .stream = 0x2e};
  const Numbers numbers = first(key, 8);
  for (std::uint32_t block = 0; block < 2; ++block) {
    const auto expected = r123::Philox4x32()(
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03000000 + block}}, {{0xa4093822, 0x299f31d0}});
    for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(numbers[4 * block + k], expected.v[k]);
  }
}

TEST(Philox, EqualKeysGiveEqualNumbers) {
  const RandomKey key{.seed = 7, .index = 3, .step = 9, .call = 1, .population = 2, .stream = 4};
  EXPECT_EQ(first(key, 100), first(key, 100));
}

TEST(Philox, EveryFieldOfTheKeyAloneChangesTheNumbers) {
  constexpr std::uint64_t high = std::uint64_t{1} << 39;
  const std::vector<RandomKey> keys = {{},
                                       {.seed = 1},
                                       {.seed = std::uint64_t{1} << 63},
                                       {.index = 1},
                                       {.index = high},
                                       {.step = 1},
                                       {.step = high},
                                       {.call = 1},
                                       {.call = 255},
                                       {.population = 1},
                                       {.population = 255},
                                       {.stream = 1},
                                       {.stream = 255},
                                       {.index = std::uint64_t{1} << 32},
                                       {.step = std::uint64_t{1} << 32}};
  std::set<Numbers> streams;
  for (const RandomKey& key : keys) streams.insert(first(key, 4));
  EXPECT_EQ(streams.size(), keys.size());
}

TEST(Philox, UniformNumbersFillTheUnitIntervalEvenly) {
  Random random({.seed = 1});
  constexpr int count = 100000;
  std::array<int, 10> bins{};
  double sum = 0;
  for (int i = 0; i < count; ++i) {
    const double x = random.uniform();
    const float y = random.uniform<float>();
    ASSERT_TRUE(0 <= x && x < 1) << x;
    ASSERT_TRUE(0 <= y && y < 1) << y;
    ++bins[static_cast<std::size_t>(x * 10)];
    sum += x + static_cast<double>(y);
  }
  EXPECT_NEAR(sum / (2 * count), 0.5, 0.004);  // 6 standard errors
  double chiSquare = 0;
  for (const int n : bins) chiSquare += (n - count / 10.0) * (n - count / 10.0) / (count / 10.0);
  EXPECT_LT(chiSquare, 27.9);  // 9 degrees of freedom, p = 0.001
}

TEST(Philox, BelowGivesEveryNumberEquallyOften) {
  Random random({.seed = 2});
  constexpr int count = 70000;
  std::array<int, 7> bins{};
  for (int i = 0; i < count; ++i) {
    const std::uint32_t n = random.below(7);
    ASSERT_LT(n, 7U);
    ++bins[n];
  }
  double chiSquare = 0;
  for (const int n : bins) chiSquare += (n - count / 7.0) * (n - count / 7.0) / (count / 7.0);
  EXPECT_LT(chiSquare, 22.5);  // 6 degrees of freedom, p = 0.001
}

// Without rejection, scaling to a large bound that does not divide 2^32 favours some numbers 2 : 1.
TEST(Philox, BelowIsFairForBoundsNearTheWholeRange) {
  Random random({.seed = 3});
  constexpr std::uint32_t bound = 0xc0000000;  // 3/4 of 2^32: without rejection, a third of the
                                               // results would be twice as likely
  constexpr int count = 30000;
  std::array<int, 3> residues{};
  for (int i = 0; i < count; ++i) {
    const std::uint32_t n = random.below(bound);
    ASSERT_LT(n, bound);
    ++residues[n % 3];
  }
  for (const int n : residues) EXPECT_NEAR(n, count / 3, 500);  // 6 standard errors
  for (int i = 0; i < 100; ++i) EXPECT_EQ(random.below(1), 0U);
  Random same = random;
  for (int i = 1; i < 100; ++i)
    EXPECT_EQ(same.pick(i), static_cast<int>(random.below(static_cast<std::uint32_t>(i))));
}

TEST(Philox, BernoulliKeepsItsProbabilityAndItsEnds) {
  Random random({.seed = 4});
  int hits = 0;
  for (int i = 0; i < 100000; ++i) {
    ASSERT_FALSE(random.bernoulli(0));
    ASSERT_TRUE(random.bernoulli(1));
    hits += random.bernoulli(0.3) ? 1 : 0;
  }
  EXPECT_NEAR(hits, 30000, 900);
}

TEST(Philox, NormalNumbersHaveTheMomentsOfTheNormalDistribution) {
  Random random({.seed = 5});
  constexpr int count = 200000;
  double sum = 0, squares = 0, cubes = 0, fourths = 0;
  for (int i = 0; i < count; ++i) {
    const double x = random.normal();
    ASSERT_TRUE(std::isfinite(x));
    sum += x;
    squares += x * x;
    cubes += x * x * x;
    fourths += x * x * x * x;
  }
  EXPECT_NEAR(sum / count, 0, 0.012);
  EXPECT_NEAR(squares / count, 1, 0.016);
  EXPECT_NEAR(cubes / count, 0, 0.05);
  EXPECT_NEAR(fourths / count, 3, 0.12);
}

// Streams of neighbouring places at the same step are uncorrelated.
TEST(Philox, StreamsOfNeighbouringPlacesAreUncorrelated) {
  constexpr int count = 50000;
  double product = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const double a = Random({.seed = 6, .index = i}).uniform() - 0.5;
    const double b = Random({.seed = 6, .index = i + 1}).uniform() - 0.5;
    product += 12 * a * b;
  }
  EXPECT_NEAR(product / count, 0, 6 / std::sqrt(count));
}

}  // namespace
