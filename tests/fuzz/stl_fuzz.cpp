// Passes arbitrary bytes to the reader of STL: it must return a closed surface that fills a grid,
// or throw InputError.
#include "fuzz.hpp"

#include <apps/lbm/case/stl_surface.hpp>

#include <mass/support/error.hpp>

#include <algorithm>
#include <cmath>

namespace {

/// Fills a grid around the surface, unless its size is beyond the range of numbers.
void fillGrid(const lbm::StlSurface& surface) {
  const lbm::Bounds bounds = surface.bounds();
  const double size = bounds.diagonal();
  lbm::Point shift{};
  for (std::size_t axis = 0; axis < 3; ++axis) shift[axis] = -bounds.low[axis] / size;
  if (!std::isnormal(size) || !std::isnormal(1 / size)) return;
  if (!std::all_of(shift.begin(), shift.end(), [](double along) { return std::isfinite(along); }))
    return;
  const auto filling = surface.placed(1 / size, shift).fill({7, 6, 5}, 0.2);
  fuzz::require(filling.cells.size() == 7 * 6 * 5);
  const auto inside = std::count(filling.cells.begin(), filling.cells.end(), true);
  fuzz::require(filling.windings >= inside);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::MemoryFile file(fuzz::textOf(data, size));
  for (const double cell : {0.01, HUGE_VAL}) {
    try {
      const auto surface = lbm::StlSurface::load(file.path(), cell);
      fuzz::require(surface.triangles() > 0);
      fuzz::require(surface.mesh().openEdges().empty());
      fillGrid(surface);
    } catch (const mass::InputError&) {
    }
  }
  return 0;
}
