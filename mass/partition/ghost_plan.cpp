#include <mass/partition/ghost_plan.hpp>

namespace mass::detail {
namespace {

/// True if `next` copies the rows after those of `last` between the same devices.
bool continues(const GhostCopy& last, const GhostCopy& next) {
  return last.toDevice == next.toDevice && last.fromDevice == next.fromDevice &&
         last.toRow + last.count == next.toRow && last.fromRow + last.count == next.fromRow;
}

}  // namespace

std::vector<GhostCopy> planGhosts(const RowPartition& partition, int depth, Border border) {
  std::vector<GhostCopy> plan;
  const auto addRow = [&](int device, std::int64_t row) {
    const std::int64_t source = sourceOf(row, partition.rows(), border);
    if (source < 0) return;
    const GhostCopy copy{partition.owner(source), source, device, row, 1};
    if (!plan.empty() && continues(plan.back(), copy)) {
      ++plan.back().count;
    } else {
      plan.push_back(copy);
    }
  };
  for (int device = 0; device < partition.devices(); ++device) {
    const RowRange band = partition.range(device);
    for (std::int64_t row = band.begin - depth; row < band.begin; ++row) addRow(device, row);
    for (std::int64_t row = band.end; row < band.end + depth; ++row) addRow(device, row);
  }
  return plan;
}

}  // namespace mass::detail
