#pragma once

#include <mass/support/export.hpp>
#include <mass/support/shape.hpp>

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mass {

/// Reads the tree of a neuron from an SWC file, and finds the cubes of a grid that it fills.
///
/// A line of the file has seven numbers, separated by blanks or tabs: id, type (0 to 255; 1 soma, 2
/// axon, 3 basal and 4 apical dendrite), x, y, z, radius and id of the parent, which is -1 for the
/// root. A parent comes before its children. `#` begins a comment. Every error is an InputError
/// that names the file, and the line if there is one.
///
///     const mass::Morphology neuron("neuron.swc");
///     const auto cubes = neuron.cubes({.edge = 0.5, .within = {{.radius = 50}}});
class MASS_EXPORT Morphology {
 public:
  /// Position along x, y, z.
  using Point = std::array<double, 3>;

  /// Point of the tree, in the unit of the file.
  struct Node {
    std::int64_t id = 0;       ///< number in the file
    std::uint8_t type = 0;     ///< structure: soma, axon, ...
    Point position{};          ///< position along x, y, z
    double radius = 0;         ///< radius; > 0
    std::int64_t parent = -1;  ///< index of the parent in nodes(); -1 for the root
    std::int64_t line = 0;     ///< line of the file, from 1
  };

  /// Type of the nodes of the soma.
  static constexpr std::uint8_t soma = 1;

  /// Condition for a cube to be filled.
  enum class Rule {
    touched,  ///< its interior and that of the neuron intersect
    middle    ///< its middle is in the neuron
  };

  /// Sphere in which the middles of cubes must be.
  struct Within {
    std::optional<Point> center{};  ///< centre, in the unit of the grid; the soma if empty
    double radius = 0;              ///< radius, in the unit of the grid; > 0
  };

  /// Choice of nodes and cubes.
  struct Grid {
    double edge = 1;   ///< edge of a cube; > 0
    double scale = 1;  ///< factor from the unit of the file to that of the grid; > 0
    std::vector<std::uint8_t> types = {2, 3, 4};  ///< types that are kept, besides the soma
    std::optional<Within> within{};               ///< region; the whole neuron if empty
    Rule rule = Rule::touched;                    ///< condition for a cube to be filled
    bool largestPiece = true;                     ///< keeps the largest face-connected piece only
  };

  /// Filled cubes, and a report of the parts of the neuron that they leave out.
  struct Cubes {
    Shape<3> shape{};                   ///< cubes of the smallest box around them, along z, y, x
    Point origin{};                     ///< lowest corner of the box along x, y, z
    double edge = 0;                    ///< edge of a cube
    std::vector<std::int64_t> indices;  ///< row-major in the box (x fastest), ascending
    std::vector<std::uint8_t> types;    ///< type of the part of the neuron in each of them
    std::vector<std::int64_t> pieces;   ///< cubes of each face-connected piece, largest first
    std::vector<std::int64_t> dropped;  ///< number of nodes that are left out, by type
    std::vector<std::string> notes;     ///< report of all that is left out, as text
  };

  /// Reads a file.
  /// @throws InputError if it cannot be read or has no nodes; if a line does not have seven numbers
  ///   in their ranges, an id occurs twice, a parent is missing, comes later or is a descendant, or
  ///   there are two roots
  explicit Morphology(std::filesystem::path file);

  /// Returns the condition that settings name `touched` or `middle`; empty for another name.
  static std::optional<Rule> ruleOf(std::string_view name);

  /// Returns a number of settings as a type of nodes; empty if it is no whole number from 0 to 255.
  static std::optional<std::uint8_t> typeOf(double number);

  /// Returns the nodes, in the order of the file.
  const std::vector<Node>& nodes() const { return nodes_; }

  /// Returns the mean position of the nodes of the soma, in the unit of the file; empty if there
  /// are none.
  std::optional<Point> somaCenter() const;

  /// Returns the cubes that the neuron fills. Cube (i, j, k) of the grid is at i to i + 1 edges
  /// along x, likewise j along y and k along z, wherever the neuron lies.
  ///
  /// A node and its parent are the ends of a frustum, flat and without spheres at the ends, as
  /// cable models have them. Between a node and the soma, a frustum has the radius of that node at
  /// both ends. A soma of one node is a sphere; one of three, in which two hang on the first, are a
  /// radius away from it on opposite sides and have its radius, is the sphere of equal surface at
  /// the first, as NeuroMorpho.Org defines it. Nodes of other somata are ends of frusta.
  ///
  /// A node is left out if its type is neither that of the soma nor in `types`, or if its parent is
  /// left out. A cube has the type of the soma if that fills it, else of the first node in the file
  /// whose frustum fills it. Of pieces with equally many cubes the first one is the largest.
  /// Intersection is decided exactly but for rounding: contact less deep than 1e-9 edges is none.
  /// @throws InputError if no cube is filled, if the soma is needed as centre and missing, or if
  ///   the cubes do not fit into memory; UsageError if a number of `grid` is out of range
  Cubes cubes(const Grid& grid) const;

 private:
  std::filesystem::path file_;
  std::vector<Node> nodes_;
};

}  // namespace mass
