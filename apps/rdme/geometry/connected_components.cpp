#include <apps/rdme/geometry/connected_components.hpp>

#include <algorithm>
#include <array>

namespace rdme {
namespace {

/// Disjoint sets of labels (union-find with path halving).
class DisjointSets {
 public:
  /// Adds a set and returns its label.
  std::int64_t add() {
    ++count_;
    parents_.push_back(static_cast<std::int64_t>(parents_.size()));
    return parents_.back();
  }
  /// Unites the sets of two labels and returns the label of the union.
  std::int64_t unite(std::int64_t a, std::int64_t b) {
    a = rootOf(a);
    b = rootOf(b);
    if (a == b) return a;
    --count_;
    return parentOf(std::max(a, b)) = std::min(a, b);
  }
  /// Returns the number of disjoint sets.
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

/// Labels of the sites of three planes along z: the current one, the one before it, and plane 0,
/// which is a neighbour of the last one if z is periodic.
class PlaneLabels {
 public:
  explicit PlaneLabels(const SiteIndex& counts) : counts_(counts) {
    for (auto& plane : planes_) plane.resize(static_cast<std::size_t>(counts[1] * counts[2]));
  }
  std::int64_t& at(const SiteIndex& site) {
    auto& plane = planes_[site[0] == 0 ? 0 : static_cast<std::size_t>(1 + site[0] % 2)];
    return plane[static_cast<std::size_t>(site[1] * counts_[2] + site[2])];
  }

 private:
  SiteIndex counts_;
  std::array<std::vector<std::int64_t>, 3> planes_;
};

}  // namespace

bool TypeGraph::hasEdges(std::size_t type) const {
  for (std::size_t other = 0; other < types_; ++other)
    if (hasEdge(type, other)) return true;
  return false;
}

std::int64_t connectedComponents(const std::vector<std::uint8_t>& types, const Grid& lattice,
                                 const TypeGraph& graph, Connectivity connectivity) {
  const auto offsets = neighborOffsets(connectivity);
  std::vector<bool> reached;
  for (std::size_t type = 0; type < graph.types(); ++type) reached.push_back(graph.hasEdges(type));
  DisjointSets sets;
  PlaneLabels labels(lattice.sites);
  const auto typeAt = [&](const SiteIndex& site) {
    return types[static_cast<std::size_t>(
        (site[0] * lattice.sites[1] + site[1]) * lattice.sites[2] + site[2])];
  };
  forEachSite(lattice.sites, [&](const SiteIndex& site) {
    const auto here = typeAt(site);
    if (!reached[here]) return;
    std::int64_t label = -1;
    for (const SiteIndex& offset : offsets) {
      // Neighbours of a higher index consider this site in their turn.
      const auto other = neighborOf(site, offset, lattice.sites, lattice.periodic);
      if (!other || !(*other < site) || !graph.hasEdge(here, typeAt(*other))) continue;
      label = label < 0 ? labels.at(*other) : sets.unite(label, labels.at(*other));
    }
    labels.at(site) = label < 0 ? sets.add() : label;
  });
  return sets.count();
}

}  // namespace rdme
