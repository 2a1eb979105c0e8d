#include <apps/lbm/case/triangle_mesh.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>

namespace lbm {

/// Sets of indices, joined by uniting two (union-find).
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t count) : parents_(count) {
    std::iota(parents_.begin(), parents_.end(), 0U);
  }

  std::uint32_t root(std::uint32_t of) {
    while (parents_[of] != of) of = parents_[of] = parents_[parents_[of]];
    return of;
  }
  void unite(std::uint32_t a, std::uint32_t b) { parents_[root(a)] = root(b); }

 private:
  std::vector<std::uint32_t> parents_;
};

namespace {

using Edge = TriangleMesh::Edge;

/// Returns `edges` without pairs of opposite direction and without edges of equal ends; sorted.
std::vector<Edge> withoutOpposites(std::vector<Edge> edges) {
  std::erase_if(edges, [](const Edge& edge) { return edge.first == edge.second; });
  const auto ends = [](const Edge& edge) { return std::minmax(edge.first, edge.second); };
  std::sort(edges.begin(), edges.end(), [&](const Edge& a, const Edge& b) {
    return ends(a) != ends(b) ? ends(a) < ends(b) : a < b;
  });
  auto kept = edges.begin();
  for (auto begin = edges.begin(); begin != edges.end();) {
    const auto end = std::find_if(begin, edges.end(),
                                  [&](const Edge& edge) { return ends(edge) != ends(*begin); });
    const auto down =
        std::find_if(begin, end, [](const Edge& edge) { return edge.first > edge.second; });
    // Keeps the excess of either direction.
    const auto rising = down - begin, falling = end - down;
    const Edge excess = rising > falling ? *begin : *(end - 1);
    kept = std::fill_n(kept, std::abs(rising - falling), excess);
    begin = end;
  }
  edges.erase(kept, edges.end());
  return edges;
}

void appendEdges(std::vector<Edge>& edges, const TriangleMesh::Triangle& triangle) {
  for (std::size_t i = 0; i < 3; ++i) edges.emplace_back(triangle[i], triangle[(i + 1) % 3]);
}

/// Pairs of points within a distance, found by a spatial hash.
class NearPairs {
 public:
  NearPairs(const std::vector<Point>& points, double distance)
      : points_(points), distance_(distance), next_(points.size(), none) {}

  /// Calls visit(i, j) for each pair.
  template <class Visit>
  void forEach(const Visit& visit) {
    for (std::uint32_t i = 0; i < points_.size(); ++i) {
      const Point low = cellOf(points_[i], -distance_), high = cellOf(points_[i], distance_);
      // The interval is shorter than a cell, so it touches one or two along each axis.
      for (unsigned corner = 0; corner < 8; ++corner) {
        Point cell = low;
        bool isAnother = true;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          if ((corner >> (2 - axis) & 1U) == 0) continue;
          cell[axis] = high[axis];
          isAnother = isAnother && low[axis] != high[axis];
        }
        if (isAnother) visitCell(cell, i, visit);
      }
      const auto [first, isNew] = first_.try_emplace(cellOf(points_[i], 0), i);
      if (!isNew) next_[i] = std::exchange(first->second, i);
    }
  }

 private:
  static constexpr std::uint32_t none = 0xFFFFFFFF;
  /// Edge of a cell in distances: a point is seldom so near to a face that it has two cells.
  static constexpr double cellEdge = 8;

  Point cellOf(const Point& point, double offset) const {
    Point cell{};
    for (std::size_t axis = 0; axis < 3; ++axis)
      cell[axis] = std::floor((point[axis] + offset) / (cellEdge * distance_));
    return cell;
  }

  template <class Visit>
  void visitCell(const Point& cell, std::uint32_t i, const Visit& visit) const {
    const auto found = first_.find(cell);
    if (found == first_.end()) return;
    for (std::uint32_t j = found->second; j != none; j = next_[j])
      if (Bounds{points_[j], points_[i]}.diagonal() <= distance_) visit(i, j);
  }

  const std::vector<Point>& points_;
  double distance_;
  std::vector<std::uint32_t> next_;  ///< next point of the same cell
  std::unordered_map<Point, std::uint32_t, PointHash> first_;
};

}  // namespace

void Bounds::include(const Bounds& other) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    low[axis] = std::min(low[axis], other.low[axis]);
    high[axis] = std::max(high[axis], other.high[axis]);
  }
}

bool Bounds::contains(const Bounds& other) const {
  Bounds both = *this;
  both.include(other);
  return both.low == low && both.high == high;
}

double Bounds::diagonal() const {
  const Point extent = high - low;
  return std::hypot(extent[0], extent[1], extent[2]);
}

