#include <mass/memory/layout.hpp>

#include <mass/support/error.hpp>

#include "../../support/test_fields.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace {

using mass::detail::Layout;
using mass::testing::domainOf;
using Shape = std::vector<std::int64_t>;

/// Calls body with the coordinates of every place, ghost place and padding place.
template <class Body>
void forEachElement(const Layout& layout, int dimensions, Body&& body) {
  const std::int64_t lineSide = dimensions == 3 ? layout.padding : 0;
  for (std::int64_t row = -layout.depth; row < layout.rows + layout.depth; ++row) {
    for (std::int64_t line = -lineSide; line < layout.lines + lineSide; ++line) {
      for (std::int64_t x = -layout.padding; x < layout.columns + layout.padding; ++x) {
        body(layout.at(row, line, x));
      }
    }
  }
}

TEST(Layout, EveryPlaceGhostAndSideHasAnElementOfItsOwnInsideTheBuffer) {
  const std::vector<Shape> shapes = {{1},       {7},       {1, 1},    {3, 5},     {2, 401},
                                     {1, 1, 1}, {4, 3, 2}, {2, 1, 7}, {1, 5, 401}};
  for (const Shape& shape : shapes) {
    for (int reach = 0; reach <= 4; ++reach) {
      const Layout layout = Layout::of(domainOf(shape, {}, reach), shape[0]);
      std::vector<bool> used(static_cast<std::size_t>(layout.size));
      forEachElement(layout, static_cast<int>(shape.size()), [&](std::int64_t at) {
        ASSERT_TRUE(0 <= at && at < layout.size);
        ASSERT_FALSE(used[static_cast<std::size_t>(at)]);
        used[static_cast<std::size_t>(at)] = true;
      });
      if (HasFatalFailure()) FAIL() << shape.size() << "-D, reach " << reach;
    }
  }
}

TEST(Layout, LongLinesBeginAtMultiplesOfAPowerOfTwo) {
  const auto expectAligned = [](const Shape& shape, std::int64_t places) {
    const Layout layout = Layout::of(domainOf(shape, {}, 1), 5);
    for (std::int64_t row = -1; row < 6; ++row) EXPECT_EQ(layout.at(row, 0, 0) % places, 0);
    EXPECT_EQ(layout.at(2, layout.lines - 1, 0) % places, 0);
  };
  expectAligned({5, 4095}, 16);
  expectAligned({5, 8192}, 16);
  expectAligned({5, 13000}, 64);
  expectAligned({5, 3, 4095}, 16);
}

TEST(Layout, RowsAndLinesOfAWorldKeepOneStrideOnEveryBand) {
  const auto domain = domainOf({40, 3, 17}, {}, 2);
  EXPECT_EQ(Layout::of(domain, 1).rowStride, Layout::of(domain, 39).rowStride);
}

/// Checks that buffers have at most `bound` times the elements that rules may access.
void expectWithin(double bound, const Shape& shape, int reach, std::int64_t devices) {
  const int dimensions = static_cast<int>(shape.size());
  double size = 0, needed = 0;
  for (std::int64_t device = 0; device < devices; ++device) {
    const Layout layout = Layout::of(domainOf(shape, {}, reach), shape[0] / devices);
    size += static_cast<double>(layout.size);
    forEachElement(layout, dimensions, [&](std::int64_t) { ++needed; });
  }
  EXPECT_LE(size, bound * needed) << shape[0] << " rows of " << shape.back() << ", reach " << reach;
}

TEST(Layout, TakesTwoPercentMoreMemoryThanPlacesAndGhostsAtTheMost) {
  expectWithin(1.02, {4096, 4096}, 1, 1);
  expectWithin(1.02, {1024, 1000}, 1, 4);
  expectWithin(1.02, {1001, 997}, 3, 1);
  expectWithin(1.02, {64, 128, 128}, 1, 1);
  expectWithin(1.02, {100, 100, 100}, 2, 2);
  expectWithin(1.02, {1000000}, 1, 1);
  for (std::int64_t columns = 1; columns < 2000; columns += 37) {
    expectWithin(1.02, {100, columns}, 1, 1);
  }
  const Layout large = Layout::of(domainOf({8192, 8192}, {}, 1), 8192);
  EXPECT_LE(static_cast<double>(large.size), 1.02 * 8192 * 8192);
}

TEST(Layout, WorldsThatCannotBeCountedAreErrors) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const std::vector<Shape> shapes = {
      {most},       {most, 1},    {1, most},        {most, most},  {1, 1, most},
      {1, most, 1}, {most, 1, 1}, {most - 1, 2, 2}, {most / 2, 3}, {1L << 31, 1L << 31, 2},
      {3, 1L << 61}};
  for (const Shape& shape : shapes) {
    EXPECT_THROW((void)Layout::of(domainOf(shape, {}, 1), shape[0]), mass::UsageError)
        << shape.front() << " x ... x " << shape.back();
  }
  EXPECT_GT(Layout::of(domainOf({1L << 30, 1L << 30}, {}, 1), 1L << 30).size, 1L << 60);
}

}  // namespace
