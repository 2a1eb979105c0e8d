#include <apps/lbm/case/surface_thickness.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <numeric>
#include <vector>

namespace lbm {
namespace {

constexpr double maxSamples = 1e6;
/// Position of the first sample in its interval. Not a half: rays from regular meshes would meet
/// edges.
constexpr double firstSample = 0.48713;
constexpr double opposite = 0.7;  ///< least cosine between a normal and the opposite one

Point along(const Point& from, const Point& direction, double distance) {
  return {from[0] + distance * direction[0], from[1] + distance * direction[1],
          from[2] + distance * direction[2]};
}

/// Point where a ray crosses the surface.
struct Crossing {
  double distance = 0;
  double cosine = 0;  ///< between ray and outward normal: above 0 where the ray leaves the body

  bool isExit() const { return cosine > 0; }
  bool isOpposite() const { return cosine >= opposite; }
};

/// Triangle with its unit normal and area.
struct Facet {
  std::array<Point, 3> corners;
  Point normal{};
  double area = 0;

  Facet(const TriangleMesh& mesh, const TriangleMesh::Triangle& triangle) {
    for (std::size_t i = 0; i < 3; ++i) corners[i] = mesh.corners()[triangle[i]];
    normal = lbm::cross(corners[1] - corners[0], corners[2] - corners[0]);
    const double length = std::hypot(normal[0], normal[1], normal[2]);
    area = length / 2;
    for (double& value : normal) value /= length > 0 ? length : 1;
  }

  Bounds bounds() const {
    Bounds box{corners[0], corners[0]};
    for (const Point& corner : corners) box.include({corner, corner});
    return box;
  }

  /// Adds the crossing of a ray from `from`, if there is one at `least` or further.
  void cross(const Point& from, const Point& direction, double least,
             std::vector<Crossing>& crossings) const {
    const double cosine = dot(normal, direction);
    if (cosine == 0) return;
    const double distance = dot(corners[0] - from, normal) / cosine;
    if (!(distance >= least)) return;
    const Point hit = along(from, direction, distance);
    for (std::size_t i = 0; i < 3; ++i) {
      const Point edge = corners[(i + 1) % 3] - corners[i];
      if (dot(lbm::cross(edge, hit - corners[i]), normal) < 0) return;
    }
    crossings.push_back({distance, cosine});
  }
};

/// Facets in a tree of bounding boxes: each node halves its range of facets, along the longest axis
/// of its box.
class FacetTree {
 public:
  explicit FacetTree(const std::vector<Facet>& facets) : facets_(facets), order_(facets.size()) {
    std::iota(order_.begin(), order_.end(), 0U);
    build(0, order_.size());
  }

  /// Returns the crossings of a ray between the distances `least` and `most`, in any order.
  std::vector<Crossing> crossings(const Point& from, const Point& direction, double least,
                                  double most) const {
    const Point begin = along(from, direction, least), end = along(from, direction, most);
    Bounds segment{begin, begin};
    segment.include({end, end});
    std::vector<Crossing> found;
    std::vector<std::size_t> pending{0};
    while (!pending.empty()) {
      const std::size_t index = pending.back();
      pending.pop_back();
      const Node& node = nodes_[index];
      if (!overlap(node.bounds, segment) || misses(node.bounds, from, direction)) continue;
      if (node.second != 0) {
        pending.insert(pending.end(), {index + 1, node.second});
        continue;
      }
      for (std::size_t i = node.begin; i < node.end; ++i)
        facets_[order_[i]].cross(from, direction, least, found);
    }
    std::erase_if(found, [&](const Crossing& crossing) { return crossing.distance > most; });
    return found;
  }

  double size() const { return nodes_.front().bounds.diagonal(); }

 private:
  static constexpr std::size_t leafSize = 4;

  struct Node {
    Bounds bounds;
    std::size_t begin = 0, end = 0;  ///< range in order_
    std::size_t second = 0;          ///< index of the second child, 0 for a leaf; the first follows
  };

  static bool overlap(const Bounds& a, const Bounds& b) {
    for (std::size_t i = 0; i < 3; ++i)
      if (a.low[i] > b.high[i] || b.low[i] > a.high[i]) return false;
    return true;
  }

  /// True if the line through a point lies beside the sphere around a box.
  static bool misses(const Bounds& box, const Point& from, const Point& direction) {
    Point centre{};
    for (std::size_t i = 0; i < 3; ++i) centre[i] = (box.low[i] + box.high[i]) / 2 - from[i];
    const Point beside = lbm::cross(centre, direction);
    const double radius = 0.51 * box.diagonal();
    return dot(beside, beside) > radius * radius;
  }

  void build(std::size_t begin, std::size_t end) {
    const std::size_t index = nodes_.size();
    Bounds bounds = facets_[order_[begin]].bounds();
    for (std::size_t i = begin; i < end; ++i) bounds.include(facets_[order_[i]].bounds());
    nodes_.push_back({bounds, begin, end, 0});
    if (end - begin <= leafSize) return;
    const Point extent = bounds.high - bounds.low;
    const auto axis =
        static_cast<std::size_t>(std::max_element(extent.begin(), extent.end()) - extent.begin());
    const auto centre = [&](std::uint32_t facet) {
      const Bounds box = facets_[facet].bounds();
      return box.low[axis] + box.high[axis];
    };
    const auto at = [&](std::size_t i) { return order_.begin() + static_cast<std::ptrdiff_t>(i); };
    const std::size_t middle = begin + (end - begin) / 2;
    std::nth_element(at(begin), at(middle), at(end),
                     [&](auto a, auto b) { return centre(a) < centre(b); });
    build(begin, middle);
    nodes_[index].second = nodes_.size();
    build(middle, end);
  }

