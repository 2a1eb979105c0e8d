#include <mass/graph/edge_collector.hpp>
#include <mass/graph/generators.hpp>
#include <mass/random/poisson_points.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mass {
namespace {

using detail::EdgeCollector;
using detail::GraphModel;
using detail::randomOf;

double logarithmOf(double x) {
  return detail::naturalLog<std::uint64_t, double>(x);
}

/// Returns log(1 - p) for 0 <= p < 1.
double logarithmOfComplement(double p) {
  constexpr double small = 1e-5;  // three terms of the series have a relative error of 1e-15
  return p < small ? -p * (1 + p * (1.0 / 2 + p * (1.0 / 3))) : logarithmOf(1 - p);
}

/// Numbers of pairs without an edge between two pairs with one.
class Gaps {
 public:
  explicit Gaps(double probability)
      : probability_(probability), scale_(1 / logarithmOfComplement(probability)) {}

  /// Draws a gap.
  /// @param bound is returned for all gaps that are not less
  std::int64_t draw(Random& random, std::int64_t bound) const {
    if (probability_ == 0) return bound;
    const double gap = std::floor(logarithmOf(1 - random.uniform()) * scale_);
    return gap < static_cast<double>(bound) ? static_cast<std::int64_t>(gap) : bound;
  }

 private:
  double probability_;
  double scale_;
};

/// Ring of nodes, some of whose edges are moved.
class SmallWorld {
 public:
  SmallWorld(std::int64_t nodes, std::int64_t half)
      : nodes_(nodes),
        half_(half),
        targets_(static_cast<std::size_t>(nodes * half)),
        degrees_(static_cast<std::size_t>(nodes), 2 * half) {
    for (std::int64_t node = 0; node < nodes; ++node)
      for (std::int64_t step = 1; step <= half; ++step)
        target(node, step) = static_cast<std::int32_t>((node + step) % nodes);
  }

  /// Moves each edge with a probability, first all edges between neighbours, then those one node
  /// farther.
  void rewire(double probability, std::uint64_t seed) {
    for (std::int64_t step = 1; step <= half_; ++step) {
      for (std::int64_t node = 0; node < nodes_; ++node) {
        Random random = randomOf(GraphModel::wattsStrogatz, seed, node * half_ + step - 1);
        if (random.bernoulli(probability) && degree(node) < nodes_ - 1) move(node, step, random);
      }
    }
  }

  Graph build() const {
    EdgeCollector edges(nodes_, static_cast<double>(targets_.size()));
    for (std::int64_t node = 0; node < nodes_; ++node)
      for (std::int64_t step = 1; step <= half_; ++step) edges.add(node, target(node, step));
    return edges.build();
  }

 private:
  /// Moves the edge of a node to a random one to which it has none.
  void move(std::int64_t node, std::int64_t step, Random& random) {
    std::int64_t to = 0;
    do {
      to = random.below(static_cast<std::uint32_t>(nodes_));
    } while (to == node || has(node, to) || has(to, node));
    --degree(target(node, step));
    ++degree(to);
    target(node, step) = static_cast<std::int32_t>(to);
  }

  /// True if `node` has an edge to `to` that began as one to the nodes after it.
  bool has(std::int64_t node, std::int64_t to) const {
    const auto first = targets_.begin() + node * half_;
    return std::find(first, first + half_, to) != first + half_;
  }

  std::int32_t& target(std::int64_t node, std::int64_t step) {
    return targets_[static_cast<std::size_t>(node * half_ + step - 1)];
  }
  std::int32_t target(std::int64_t node, std::int64_t step) const {
    return targets_[static_cast<std::size_t>(node * half_ + step - 1)];
  }
  std::int64_t& degree(std::int64_t node) { return degrees_[static_cast<std::size_t>(node)]; }

  std::int64_t nodes_;
  std::int64_t half_;  ///< edges of a node to the nodes after it
  std::vector<std::int32_t> targets_;
  std::vector<std::int64_t> degrees_;
};

/// Sets `chosen` to different random elements of `ends`.
void choose(const std::vector<std::int32_t>& ends, Random random,
            std::vector<std::int32_t>& chosen) {
  const auto draw = [&] { return ends[random.below(static_cast<std::uint32_t>(ends.size()))]; };
  for (auto next = chosen.begin(); next != chosen.end(); ++next) {
    do *next = draw();
    while (std::find(chosen.begin(), next, *next) != next);
  }
}

}  // namespace

Graph erdosRenyiGraph(std::int64_t nodes, double probability, std::uint64_t seed) {
  detail::requireProbability("the probability of an edge", probability);
  const double pairs = 0.5 * static_cast<double>(nodes) * static_cast<double>(nodes - 1);
  EdgeCollector edges(nodes, probability * pairs);
  const Gaps gaps(probability < 1 ? probability : 0);
  for (std::int64_t node = 1; node < nodes; ++node) {
    Random random = randomOf(GraphModel::erdosRenyi, seed, node);
    const auto gap = [&] { return probability < 1 ? gaps.draw(random, node) : 0; };
    for (std::int64_t other = gap(); other < node; other += 1 + gap()) edges.add(node, other);
  }
  return edges.build();
}

Graph wattsStrogatzGraph(std::int64_t nodes, std::int64_t neighbors, double rewiring,
                         std::uint64_t seed) {
  detail::requireProbability("the probability of rewiring", rewiring);
  if (neighbors < 2 || neighbors % 2 != 0 || neighbors >= nodes)
    throw UsageError(
        "{} neighbors of {} nodes: the number must be even, at least 2, and less than "
        "the nodes",
        neighbors, nodes);
  EdgeCollector::require(nodes, 0.5 * static_cast<double>(nodes) * static_cast<double>(neighbors));
  SmallWorld world(nodes, neighbors / 2);
  world.rewire(rewiring, seed);
  return world.build();
}

Graph barabasiAlbertGraph(std::int64_t nodes, std::int64_t edgesOfNode, std::uint64_t seed) {
  if (edgesOfNode < 1 || edgesOfNode >= nodes)
    throw UsageError(
        "{} edges of each of {} nodes: the number must be at least 1 and less than the "
        "nodes",
        edgesOfNode, nodes);
  const double count = static_cast<double>(edgesOfNode) * static_cast<double>(nodes - edgesOfNode);
  EdgeCollector edges(nodes, count);
  std::vector<std::int32_t> ends;  // each node as often as it has edges
  ends.reserve(2 * static_cast<std::size_t>(count));
  std::vector<std::int32_t> chosen(static_cast<std::size_t>(edgesOfNode));
  std::iota(chosen.begin(), chosen.end(), 0);
  for (std::int64_t node = edgesOfNode; node < nodes; ++node) {
    if (node > edgesOfNode) choose(ends, randomOf(GraphModel::barabasiAlbert, seed, node), chosen);
    for (const std::int32_t other : chosen) {
      edges.add(node, other);
      ends.push_back(static_cast<std::int32_t>(node));
      ends.push_back(other);
    }
  }
  return edges.build();
}

}  // namespace mass
