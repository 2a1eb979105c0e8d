#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace rdme {

/// Neighbourhood of a site: the 6 sites that share a face, or all 26 around it.
enum class Connectivity { faces = 6, all = 26 };

/// Coordinates of a site, or an offset between two sites: z, y, x.
using SiteIndex = std::array<std::int64_t, 3>;

/// Returns the offsets from a site to its neighbours.
std::vector<SiteIndex> neighborOffsets(Connectivity connectivity);

/// Returns the site at `site + offset` in a box of `counts` sites, wrapped around at the ends of
/// periodic axes; none if it lies beyond the end of any other axis.
std::optional<SiteIndex> neighborOf(const SiteIndex& site, const SiteIndex& offset,
                                    const SiteIndex& counts, const std::array<bool, 3>& periodic);

/// Calls function(site) for each site of a box of `counts` sites, x fastest.
template <class F>
void forEachSite(const SiteIndex& counts, F&& function) {
  for (std::int64_t z = 0; z < counts[0]; ++z)
    for (std::int64_t y = 0; y < counts[1]; ++y)
      for (std::int64_t x = 0; x < counts[2]; ++x) function(SiteIndex{z, y, x});
}

}  // namespace rdme
