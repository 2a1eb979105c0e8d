#include <apps/rdme/geometry/voxelize.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace rdme {
namespace {

/// Returns the range of sites along an axis that contains the shape.
SiteRange siteRange(const SolidShape& shape, const Grid& lattice, std::size_t axis) {
  const std::int64_t sites = lattice.sites[axis];
  // One more site on each side allows for rounding errors.
  const std::int64_t first = std::llround(shape.low(axis) / lattice.spacing) - 1;
  const std::int64_t end = std::llround(shape.high(axis) / lattice.spacing) + 1;
  if (!lattice.periodic[axis]) {
    const std::int64_t start = std::clamp<std::int64_t>(first, 0, sites);
    return {start, std::clamp(end, start, sites) - start, false};
  }
  if (end - first >= sites) return {0, sites, true};
  return {first, end - first, false};
}

/// Returns the periodic image of a position along an axis that is nearest to the center of the
/// shape: within half of the lattice, the lower end included.
double nearestImage(double position, double center, double extent) {
  constexpr double rounding = 1e-9;
  return position - extent * std::floor((position - center) / extent + 0.5 * (1 + rounding));
}

}  // namespace

VoxelizedShape voxelize(const SolidShape& shape, const Grid& lattice, int thickness,
                        Connectivity connectivity) {
  VoxelizedShape voxels;
  SiteIndex counts{};
  std::array<bool, 3> wraps{};
  for (std::size_t i = 0; i < 3; ++i) {
    voxels.ranges[i] = siteRange(shape, lattice, i);
    counts[i] = voxels.ranges[i].count;
    wraps[i] = voxels.ranges[i].wraps;
  }
  voxels.layers.assign(static_cast<std::size_t>(counts[0] * counts[1] * counts[2]), 0);
  const auto layerAt = [&](const SiteIndex& site) -> std::uint8_t& {
    return voxels.layers[voxels.at(site[0], site[1], site[2])];
  };
  forEachSite(counts, [&](const SiteIndex& site) {
    Point center{};
    for (std::size_t i = 0; i < 3; ++i) {
      center[i] = lattice.center(voxels.ranges[i].first + site[i]);
      if (wraps[i]) center[i] = nearestImage(center[i], shape.center[i], lattice.extent(i));
    }
    layerAt(site) = shape.contains(center) ? 1 : 0;
  });

  const auto offsets = neighborOffsets(connectivity);
  for (int layer = 2; layer < 2 + thickness; ++layer) {
    forEachSite(counts, [&](const SiteIndex& site) {
      if (layerAt(site) != 1) return;
      const bool isOuter =
          std::any_of(offsets.begin(), offsets.end(), [&](const SiteIndex& offset) {
            const auto other = neighborOf(site, offset, counts, wraps);
            return !other || (layerAt(*other) != 1 && layerAt(*other) != layer);
          });
      if (isOuter) layerAt(site) = static_cast<std::uint8_t>(layer);
    });
  }
  return voxels;
}

}  // namespace rdme
