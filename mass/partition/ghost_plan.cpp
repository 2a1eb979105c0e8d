#include <mass/partition/ghost_plan.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

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
    if (partition.isIdle(device)) continue;
    for (std::int64_t row = band.begin - depth; row < band.begin; ++row) add(device, row);
    for (std::int64_t row = band.end; row < band.end + depth; ++row) add(device, row);
  }
  return plan;
}

namespace {

/// Copies along one axis to a part of it: its own places, then the ghosts.
std::vector<GhostCopy> alongAxis(const RowPartition& cuts, int depth, Border border, int part) {
  const RowRange own = cuts.range(part);
  std::vector<GhostCopy> copies{{part, own.begin, part, own.begin, own.size()}};
  for (const GhostCopy& copy : planGhosts(cuts, depth, border))
    if (copy.toDevice == part) copies.push_back(copy);
  return copies;
}

/// Copies along one axis within a part of it: its places and `beyond` ghosts in the world, then the
/// ghosts beyond the borders.
/// @param isComputed true if ghosts beyond a periodic border are computed
std::vector<GhostCopy> withinPart(const RowPartition& cuts, int depth, std::int64_t beyond,
                                  Border border, int part, bool isComputed) {
  const std::int64_t length = cuts.rows();
  const RowRange own = cuts.range(part);
  RowRange known = own;
  if (isComputed) known = {own.begin - beyond, own.end + beyond};
  if (border != Border::periodic)
    known = {std::max<std::int64_t>(known.begin, 0), std::min(known.end, length)};
  std::vector<GhostCopy> copies{{part, known.begin, part, known.begin, known.size()}};
  if (border == Border::fixed || (border == Border::periodic && isComputed)) return copies;
  const auto add = [&](std::int64_t place) {
    addRow(copies, {part, sourceOf(place, length, border), part, place, 1});
  };
  for (std::int64_t k = 1; k <= depth; ++k) {
    if (own.begin == 0) add(-k);
    if (own.end == length) add(length - 1 + k);
  }
  return copies;
}

/// Appends the copies of boxes of rows, lines and columns to a device, but that of the first
/// copies along all axes, which are its own places.
void addProducts(std::vector<GhostCopy>& plan, const BlockPartition& partition, int device,
                 const std::array<std::vector<GhostCopy>, 3>& along) {
  bool isOwn = true;
  for (const GhostCopy& rows : along[0]) {
    for (const GhostCopy& lines : along[1]) {
      for (const GhostCopy& columns : along[2]) {
        if (!std::exchange(isOwn, false))
          plan.push_back({partition.device({rows.fromDevice, lines.fromDevice, columns.fromDevice}),
                          rows.fromRow,
                          device,
                          rows.toRow,
                          rows.count,
                          {lines.fromRow, lines.toRow, lines.count},
                          {columns.fromRow, columns.toRow, columns.count}});
      }
    }
  }
}

/// Returns the products of the copies along each axis to all devices.
/// @param copiesTo copiesTo(axis, part) returns the copies to a part of an exchanged axis
template <class CopiesTo>
std::vector<GhostCopy> productsOf(const BlockPartition& partition, const CopiesTo& copiesTo) {
  std::vector<GhostCopy> plan;
  for (int device = 0; device < partition.devices(); ++device) {
    std::array<std::vector<GhostCopy>, 3> along;
    for (std::size_t axis = 0; axis < along.size(); ++axis)
      along[axis] = axis < partition.exchangedAxes()
                        ? copiesTo(axis, partition.order().part(axis, device))
                        : std::vector<GhostCopy>(1);  // whole
    addProducts(plan, partition, device, along);
  }
  return plan;
}

}  // namespace

std::vector<GhostCopy> planGhosts(const BlockPartition& partition, const std::array<int, 3>& depths,
                                  const std::array<Border, 3>& borders) {
  if (!partition.isInBlocks()) return planGhosts(partition.ofRows(), depths[0], borders[0]);
  return productsOf(partition, [&](std::size_t axis, int part) {
    return alongAxis(partition.along(axis), depths[axis], borders[axis], part);
  });
}

namespace {

/// Part of an axis, and the difference to its numbers in the world.
struct AxisPart {
  RowRange places;
  std::int64_t toWorld = 0;
};

/// Returns the parts of a range of numbers that lie in the world, or in its repetitions beyond a
/// periodic border.
std::vector<AxisPart> partsInWorld(RowRange range, std::int64_t length, Border border) {
  if (border != Border::periodic)
    return {{{std::max<std::int64_t>(range.begin, 0), std::min(range.end, length)}}};
  std::vector<AxisPart> parts;
  for (std::int64_t begin = range.begin; begin < range.end;) {
    const std::int64_t world = sourceOf(begin, length, border) - begin;
    const std::int64_t end = std::min(range.end, length - world);
    parts.push_back({{begin, end}, world});
    begin = end;
  }
  return parts;
}

}  // namespace

std::vector<PlaceBox> placesAround(const BlockPartition& partition, int device, std::int64_t margin,
                                   const std::array<Border, 3>& borders) {
  std::array<std::vector<AxisPart>, 3> along;
  for (std::size_t axis = 0; axis < along.size(); ++axis) {
    const RowRange own = partition.range(axis, device);
    const bool isExchanged = axis == 0 ? partition.isCut(0) : axis < partition.exchangedAxes();
    along[axis] = isExchanged ? partsInWorld({own.begin - margin, own.end + margin},
                                             partition.along(axis).rows(), borders[axis])
                              : std::vector<AxisPart>{{own}};
  }
  std::vector<PlaceBox> boxes;
  for (const AxisPart& rows : along[0])
    for (const AxisPart& lines : along[1])
      for (const AxisPart& columns : along[2])
        boxes.push_back({{rows.places, lines.places, columns.places},
                         {rows.toWorld, lines.toWorld, columns.toWorld}});
  return boxes;
}

std::vector<GhostCopy> planOwnGhosts(const BlockPartition& partition, int depth,
                                     std::int64_t beyond, const std::array<Border, 3>& borders) {
  return productsOf(partition, [&](std::size_t axis, int part) {
    const bool isComputed = axis > 0 || partition.isCut(axis);
    return withinPart(partition.along(axis), depth, beyond, borders[axis], part, isComputed);
  });
}

}  // namespace mass::detail
