// Passes arbitrary bytes to the reader of SWC: it must return a tree that fills cubes, or throw
// InputError.
#include "fuzz.hpp"

#include <mass/io/morphology.hpp>
#include <mass/support/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>

namespace {

using mass::Morphology;

void checkNodes(const Morphology& neuron) {
  fuzz::require(!neuron.nodes().empty());
  std::int64_t index = 0;
  for (const Morphology::Node& node : neuron.nodes()) {
    fuzz::require(node.radius > 0 && std::isfinite(node.radius));
    fuzz::require(-1 <= node.parent && node.parent < index++);
  }
}

void checkCubes(const Morphology& neuron, const Morphology::Grid& grid) {
  try {
    const auto cubes = neuron.cubes(grid);
    fuzz::require(!cubes.indices.empty() && cubes.types.size() == cubes.indices.size());
    fuzz::require(std::adjacent_find(cubes.indices.begin(), cubes.indices.end(),
                                     std::greater_equal<>()) == cubes.indices.end());
    fuzz::require(cubes.indices.front() >= 0 && cubes.indices.back() < mass::count(cubes.shape));
    const auto all = std::accumulate(cubes.pieces.begin(), cubes.pieces.end(), std::int64_t{0});
    const auto kept = grid.largestPiece ? cubes.pieces.front() : all;
    fuzz::require(static_cast<std::int64_t>(cubes.indices.size()) == kept);
    const auto dropped =
        std::accumulate(cubes.dropped.begin(), cubes.dropped.end(), std::int64_t{0});
    fuzz::require(dropped < static_cast<std::int64_t>(neuron.nodes().size()));
  } catch (const mass::InputError&) {
  }
}

/// Returns the largest distance of a part of the neuron from the origin, along an axis.
double extentOf(const Morphology& neuron) {
  double extent = 0;
  for (const Morphology::Node& node : neuron.nodes())
    for (const double x : node.position) extent = std::max(extent, std::abs(x) + node.radius);
  return extent;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::MemoryFile file(fuzz::textOf(data, size));
  try {
    const Morphology neuron(file.path());
    checkNodes(neuron);
    const double extent = extentOf(neuron);
    Morphology::Grid grid;
    grid.edge = extent / 6;
    if (!(grid.edge > 0) || !std::isfinite(grid.edge)) return 0;
    checkCubes(neuron, grid);
    grid.rule = Morphology::Rule::middle;
    grid.largestPiece = false;
    grid.types = {1, 3, 5};
    checkCubes(neuron, grid);
    checkCubes(neuron, {.edge = 0.5, .within = Morphology::Within{{}, 3}});
    checkCubes(neuron, {.edge = 1, .scale = 1e-3, .within = Morphology::Within{{{1, 2, 3}}, 4}});
  } catch (const mass::InputError&) {
  }
  return 0;
}
