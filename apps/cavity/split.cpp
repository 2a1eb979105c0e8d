#include <apps/cavity/split.hpp>

#include <algorithm>

namespace cavity {
namespace {

/// Bytes of the numbers that are stored of a cell, or of those that cross a cut, one way: of
/// moments all.
std::int64_t bytesOfNumbers(const Problem& problem, bool crossing) {
  const std::int64_t bytes = problem.doubles ? 8 : problem.halves ? 2 : 4;
  const bool isFlat = problem.dimensions == 2;
  if (!problem.moments)
    return bytes * (crossing ? (isFlat ? 3 : 5) : isFlat ? D2Q9::size : D3Q19::size);
  const std::int64_t flow = isFlat ? 3 : 4, stress = isFlat ? 3 : 6;
  return flow * std::max<std::int64_t>(bytes, 4) + stress * bytes;
}

/// A number, or two with "to" if not all are the same.
std::string rangeOf(const std::vector<std::int64_t>& numbers) {
  const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
  return *least == *most ? fmt::format("{}", *least) : fmt::format("{} to {}", *least, *most);
}

}  // namespace

std::int64_t bytesOfCell(const Problem& problem) {
  return 2 * bytesOfNumbers(problem, false) + 1;
}

Split::Split(const Problem& problem, std::span<const double> weights)
    : moved(static_cast<double>(problem.cellCount() * bytesOfCell(problem))) {
  const std::int64_t crossing = bytesOfNumbers(problem, true);
  const std::size_t axis = problem.dimensions == 3 ? 0 : 1;
  const std::int64_t rows = problem.cells[axis], row = problem.cellCount() / rows;
  const std::vector<std::int64_t> bands = mass::RowPartition(rows, weights).bands();
  const bool isRing = problem.faces[2 * axis].kind == FaceKind::periodic;
  for (std::size_t device = 0; device < bands.size(); ++device) {
    const bool isEnd = device == 0 || device == bands.size() - 1;
    const std::int64_t cuts = bands.size() == 1 ? 0 : isEnd && !isRing ? 1 : 2;
    cells.push_back(bands[device] * row);
    atCut.push_back(std::min(cuts, bands[device]) * row);
    sent += static_cast<double>(cuts * row * crossing);
  }
}

std::string Split::report() const {
  return fmt::format(
      "  devices     {}, of {} cells each, {} of them at a cut\n"
      "  cuts        {:.2f} MiB sent across them in a step, {:.2g} % of the {:.1f} MiB that it "
      "moves in memory\n",
      cells.size(), rangeOf(cells), rangeOf(atCut), sent / 0x1p20, sent / moved * 100,
      moved / 0x1p20);
}

}  // namespace cavity
