#include <apps/lbm/output/partition_report.hpp>

#include <algorithm>

namespace lbm {
namespace {

/// Returns the bytes of a cell's populations or moments. @param crossing only those that cross a
/// cut in one direction: the populations streamed that way, or all moments
std::int64_t bytesOfState(const LatticeCase& lattice, bool crossing) {
  const std::int64_t bytes = lattice.isDouble ? 8 : lattice.isHalf ? 2 : 4;
  const bool isFlat = lattice.dimensions == 2;
  if (!lattice.storesMoments)
    return bytes * (crossing ? (isFlat ? 3 : 5) : isFlat ? D2Q9::size : D3Q19::size);
  const std::int64_t flow = isFlat ? 3 : 4, stress = isFlat ? 3 : 6;
  return flow * std::max<std::int64_t>(bytes, 4) + stress * bytes;
}

/// Returns "least to most", or one number if all are equal.
std::string rangeOf(const std::vector<std::int64_t>& numbers) {
  const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
  return *least == *most ? fmt::format("{}", *least) : fmt::format("{} to {}", *least, *most);
}

/// Returns the number of cuts, 0 to 2, between a part and others along an axis of the places.
std::int64_t cutsOf(const LatticeCase& lattice, const mass::AnyPlaces::Part& part,
                    std::size_t axis) {
  const std::size_t ofLattice = axis + 3 - part.size.size();
  const std::int64_t length = lattice.cells[ofLattice];
  if (part.size[axis] == length) return 0;
  if (lattice.faces[2 * ofLattice].kind == FaceKind::periodic) return 2;
  const bool isFirst = part.first[axis] == 0;
  const bool isLast = part.first[axis] + part.size[axis] == length;
  return 2 - (isFirst ? 1 : 0) - (isLast ? 1 : 0);
}

}  // namespace

std::int64_t bytesPerCell(const LatticeCase& lattice) {
  return 2 * bytesOfState(lattice, false) + 1;
}

PartitionReport::PartitionReport(const LatticeCase& lattice,
                                 std::span<const mass::AnyPlaces::Part> parts)
    : bytesMoved(static_cast<double>(lattice.cellCount() * bytesPerCell(lattice))) {
  const std::int64_t crossing = bytesOfState(lattice, true);
  const std::size_t axes = parts.front().size.size();
  for (const mass::AnyPlaces::Part& part : parts) {
    std::int64_t all = 1, inside = 1, sent = 0;
    for (std::size_t axis = 0; axis < axes; ++axis) all *= part.size[axis];
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const std::int64_t cuts = cutsOf(lattice, part, axis);
      inside *= std::max<std::int64_t>(part.size[axis] - cuts, 0);
      sent += cuts * (all / part.size[axis]) * crossing;
    }
    cells.push_back(all);
    cellsAtCut.push_back(all - inside);
    bytesSent += static_cast<double>(sent);
  }
}

std::string PartitionReport::report() const {
  return fmt::format(
      "  devices     {}, of {} cells each, {} of them at a cut\n"
      "  cuts        {:.2f} MiB transferred across them per step, {:.2g} % of the {:.1f} MiB of "
      "memory traffic\n",
      cells.size(), rangeOf(cells), rangeOf(cellsAtCut), bytesSent / 0x1p20,
      bytesSent / bytesMoved * 100, bytesMoved / 0x1p20);
}

}  // namespace lbm
