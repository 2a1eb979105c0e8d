#include <mass/graph/graph_edit.hpp>

#include <mass/graph/graph_builder.hpp>

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <utility>

namespace mass::detail {
namespace {

std::size_t toIndex(std::int64_t number) {
  return static_cast<std::size_t>(number);
}

/// Link to add at the end of those of a node.
struct NewLink {
  std::int32_t target = 0;
  double weight = 1;
};

/// Copy of a network with marks of the links to remove, and links to add.
class GraphEdit {
 public:
  explicit GraphEdit(const Graph& graph)
      : graph_(graph),
        isUndirected_(graph.options().direction == Graph::Direction::undirected),
        isRemoved_(toIndex(graph.links())),
        weights_(graph.weights().begin(), graph.weights().end()) {}

  /// Removes a link and, if undirected, its back link. @return false if it is removed already
  bool remove(std::int64_t node, std::int64_t k) {
    const std::size_t link = firstLink(node) + toIndex(k);
    if (isRemoved_[link]) return false;
    isRemoved_[link] = true;
    const std::int32_t target = graph_.targets()[link];
    if (!isUndirected_ || target == node) return true;
    // Links at the same position among several between two nodes are one edge.
    const auto before = graph_.linksOf(node).first(toIndex(k));
    auto left = std::ranges::count(before, target);
    const auto back = graph_.linksOf(target);
    for (std::size_t i = 0; i < back.size(); ++i)
      if (back[i] == node && left-- == 0) isRemoved_[firstLink(target) + i] = true;
    return true;
  }

  /// Adds an edge or merges it with one. @return false if the options refuse it
  bool add(std::int64_t node, std::int64_t other, double weight) {
    const Graph::Options& options = graph_.options();
    if (node == other && options.selfLoops != Graph::SelfLoops::keep) return false;
    const bool hasBack = isUndirected_ && node != other;
    if (options.duplicates != Graph::Duplicates::keep) {
      if (double* const known = weightOf(node, other)) {
        if (options.duplicates == Graph::Duplicates::refuse) return false;
        *known += weight;
        if (!hasBack) return true;
        if (double* const back = weightOf(other, node)) *back += weight;
        return true;
      }
    }
    append(node, other, weight);
    if (hasBack) append(other, node, weight);
    return true;
  }

  /// Returns the network after all changes. @throws UsageError if it has too many links
  Graph build() && {
    std::vector<std::int64_t> offsets{0};
    std::vector<std::int32_t> targets;
    std::vector<double> weights;
    const auto append = [&](std::int32_t target, double weight) {
      targets.push_back(target);
      if (graph_.isWeighted()) weights.push_back(weight);
    };
    for (std::int64_t node = 0; node < graph_.nodes(); ++node) {
      for (std::size_t link = firstLink(node); link < firstLink(node + 1); ++link)
        if (!isRemoved_[link])
          append(graph_.targets()[link], graph_.isWeighted() ? weights_[link] : 1);
      if (const auto found = added_.find(node); found != added_.end())
        for (const NewLink& link : found->second) append(link.target, link.weight);
      offsets.push_back(static_cast<std::int64_t>(targets.size()));
    }
    return GraphBuilder::assembled(std::move(offsets), std::move(targets), std::move(weights),
                                   graph_.options());
  }

 private:
  std::size_t firstLink(std::int64_t node) const {
    return toIndex(graph_.offsets()[toIndex(node)]);
  }

  /// Returns the address of the weight of the first present link to a node; null without a link. In
  /// a network without weights, changes of it have no effect.
  double* weightOf(std::int64_t node, std::int64_t other) {
    for (std::size_t link = firstLink(node); link < firstLink(node + 1); ++link)
      if (graph_.targets()[link] == other && !isRemoved_[link])
        return graph_.isWeighted() ? &weights_[link] : &unused_;
    if (const auto found = added_.find(node); found != added_.end())
      for (NewLink& link : found->second)
        if (link.target == other) return &link.weight;
    return nullptr;
  }

  void append(std::int64_t node, std::int64_t other, double weight) {
    added_[node].push_back({static_cast<std::int32_t>(other), weight});
  }

  const Graph& graph_;
  bool isUndirected_;
  std::vector<bool> isRemoved_;                                   // by link
  std::vector<double> weights_;                                   // by link
  std::unordered_map<std::int64_t, std::vector<NewLink>> added_;  // by node
  double unused_ = 0;
};

}  // namespace

Graph changed(const Graph& graph, std::span<const EdgeChange> changes, EdgeCounts& counts) {
  GraphEdit edit(graph);
  for (const EdgeChange& change : changes)
    if (change.kind == EdgeChange::Kind::remove)
      counts.removed += edit.remove(change.node, change.other) ? 1 : 0;
  for (const EdgeChange& change : changes) {
    if (change.kind != EdgeChange::Kind::add) continue;
    ++(edit.add(change.node, change.other, change.weight) ? counts.added : counts.refused);
  }
  return std::move(edit).build();
}

}  // namespace mass::detail
