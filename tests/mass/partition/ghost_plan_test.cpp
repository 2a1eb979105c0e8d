#include <mass/partition/ghost_plan.hpp>

#include <gtest/gtest.h>

#include <cstdint>
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

}  // namespace
