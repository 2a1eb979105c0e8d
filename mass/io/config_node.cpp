#include <mass/io/config_node.hpp>
#include <mass/io/parse_value.hpp>
#include <mass/io/schema.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace mass {
namespace {

constexpr std::size_t longestLine = 100;

void emitInLine(const ConfigNode& tree, YAML::Emitter& to) {
  if (tree.isText()) {
    to << tree.text();
  } else if (tree.isList()) {
    to << YAML::Flow << YAML::BeginSeq;
    for (const ConfigNode& item : tree.items()) emitInLine(item, to);
    to << YAML::EndSeq;
  } else {
    to << YAML::Flow << YAML::BeginMap;
    for (const ConfigNode& entry : tree.entries()) {
      to << YAML::Key << entry.key() << YAML::Value;
      emitInLine(entry, to);
    }
    to << YAML::EndMap;
  }
}

std::string inLine(const ConfigNode& tree) {
  YAML::Emitter emitter;
  emitInLine(tree, emitter);
  return emitter.c_str();
}

std::string textInLine(const std::string& text) {
  return inLine(ConfigNode(ConfigNode::Kind::text, {}, {}, text));
}

/// Returns a line per child in flow style if it is short enough, otherwise its children below it.
std::string lines(const ConfigNode& tree, std::size_t indent) {
  const std::string margin(indent, ' ');
  const auto& children = tree.isList() ? tree.items() : tree.entries();
  std::string yaml;
  for (const ConfigNode& child : children) {
    const auto head =
        margin + (tree.isList() ? std::string{"-"} : fmt::format("{}:", textInLine(child.key())));
    const auto short_ = inLine(child);
    const bool isLeaf = child.isText() || short_ == "{}" || short_ == "[]";
    yaml += isLeaf || head.size() + 1 + short_.size() <= longestLine
                ? fmt::format("{} {}\n", head, short_)
                : fmt::format("{}\n{}", head, lines(child, indent + 2));
  }
  return yaml;
}

}  // namespace

ConfigNode::ConfigNode(Kind kind, std::string where, std::string key, std::string text)
    : kind_(kind), where_(std::move(where)), key_(std::move(key)), text_(std::move(text)) {}

void ConfigNode::add(ConfigNode child) {
  if (kind_ == Kind::text) throw UsageError("a text of a settings tree has no items");
  children_.push_back(std::move(child));
}

const std::string& ConfigNode::text() const {
  if (!isText()) expected("a single value");
  return text_;
}

double ConfigNode::number() const {
  const auto value = parsed<double>("a number");
  if (!std::isfinite(value)) expected("a number");
  return value;
}

std::int64_t ConfigNode::integer() const {
  return parsed<std::int64_t>("an integer");
}

bool ConfigNode::truth() const {
  return parsed<bool>("true or false");
}

const std::vector<ConfigNode>& ConfigNode::items() const {
  if (!isList()) expected("a list");
  return children_;
}

std::vector<ConfigNode> ConfigNode::itemOrItems() const {
  if (isText()) return {*this};
  return items();
}

const std::vector<ConfigNode>& ConfigNode::entries() const {
  if (!isMap()) expected("'key: value' pairs");
  return children_;
}

const ConfigNode* ConfigNode::find(std::string_view key) const {
  const auto& all = entries();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const ConfigNode& entry) { return entry.key_ == key; });
  return found == all.end() ? nullptr : &*found;
}

const ConfigNode& ConfigNode::at(std::string_view key) const {
  const ConfigNode* const found = find(key);
  if (found == nullptr) throw SettingsError("{}: the key '{}' is missing", where_, key);
  return *found;
}

void ConfigNode::refuseOthers(const std::vector<std::string>& known) const {
  for (const ConfigNode& entry : entries()) {
    if (std::find(known.begin(), known.end(), entry.key_) != known.end()) continue;
    const auto near = nearestName(entry.key_, known);
    throw SettingsError("{}: there is no such key; {}", entry.where_,
                        near.empty() ? fmt::format("the keys here are {}", fmt::join(known, ", "))
                                     : fmt::format("did you mean '{}'?", near));
  }
}

void ConfigNode::reject(std::string_view message) const {
  if (isText()) throw SettingsError("{} = {}: {}", where_, shown(), message);
  throw SettingsError("{}: {}", where_, message);
}

std::string ConfigNode::toYaml(std::size_t indent) const {
  const auto whole = inLine(*this);
  const bool isLeaf = isText() || children_.empty();
  return isLeaf ? std::string(indent, ' ') + whole + '\n' : lines(*this, indent);
}

bool ConfigNode::operator==(const ConfigNode& other) const {
  return kind_ == other.kind_ && key_ == other.key_ && text_ == other.text_ &&
         children_ == other.children_;
}

/// Returns the value as a T.
/// @param what description of the values of T for a message: "a number"
template <class T>
T ConfigNode::parsed(std::string_view what) const {
  T value{};
  const auto status = isText() ? detail::parse(text_, value) : detail::ParseStatus::malformed;
  if (status == detail::ParseStatus::malformed) expected(what);
  if (status == detail::ParseStatus::outOfRange) {
    throw SettingsError("{}: expected {}, got {}, which {}", where_, what, shown(),
                        detail::rangeError<T>());
  }
  return value;
}

void ConfigNode::expected(std::string_view what) const {
  throw SettingsError("{}: expected {}, got {}", where_, what, shown());
}

/// Returns a description of the value for a message: at most 60 bytes of a text.
std::string ConfigNode::shown() const {
  constexpr std::size_t longest = 60;
  if (!isText()) return isList() ? "a list" : "a section";
  auto text = textInLine(text_);
  if (text.size() > longest) {
    std::size_t end = longest;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    text = text.substr(0, end) + "...";
  }
  return text;
}

}  // namespace mass
