#include <apps/rdme/body.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace rdme {
namespace {

using Site = std::array<std::int64_t, 3>;

/// The offsets of the neighbours that count.
std::vector<Site> offsetsOf(Neighbors neighbors) {
  std::vector<Site> offsets;
  for (std::int64_t z = -1; z <= 1; ++z) {
    for (std::int64_t y = -1; y <= 1; ++y) {
      for (std::int64_t x = -1; x <= 1; ++x) {
        const std::int64_t steps = std::abs(z) + std::abs(y) + std::abs(x);
        if (steps == 1 || (steps > 1 && neighbors == Neighbors::all)) offsets.push_back({z, y, x});
      }
    }
  }
  return offsets;
}

/// The site beside another, around the end of an axis where that is periodic; nothing beyond the
/// end of any other.
std::optional<Site> beside(const Site& site, const Site& offset, const Site& counts,
                           const std::array<bool, 3>& periodic) {
  Site other{};
  for (std::size_t i = 0; i < 3; ++i) {
    other[i] = site[i] + offset[i];
    if (other[i] >= 0 && other[i] < counts[i]) continue;
    if (!periodic[i]) return std::nullopt;
    other[i] = (other[i] + counts[i]) % counts[i];
  }
  return other;
}

/// Calls function(site) for each site of a box of sites.
template <class F>
void forEachSite(const Site& counts, F&& function) {
  for (std::int64_t z = 0; z < counts[0]; ++z)
    for (std::int64_t y = 0; y < counts[1]; ++y)
      for (std::int64_t x = 0; x < counts[2]; ++x) function(Site{z, y, x});
}

Span spanOf(const Shape& shape, const Lattice& lattice, std::size_t axis) {
  const auto clamped = [&](double position) {
    return std::clamp<std::int64_t>(std::llround(position / lattice.spacing), 0,
                                    lattice.sites[axis]);
  };
  // A site more to each side, for what rounding does.
  const auto first = std::max<std::int64_t>(0, clamped(shape.low(axis)) - 1);
  const auto end = std::min(lattice.sites[axis], clamped(shape.high(axis)) + 1);
  return {first, end - first, lattice.periodic[axis] && end - first == lattice.sites[axis]};
}

}  // namespace

Body bodyOf(const Shape& shape, const Lattice& lattice, int thickness, Neighbors neighbors) {
  Body body;
  Site counts{};
  std::array<bool, 3> endless{};
  for (std::size_t i = 0; i < 3; ++i) {
    body.spans[i] = spanOf(shape, lattice, i);
    counts[i] = body.spans[i].count;
    endless[i] = body.spans[i].endless;
  }
  body.layers.assign(static_cast<std::size_t>(counts[0] * counts[1] * counts[2]), 0);
  const auto layerAt = [&](const Site& site) -> std::uint8_t& {
    return body.layers[body.at(site[0], site[1], site[2])];
  };
  forEachSite(counts, [&](const Site& site) {
    Point middle{};
    for (std::size_t i = 0; i < 3; ++i) middle[i] = lattice.middle(body.spans[i].first + site[i]);
    layerAt(site) = shape.contains(middle) ? 1 : 0;
  });

  const auto offsets = offsetsOf(neighbors);
  for (int layer = 2; layer < 2 + thickness; ++layer) {
    forEachSite(counts, [&](const Site& site) {
      if (layerAt(site) != 1) return;
      const bool isOuter = std::any_of(offsets.begin(), offsets.end(), [&](const Site& offset) {
        const auto other = beside(site, offset, counts, endless);
        return !other || (layerAt(*other) != 1 && layerAt(*other) != layer);
      });
      if (isOuter) layerAt(site) = static_cast<std::uint8_t>(layer);
    });
  }
  return body;
}

std::int64_t pieces(const std::vector<std::uint8_t>& types, const Lattice& lattice, int type,
                    Neighbors neighbors) {
  const auto indexOf = [&](const Site& site) {
    return static_cast<std::size_t>((site[0] * lattice.sites[1] + site[1]) * lattice.sites[2] +
                                    site[2]);
  };
  const auto offsets = offsetsOf(neighbors);
  std::vector<bool> seen(types.size());
  std::vector<Site> waiting;
  std::int64_t count = 0;
  const auto visit = [&](const Site& site) {
    const auto index = indexOf(site);
    if (types[index] != type || seen[index]) return false;
    seen[index] = true;
    waiting.push_back(site);
    return true;
  };
  forEachSite(lattice.sites, [&](const Site& start) {
    if (!visit(start)) return;
    ++count;
    while (!waiting.empty()) {
      const Site site = waiting.back();
      waiting.pop_back();
      for (const Site& offset : offsets) {
        const auto other = beside(site, offset, lattice.sites, lattice.periodic);
        if (other) visit(*other);
      }
    }
  });
  return count;
}

}  // namespace rdme
