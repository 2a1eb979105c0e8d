#include <mass/partition/block_partition.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace mass::detail {
namespace {

/// Returns the cuts of an axis whose parts have the sums of the weights of their devices.
/// @param partOf returns the part of a device
template <class PartOf>
RowPartition cutsOf(std::int64_t length, std::size_t parts, std::span<const double> weights,
                    const PartOf& partOf) {
  std::vector<double> sums(parts);
  const double largest = weights.empty() ? 1 : *std::ranges::max_element(weights);
  for (std::size_t device = 0; device < weights.size(); ++device)
    sums[static_cast<std::size_t>(partOf(static_cast<int>(device)))] +=
        weights[device] / largest;  // keeps the sum finite
  return {length, sums};
}

}  // namespace

BlockPartition::BlockPartition(std::array<std::int64_t, 2> lengths, const BlockOrder& order,
                               std::span<const double> weights)
    : rows_(cutsOf(lengths[0], weights.size() / static_cast<std::size_t>(order.lineParts), weights,
                   [&](int device) { return order.rowPart(device); })),
      lines_(cutsOf(lengths[1], static_cast<std::size_t>(order.lineParts), weights,
                    [&](int device) { return order.linePart(device); })),
      order_(order) {}

BlockPartition::BlockPartition(RowPartition rows, std::int64_t lines)
    : rows_(std::move(rows)), lines_(RowPartition::ofBands(std::span(&lines, 1))) {}

std::vector<std::int64_t> BlockPartition::thinnest() const {
  std::vector<std::int64_t> rows = rows_.bands(), lines = lines_.bands();
  if (lines.size() == 1) return rows;
  if (rows.size() == 1) return lines;
  return std::ranges::min(rows) <= std::ranges::min(lines) ? rows : lines;
}

}  // namespace mass::detail
