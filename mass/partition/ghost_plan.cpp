#include <mass/partition/ghost_plan.hpp>

#include <algorithm>
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

/// Copies along one axis within a part of it: its places and `beyond` ghosts in the world, then the
/// ghosts beyond the borders.
std::vector<GhostCopy> withinPart(const RowPartition& cuts, int depth, std::int64_t beyond,
                                  Border border, int part) {
  const std::int64_t length = cuts.rows();
  const RowRange own = cuts.range(part);
  const bool isCut = cuts.devices() > 1;
  RowRange known = own;
  if (isCut) known = {own.begin - beyond, own.end + beyond};
  if (border != Border::periodic)
    known = {std::max<std::int64_t>(known.begin, 0), std::min(known.end, length)};
  std::vector<GhostCopy> copies{{part, known.begin, part, known.begin, known.size()}};
  // Ghosts beyond a periodic border belong to other devices if there are several.
  if (border == Border::fixed || (border == Border::periodic && isCut)) return copies;
  const auto add = [&](std::int64_t place) {
    addRow(copies, {part, sourceOf(place, length, border), part, place, 1});
  };
  for (std::int64_t k = 1; k <= depth; ++k) {
    if (own.begin == 0) add(-k);
    if (own.end == length) add(length - 1 + k);
  }
  return copies;
}

/// Appends the copies of rectangles of rows and lines to a device, but that of the first rows and
/// the first lines, which are its own.
void addProducts(std::vector<GhostCopy>& plan, const BlockPartition& partition, int device,
                 const std::vector<GhostCopy>& rowCopies,
                 const std::vector<GhostCopy>& lineCopies) {
  for (std::size_t i = 0; i < rowCopies.size(); ++i) {
    for (std::size_t j = i == 0 ? 1 : 0; j < lineCopies.size(); ++j) {
      const GhostCopy &rows = rowCopies[i], &lines = lineCopies[j];
      plan.push_back({partition.device(rows.fromDevice, lines.fromDevice), rows.fromRow, device,
                      rows.toRow, rows.count, lines.count, lines.fromRow, lines.toRow});
    }
  }
}

}  // namespace

std::vector<GhostCopy> planGhosts(const BlockPartition& partition, std::array<int, 2> depths,
                                  Border ofRows, Border ofLines) {
  std::vector<GhostCopy> rowGhosts = planGhosts(partition.ofRows(), depths[0], ofRows);
  if (!partition.isInBlocks()) return rowGhosts;
  const std::vector<GhostCopy> lineGhosts = planGhosts(partition.ofLines(), depths[1], ofLines);
  const BlockOrder& order = partition.order();
  std::vector<GhostCopy> plan;
  for (int device = 0; device < partition.devices(); ++device)
    addProducts(plan, partition, device,
                alongAxis(partition.ofRows(), rowGhosts, order.rowPart(device)),
                alongAxis(partition.ofLines(), lineGhosts, order.linePart(device)));
  return plan;
}

std::vector<GhostCopy> planOwnGhosts(const BlockPartition& partition, int depth,
                                     std::array<std::int64_t, 2> beyond, Border ofRows,
                                     Border ofLines) {
  const BlockOrder& order = partition.order();
  std::vector<GhostCopy> plan;
  for (int device = 0; device < partition.devices(); ++device)
    addProducts(plan, partition, device,
                withinPart(partition.ofRows(), depth, beyond[0], ofRows, order.rowPart(device)),
                withinPart(partition.ofLines(), depth, beyond[1], ofLines, order.linePart(device)));
  return plan;
}

}  // namespace mass::detail