std::size_t PointHash::operator()(const Point& point) const {
  std::size_t hash = 0;
  for (const double value : point)
    hash = (std::rotl(hash, 23) ^ std::hash<double>{}(value)) * 0x9E3779B97F4A7C15U;
  return hash;
}

Point operator-(const Point& a, const Point& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

Point cross(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

double dot(const Point& a, const Point& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Clusters of vertices that are merged into one.
class TriangleMesh::Merger {
 public:
  Merger(const std::vector<Point>& corners, std::vector<Edge> open)
      : corners_(corners), open_(std::move(open)) {}

  bool isClosed() const { return open_.empty(); }

  /// Merges ends of open edges within `tolerance` of each other, unless a cluster would be larger
  /// than `limit`.
  void mergeWithin(double tolerance, double limit) {
    const auto ends = endsOfOpenEdges();
    std::vector<Point> points;
    for (const std::uint32_t end : ends) points.push_back(corners_[end]);
    DisjointSets sets(ends.size());
    bool isAnyNear = false;
    NearPairs(points, tolerance).forEach([&](auto i, auto j) {
      sets.unite(i, j);
      isAnyNear = true;
    });
    if (!isAnyNear) return;

    struct Cluster {
      std::uint32_t first = 0;  ///< vertex with the least coordinates
      Bounds bounds;            ///< contains all vertices that are merged into it
    };
    std::vector<Cluster> clusters;  // by root
    for (const std::uint32_t end : ends) clusters.push_back({end, boundsOf(end)});
    for (std::uint32_t i = 0; i < ends.size(); ++i) {
      Cluster& cluster = clusters[sets.root(i)];
      cluster.bounds.include(boundsOf(ends[i]));
      if (corners_[ends[i]] < corners_[cluster.first]) cluster.first = ends[i];
    }
    for (std::uint32_t i = 0; i < ends.size(); ++i) {
      const Cluster& cluster = clusters[sets.root(i)];
      if (cluster.first == ends[i] || cluster.bounds.diagonal() > limit) continue;
      targets_[ends[i]] = cluster.first;
      bounds_.insert_or_assign(cluster.first, cluster.bounds);
    }
    for (auto& [from, to] : open_) from = target(from), to = target(to);
    open_ = withoutOpposites(std::move(open_));
  }

  /// Returns the vertex that `corner` is merged into.
  std::uint32_t target(std::uint32_t corner) const {
    for (auto found = targets_.find(corner); found != targets_.end(); found = targets_.find(corner))
      corner = found->second;
    return corner;
  }

  /// Returns all vertices that are merged into another.
  std::vector<std::uint32_t> merged() const {
    std::vector<std::uint32_t> all;
    for (const auto& [corner, to] : targets_) all.push_back(corner);
    return all;
  }

 private:
  std::vector<std::uint32_t> endsOfOpenEdges() const {
    std::vector<std::uint32_t> ends;
    for (const auto& [from, to] : open_) ends.insert(ends.end(), {from, to});
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    return ends;
  }

  Bounds boundsOf(std::uint32_t corner) const {
    const auto found = bounds_.find(corner);
    return found != bounds_.end() ? found->second : Bounds{corners_[corner], corners_[corner]};
  }

  const std::vector<Point>& corners_;
  std::vector<Edge> open_;
  std::unordered_map<std::uint32_t, std::uint32_t> targets_;
  std::unordered_map<std::uint32_t, Bounds>
      bounds_;  ///< bounding boxes of clusters, by their first vertex
};

/// Parts of a mesh that share no vertex, with volume and bounding box.
class TriangleMesh::Parts {
 public:
  struct Part {
    Bounds bounds;
    double volume = 0, rounding = 0;  ///< sixfold
    bool isReversed = false;
    bool facesInwards() const { return volume < -rounding; }
  };

  explicit Parts(const TriangleMesh& mesh) : sets_(mesh.corners_.size()) {
    for (const auto& [a, b, c] : mesh.triangles_) {
      sets_.unite(a, b);
      sets_.unite(b, c);
    }
    for (const Triangle& triangle : mesh.triangles_) {
      const Point& corner = mesh.corners_[sets_.root(triangle[0])];
      Part& part =
          parts_.try_emplace(sets_.root(triangle[0]), Part{{corner, corner}}).first->second;
      const double volume = mesh.sixfoldVolume(triangle, corner);
      part.volume += volume;
      part.rounding += 1e-9 * std::abs(volume);
      for (const std::uint32_t i : triangle)
        part.bounds.include({mesh.corners_[i], mesh.corners_[i]});
    }
  }

  Part& of(const Triangle& triangle) { return parts_.at(sets_.root(triangle[0])); }

  /// Decides which parts are reversed: those that face inwards and are within no other, and all
  /// parts within them. Counts the former.
  Turned reverse() {
    std::vector<Part*> parts;
    for (auto& [root, part] : parts_) parts.push_back(&part);
    if (std::none_of(parts.begin(), parts.end(), [](auto part) { return part->facesInwards(); }))
      return {};
    std::sort(parts.begin(), parts.end(), [](const Part* a, const Part* b) {
      return a->bounds.diagonal() > b->bounds.diagonal();
    });
    std::vector<const Part*> outer;
    Turned turned;
    for (Part* const part : parts) {
      const auto found = std::find_if(outer.begin(), outer.end(), [&](const Part* other) {
        return other->bounds.contains(part->bounds);
      });
      const bool isOuter = found == outer.end();
      part->isReversed = isOuter ? part->facesInwards() : (*found)->isReversed;
      if (!isOuter) continue;
      outer.push_back(part);
      ++turned.of;
      turned.count += part->isReversed ? 1 : 0;
    }
    return turned;
  }

 private:
  DisjointSets sets_;
  std::unordered_map<std::uint32_t, Part> parts_;
};

std::vector<Edge> TriangleMesh::openEdges() const {
  std::vector<Edge> edges;
  edges.reserve(3 * triangles_.size());
  for (const Triangle& triangle : triangles_) appendEdges(edges, triangle);
  edges = withoutOpposites(std::move(edges));
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

TriangleMesh::Merged TriangleMesh::closeWithin(double limit) {
  std::vector<Edge> edges;
  edges.reserve(3 * triangles_.size());
  for (const Triangle& triangle : triangles_) appendEdges(edges, triangle);
  Merger merger(corners_, withoutOpposites(std::move(edges)));
  // Small tolerances first: they keep details that are smaller than the limit.
  for (int times = 6; times >= 0 && limit > 0 && !merger.isClosed(); --times)
    merger.mergeWithin(std::ldexp(limit, -3 * times), limit);

  Merged merged;
  for (const std::uint32_t corner : merger.merged()) {
    const Bounds moved{corners_[corner], corners_[merger.target(corner)]};
    ++merged.count;
    merged.distance = std::max(merged.distance, moved.diagonal());
  }
  if (merged.count == 0) return merged;
  MeshBuilder whole;
  for (const Triangle& triangle : triangles_) {
    std::array<Point, 3> points{};
    for (std::size_t i = 0; i < 3; ++i) points[i] = corners_[merger.target(triangle[i])];
    whole.add(points);
  }
  *this = whole.build();
  return merged;
}

TriangleMesh::Turned TriangleMesh::turnOutwards() {
  Parts parts(*this);
  const Turned turned = parts.reverse();
  for (Triangle& triangle : triangles_) {
    if (turned.count > 0 && parts.of(triangle).isReversed) std::swap(triangle[1], triangle[2]);
  }
  return turned;
}

bool TriangleMesh::hasArea() const {
  return std::any_of(triangles_.begin(), triangles_.end(), [&](const Triangle& triangle) {
    const Point& a = corners_[triangle[0]];
    return cross(corners_[triangle[1]] - a, corners_[triangle[2]] - a) != Point{};
  });
}

Bounds TriangleMesh::bounds() const {
  Bounds box{corners_.front(), corners_.front()};
  for (const Point& corner : corners_) box.include({corner, corner});
  return box;
}

double TriangleMesh::sixfoldVolume(const Triangle& triangle, const Point& origin) const {
  const auto& [a, b, c] = triangle;
  return dot(corners_[a] - origin, cross(corners_[b] - origin, corners_[c] - origin));
}

double TriangleMesh::volume() const {
  // An origin on the surface: (0, 0, 0) may be far away, which loses digits.
  double sum = 0;
  for (const Triangle& triangle : triangles_) sum += sixfoldVolume(triangle, corners_.front());
  return sum / 6;
}

void MeshBuilder::add(const std::array<Point, 3>& triangle) {
  const auto& [a, b, c] = triangle;
  if (a == b || b == c || c == a) return;
  triangles_.push_back({numberOf(a), numberOf(b), numberOf(c)});
}

TriangleMesh MeshBuilder::build() {
  numbers_.clear();
  return {std::exchange(corners_, {}), std::exchange(triangles_, {})};
}

std::uint32_t MeshBuilder::numberOf(const Point& corner) {
  const auto [found, isNew] =
      numbers_.try_emplace(corner, static_cast<std::uint32_t>(corners_.size()));
  if (isNew) corners_.push_back(corner);
  return found->second;
}

}  // namespace lbm
