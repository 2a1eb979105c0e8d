#pragma once

#include <mass/graph/graph.hpp>
#include <mass/support/export.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace mass {

/// Reads a network from a file, whose extension gives the format:
/// - .csv, .tsv, .txt: list of edges, as CsvReader reads it, with the columns `source` and `target`
///   and perhaps `weight`. Nodes are numbered from 0; the largest number is the last node.
/// - .mtx: Matrix Market, a sparse square matrix of reals, integers or a pattern. An entry in row i
///   and column j is an edge from node i - 1 to node j - 1. A symmetric matrix is undirected.
/// - .graphml: GraphML. Nodes are numbered in the order of the file. The attribute `weight` of
///   edges is read, all others are ignored.
/// @param file path of the file
/// @param options treatment of self-loops and duplicates; `direction` is that of a list of edges,
///   since the other formats have their own
/// @throws InputError if the file cannot be read, is malformed, or has edges that are refused; the
///   message has the file and the line
MASS_EXPORT Graph readGraph(const std::filesystem::path& file, const Graph::Options& options = {});

namespace detail {

/// Formats of readGraph().
enum class GraphFormat { edgeTable, matrixMarket, graphMl };

/// Reads a network from a file of the given format, whatever its extension.
/// @throws InputError for the reasons of mass::readGraph()
Graph readGraph(const std::filesystem::path& file, GraphFormat format,
                const Graph::Options& options);

/// Edges of a file.
struct EdgeList {
  std::int64_t nodes = 0;           ///< number of nodes
  Graph::Direction direction{};     ///< meaning of the edges
  std::vector<Graph::Edge> edges;   ///< in the order of the file
  std::vector<double> weights;      ///< weight of each edge, or none
  std::vector<std::int64_t> lines;  ///< line of each edge, from 1
};

/// Reads a Matrix Market file.
/// @throws InputError if the file is malformed
EdgeList readMatrixMarket(const std::filesystem::path& file);

/// Reads a GraphML file.
/// @throws InputError if the file is malformed
EdgeList readGraphMl(const std::filesystem::path& file);

}  // namespace detail
}  // namespace mass
