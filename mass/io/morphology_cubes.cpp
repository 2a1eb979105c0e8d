#include <mass/backend/cpu/cpu_device.hpp>
#include <mass/io/cube_fill.hpp>
#include <mass/io/morphology.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <new>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace mass {
namespace {

using detail::Ball;
using detail::CubeRange;
using detail::FilledCube;
using detail::Frustum;
using detail::Solid;
using Cubes = Morphology::Cubes;
using Grid = Morphology::Grid;
using Node = Morphology::Node;
using Point = Morphology::Point;

double distance(const Point& a, const Point& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

Point scaled(const Point& point, double factor) {
  return {factor * point[0], factor * point[1], factor * point[2]};
}

std::string textOf(const Point& point) {
  return fmt::format("({:g}, {:g}, {:g})", point[0], point[1], point[2]);
}

bool isSoma(const Node& node) {
  return node.type == Morphology::soma;
}

/// @throws UsageError if a number is out of range
void check(const Grid& grid) {
  const auto require = [](bool isValid, std::string_view name, double value) {
    if (!isValid || !std::isfinite(value))
      throw UsageError("the {} of a grid for a morphology is {}, which is not above 0", name,
                       value);
  };
  require(grid.edge > 0, "edge", grid.edge);
  require(grid.scale > 0, "scale", grid.scale);
  if (!grid.within) return;
  require(grid.within->radius > 0, "radius", grid.within->radius);
  if (!grid.within->center) return;
  for (const double x : *grid.within->center)
    if (!std::isfinite(x))
      throw UsageError("the centre {} of a region is not finite", textOf(*grid.within->center));
}

/// Nodes of a tree that are not left out.
class Selection {
 public:
  Selection(const std::vector<Node>& nodes, const std::vector<std::uint8_t>& types)
      : nodes_(nodes), kept_(nodes.size()), children_(nodes.size()) {
    const auto isWanted = [&](const Node& node) {
      return isSoma(node) || std::find(types.begin(), types.end(), node.type) != types.end();
    };
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const Node* const parent = parentOf(nodes[i]);
      kept_[i] = isWanted(nodes[i]) && (parent == nullptr || isKept(*parent)) ? 1 : 0;
      if (kept_[i] == 0 || !isSoma(nodes[i])) continue;
      soma_.push_back(&nodes[i]);
      if (parent != nullptr && isSoma(*parent)) ++children_[at(*parent)];
    }
  }

  const Node* parentOf(const Node& node) const {
    return node.parent < 0 ? nullptr : &nodes_[static_cast<std::size_t>(node.parent)];
  }
  bool isKept(const Node& node) const { return kept_[at(node)] != 0; }
  /// Returns the nodes of the soma.
  const std::vector<const Node*>& soma() const { return soma_; }

  /// True if the soma has the three nodes of NeuroMorpho.Org, which stand for a sphere.
  bool hasThreePointSoma() const {
    if (soma_.size() != 3) return false;
    const Node &middle = *soma_[0], &a = *soma_[1], &b = *soma_[2];
    const double tolerance = 0.1 * middle.radius;  // files have few decimals
    const auto isNear = [&](double x, double y) { return std::abs(x - y) <= tolerance; };
    const Point opposite{2 * middle.position[0] - a.position[0],
                         2 * middle.position[1] - a.position[1],
                         2 * middle.position[2] - a.position[2]};
    return parentOf(a) == &middle && parentOf(b) == &middle && isNear(a.radius, middle.radius) &&
           isNear(b.radius, middle.radius) &&
           isNear(distance(a.position, middle.position), middle.radius) &&
           isNear(distance(opposite, b.position), 0);
  }

  /// True if a node of the soma stands for a sphere.
  bool isSphere(const Node& node) const {
    if (hasThreePointSoma()) return &node == soma_[0];
    const Node* const parent = parentOf(node);
    return children_[at(node)] == 0 && (parent == nullptr || !isSoma(*parent));
  }

  /// Returns the number of nodes that are left out, by type.
  std::vector<std::int64_t> dropped() const {
    std::vector<std::int64_t> counts(std::numeric_limits<std::uint8_t>::max() + std::size_t{1});
    for (const Node& node : nodes_)
      if (!isKept(node)) ++counts[node.type];
    return counts;
  }

 private:
  std::size_t at(const Node& node) const { return static_cast<std::size_t>(&node - nodes_.data()); }

  const std::vector<Node>& nodes_;
  std::vector<std::uint8_t> kept_;      ///< 1 or 0 by node
  std::vector<std::int64_t> children_;  ///< children in the soma, of nodes of the soma
  std::vector<const Node*> soma_;
};

/// Finds the cubes that a tree fills.
class CubeSearch {
 public:
  CubeSearch(const std::filesystem::path& file, const Morphology& neuron, const Grid& grid)
      : file_(file),
        nodes_(neuron.nodes()),
        grid_(grid),
        somaCenter_(neuron.somaCenter()),
        selection_(nodes_, grid.types) {}

