#include <mass/graph/edge_collector.hpp>
#include <mass/graph/generators.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace mass {
namespace {

using detail::EdgeCollector;

using Axes = std::array<std::int64_t, 3>;
using Position = std::array<double, 3>;

/// Returns three extents of a grid, those of missing axes 1.
/// @throws UsageError if there are no nodes, or more axes
Axes axesOf(std::span<const std::int64_t> shape) {
  if (shape.empty() || shape.size() > 3)
    throw UsageError("a lattice of {} axes: 1 to 3 are possible", shape.size());
  Axes axes{1, 1, 1};
  std::copy(shape.begin(), shape.end(), axes.begin());
  double nodes = 1;
  for (const std::int64_t extent : axes) {
    if (extent < 1)
      throw UsageError("a lattice needs at least one node along each axis, got {}", extent);
    nodes *= static_cast<double>(extent);
  }
  EdgeCollector::require(nodes < 9e18 ? static_cast<std::int64_t>(nodes) : Graph::largest + 1, 0);
  return axes;
}

/// @param smallest smallest extent of an axis whose ends have an edge between them; 0: none has
Graph gridOf(std::span<const std::int64_t> shape, std::int64_t smallest) {
  const Axes axes = axesOf(shape);
  const std::int64_t nodes = axes[0] * axes[1] * axes[2];
  EdgeCollector edges(nodes, static_cast<double>(nodes) * static_cast<double>(shape.size()));
  const Axes strides{axes[1] * axes[2], axes[2], 1};
  for (std::int64_t node = 0; node < nodes; ++node) {
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      const std::int64_t at = node / strides[axis] % axes[axis];
      if (at + 1 < axes[axis]) {
        edges.add(node, node + strides[axis]);
      } else if (smallest > 0 && axes[axis] >= smallest) {
        edges.add(node, node - at * strides[axis]);
      }
    }
  }
  return edges.build();
}

double squaredDistance(const Position& a, const Position& b) {
  double sum = 0;
  for (std::size_t axis = 0; axis < a.size(); ++axis)
    sum += (a[axis] - b[axis]) * (a[axis] - b[axis]);
  return sum;
}

/// Points of a unit cube, sorted by cubic cells of at least a given edge.
class CellList {
 public:
  CellList(std::vector<Position> points, double edge, int dimensions) : points_(std::move(points)) {
    const double largest = std::pow(static_cast<double>(points_.size()), 1.0 / dimensions);
    const double cells = std::max(1.0, std::min(1 / edge, largest));
    std::fill_n(extents_.begin(), dimensions, static_cast<std::int64_t>(cells));
    const std::int64_t count = extents_[0] * extents_[1] * extents_[2];
    begins_.resize(static_cast<std::size_t>(count) + 1);
    for (const Position& point : points_) ++begins_[indexOf(cellOf(point)) + 1];
    for (std::size_t cell = 1; cell < begins_.size(); ++cell) begins_[cell] += begins_[cell - 1];
    std::vector<std::int64_t> next(begins_.begin(), begins_.end() - 1);
    members_.resize(points_.size());
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const std::int64_t at = next[indexOf(cellOf(points_[i]))]++;
      members_[static_cast<std::size_t>(at)] = {points_[i], static_cast<std::int64_t>(i)};
    }
  }

  /// Calls found(j) for each point j within a distance of point i, `edge` at most.
  template <class F>
  void forEachWithin(double distance, std::int64_t i, const F& found) const {
    const Position& point = points_[static_cast<std::size_t>(i)];
    const auto test = [&](const Member& other) {
      if (squaredDistance(point, other.position) <= distance * distance) found(other.index);
    };
    const Axes middle = cellOf(point);
    Axes first{}, last{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      first[axis] = std::max<std::int64_t>(middle[axis] - 1, 0);
      last[axis] = std::min(middle[axis] + 1, extents_[axis] - 1);
    }
    for (std::int64_t x = first[0]; x <= last[0]; ++x) {
      for (std::int64_t y = first[1]; y <= last[1]; ++y) {
        for (std::int64_t z = first[2]; z <= last[2]; ++z) forEachOf(indexOf({x, y, z}), test);
      }
    }
  }

 private:
  struct Member {
    Position position;
    std::int64_t index = 0;
  };

  template <class F>
  void forEachOf(std::size_t cell, const F& found) const {
    for (std::int64_t k = begins_[cell]; k < begins_[cell + 1]; ++k)
      found(members_[static_cast<std::size_t>(k)]);
  }

  Axes cellOf(const Position& point) const {
    Axes cell{};
    for (std::size_t axis = 0; axis < 3; ++axis)
      cell[axis] = static_cast<std::int64_t>(point[axis] * static_cast<double>(extents_[axis]));
    return cell;
  }

  std::size_t indexOf(const Axes& cell) const {
    return static_cast<std::size_t>((cell[0] * extents_[1] + cell[1]) * extents_[2] + cell[2]);
  }

  std::vector<Position> points_;
  Axes extents_{1, 1, 1};             ///< cells along each axis
  std::vector<std::int64_t> begins_;  ///< first member of each cell
  std::vector<Member> members_;       ///< points, cell after cell
};

std::vector<Position> randomPoints(std::int64_t count, std::uint64_t seed, int dimensions) {
  std::vector<Position> points(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    Random random = detail::randomOf(detail::GraphModel::geometric, seed, i);
    for (int axis = 0; axis < dimensions; ++axis)
      points[static_cast<std::size_t>(i)][static_cast<std::size_t>(axis)] = random.uniform();
  }
  return points;
}

}  // namespace

Graph latticeGraph(std::span<const std::int64_t> shape) {
  return gridOf(shape, 0);
}

Graph torusGraph(std::span<const std::int64_t> shape) {
  return gridOf(shape, 3);
}

Graph randomGeometricGraph(std::int64_t nodes, double radius, std::uint64_t seed, int dimensions) {
  if (!(radius > 0) || !std::isfinite(radius))
    throw UsageError("the radius of a random geometric network must be above 0 and finite, got {}",
                     radius);
  if (dimensions < 1 || dimensions > 3)
    throw UsageError("a random geometric network in {} dimensions: 1 to 3 are possible",
                     dimensions);
  EdgeCollector edges(nodes, 0);
  const CellList cells(randomPoints(nodes, seed, dimensions), radius, dimensions);
  std::vector<std::int64_t> later;
  for (std::int64_t node = 0; node < nodes; ++node) {
    later.clear();
    cells.forEachWithin(radius, node, [&](std::int64_t other) {
      if (other > node) later.push_back(other);
    });
    std::sort(later.begin(), later.end());
    for (const std::int64_t other : later) edges.add(node, other);
  }
  return edges.build();
}

}  // namespace mass
