#include <mass/partition/block_partition.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace mass::detail {
namespace {

/// Returns the cuts of an axis whose parts have the sums of the weights of their devices.
RowPartition cutsOf(std::size_t axis, std::int64_t length, const BlockOrder& order,
                    std::span<const double> weights) {
  const auto ofRow = static_cast<std::size_t>(order.partsOfRow());
  std::vector<double> sums(axis == 0 ? weights.size() / ofRow
                                     : static_cast<std::size_t>(order.parts[axis - 1]));
  const double largest = weights.empty() ? 1 : *std::ranges::max_element(weights);
  for (std::size_t device = 0; device < weights.size(); ++device)
    sums[static_cast<std::size_t>(order.part(axis, static_cast<int>(device)))] +=
        weights[device] / largest;  // keeps the sum finite
  return {length, sums};
}

RowPartition whole(std::int64_t length) {
  return RowPartition::ofBands(std::span(&length, 1));
}

}  // namespace

BlockPartition::BlockPartition(const std::array<std::int64_t, 3>& lengths, const BlockOrder& order,
                               std::span<const double> weights)
    : axes_{cutsOf(0, lengths[0], order, weights), cutsOf(1, lengths[1], order, weights),
            cutsOf(2, lengths[2], order, weights)},
      order_(order) {}

BlockPartition::BlockPartition(RowPartition rows, std::int64_t lines, std::int64_t columns)
    : axes_{std::move(rows), whole(lines), whole(columns)} {}

std::vector<std::int64_t> BlockPartition::thinnest() const {
  std::vector<std::int64_t> thinnest;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    std::vector<std::int64_t> parts = axes_[axis].bands();
    if (isCut(axis) && (thinnest.empty() || std::ranges::min(parts) < std::ranges::min(thinnest)))
      thinnest = std::move(parts);
  }
  return thinnest.empty() ? axes_[0].bands() : thinnest;
}

}  // namespace mass::detail
