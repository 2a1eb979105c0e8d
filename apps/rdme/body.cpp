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

/// Numbers that stand for sets, which can become one.
class Sets {
 public:
  std::int64_t add() {
    ++count_;
    parents_.push_back(static_cast<std::int64_t>(parents_.size()));
    return parents_.back();
  }
  std::int64_t unite(std::int64_t a, std::int64_t b) {
    a = rootOf(a);
    b = rootOf(b);
    if (a == b) return a;
    --count_;
    return parentOf(std::max(a, b)) = std::min(a, b);
  }
  std::int64_t count() const { return count_; }

 private:
  std::int64_t& parentOf(std::int64_t number) { return parents_[static_cast<std::size_t>(number)]; }
  std::int64_t rootOf(std::int64_t number) {
    while (parentOf(number) != number) number = parentOf(number) = parentOf(parentOf(number));
    return number;
  }

  std::vector<std::int64_t> parents_;
  std::int64_t count_ = 0;
};

/// A number for each site of a plane, the one before it, and the first, which lies beside the last
/// where z is periodic.
class PlaneLabels {
 public:
  explicit PlaneLabels(const Site& counts) : counts_(counts) {
    for (auto& plane : planes_) plane.resize(static_cast<std::size_t>(counts[1] * counts[2]));
  }
  std::int64_t& at(const Site& site) {
    auto& plane = planes_[site[0] == 0 ? 0 : static_cast<std::size_t>(1 + site[0] % 2)];
    return plane[static_cast<std::size_t>(site[1] * counts_[2] + site[2])];
  }

 private:
  Site counts_;
  std::array<std::vector<std::int64_t>, 3> planes_;
};

Span spanOf(const Shape& shape, const Grid& lattice, std::size_t axis) {
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

Body bodyOf(const Shape& shape, const Grid& lattice, int thickness, Neighbors neighbors) {
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

bool Links::reach(std::size_t type) const {
  for (std::size_t other = 0; other < types_; ++other)
    if (holds(type, other)) return true;
  return false;
}

std::int64_t pieces(const std::vector<std::uint8_t>& types, const Grid& lattice, const Links& links,
                    Neighbors neighbors) {
  const auto offsets = offsetsOf(neighbors);
  std::vector<bool> reached;
  for (std::size_t type = 0; type < links.types(); ++type) reached.push_back(links.reach(type));
  Sets sets;
  PlaneLabels labels(lattice.sites);
  const auto typeAt = [&](const Site& site) {
    return types[static_cast<std::size_t>(
        (site[0] * lattice.sites[1] + site[1]) * lattice.sites[2] + site[2])];
  };
  forEachSite(lattice.sites, [&](const Site& site) {
    const auto here = typeAt(site);
    if (!reached[here]) return;
    std::int64_t label = -1;
    for (const Site& offset : offsets) {
      // Those that come later look for this one.
      const auto other = beside(site, offset, lattice.sites, lattice.periodic);
      if (!other || !(*other < site) || !links.holds(here, typeAt(*other))) continue;
      label = label < 0 ? labels.at(*other) : sets.unite(label, labels.at(*other));
    }
    labels.at(site) = label < 0 ? sets.add() : label;
  });
  return sets.count();
}

}  // namespace rdme
