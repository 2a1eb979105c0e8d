#include <apps/cavity/split.hpp>

#include <algorithm>

namespace cavity {
namespace {

std::int64_t bytesOfPopulation(const Problem& problem) {
  return problem.doubles ? 8 : problem.halves ? 2 : 4;
}

/// A number, or two with "to" if not all are the same.
std::string rangeOf(const std::vector<std::int64_t>& numbers) {
  const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
  return *least == *most ? fmt::format("{}", *least) : fmt::format("{} to {}", *least, *most);
}

}  // namespace

std::int64_t bytesOfCell(const Problem& problem) {
  const std::int64_t populations = problem.dimensions == 3 ? D3Q19::size : D2Q9::size;
  return 2 * populations * bytesOfPopulation(problem) + 1;
}

Split::Split(const Problem& problem, std::span<const double> weights)
    : moved(static_cast<double>(problem.cellCount() * bytesOfCell(problem))) {
  const std::int64_t crossing = problem.dimensions == 3 ? 5 : 3;  // populations, one way
  const std::size_t axis = problem.dimensions == 3 ? 0 : 1;
  const std::int64_t rows = problem.cells[axis], row = problem.cellCount() / rows;
  const std::vector<std::int64_t> bands = mass::RowPartition(rows, weights).bands();
  const bool isRing = problem.faces[2 * axis].kind == FaceKind::periodic;
  for (std::size_t device = 0; device < bands.size(); ++device) {
    const bool isEnd = device == 0 || device == bands.size() - 1;
    const std::int64_t cuts = bands.size() == 1 ? 0 : isEnd && !isRing ? 1 : 2;
    cells.push_back(bands[device] * row);
    atCut.push_back(std::min(cuts, bands[device]) * row);
    sent += static_cast<double>(cuts * row * crossing * bytesOfPopulation(problem));
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
