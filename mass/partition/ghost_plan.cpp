#include <mass/partition/ghost_plan.hpp>

#include <cstddef>

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

namespace {

/// Copies along one axis to a part of it: its own places, then the ghosts.
std::vector<GhostCopy> alongAxis(const RowPartition& cuts, const std::vector<GhostCopy>& ghosts,
                                 int part) {
  const RowRange own = cuts.range(part);
  std::vector<GhostCopy> copies{{part, own.begin, part, own.begin, own.size()}};
  for (const GhostCopy& copy : ghosts)
    if (copy.toDevice == part) copies.push_back(copy);
  return copies;
}

}  // namespace

std::vector<GhostCopy> planGhosts(const BlockPartition& partition, int depth, Border ofRows,
                                  Border ofLines) {
  if (!partition.isInBlocks()) return planGhosts(partition.ofRows(), depth, ofRows);
  const std::vector<GhostCopy> rowGhosts = planGhosts(partition.ofRows(), depth, ofRows);
  const std::vector<GhostCopy> lineGhosts = planGhosts(partition.ofLines(), depth, ofLines);
  std::vector<GhostCopy> plan;
  for (int device = 0; device < partition.devices(); ++device) {
    const int parts = partition.ofLines().devices();
    const auto rowCopies = alongAxis(partition.ofRows(), rowGhosts, device / parts);
    const auto lineCopies = alongAxis(partition.ofLines(), lineGhosts, device % parts);
    for (std::size_t i = 0; i < rowCopies.size(); ++i) {
      for (std::size_t j = i == 0 ? 1 : 0; j < lineCopies.size(); ++j) {
        const GhostCopy &rows = rowCopies[i], &lines = lineCopies[j];
        plan.push_back({partition.device(rows.fromDevice, lines.fromDevice), rows.fromRow, device,
                        rows.toRow, rows.count, lines.count, lines.fromRow, lines.toRow});
      }
    }
  }
  return plan;
}

}  // namespace mass::detail
