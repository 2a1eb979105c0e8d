#include <mass/io/graph_file.hpp>

#include <mass/graph/graph_builder.hpp>
#include <mass/io/csv_reader.hpp>
#include <mass/support/error.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <optional>

namespace mass {
namespace {

using detail::EdgeList;

/// Returns the index of a column, or nullopt.
std::optional<std::size_t> columnOf(const CsvReader& csv, std::string_view name) {
  const auto& columns = csv.columns();
  const auto found = std::find(columns.begin(), columns.end(), name);
  if (found == columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns.begin());
}

std::size_t requireColumn(const CsvReader& csv, std::string_view name) {
  const auto column = columnOf(csv, name);
  if (!column)
    csv.fail(
        fmt::format("there is no column '{}'; a list of edges has the columns source, target "
                    "and, if edges have weights, weight",
                    name));
  return *column;
}

/// Refuses a number of nodes for which the memory may not suffice, since it is mistaken.
void requireDenseNumbers(const std::filesystem::path& file, const EdgeList& list) {
  constexpr std::int64_t always = 1'000'000;
  constexpr std::int64_t perEdge = 100;
  const auto edges = static_cast<std::int64_t>(list.edges.size());
  if (list.nodes <= always || list.nodes / perEdge <= edges) return;
  throw InputError("'{}' has {} nodes, but {} edges: number the nodes from 0 without gaps",
                   file.string(), list.nodes, edges);
}

Graph graphOf(const std::filesystem::path& file, const EdgeList& list, Graph::Options options) {
  options.direction = list.direction;
  if (list.nodes < 1) throw InputError("'{}' has no nodes", file.string());
  requireDenseNumbers(file, list);
  const auto nameOf = [&](std::size_t edge) {
    return fmt::format("{}:{}", file.string(), list.lines[edge]);
  };
  try {
    return detail::GraphBuilder(list.nodes, list.edges, list.weights, options, nameOf).build();
  } catch (const UsageError& error) {
    throw InputError(error.what());
  }
}

EdgeList readEdgeTable(const std::filesystem::path& file, Graph::Direction direction) {
  CsvReader csv(file);
  const std::size_t source = requireColumn(csv, "source");
  const std::size_t target = requireColumn(csv, "target");
  const auto weight = columnOf(csv, "weight");
  EdgeList list;
  list.direction = direction;
  const auto nodeIn = [&](std::size_t column) {
    const auto node = csv.number<std::int64_t>(column);
    if (node < 0 || node >= Graph::largest)
      csv.fail(fmt::format("'{}' = {} is no node: nodes are numbered from 0 to {}",
                           csv.columns()[column], node, Graph::largest - 1));
    list.nodes = std::max(list.nodes, node + 1);
    return node;
  };
  while (csv.next()) {
    const std::int64_t from = nodeIn(source);
    list.edges.push_back({from, nodeIn(target)});
    if (weight) list.weights.push_back(csv.number<double>(*weight));
    list.lines.push_back(csv.line());
  }
  return list;
}

detail::GraphFormat formatOf(const std::filesystem::path& file) {
  const std::string extension = file.extension().string();
  if (extension == ".csv" || extension == ".tsv" || extension == ".txt")
    return detail::GraphFormat::edgeTable;
  if (extension == ".mtx") return detail::GraphFormat::matrixMarket;
  if (extension == ".graphml") return detail::GraphFormat::graphMl;
  throw InputError(
      "cannot read '{}': the extension '{}' is that of no format of networks; they are .csv, .tsv, "
      ".txt, .mtx and .graphml",
      file.string(), extension);
}

}  // namespace

Graph detail::readGraph(const std::filesystem::path& file, GraphFormat format,
                        const Graph::Options& options) {
  switch (format) {
    case GraphFormat::matrixMarket:
      return graphOf(file, readMatrixMarket(file), options);
    case GraphFormat::graphMl:
      return graphOf(file, readGraphMl(file), options);
    case GraphFormat::edgeTable:
      break;
  }
  return graphOf(file, readEdgeTable(file, options.direction), options);
}

Graph readGraph(const std::filesystem::path& file, const Graph::Options& options) {
  return detail::readGraph(file, formatOf(file), options);
}

}  // namespace mass
