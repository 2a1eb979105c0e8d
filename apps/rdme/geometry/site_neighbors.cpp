#include <apps/rdme/geometry/site_neighbors.hpp>

#include <cstddef>
#include <cstdlib>

namespace rdme {

std::vector<SiteIndex> neighborOffsets(Connectivity connectivity) {
  std::vector<SiteIndex> offsets;
  for (std::int64_t z = -1; z <= 1; ++z) {
    for (std::int64_t y = -1; y <= 1; ++y) {
      for (std::int64_t x = -1; x <= 1; ++x) {
        const std::int64_t steps = std::abs(z) + std::abs(y) + std::abs(x);
        if (steps == 1 || (steps > 1 && connectivity == Connectivity::all))
          offsets.push_back({z, y, x});
      }
    }
  }
  return offsets;
}

std::optional<SiteIndex> neighborOf(const SiteIndex& site, const SiteIndex& offset,
                                    const SiteIndex& counts, const std::array<bool, 3>& periodic) {
  SiteIndex other{};
  for (std::size_t i = 0; i < 3; ++i) {
    other[i] = site[i] + offset[i];
    if (other[i] >= 0 && other[i] < counts[i]) continue;
    if (!periodic[i]) return std::nullopt;
    other[i] = (other[i] + counts[i]) % counts[i];
  }
  return other;
}

}  // namespace rdme
