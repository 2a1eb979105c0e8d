// Passes arbitrary bytes to the readers of networks: they must return one whose links exist, or
// throw InputError. The first byte selects the format: c (CSV), m (Matrix Market) or g (GraphML).
#include "fuzz.hpp"

#include <mass/graph/graph_partition.hpp>
#include <mass/io/graph_file.hpp>
#include <mass/support/error.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace {

using mass::Graph;
using mass::detail::GraphFormat;

std::optional<GraphFormat> formatOf(char letter) {
  switch (letter) {
    case 'c':
      return GraphFormat::edgeTable;
    case 'm':
      return GraphFormat::matrixMarket;
    case 'g':
      return GraphFormat::graphMl;
    default:
      return std::nullopt;
  }
}

void checkLinks(const Graph& graph) {
  fuzz::require(graph.nodes() > 0);
  fuzz::require(static_cast<std::int64_t>(graph.offsets().size()) == graph.nodes() + 1);
  fuzz::require(graph.offsets().front() == 0 && graph.offsets().back() == graph.links());
  fuzz::require(!graph.isWeighted() || graph.weights().size() == graph.targets().size());
  for (const std::int32_t target : graph.targets())
    fuzz::require(0 <= target && target < graph.nodes());
}

/// Reads a file with each treatment of self-loops and duplicates.
void readAll(const std::filesystem::path& file, GraphFormat format) {
  using enum Graph::Direction;
  for (const Graph::Options& options :
       {Graph::Options{}, Graph::Options{directed, Graph::SelfLoops::keep, Graph::Duplicates::keep},
        Graph::Options{undirected, Graph::SelfLoops::drop, Graph::Duplicates::merge}}) {
    try {
      const Graph graph = mass::detail::readGraph(file, format, options);
      checkLinks(graph);
      fuzz::require(graph.reversed().links() == graph.links());
      if (graph.nodes() < 3 || graph.nodes() > 1000) continue;
      const std::vector<double> shares{1, 2, 1};
      fuzz::require(mass::detail::partitionGraph(graph, shares).cuts.back() == graph.nodes());
    } catch (const mass::InputError&) {
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::textOf(data, size);
  if (bytes.empty()) return 0;
  const auto format = formatOf(bytes.front());
  if (format) readAll(fuzz::MemoryFile(bytes.substr(1)).path(), *format);
  return 0;
}
