#include <mass/random/permutation.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

namespace {

using mass::detail::Permutation;

TEST(Permutation, EveryNumberComesOnce) {
  for (std::uint64_t size = 1; size <= 300; ++size) {
    const Permutation permutation(size, 7 * size);
    std::vector<int> seen(size, 0);
    for (std::uint64_t i = 0; i < size; ++i) ++seen.at(permutation(i));
    EXPECT_EQ(seen, std::vector<int>(size, 1)) << size;
  }
}

TEST(Permutation, LargeRangesToo) {
  constexpr std::uint64_t size = (std::uint64_t{1} << 62) - 57;
  const Permutation permutation(size, 3);
  std::set<std::uint64_t> seen;
  for (std::uint64_t i = 0; i < 10000; ++i) {
    const std::uint64_t number = permutation(i);
    EXPECT_LT(number, size);
    EXPECT_TRUE(seen.insert(number).second);
  }
}

TEST(Permutation, EachBitOfTheKeyGivesAnotherOrder) {
  const Permutation first(1000, 1);
  for (int bit = 0; bit < 64; ++bit) {
    const Permutation other(1000, 1 ^ std::uint64_t{1} << bit);
    int same = 0;
    for (std::uint64_t i = 0; i < 1000; ++i) same += first(i) == other(i) ? 1 : 0;
    EXPECT_LT(same, 10) << bit;
  }
}

/// Checks that the first tenth is uniform over the tenths of the range: chi-squared with 9 degrees
/// of freedom is below 27.9 with probability 0.999.
TEST(Permutation, IsSpreadEvenly) {
  int failures = 0;
  for (std::uint64_t key = 0; key < 100; ++key) {
    const Permutation permutation(100000, key);
    std::vector<double> counts(10, 0);
    for (std::uint64_t i = 0; i < 10000; ++i) counts.at(permutation(i) / 10000) += 1;
    double chi = 0;
    for (const double count : counts) chi += (count - 1000) * (count - 1000) / 1000;
    failures += chi > 27.9 ? 1 : 0;
  }
  EXPECT_LE(failures, 2);
}

}  // namespace
