#include <mass/io/morphology.hpp>

#include <mass/io/csv_line.hpp>
#include <mass/io/csv_reader.hpp>
#include <mass/io/parse_value.hpp>
#include <mass/io/text_lines.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace mass {
namespace {

using Node = Morphology::Node;

constexpr std::array<std::string_view, 7> columns = {"id", "type",   "x",     "y",
                                                     "z",  "radius", "parent"};
constexpr std::int64_t noParent = -1;

/// Reads the lines of an SWC file.
class SwcReader {
 public:
  explicit SwcReader(const std::filesystem::path& file)
      : file_(file), lines_(file, "an SWC file") {}

  /// Returns the nodes. `parent` of each is still the id of the file.
  std::vector<Node> read() {
    std::vector<Node> nodes;
    while (lines_.next()) {
      const std::string_view code = lines_.text().substr(0, lines_.text().find('#'));
      if (!detail::withoutBlanks(code).empty()) nodes.push_back(nodeOf(code));
    }
    if (nodes.empty()) {
      throw InputError("'{}' {}: a line of an SWC file is 'id type x y z radius parent'",
                       file_.string(), lines_.number() == 0 ? "is empty" : "has no nodes");
    }
    return nodes;
  }

 private:
  Node nodeOf(std::string_view code) const {
    const auto cells = detail::cellsOf(code, ' ');
    if (cells.size() != columns.size())
      fail(fmt::format("columns: {}; a line has {}: id type x y z radius parent", cells.size(),
                       columns.size()));
    Node node;
    node.line = lines_.number();
    node.id = number<std::int64_t>(cells, 0);
    if (node.id < 0) fail(fmt::format("'id' = {} is negative; -1 marks the root", node.id));
    node.type = number<std::uint8_t>(cells, 1);
    for (std::size_t axis = 0; axis < 3; ++axis) node.position[axis] = finite(cells, 2 + axis);
    node.radius = finite(cells, 5);
    if (!(node.radius > 0))
      fail(fmt::format("'radius' = '{}' is not above 0", CsvReader::shown(cells[5])));
    node.parent = number<std::int64_t>(cells, 6);
    return node;
  }

  template <class T>
  T number(const std::vector<std::string_view>& cells, std::size_t column) const {
    T value{};
    const std::string fault = parseValue(cells[column], value);
    if (!fault.empty())
      fail(fmt::format("'{}' = '{}' {}", columns[column], CsvReader::shown(cells[column]), fault));
    return value;
  }

  double finite(const std::vector<std::string_view>& cells, std::size_t column) const {
    const auto value = number<double>(cells, column);
    if (!std::isfinite(value))
      fail(fmt::format("'{}' = '{}' is not finite", columns[column],
                       CsvReader::shown(cells[column])));
    return value;
  }

  [[noreturn]] void fail(std::string_view message) const { lines_.fail(message); }

  const std::filesystem::path& file_;
  detail::TextLines lines_;
};

/// Replaces the ids of parents by their indices.
class ParentLinks {
 public:
  ParentLinks(const std::filesystem::path& file, std::vector<Node>& nodes)
      : file_(file), nodes_(nodes) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const auto [other, isNew] = indices_.emplace(nodes_[i].id, i);
      if (!isNew)
        fail(nodes_[i],
             fmt::format("id {} is that of line {} too", nodes_[i].id, nodes_[other->second].line));
    }
  }

  void resolve() {
    const Node* root = nullptr;
    std::vector<std::int64_t> parents;
    for (const Node& node : nodes_) {
      parents.push_back(node.parent == noParent ? noParent : parentOf(node));
      if (node.parent != noParent) continue;
      if (root != nullptr)
        fail(node, fmt::format("node {} is a second root, after node {} in line {}; a file has "
                               "one tree",
                               node.id, root->id, root->line));
      root = &node;
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) nodes_[i].parent = parents[i];
  }

 private:
  /// Returns the index of the parent of a node that is no root.
  std::int64_t parentOf(const Node& node) const {
    const auto found = indices_.find(node.parent);
    if (found == indices_.end())
      fail(node, fmt::format("parent {} of node {} does not exist", node.parent, node.id));
    const Node& parent = nodes_[found->second];
    if (&parent < &node) return static_cast<std::int64_t>(found->second);
    if (isAncestor(node, parent))
      fail(node, fmt::format("node {} is its own ancestor: its parents form a circle", node.id));
    fail(node, fmt::format("parent {} of node {} comes later, in line {}; sort the lines so that "
                           "parents come first",
                           parent.id, node.id, parent.line));
  }

  /// True if `ancestor` is `node` or one of its ancestors.
  bool isAncestor(const Node& ancestor, const Node& node) const {
    const Node* at = &node;
    // A circle without `ancestor` ends after all nodes.
    for (std::size_t steps = 0; steps <= nodes_.size(); ++steps) {
      if (at == &ancestor) return true;
      const auto found = indices_.find(at->parent);
      if (at->parent == noParent || found == indices_.end()) return false;
      at = &nodes_[found->second];
    }
    return false;
  }

  [[noreturn]] void fail(const Node& node, std::string_view message) const {
    throw InputError("{}:{}: {}", file_.string(), node.line, message);
  }

  const std::filesystem::path& file_;
  std::vector<Node>& nodes_;
  std::unordered_map<std::int64_t, std::size_t> indices_;  ///< by id
};

}  // namespace

Morphology::Morphology(std::filesystem::path file) : file_(std::move(file)) {
  nodes_ = SwcReader(file_).read();
  ParentLinks(file_, nodes_).resolve();
}

std::optional<Morphology::Rule> Morphology::ruleOf(std::string_view name) {
  if (name == "touched") return Rule::touched;
  if (name == "middle") return Rule::middle;
  return std::nullopt;
}

std::optional<std::uint8_t> Morphology::typeOf(double number) {
  constexpr double most = 255;
  if (!(number >= 0 && number <= most) || number != std::round(number)) return std::nullopt;
  return static_cast<std::uint8_t>(number);
}

std::optional<Morphology::Point> Morphology::somaCenter() const {
  Point sum{};
  double count = 0;
  for (const Node& node : nodes_) {
    if (node.type != soma) continue;
    for (std::size_t axis = 0; axis < sum.size(); ++axis) sum[axis] += node.position[axis];
    ++count;
  }
  if (count == 0) return std::nullopt;
  for (double& x : sum) x /= count;
  return sum;
}

}  // namespace mass
