#pragma once

#include <apps/rdme/geometry/site_neighbors.hpp>
#include <apps/rdme/geometry/solid_shape.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rdme {

/// Undirected graph of site types. An edge joins two types, or a type with itself, if particles can
/// step between neighbouring sites of these types.
class TypeGraph {
 public:
  /// Creates a graph of `types` site types without edges.
  explicit TypeGraph(std::size_t types) : types_(types), adjacent_(types * types) {}

  /// Adds the edge between types `a` and `b`, which may be equal.
  void addEdge(std::size_t a, std::size_t b) {
    adjacent_[a * types_ + b] = adjacent_[b * types_ + a] = true;
  }
  /// True if there is an edge between types `a` and `b`.
  bool hasEdge(std::size_t a, std::size_t b) const { return adjacent_[a * types_ + b]; }
  /// True if `type` has any edge, one with itself included.
  bool hasEdges(std::size_t type) const;
  /// Returns the number of site types.
  std::size_t types() const { return types_; }
  /// Orders graphs by their adjacency matrices, so that they can be keys of a map.
  bool operator<(const TypeGraph& other) const { return adjacent_ < other.adjacent_; }

 private:
  std::size_t types_;
  std::vector<bool> adjacent_;
};

/// Returns the number of connected components of the sites whose types have edges in `graph`. Two
/// sites are connected if they are neighbours and their types are joined by an edge.
/// @param types type of each site, z slowest, x fastest
/// @param lattice its periodic axes wrap around
std::int64_t connectedComponents(const std::vector<std::uint8_t>& types, const Grid& lattice,
                                 const TypeGraph& graph, Connectivity connectivity);

}  // namespace rdme
