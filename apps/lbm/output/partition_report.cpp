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

}  // namespace

std::int64_t bytesPerCell(const LatticeCase& lattice) {
  return 2 * bytesOfState(lattice, false) + 1;
}

PartitionReport::PartitionReport(const LatticeCase& lattice, std::span<const double> weights)
    : bytesMoved(static_cast<double>(lattice.cellCount() * bytesPerCell(lattice))) {
  const std::int64_t crossing = bytesOfState(lattice, true);
  const std::size_t axis = lattice.dimensions == 3 ? 0 : 1;
  const std::int64_t rows = lattice.cells[axis], row = lattice.cellCount() / rows;
  const std::vector<std::int64_t> bands = mass::RowPartition(rows, weights).bands();
  const bool isRing = lattice.faces[2 * axis].kind == FaceKind::periodic;
  for (std::size_t device = 0; device < bands.size(); ++device) {
    const bool isEnd = device == 0 || device == bands.size() - 1;
    const std::int64_t cuts = bands.size() == 1 ? 0 : isEnd && !isRing ? 1 : 2;
    cells.push_back(bands[device] * row);
    cellsAtCut.push_back(std::min(cuts, bands[device]) * row);
    bytesSent += static_cast<double>(cuts * row * crossing);
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
