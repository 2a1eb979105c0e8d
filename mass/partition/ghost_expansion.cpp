#include <mass/partition/ghost_expansion.hpp>

namespace mass::detail {
namespace {

double cubed(double side) {
  return side * side * side;
}

/// Side of the cube with its ghost layers.
double expanded(const CubicSubdomain& cube) {
  return cube.side + 2 * cube.steps * cube.reach;
}

}  // namespace

double cpuSeconds(const LinearTime& cell, const CubicSubdomain& cube) {
  double cells = 0;
  for (int step = 1; step <= static_cast<int>(cube.steps); ++step)
    cells += cubed(cube.side + 2 * (cube.steps - step) * cube.reach);
  return cell.slope * cells + cell.offset;
}

double gpuSeconds(const LinearTime& cell, const CubicSubdomain& cube) {
  return cube.steps * (cell.slope * cubed(expanded(cube)) + cell.offset);
}

double messageSeconds(const LinearTime& cell, const CubicSubdomain& cube) {
  return cell.slope * (cubed(expanded(cube)) - cubed(cube.side)) + cell.offset;
}

double copySeconds(const LinearTime& cell, const CubicSubdomain& cube) {
  const double side = expanded(cube);
  return cell.slope * (cubed(side) + cube.side * side * side) + cell.offset;
}

double gpuStepSeconds(const GpuCluster& cluster, const CubicSubdomain& cube) {
  return (gpuSeconds(cluster.compute, cube) + messageSeconds(cluster.messages, cube) +
          copySeconds(cluster.copies, cube)) /
         cube.steps;
}

}  // namespace mass::detail
