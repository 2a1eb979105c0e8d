#include <mass/io/csv_reader.hpp>
#include <mass/io/graph_file.hpp>
#include <mass/io/parse_value.hpp>
#include <mass/io/text_lines.hpp>
#include <mass/support/error.hpp>

#include <expat.h>
#include <fmt/core.h>

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace mass::detail {
namespace {

/// Attributes of an element of XML.
class XmlAttributes {
 public:
  explicit XmlAttributes(const XML_Char** pairs) : pairs_(pairs) {}

  /// Returns the value of an attribute, or nullopt.
  std::optional<std::string_view> find(std::string_view name) const {
    for (const XML_Char** pair = pairs_; *pair != nullptr; pair += 2)
      if (pair[0] == name) return pair[1];
    return std::nullopt;
  }

 private:
  const XML_Char** pairs_;
};

/// Collects the nodes and edges of a GraphML file (Brandes, Eiglsperger, Herman, Himsolt &
/// Marshall, "GraphML progress report", GD 2001) from its elements.
class GraphMlContent {
 public:
  explicit GraphMlContent(std::filesystem::path file) : file_(std::move(file)) {}

  /// Handles the start of an element.
  /// @param line line of the file, from 1
  void open(std::string_view element, const XmlAttributes& attributes, std::int64_t line) {
    line_ = line;
    if (++depth_ == 1 && element != "graphml")
      fail(fmt::format("the first element is '{}', not 'graphml'", CsvReader::shown(element)));
    if (element == "graph") openGraph(attributes);
    if (element == "key") openKey(attributes);
    if (!isInGraph_ && (element == "node" || element == "edge"))
      fail(fmt::format("the element '{}' is outside of a graph", element));
    if (element == "node") addNode(require(attributes, "node", "id"));
    if (element == "edge") openEdge(attributes);
    if (element == "hyperedge") fail("a hyperedge: a network has edges of two nodes only");
    if (element == "data" && isInEdge_ && weightKey_)
      isInWeight_ = require(attributes, "data", "key") == *weightKey_;
    if (element == "default" && isInWeightKey_) isInWeight_ = true;
  }

  /// Handles the end of an element.
  void close(std::string_view element, std::int64_t line) {
    line_ = line;
    --depth_;
    if (isInWeight_ && (element == "data" || element == "default")) closeWeight();
    if (element == "key") isInWeightKey_ = false;
    if (element == "graph") isInGraph_ = false;
    if (element == "edge") closeEdge();
  }

  /// Handles a part of the text between elements.
  void add(std::string_view text) {
    if (isInWeight_) text_ += text;
  }

  /// Returns the edges after the end of the file.
  EdgeList finish() {
    if (!hasGraph_) throw InputError("'{}' has no element 'graph'", file_.string());
    for (std::size_t edge = 0; edge < list_.edges.size(); ++edge) {
      line_ = list_.lines[edge];
      list_.edges[edge] = {nodeOf(list_.edges[edge].source), nodeOf(list_.edges[edge].target)};
    }
    return std::move(list_);
  }

 private:
  /// Node that is in edges or an element of its own.
  struct NamedNode {
    const std::string* name = nullptr;   ///< owned by indices_
    std::optional<std::int64_t> number;  ///< number in the order of the elements
  };

  void openGraph(const XmlAttributes& attributes) {
    if (hasGraph_) fail("a second graph, or a graph within a node: a file has one network");
    hasGraph_ = true;
    isInGraph_ = true;
    const std::string_view direction = require(attributes, "graph", "edgedefault");
    if (direction != "directed" && direction != "undirected")
      fail(fmt::format("edgedefault = '{}' is neither directed nor undirected",
                       CsvReader::shown(direction)));
    list_.direction =
        direction == "directed" ? Graph::Direction::directed : Graph::Direction::undirected;
  }

  void openKey(const XmlAttributes& attributes) {
    const std::string_view of = attributes.find("for").value_or("all");
    isInWeightKey_ =
        (of == "edge" || of == "all") && attributes.find("attr.name") == std::string_view("weight");
    if (isInWeightKey_) weightKey_ = require(attributes, "key", "id");
  }

  void addNode(std::string_view name) {
    NamedNode& node = names_[static_cast<std::size_t>(indexOf(name))];
    if (node.number) fail(fmt::format("a second node '{}'", CsvReader::shown(name)));
    node.number = list_.nodes++;
  }

  void openEdge(const XmlAttributes& attributes) {
    const bool directed = list_.direction == Graph::Direction::directed;
    const auto own = attributes.find("directed");
    if (own && (*own == "true" || *own == "1") != directed)
      fail(fmt::format("directed = '{}' in {} graph: all edges need the direction of the graph",
                       CsvReader::shown(*own), directed ? "a directed" : "an undirected"));
    const std::int64_t source = indexOf(require(attributes, "edge", "source"));
    list_.edges.push_back({source, indexOf(require(attributes, "edge", "target"))});
    list_.lines.push_back(line_);
    isInEdge_ = true;
    weight_ = defaultWeight_;
  }

  void closeEdge() {
    isInEdge_ = false;
    if (weight_) list_.weights.push_back(*weight_);
    if (list_.weights.empty() || list_.weights.size() == list_.edges.size()) return;
    fail(weight_ ? "an edge with a weight, after edges without: give all a weight, or none"
                 : "an edge without a weight, after edges with one: give all a weight, or none");
  }

  void closeWeight() {
    double value = 0;
    const std::string fault = parseValue(withoutSpace(text_), value);
    if (!fault.empty()) fail(fmt::format("'weight' = '{}' {}", CsvReader::shown(text_), fault));
    (isInWeightKey_ ? defaultWeight_ : weight_) = value;
    text_.clear();
    isInWeight_ = false;
  }

  static std::string_view withoutSpace(std::string_view text) {
    constexpr std::string_view space = " \t\r\n";
    const std::size_t begin = text.find_first_not_of(space);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(space) - begin + 1);
  }

  /// Returns the index of a node in names_, which edges have until finish().
  std::int64_t indexOf(std::string_view name) {
    const auto next = static_cast<std::int64_t>(names_.size());
    const auto [found, isNew] = indices_.try_emplace(std::string(name), next);
    if (isNew) names_.push_back({&found->first, std::nullopt});
    return found->second;
  }

  std::int64_t nodeOf(std::int64_t index) const {
    const NamedNode& node = names_[static_cast<std::size_t>(index)];
    if (!node.number) fail(fmt::format("node '{}' does not exist", CsvReader::shown(*node.name)));
    return *node.number;
  }

  std::string_view require(const XmlAttributes& attributes, std::string_view element,
                           std::string_view name) const {
    const auto value = attributes.find(name);
    if (!value) fail(fmt::format("the element '{}' needs the attribute '{}'", element, name));
    return *value;
  }

  [[noreturn]] void fail(std::string_view message) const {
    throw InputError("{}:{}: {}", file_.string(), line_, message);
  }

  std::filesystem::path file_;
  std::int64_t line_ = 0;  ///< line of the current element
  std::int64_t depth_ = 0;
  bool hasGraph_ = false;
  bool isInGraph_ = false;
  bool isInEdge_ = false;
  bool isInWeight_ = false;
  bool isInWeightKey_ = false;
  std::optional<std::string> weightKey_;  ///< id of the attribute of weights
  std::optional<double> defaultWeight_;
  std::optional<double> weight_;  ///< weight of the current edge
  std::string text_;              ///< text of the current weight
  std::unordered_map<std::string, std::int64_t> indices_;
  std::vector<NamedNode> names_;
  EdgeList list_;
};

/// Passes the elements of a file to a GraphMlContent.
class GraphMlParser {
 public:
  explicit GraphMlParser(std::filesystem::path file)
      : file_(std::move(file)),
        parser_(XML_ParserCreate(nullptr), XML_ParserFree),
        content_(file_) {
    if (!parser_) throw Error("the memory of a parser of XML is missing");
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), open, close);
    XML_SetCharacterDataHandler(parser_.get(), add);
  }

  EdgeList read() {
    std::ifstream stream = openTextFile(file_, "a GraphML file");
    std::string bytes(std::size_t{1} << 16, '\0');
    do {
      stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
      if (stream.bad()) throw InputError("'{}' cannot be read to its end", file_.string());
      parse(bytes.data(), static_cast<int>(stream.gcount()), stream.eof());
    } while (!stream.eof());
    return content_.finish();
  }

 private:
  void parse(const char* bytes, int count, bool isLast) {
    const XML_Status status = XML_Parse(parser_.get(), bytes, count, isLast ? 1 : 0);
    if (failure_) std::rethrow_exception(failure_);
    if (status != XML_STATUS_ERROR) return;
    throw InputError("{}:{}: {}", file_.string(), line(),
                     XML_ErrorString(XML_GetErrorCode(parser_.get())));
  }

  std::int64_t line() const {
    return static_cast<std::int64_t>(XML_GetCurrentLineNumber(parser_.get()));
  }

  /// Calls `work`, and stops the parser if it throws, since exceptions must not pass through C.
  template <class Work>
  void handle(const Work& work) {
    if (failure_) return;
    try {
      work();
    } catch (...) {
      failure_ = std::current_exception();
      XML_StopParser(parser_.get(), XML_FALSE);
    }
  }

  /// Returns a name without the prefix of its namespace.
  static std::string_view localName(std::string_view name) {
    return name.substr(name.find(':') + 1);
  }

  static void open(void* self, const XML_Char* name, const XML_Char** attributes) {
    auto& parser = *static_cast<GraphMlParser*>(self);
    parser.handle(
        [&] { parser.content_.open(localName(name), XmlAttributes(attributes), parser.line()); });
  }
  static void close(void* self, const XML_Char* name) {
    auto& parser = *static_cast<GraphMlParser*>(self);
    parser.handle([&] { parser.content_.close(localName(name), parser.line()); });
  }
  static void add(void* self, const XML_Char* text, int length) {
    auto& parser = *static_cast<GraphMlParser*>(self);
    parser.handle(
        [&] { parser.content_.add(std::string_view(text, static_cast<std::size_t>(length))); });
  }

  std::filesystem::path file_;
  std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser_;
  GraphMlContent content_;
  std::exception_ptr failure_;  ///< exception of a handler
};

}  // namespace

EdgeList readGraphMl(const std::filesystem::path& file) {
  return GraphMlParser(file).read();
}

}  // namespace mass::detail
