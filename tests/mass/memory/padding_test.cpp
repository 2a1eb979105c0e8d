#include <mass/memory/padding.hpp>

#include "../../support/test_fields.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace {

using mass::Border;
using mass::detail::Domain;
using mass::detail::Layout;

constexpr int outside = -7;

/// Returns the value of a place. Rows do not wrap around: ghost rows have values of their own.
int valueAt(std::int64_t row, std::int64_t line, std::int64_t column) {
  return static_cast<int>((row + 10) * 10000 + line * 100 + column);
}

void expectPadding(const Domain& domain) {
  const Layout layout = Layout::of(domain, domain.shape[0]);
  std::vector<int> data(static_cast<std::size_t>(layout.size), outside);
  const std::int64_t firstRow = -layout.depth, lastRow = layout.rows + layout.depth;
  for (std::int64_t row = firstRow; row < lastRow; ++row) {
    for (std::int64_t line = 0; line < layout.lines; ++line) {
      for (std::int64_t x = 0; x < layout.columns; ++x) {
        data[static_cast<std::size_t>(layout.at(row, line, x))] = valueAt(row, line, x);
      }
    }
    for (std::int64_t line = 0; line < layout.lines; ++line) {
      mass::detail::fillPadding(data.data(), layout, domain, row, line);
    }
  }
  const std::int64_t lineSide = domain.dimensions == 3 ? layout.padding : 0;
  const Border across = domain.borders[static_cast<std::size_t>(domain.dimensions - 1)];
  for (std::int64_t row = firstRow; row < lastRow; ++row) {
    for (std::int64_t line = -lineSide; line < layout.lines + lineSide; ++line) {
      for (std::int64_t x = -layout.padding; x < layout.columns + layout.padding; ++x) {
        const std::int64_t fromLine =
            domain.dimensions == 3 ? sourceOf(line, layout.lines, domain.borders[1]) : line;
        const std::int64_t fromColumn = sourceOf(x, layout.columns, across);
        const int expected =
            fromLine < 0 || fromColumn < 0 ? outside : valueAt(row, fromLine, fromColumn);
        ASSERT_EQ(data[static_cast<std::size_t>(layout.at(row, line, x))], expected)
            << domain.dimensions << "-D " << layout.lines << " x " << layout.columns << ", reach "
            << domain.reach << ", at " << row << ' ' << line << ' ' << x;
      }
    }
  }
}

constexpr Border all[] = {Border::periodic, Border::fixed, Border::mirrored};

TEST(Padding, CopiesColumnsOfA2DWorldEvenIfThinnerThanTheReach) {
  for (const Border border : all) {
    for (int reach = 0; reach <= 3; ++reach) {
      for (std::int64_t columns = 1; columns <= 9; ++columns) {
        expectPadding(mass::testing::domainOf({2, columns}, {Border::periodic, border}, reach));
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Padding, CopiesLinesColumnsAndCornersOfA3DWorld) {
  for (const Border lines : all) {
    for (const Border columns : all) {
      for (int reach = 0; reach <= 3; ++reach) {
        for (std::int64_t count = 1; count <= 7; ++count) {
          expectPadding(mass::testing::domainOf({1, count, 8 - count},
                                                {Border::fixed, lines, columns}, reach));
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

}  // namespace
