#include <mass/partition/ghost_plan.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace {

using mass::Border;
using mass::RowPartition;
using mass::detail::GhostCopy;
using mass::detail::planGhosts;

/// Bands whose rows hold their global number; ghost rows hold `unset`.
constexpr std::int64_t unset = -99;

struct Bands {
  const RowPartition& partition;
  int depth;
  std::vector<std::vector<std::int64_t>> rows;

  Bands(const RowPartition& split, int ghosts) : partition(split), depth(ghosts) {
    for (int device = 0; device < split.devices(); ++device) {
      rows.emplace_back(static_cast<std::size_t>(split.range(device).size() + 2 * ghosts), unset);
      for (std::int64_t row = split.range(device).begin; row < split.range(device).end; ++row) {
        at(device, row) = row;
      }
    }
  }

  std::int64_t& at(int device, std::int64_t row) {
    return rows[static_cast<std::size_t>(device)].at(
        static_cast<std::size_t>(row - partition.range(device).begin + depth));
  }
};

/// Executes the plan and compares every ghost row with its source row.
void expectFilled(const RowPartition& partition, int depth, Border border) {
  Bands bands(partition, depth);
  int receiver = 0;
  for (const GhostCopy& copy : planGhosts(partition, depth, border)) {
    ASSERT_GE(copy.toDevice, receiver) << "the plan is not sorted by receiving device";
    receiver = copy.toDevice;
    for (std::int64_t k = 0; k < copy.count; ++k) {
      ASSERT_EQ(partition.owner(copy.fromRow + k), copy.fromDevice) << "rows come from their owner";
      std::int64_t& to = bands.at(copy.toDevice, copy.toRow + k);
      ASSERT_EQ(to, unset) << "a row is filled twice, or not a ghost";
      to = bands.at(copy.fromDevice, copy.fromRow + k);
    }
  }
  for (int device = 0; device < partition.devices(); ++device) {
    const mass::RowRange band = partition.range(device);
    for (std::int64_t row = band.begin - depth; row < band.end + depth; ++row) {
      const std::int64_t source = mass::sourceOf(row, partition.rows(), border);
      ASSERT_EQ(bands.at(device, row), source < 0 ? unset : source)
          << partition.rows() << " rows, " << partition.devices() << " devices, depth " << depth
          << ", device " << device << ", row " << row;
    }
  }
}

