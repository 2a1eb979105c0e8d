#include <mass/partition/ghost_plan.hpp>

namespace mass::detail {
namespace {

/// True if `next` copies the rows after those of `last` between the same devices.
bool continues(const GhostCopy& last, const GhostCopy& next) {
  return last.toDevice == next.toDevice && last.fromDevice == next.fromDevice &&
         last.toRow + last.count == next.toRow && last.fromRow + last.count == next.fromRow;
}

}  // namespace

void addRow(std::vector<GhostCopy>& plan, const GhostCopy& row) {
  if (!plan.empty() && continues(plan.back(), row)) {
    ++plan.back().count;
  } else {
    plan.push_back(row);
  }
}

std::vector<GhostCopy> planGhosts(const RowPartition& partition, int depth, Border border) {
  std::vector<GhostCopy> plan;
  const auto add = [&](int device, std::int64_t row) {
    const std::int64_t source = sourceOf(row, partition.rows(), border);
    if (source >= 0) addRow(plan, {partition.owner(source), source, device, row, 1});
  };
  for (int device = 0; device < partition.devices(); ++device) {
    const RowRange band = partition.range(device);
    for (std::int64_t row = band.begin - depth; row < band.begin; ++row) add(device, row);
    for (std::int64_t row = band.end; row < band.end + depth; ++row) add(device, row);
  }
  return plan;
}

}  // namespace mass::detail
