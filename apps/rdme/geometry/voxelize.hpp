#pragma once

#include <apps/rdme/geometry/site_neighbors.hpp>
#include <apps/rdme/geometry/solid_shape.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rdme {

/// Range of sites along one axis: [first, first + count). Along a periodic axis it may cross the
/// ends of the lattice; site i then is site i modulo the number of sites.
struct SiteRange {
  std::int64_t first = 0;
  std::int64_t count = 0;
  bool wraps = false;  ///< it covers a whole periodic axis
};

/// Sites of a solid shape, in their bounding box.
struct VoxelizedShape {
  std::array<SiteRange, 3> ranges;  ///< bounding box along z, y, x
  /// Layer of each site of the box, z slowest, x fastest: 0 = outside the shape, 1 = interior,
  /// 2 and above = shell, from its outermost layer inwards.
  std::vector<std::uint8_t> layers;

  /// Returns the element of `layers` of a site, given by its indices in the box.
  std::size_t at(std::int64_t z, std::int64_t y, std::int64_t x) const {
    return static_cast<std::size_t>((z * ranges[1].count + y) * ranges[2].count + x);
  }
};

/// Finds the sites of `lattice` whose centers `shape` contains, and assigns their outermost layers
/// to its shell. A site is in the outermost layer if one of its neighbours is not in the shape, or
/// is beyond the border of the lattice. A periodic axis has no border: a shape that crosses its end
/// continues at the other one.
/// @pre along periodic axes, the extent of `shape` is at most that of the lattice
/// @param thickness number of layers of the shell, 0 to 100
/// @param connectivity neighbours that are considered
VoxelizedShape voxelize(const SolidShape& shape, const Grid& lattice, int thickness = 0,
                        Connectivity connectivity = Connectivity::all);

}  // namespace rdme