TEST(GhostPlan, EveryGhostRowGetsItsRowHoweverThinTheBands) {
  for (int rows = 1; rows <= 12; ++rows) {
    for (int devices = 1; devices <= rows; ++devices) {
      const RowPartition partition(rows, std::vector<double>(static_cast<std::size_t>(devices), 1));
      for (int depth = 0; depth <= 4; ++depth) {
        for (const Border border : {Border::periodic, Border::fixed, Border::mirrored}) {
          expectFilled(partition, depth, border);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(GhostPlan, UnevenBands) {
  for (const Border border : {Border::periodic, Border::fixed, Border::mirrored}) {
    expectFilled(RowPartition(11, std::vector<double>{1, 7, 1, 2}), 4, border);
  }
}

TEST(GhostPlan, CoalescesContiguousRows) {
  const RowPartition partition(100, std::vector<double>{1, 1});
  const std::vector<GhostCopy> expected = {
      {1, 97, 0, -3, 3}, {1, 50, 0, 50, 3}, {0, 47, 1, 47, 3}, {0, 0, 1, 100, 3}};
  EXPECT_EQ(planGhosts(partition, 3, Border::periodic), expected);
}

TEST(GhostPlan, OneDeviceBehindFixedBordersNeedsNothing) {
  EXPECT_TRUE(planGhosts(RowPartition(5, std::vector<double>{1}), 2, Border::fixed).empty());
  EXPECT_TRUE(planGhosts(RowPartition(5, std::vector<double>{1, 1}), 0, Border::periodic).empty());
}

using Place = std::array<std::int64_t, 3>;

/// Calls body(place) for all places of three ranges.
template <class Body>
void forEachPlace(const std::array<mass::RowRange, 3>& box, const Body& body) {
  for (std::int64_t row = box[0].begin; row < box[0].end; ++row)
    for (std::int64_t line = box[1].begin; line < box[1].end; ++line)
      for (std::int64_t column = box[2].begin; column < box[2].end; ++column)
        body(Place{row, line, column});
}

bool owns(const mass::detail::BlockPartition& blocks, int device, const Place& place) {
  bool is = true;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const mass::RowRange range = blocks.range(axis, device);
    is = is && range.begin <= place[axis] && place[axis] < range.end;
  }
  return is;
}

/// Expects the ghosts around each block along exchanged axes, each once and from its owner.
void testGhosts(const mass::detail::BlockOrder& order, int devices,
                const std::array<Border, 3>& borders) {
  const std::vector<double> weights(static_cast<std::size_t>(devices), 1);
  constexpr Place lengths{5, 7, 4};
  const mass::detail::BlockPartition blocks(lengths, order, weights);
  constexpr int depth = 2;
  const std::size_t exchanged = blocks.exchangedAxes();
  const auto sourceOf = [&](const Place& place) {
    Place source = place;
    for (std::size_t axis = 0; axis < exchanged; ++axis)
      source[axis] = mass::sourceOf(place[axis], lengths[axis], borders[axis]);
    return source;
  };
  std::set<std::pair<int, Place>> filled;  // device and place
  for (const GhostCopy& copy : planGhosts(blocks, {depth, depth, depth}, borders)) {
    const auto countOf = [](const mass::detail::AxisCopy& along, std::int64_t all) {
      return along.count == 0 ? all : along.count;
    };
    forEachPlace(
        {{{0, copy.count},
          {0, countOf(copy.lines, lengths[1])},
          {0, countOf(copy.columns, lengths[2])}}},
        [&](const Place& at) {
          const Place to{copy.toRow + at[0], copy.lines.to + at[1], copy.columns.to + at[2]};
          const Place from{copy.fromRow + at[0], copy.lines.from + at[1],
                           copy.columns.from + at[2]};
          EXPECT_TRUE(filled.insert({copy.toDevice, to}).second);
          EXPECT_EQ(from, sourceOf(to));
          EXPECT_TRUE(owns(blocks, copy.fromDevice, from));
        });
  }
  std::size_t expected = 0;
  for (int device = 0; device < devices; ++device) {
    std::array<mass::RowRange, 3> box;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::int64_t beside = axis < exchanged ? depth : 0;
      const mass::RowRange range = blocks.range(axis, device);
      box[axis] = {range.begin - beside, range.end + beside};
    }
    forEachPlace(box, [&](const Place& place) {
      const Place source = sourceOf(place);
      const bool isThere = source[0] >= 0 && source[1] >= 0 && source[2] >= 0;
      if (!owns(blocks, device, place) && isThere) ++expected;
    });
  }
  EXPECT_EQ(filled.size(), expected);
}

TEST(BlockGhosts, ComeFromTheOwnersOfPlaces) {
  for (int kinds = 0; kinds < 27; ++kinds) {
    const std::array<Border, 3> borders{static_cast<Border>(kinds % 3),
                                        static_cast<Border>(kinds / 3 % 3),
                                        static_cast<Border>(kinds / 9)};
    testGhosts(mass::detail::BlockOrder::rowByRow(2), 4, borders);
    testGhosts(mass::detail::BlockOrder::rowByRow(3, 2), 6, borders);
    testGhosts(mass::detail::BlockOrder::rowByRow(1, 2), 6, borders);
    testGhosts({{2, 4}, {3, 1, 2}}, 24, borders);
  }
}

using mass::detail::BlockPartition;
using mass::detail::PlaceBox;
using Axes = std::array<Border, 3>;

TEST(PlacesAround, OfABandLieOnOneSideOfEachBorder) {
  const BlockPartition bands(RowPartition(10, std::vector<double>(3, 1)), 4, 5);  // 3, 4 and 3 rows
  const auto around = [&](int device, std::int64_t margin, Border border) {
    return placesAround(bands, device, margin, {border, Border::periodic, Border::periodic});
  };
  const auto box = [](std::int64_t begin, std::int64_t end, std::int64_t toWorld) {
    return PlaceBox{{{{begin, end}, {0, 4}, {0, 5}}}, {toWorld, 0, 0}};
  };
  using Boxes = std::vector<PlaceBox>;
  EXPECT_EQ(around(0, 2, Border::periodic), (Boxes{box(-2, 0, 10), box(0, 5, 0)}));
  EXPECT_EQ(around(1, 2, Border::periodic), Boxes{box(1, 9, 0)});
  EXPECT_EQ(around(2, 2, Border::periodic), (Boxes{box(5, 10, 0), box(10, 12, -10)}));
  EXPECT_EQ(around(0, 2, Border::fixed), Boxes{box(0, 5, 0)});
  EXPECT_EQ(around(2, 0, Border::periodic), Boxes{box(7, 10, 0)});
  EXPECT_EQ(around(2, 2, Border::mirrored), Boxes{box(5, 10, 0)});
}

TEST(PlacesAround, OfABlockAreProductsOfTheAxes) {
  const BlockPartition blocks({6, 8, 5}, mass::detail::BlockOrder::rowByRow(2),
                              std::vector<double>(4, 1));
  const auto boxes =
      placesAround(blocks, 1, 1, Axes{Border::periodic, Border::periodic, Border::periodic});
  const std::vector<PlaceBox> expected{{{{{-1, 0}, {3, 8}, {0, 5}}}, {6, 0, 0}},
                                       {{{{-1, 0}, {8, 9}, {0, 5}}}, {6, -8, 0}},
                                       {{{{0, 4}, {3, 8}, {0, 5}}}, {0, 0, 0}},
                                       {{{{0, 4}, {8, 9}, {0, 5}}}, {0, -8, 0}}};
  EXPECT_EQ(boxes, expected);
}

TEST(PlacesAround, WrapAroundAShortAxisSeveralTimes) {
  // Axis 1 is not cut, but exchanged.
  const BlockPartition blocks({4, 3, 6}, {{1, 2}, {1, 1, 1}}, std::vector<double>(4, 1));
  const auto boxes =
      placesAround(blocks, 0, 4, Axes{Border::fixed, Border::periodic, Border::fixed});
  std::vector<std::int64_t> lines;
  for (const PlaceBox& box : boxes) {
    for (std::int64_t line = box.places[1].begin; line < box.places[1].end; ++line) {
      EXPECT_EQ(line + box.toWorld[1], (line + 6) % 3);
      lines.push_back(line);
    }
  }
  EXPECT_EQ(lines, (std::vector<std::int64_t>{-4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6}));
}

TEST(BlockOrder, NumbersTheBlocksOfATileOneAfterTheOther) {
  const mass::detail::BlockOrder order{{4, 6}, {3, 2, 2}};
  for (int device = 0; device < 6 * 4 * 6; ++device)
    EXPECT_EQ(order.device({order.part(0, device), order.part(1, device), order.part(2, device)}),
              device);
  // The second tile along axis 2, then its second row.
  EXPECT_EQ(order.device({0, 0, 2}), 12);
  EXPECT_EQ(order.device({1, 1, 3}), 12 + 4 + 2 + 1);
  EXPECT_EQ(order.device({0, 2, 0}), 3 * 12);
  EXPECT_EQ(order.device({3, 0, 0}), 6 * 12);
}

}  // namespace