  Cubes find() {
    result_.edge = grid_.edge;
    result_.dropped = selection_.dropped();
    noteNodes();
    addSolids();
    detail::CubeFill fill(std::move(solids_), region(), grid_.rule == Morphology::Rule::middle);
    std::vector<FilledCube> cubes = filled(fill);
    if (cubes.empty()) refuseNothing();
    keepPiece(cubes, fill.range());
    setBox(cubes, fill.range());
    return std::move(result_);
  }

 private:
  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) const {
    throw InputError("{}: {}", file_.string(), fmt::format(format, std::forward<Args>(args)...));
  }

  void note(std::string text) { result_.notes.push_back(std::move(text)); }

  /// Notes the nodes that are left out, the types without nodes, and the form of the soma.
  void noteNodes() {
    const std::set<std::uint8_t> types(grid_.types.begin(), grid_.types.end());
    std::set<std::uint8_t> found;
    for (const Node& node : nodes_) found.insert(node.type);
    for (const std::uint8_t type : types)
      if (found.count(type) == 0) note(fmt::format("no node has type {}", type));
    for (std::size_t type = 0; type < result_.dropped.size(); ++type) {
      if (result_.dropped[type] == 0) continue;
      const bool isWanted =
          type == Morphology::soma || types.count(static_cast<std::uint8_t>(type)) != 0;
      const bool isOne = result_.dropped[type] == 1;
      note(fmt::format(
          "{} {} of type {} {} left out{}", result_.dropped[type], isOne ? "node" : "nodes", type,
          isOne ? "is" : "are",
          isWanted ? fmt::format(": {} on nodes of other types", isOne ? "it hangs" : "they hang")
                   : ""));
    }
    if (selection_.hasThreePointSoma())
      note("the three nodes of the soma are taken as the sphere of equal surface");
  }

  /// Returns a node's position in edges of a cube.
  Point positionOf(const Node& node) const {
    Point position = scaled(node.position, grid_.scale);
    for (double& x : position) {
      x /= grid_.edge;
      if (!(std::abs(x) <= farthest)) refuseFar(node);
    }
    return position;
  }

  double radiusOf(const Node& node) const {
    const double radius = node.radius * grid_.scale / grid_.edge;
    if (!(radius <= farthest)) refuseFar(node);
    return radius;
  }

  [[noreturn]] void refuseFar(const Node& node) const {
    throw InputError(
        "{}:{}: node {} reaches farther than {:g} cubes from the origin of the coordinates: "
        "choose larger cubes, or check the scale",
        file_.string(), node.line, node.id, farthest);
  }

  void addSolid(const Solid& solid, const Node& node) {
    solids_.push_back(solid);
    solidTypes_.push_back(node.type);
  }

  /// Lists the parts of the neuron: the soma, then others by the order of the file.
  void addSolids() {
    for (const Node* const node : selection_.soma()) addPart(*node);
    for (const Node& node : nodes_)
      if (!isSoma(node) && selection_.isKept(node)) addPart(node);
  }

  /// Adds the sphere of a node, or the frustum to its parent.
  void addPart(const Node& node) {
    const Node* const parent = selection_.parentOf(node);
    const Point position = positionOf(node);
    double radius = radiusOf(node);
    if (isSoma(node) && selection_.isSphere(node)) addSolid(Ball{position, radius}, node);
    if (parent == nullptr || (isSoma(node) && isSoma(*parent) && selection_.hasThreePointSoma()))
      return;
    double parentRadius = radiusOf(*parent);
    if (isSoma(*parent) && !isSoma(node)) parentRadius = radius;
    if (isSoma(node) && !isSoma(*parent)) radius = parentRadius;
    const Point start = positionOf(*parent);
    if (distance(start, position) > detail::contactDepth)
      addSolid(Frustum(start, position, parentRadius, radius), isSoma(node) ? *parent : node);
  }

  /// Returns the centre of the region in the unit of the grid.
  Point center() const {
    if (grid_.within->center) return *grid_.within->center;
    if (!somaCenter_ || selection_.soma().empty())
      refuse(
          "there is no soma (nodes of type {}) for the centre of the region: give its coordinates",
          Morphology::soma);
    return scaled(*somaCenter_, grid_.scale);
  }

  std::optional<Ball> region() const {
    if (!grid_.within) return std::nullopt;
    Ball ball{scaled(center(), 1 / grid_.edge), grid_.within->radius / grid_.edge};
    for (const double x : ball.center)
      if (!(std::abs(x) <= farthest))
        refuse(
            "the centre {} of the region is more than {:g} cubes from the origin of the "
            "coordinates",
            textOf(center()), farthest);
    ball.radius = std::min(ball.radius, 4 * farthest);  // contains all nodes
    return ball;
  }

