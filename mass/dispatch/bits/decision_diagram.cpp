#include <mass/dispatch/bits/decision_diagram.hpp>

#include <cstddef>
#include <utility>

namespace mass::detail {
namespace {

constexpr int firstNode = 2;  // value of node 0

/// Orders of the inputs from the lowest level: by rows, and around the place, which comes last.
constexpr std::array<std::array<int, DecisionDiagram::inputs>, 3> orders{
    {{0, 1, 2, 3, 4, 5, 6, 7, 8}, {0, 1, 2, 5, 8, 7, 6, 3, 4}, {0, 2, 8, 6, 1, 5, 7, 3, 4}}};

/// Returns the pattern whose bit order[k] is bit k of a number.
int patternOf(int number, const std::array<int, DecisionDiagram::inputs>& order) {
  int pattern = 0;
  for (std::size_t k = 0; k < order.size(); ++k) pattern |= (number >> k & 1) << order[k];
  return pattern;
}

}  // namespace

DecisionDiagram::DecisionDiagram(const BoolTable& table) : DecisionDiagram(table, orders[0]) {
  for (std::size_t k = 1; k < orders.size(); ++k) {
    DecisionDiagram other(table, orders[k]);
    if (other.nodes_.size() < nodes_.size()) *this = std::move(other);
  }
}

DecisionDiagram::DecisionDiagram(const BoolTable& table, const std::array<int, inputs>& order) {
  std::array<std::uint8_t, BoolTable::patterns> values{};
  for (int number = 0; number < BoolTable::patterns; ++number)
    values[static_cast<std::size_t>(number)] = table.at(patternOf(number, order)) ? 1 : 0;
  std::size_t count = values.size();
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    const std::size_t first = nodes_.size();
    count /= 2;
    for (std::size_t i = 0; i < count; ++i)
      values[i] = valueOf(first, {values[2 * i + 1], values[2 * i]});
    levels_[level] = {order[level], static_cast<int>(nodes_.size() - first)};
  }
  result_ = values[0];
}

/// Returns the value of a node of the current level, whose nodes begin at `first`. Adds the node if
/// it is new.
std::uint8_t DecisionDiagram::valueOf(std::size_t first, Node node) {
  if (node.high == node.low) return node.high;
  std::size_t i = first;
  while (i < nodes_.size() && (nodes_[i].high != node.high || nodes_[i].low != node.low)) ++i;
  if (i == nodes_.size()) nodes_.push_back(node);
  return static_cast<std::uint8_t>(firstNode + i);
}

}  // namespace mass::detail