  const std::vector<Facet>& facets_;
  std::vector<std::uint32_t> order_;
  std::vector<Node> nodes_;
};

/// Numbers of points on a triangle: along its longest edge and across it.
struct SampleCounts {
  std::size_t longest = 0;  ///< index of the first corner of the longest edge
  double along = 1, across = 1;

  SampleCounts(const Facet& facet, double spacing) {
    double length = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const double edge = Bounds{facet.corners[i], facet.corners[(i + 1) % 3]}.diagonal();
      if (edge <= length) continue;
      longest = i;
      length = edge;
    }
    along = std::max(1.0, std::ceil(length / spacing));
    // Some rows in narrow triangles, since each row but the first omits an end of the longest edge.
    across = std::max(std::min(along, 4.0), std::ceil(2 * facet.area / length / spacing));
  }
};

/// Returns the distance of samples: `limit`, or more if there would be more than maxSamples.
double sampleSpacing(const std::vector<Facet>& facets, double limit) {
  for (double spacing = limit;; spacing *= 2) {
    double count = 0;
    for (const Facet& facet : facets) {
      const SampleCounts counts(facet, spacing);
      count += counts.along * counts.across - 1;
    }
    if (count <= maxSamples) return spacing;
  }
}

std::ptrdiff_t excessOfExits(const std::vector<Crossing>& crossings) {
  const auto exits =
      std::count_if(crossings.begin(), crossings.end(), std::mem_fn(&Crossing::isExit));
  return 2 * exits - std::ssize(crossings);
}

/// Returns the distance at which a ray from a point of the surface inwards leaves the body through
/// an opposite face; `limit` if it is further away or not opposite.
double thicknessAt(const FacetTree& tree, const Point& at, const Point& inwards, double limit) {
  const double rounding = 1e-6 * limit;
  const auto near = tree.crossings(at, inwards, -rounding, limit);
  if (std::none_of(near.begin(), near.end(), std::mem_fn(&Crossing::isOpposite))) return limit;
  // Bodies that touch or overlap are one: the ray leaves it where the winding number becomes 0.
  auto ahead = tree.crossings(at, inwards, rounding, 2 * tree.size());
  std::sort(ahead.begin(), ahead.end(),
            [](const Crossing& a, const Crossing& b) { return a.distance < b.distance; });
  auto winding = excessOfExits(ahead);
  const auto here = tree.crossings(at, inwards, -rounding, rounding);
  if (winding + excessOfExits(here) != 0) return limit;  // the point is inside another body
  if (winding == 0) return 0;                            // two faces without a volume between them
  for (std::size_t i = 0; i < ahead.size(); ++i) {
    winding += ahead[i].isExit() ? -1 : 1;
    const bool entersAgain = i + 1 < ahead.size() && !ahead[i + 1].isExit() &&
                             ahead[i + 1].distance <= ahead[i].distance + rounding;
    if (winding == 0 && !entersAgain)
      return ahead[i].isOpposite() ? std::min(ahead[i].distance, limit) : limit;
  }
  return limit;
}

}  // namespace

ThinPart thinPart(const TriangleMesh& mesh, double limit) {
  std::vector<Facet> facets;
  for (const TriangleMesh::Triangle& triangle : mesh.triangles()) {
    facets.emplace_back(mesh, triangle);
    if (!(facets.back().area > 0)) facets.pop_back();
  }
  if (facets.empty()) return {};
  const FacetTree tree(facets);
  const double spacing = sampleSpacing(facets, limit);
  const auto step =
      static_cast<std::size_t>(std::ceil(static_cast<double>(facets.size()) / maxSamples));
  ThinPart thin;
  thin.thickness = limit;
  double area = 0, thinArea = 0;
  for (std::size_t number = 0; number < facets.size(); number += step) {
    const Facet& facet = facets[number];
    const SampleCounts counts(facet, spacing);
    const Point& a = facet.corners[counts.longest];
    const Point ab = facet.corners[(counts.longest + 1) % 3] - a,
                apex = facet.corners[(counts.longest + 2) % 3];
    const Point inwards{-facet.normal[0], -facet.normal[1], -facet.normal[2]};
    for (double i = firstSample; i < counts.along; ++i) {
      const Point base = along(a, ab, i / counts.along);
      for (double j = firstSample; j < counts.across; ++j) {
        const Point at = along(base, apex - base, j / counts.across);
        const double low = 1 - std::floor(j) / counts.across, high = low - 1 / counts.across;
        const double weight =
            facet.area * (low * low - high * high) / counts.along;  // area of its row
        const double thickness = thicknessAt(tree, at, inwards, limit);
        area += weight;
        if (thickness < limit) thinArea += weight;
        if (thickness >= thin.thickness) continue;
        thin.thickness = thickness;
        thin.at = at;
      }
    }
  }
  thin.share = thinArea / area;
  return thin;
}

}  // namespace lbm