  /// Returns the cubes that the solids fill.
  std::vector<FilledCube> filled(detail::CubeFill& fill) const {
    const double expected = fill.expectedCubes();
    const auto available = static_cast<double>(detail::CpuDevice(0).freeBytes());
    if (expected * bytesPerCube > available) refuseCount(expected, available);
    if (fill.range().count() > 0x1p62)
      refuse(
          "the box of the neuron has {} x {} x {} cubes of edge {:g} along x, y, z, more than "
          "2^62: choose larger cubes or a smaller region",
          fill.range().size(0), fill.range().size(1), fill.range().size(2), grid_.edge);
    try {
      return fill.cubes();
    } catch (const std::bad_alloc&) {
      refuseCount(expected, available);
    }
  }

  [[noreturn]] void refuseCount(double cubes, double available) const {
    refuse(
        "about {:.3g} cubes of edge {:g} are filled, which need {:.3g} bytes of memory, and {:.3g} "
        "are free: choose larger cubes or a smaller region",
        cubes, grid_.edge, cubes * bytesPerCube, available);
  }

  [[noreturn]] void refuseNothing() const {
    const auto isKept = [&](const Node& node) { return selection_.isKept(node); };
    if (std::none_of(nodes_.begin(), nodes_.end(), isKept))
      refuse("all nodes are left out, as the root has type {}: add it to the types {}",
             nodes_[rootIndex()].type, fmt::join(grid_.types, ", "));
    const std::string_view middles = grid_.rule == Morphology::Rule::middle
                                         ? "; with the rule 'touched' thin branches fill cubes too"
                                         : "";
    if (!grid_.within) refuse("no cube of edge {:g} is filled{}", grid_.edge, middles);
    double nearest = std::numeric_limits<double>::infinity();
    for (const Node& node : nodes_)
      if (isKept(node))
        nearest = std::min(nearest, distance(scaled(node.position, grid_.scale), center()));
    refuse("no cube of edge {:g} within {:g} of {} is filled; the nearest node is {:g} away{}",
           grid_.edge, grid_.within->radius, textOf(center()), nearest, middles);
  }

  std::size_t rootIndex() const {
    const auto isRoot = [](const Node& node) { return node.parent < 0; };
    return static_cast<std::size_t>(std::find_if(nodes_.begin(), nodes_.end(), isRoot) -
                                    nodes_.begin());
  }

  /// Lists the pieces, and keeps the largest one if only that is wanted.
  void keepPiece(std::vector<FilledCube>& cubes, const CubeRange& range) {
    const std::vector<std::size_t> pieces = detail::facePieces(cubes, range);
    std::vector<std::int64_t> sizes(cubes.size());
    for (const std::size_t piece : pieces) ++sizes[piece];
    const auto largest =
        static_cast<std::size_t>(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
    std::copy_if(sizes.begin(), sizes.end(), std::back_inserter(result_.pieces),
                 [](std::int64_t size) { return size > 0; });
    std::sort(result_.pieces.begin(), result_.pieces.end(), std::greater<>());
    notePieces();
    if (!grid_.largestPiece) return;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < cubes.size(); ++i)
      if (pieces[i] == largest) cubes[kept++] = cubes[i];
    cubes.resize(kept);
  }

  void notePieces() {
    constexpr std::size_t most = 10;
    const auto& sizes = result_.pieces;
    if (sizes.size() == 1) return;
    const std::size_t shown = std::min(sizes.size(), most);
    note(fmt::format(
        "the cubes form {} pieces, of {}{} cubes{}", sizes.size(),
        fmt::join(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
        shown < sizes.size() ? ", ..." : "",
        grid_.largestPiece ? "; the first of these is kept" : ""));
  }

  /// Sets the smallest box around the cubes, and lists them by it.
  void setBox(const std::vector<FilledCube>& cubes, const CubeRange& range) {
    CubeRange box{range.cubeAt(cubes.front().index), {}};
    box.high = box.low;
    for (const FilledCube& filled : cubes) {
      const auto cube = range.cubeAt(filled.index);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        box.low[axis] = std::min(box.low[axis], cube[axis]);
        box.high[axis] = std::max(box.high[axis], cube[axis] + 1);
      }
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      result_.shape[2 - static_cast<int>(axis)] = box.size(axis);
      result_.origin[axis] = static_cast<double>(box.low[axis]) * grid_.edge;
    }
    result_.indices.reserve(cubes.size());
    result_.types.reserve(cubes.size());
    for (const FilledCube& filled : cubes) {
      result_.indices.push_back(box.indexOf(range.cubeAt(filled.index)));
      result_.types.push_back(solidTypes_[filled.solid]);
    }
  }

  static constexpr double farthest = 0x1p40;  ///< in edges of a cube
  static constexpr double bytesPerCube =
      64;  ///< memory of the list while it is sorted, and of the result

  const std::filesystem::path& file_;
  const std::vector<Node>& nodes_;
  const Grid& grid_;
  std::optional<Point> somaCenter_;  ///< in the unit of the file
  Selection selection_;
  std::vector<Solid> solids_;
  std::vector<std::uint8_t> solidTypes_;  ///< type by solid
  Cubes result_;
};

}  // namespace

Cubes Morphology::cubes(const Grid& grid) const {
  check(grid);
  return CubeSearch(file_, *this, grid).find();
}

}  // namespace mass
