#pragma once

#include <mass/launch/bool_table.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace mass::detail {

/// Binary decision diagram of a BoolTable: a directed graph of few nodes, each of which selects by
/// the state of one place between two others.
class DecisionDiagram {
 public:
  /// Number of places that a result depends on.
  static constexpr int inputs = 9;
  /// Upper bound of the number of values: two constants and the nodes of all levels.
  static constexpr int mostValues = 143;

  /// Value: `high` if the input of the node's level is true, else `low`. Values 0 and 1 are the
  /// constants false and true, value 2 + i is that of node i.
  struct Node {
    std::uint8_t high, low;
  };
  /// Nodes that select by one input. They depend on nodes of lower levels.
  struct Level {
    int input;  ///< bit of the pattern
    int nodes;  ///< number of nodes
  };

  /// Finds the smallest of some diagrams, with different orders of the inputs.
  explicit DecisionDiagram(const BoolTable& table);

  /// Returns the levels, from the lowest.
  const std::array<Level, inputs>& levels() const { return levels_; }
  /// Returns the nodes, by level.
  const std::vector<Node>& nodes() const { return nodes_; }
  /// Returns the number of the result's value.
  int result() const { return result_; }

 private:
  DecisionDiagram(const BoolTable& table, const std::array<int, inputs>& order);
  std::uint8_t valueOf(std::size_t first, Node node);

  std::array<Level, inputs> levels_{};
  std::vector<Node> nodes_;
  int result_ = 0;
};

}  // namespace mass::detail
