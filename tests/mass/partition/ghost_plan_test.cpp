#include <mass/partition/ghost_plan.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
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

TEST(BlockGhosts, ComeFromTheOwnersOfRowsAndLines) {
  const std::vector<double> weights(4, 1);
  const mass::detail::BlockPartition blocks({5, 7}, mass::detail::BlockOrder::rowByRow(2), weights);
  constexpr int depth = 2;
  for (const Border ofRows : {Border::periodic, Border::fixed, Border::mirrored}) {
    for (const Border ofLines : {Border::periodic, Border::fixed, Border::mirrored}) {
      std::set<std::array<std::int64_t, 3>> filled;  // device, row, line
      for (const GhostCopy& copy : planGhosts(blocks, {depth, depth}, ofRows, ofLines)) {
        for (std::int64_t row = 0; row < copy.count; ++row) {
          for (std::int64_t line = 0; line < copy.lines; ++line) {
            const std::int64_t toRow = copy.toRow + row, toLine = copy.toLine + line;
            EXPECT_TRUE(filled.insert({copy.toDevice, toRow, toLine}).second);
            EXPECT_EQ(copy.fromRow + row, mass::sourceOf(toRow, 5, ofRows));
            EXPECT_EQ(copy.fromLine + line, mass::sourceOf(toLine, 7, ofLines));
            const auto owns = [&](mass::RowRange range, std::int64_t at) {
              return range.begin <= at && at < range.end;
            };
            EXPECT_TRUE(owns(blocks.rows(copy.fromDevice), copy.fromRow + row));
            EXPECT_TRUE(owns(blocks.lines(copy.fromDevice), copy.fromLine + line));
          }
        }
      }
      std::size_t expected = 0;
      for (int device = 0; device < 4; ++device) {
        const mass::RowRange rows = blocks.rows(device), lines = blocks.lines(device);
        for (std::int64_t row = rows.begin - depth; row < rows.end + depth; ++row) {
          for (std::int64_t line = lines.begin - depth; line < lines.end + depth; ++line) {
            const bool isOwn =
                rows.begin <= row && row < rows.end && lines.begin <= line && line < lines.end;
            const bool isThere =
                mass::sourceOf(row, 5, ofRows) >= 0 && mass::sourceOf(line, 7, ofLines) >= 0;
            if (!isOwn && isThere) ++expected;
          }
        }
      }
      EXPECT_EQ(filled.size(), expected);
    }
  }
}

}  // namespace
