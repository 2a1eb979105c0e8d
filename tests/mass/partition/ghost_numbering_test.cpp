#include <mass/partition/ghost_numbering.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace mass::detail {
namespace {

TEST(GhostNumbering, NumbersOwnPlacesFromZeroAndGhostsOnBothSides) {
  const GhostNumbering numbering({10, 14}, {20, 3, 20, 7, 14});
  EXPECT_EQ(numbering.ghosts(), (std::vector<std::uint32_t>{3, 7, 14, 20}));
  EXPECT_EQ(numbering.below(), 2);
  const std::vector<std::int64_t> places{3, 7, 10, 13, 14, 20};
  std::vector<std::int64_t> numbers;
  for (const std::int64_t place : places) numbers.push_back(numbering.of(place));
  EXPECT_EQ(numbers, (std::vector<std::int64_t>{-2, -1, 0, 3, 4, 5}));
  for (std::int64_t i = 0; i < numbering.count(); ++i)
    EXPECT_EQ(numbering.ofGhost(i), numbering.of(numbering.ghosts()[static_cast<std::size_t>(i)]));
}

TEST(GhostNumbering, PutsHalfOfTheGhostsOnEachSide) {
  GhostNumbering numbering({0, 2}, {5, 6, 7});
  numbering.halve();
  EXPECT_EQ(numbering.below(), 2);
  EXPECT_EQ(numbering.of(5), -2);
  EXPECT_EQ(numbering.of(6), -1);
  EXPECT_EQ(numbering.of(7), 2);
  EXPECT_EQ(numbering.of(1), 1);
}

TEST(GhostNumbering, MayBeWithoutGhosts) {
  GhostNumbering numbering({4, 6}, {});
  numbering.halve();
  EXPECT_EQ(numbering.count(), 0);
  EXPECT_EQ(numbering.of(5), 1);
}

}  // namespace
}  // namespace mass::detail
