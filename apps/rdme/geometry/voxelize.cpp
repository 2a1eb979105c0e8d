#include <apps/rdme/geometry/voxelize.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace rdme {
namespace {

/// Returns the range of sites along an axis that contains the shape.
SiteRange siteRange(const SolidShape& shape, const Grid& lattice, std::size_t axis) {
  const auto clamped = [&](double position) {
    return std::clamp<std::int64_t>(std::llround(position / lattice.spacing), 0,
                                    lattice.sites[axis]);
  };
  // One more site on each side allows for rounding errors.
  const auto first = std::max<std::int64_t>(0, clamped(shape.low(axis)) - 1);
  const auto end = std::min(lattice.sites[axis], clamped(shape.high(axis)) + 1);
  return {first, end - first, lattice.periodic[axis] && end - first == lattice.sites[axis]};
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
    for (std::size_t i = 0; i < 3; ++i)
      center[i] = lattice.center(voxels.ranges[i].first + site[i]);
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
