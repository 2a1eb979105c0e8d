#include <mass/graph/graph.hpp>

#include <mass/graph/graph_builder.hpp>
#include <mass/support/hash.hpp>

#include <fmt/core.h>

namespace mass {
namespace {

template <class T>
std::uint64_t hashOf(const std::vector<T>& values, std::uint64_t seed) {
  return detail::hashBytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T),
                           detail::mix(seed ^ values.size()));
}

}  // namespace

Graph::Graph(std::int64_t nodes, std::span<const Edge> edges, std::span<const double> weights)
    : Graph(nodes, edges, weights, Options()) {}

Graph::Graph(std::int64_t nodes, std::span<const Edge> edges, std::span<const double> weights,
             const Options& options)
    : Graph(detail::GraphBuilder(nodes, edges, weights, options, [](std::size_t edge) {
              return fmt::format("edge {}", edge);
            }).build()) {}

Graph Graph::ofLinks(std::span<const std::int64_t> offsets, std::span<const std::int32_t> targets,
                     std::span<const double> weights, const Options& options) {
  return detail::GraphBuilder::ofLinks(offsets, targets, weights, options);
}

Graph Graph::ofLinks(std::span<const std::int64_t> offsets, std::span<const std::int32_t> targets,
                     std::span<const double> weights) {
  return ofLinks(offsets, targets, weights, Options());
}

Graph Graph::reversed() const {
  std::vector<Edge> edges;
  edges.reserve(targets_.size());
  for (std::int64_t node = 0; node < nodes(); ++node)
    for (const std::int32_t target : linksOf(node)) edges.push_back({target, node});
  Graph graph(nodes(), edges, weights_, {Direction::directed, SelfLoops::keep, Duplicates::keep});
  graph.options_ = options_;
  return graph;
}

std::uint64_t Graph::hash() const {
  return hashOf(weights_, hashOf(targets_, hashOf(offsets_, 0)));
}

}  // namespace mass
