#include <mass/graph/graph_partition.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace mass::detail {
namespace {

/// Breadth-first searches through the components of a network.
class NodeSearch {
 public:
  explicit NodeSearch(const Graph& graph)
      : graph_(graph), marks_(static_cast<std::size_t>(graph.nodes()), unvisited) {
    order_.reserve(marks_.size());
  }

  /// Appends all nodes of a component, beginning with one far from `node`.
  void addComponent(std::int32_t node) {
    const std::size_t before = order_.size();
    search(node, unvisited, probed);
    const std::int32_t last = order_.back();
    order_.resize(before);
    search(last, probed, ordered);
  }

  bool isOrdered(std::int32_t node) const { return markOf(node) == ordered; }
  std::vector<std::int32_t> order() { return std::move(order_); }

 private:
  enum Mark : char { unvisited, probed, ordered };

  /// Appends all nodes with the mark `from` that are linked to `node`, and marks them with `to`.
  void search(std::int32_t node, Mark from, Mark to) {
    std::size_t next = order_.size();
    append(node, to);
    while (next < order_.size()) {
      const std::size_t first = order_.size();
      for (const std::int32_t target : graph_.linksOf(order_[next++]))
        if (markOf(target) == from) append(target, to);
      std::stable_sort(
          order_.begin() + static_cast<std::ptrdiff_t>(first), order_.end(),
          [&](std::int32_t a, std::int32_t b) { return graph_.degree(a) < graph_.degree(b); });
    }
  }

  void append(std::int32_t node, Mark mark) {
    order_.push_back(node);
    marks_[static_cast<std::size_t>(node)] = mark;
  }
  Mark markOf(std::int32_t node) const { return marks_[static_cast<std::size_t>(node)]; }

  const Graph& graph_;
  std::vector<Mark> marks_;
  std::vector<std::int32_t> order_;
};

}  // namespace

std::vector<std::int32_t> orderNodes(const Graph& graph) {
  std::vector<std::int32_t> byDegree(static_cast<std::size_t>(graph.nodes()));
  std::iota(byDegree.begin(), byDegree.end(), 0);
  std::stable_sort(byDegree.begin(), byDegree.end(), [&](std::int32_t a, std::int32_t b) {
    return graph.degree(a) < graph.degree(b);
  });
  NodeSearch search(graph);
  for (const std::int32_t node : byDegree)
    if (!search.isOrdered(node)) search.addComponent(node);
  std::vector<std::int32_t> order = search.order();
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace mass::detail
