#include <mass/dispatch/block_balance.hpp>

#include <mass/backend/on_all_ranks.hpp>
#include <mass/dispatch/row_costs.hpp>
#include <mass/partition/optimal_cuts.hpp>
#include <mass/support/error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

namespace mass::detail {
namespace {

/// Costs of the rows and of the lines of places in blocks.
struct AxisCosts {
  std::vector<double> ofRows, ofLines;

  AxisCosts(const BlockPartition& blocks, std::span<const double> seconds) {
    const auto costs = [&](std::size_t axis) {
      std::vector<double> parts(static_cast<std::size_t>(blocks.along(axis).devices()));
      for (std::size_t device = 0; device < seconds.size(); ++device)
        parts[static_cast<std::size_t>(blocks.order().part(axis, static_cast<int>(device)))] +=
            seconds[device];
      return costsAlong(blocks.along(axis), parts);
    };
    ofRows = costs(0);
    ofLines = costs(1);
  }

  /// Returns the imbalance of blocks if the cost of a block is the product of those of its rows and
  /// of its lines.
  double imbalanceOf(const BlockPartition& blocks) const {
    return (1 + detail::imbalanceOf(blocks.ofRows(), ofRows)) *
               (1 + detail::imbalanceOf(blocks.along(1), ofLines)) -
           1;
  }
};

void record(const BlockPartition& blocks, std::vector<std::int64_t>& rows,
            std::vector<std::int64_t>& lines) {
  rows.clear();
  lines.clear();
  for (int device = 0; device < blocks.devices(); ++device) {
    rows.push_back(blocks.range(0, device).size());
    lines.push_back(blocks.range(1, device).size());
  }
}

/// Changes the partition of all places. @return false if memory is exhausted: none has changed then
bool repartitionAll(std::span<PlaceFields* const> together, const BlockPartition& next) {
  const BlockPartition before = together.front()->blocks();
  std::size_t done = 0;
  try {
    for (PlaceFields* const places : together) {
      onAllRanks(places->devices().ranks(), [&] { places->requireMemoryFor(next); });
      places->repartition(next);
      ++done;
    }
  } catch (const DeviceError&) {
    for (std::size_t i = 0; i < done; ++i) together[i]->repartition(before);
    return false;
  }
  return true;
}

}  // namespace

Rebalance rebalanceBlocks(std::span<PlaceFields* const> together, std::span<const double> seconds,
                          double threshold) {
  const BlockPartition& blocks = together.front()->blocks();
  Rebalance result;
  record(blocks, result.before, result.linesBefore);
  record(blocks, result.after, result.linesAfter);
  const double mean =
      std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size());
  result.imbalance = result.expected = mean > 0 ? std::ranges::max(seconds) / mean - 1 : 0;
  if (result.imbalance <= threshold) return result;
  const AxisCosts costs(blocks, seconds);
  const RowsFit always = [](int, RowRange) { return true; };
  const auto rows = balancedPartition(costs.ofRows, blocks.ofRows().devices(), always);
  const auto lines = balancedPartition(costs.ofLines, blocks.along(1).devices(), always);
  if (!rows || !lines) return result;
  const BlockPartition next = blocks.with(0, *rows).with(1, *lines);
  const double expected = costs.imbalanceOf(next);
  if (expected >= costs.imbalanceOf(blocks) || !repartitionAll(together, next)) return result;
  result.expected = expected;
  record(next, result.after, result.linesAfter);
  return result;
}

}  // namespace mass::detail
