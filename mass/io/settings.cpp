#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <mass/io/parse_value.hpp>
#include <mass/io/settings.hpp>
#include <mass/support/error.hpp>
#include <memory>
#include <sstream>
#include <system_error>
#include <unordered_map>

namespace mass {
namespace {

constexpr std::size_t largestFile = std::size_t{1} << 20;

/// Returns the number of bytes of the UTF-8 character at the start of `text`; 0 if it is malformed,
/// or a control character other than tab, line feed and carriage return.
std::size_t characterLength(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80)
    return (first >= 0x20 && first != 0x7F) || first == '\t' || first == '\n' || first == '\r';
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  unsigned codePoint = first & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0u) != 0x80) return 0;
    codePoint = codePoint << 6 | (byte(i) & 0x3Fu);
  }
  constexpr std::array<unsigned, 5> smallest = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = codePoint >= 0xD800 && codePoint <= 0xDFFF;
  return surrogate || codePoint < smallest[length] || codePoint > 0x10FFFF ? 0 : length;
}

/// Returns the position of the first byte that is not printable UTF-8; npos if there is none.
std::size_t firstBadByte(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto length = characterLength(text.substr(i));
    if (length == 0) return i;
    i += length;
  }
  return std::string_view::npos;
}

/// Returns at most 60 bytes of a text for a message, without control characters.
std::string excerpt(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string line;
  while (!text.empty()) {
    const auto length = characterLength(text);
    if (line.size() + std::max<std::size_t>(length, 1) > longest) return line + "...";
    if (length == 0 || std::strchr("\t\n\r", text.front()) != nullptr)
      line += '?';
    else
      line += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return line;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Returns the expected type for a message: "expected an integer".
std::string_view expectation(const detail::KeyInfo& key) {
  constexpr std::array<std::string_view, std::variant_size_v<SettingValue>> byType = {
      "expected true or false",
      "expected an integer",
      "expected a number",
      "expected text",
      "expected a list of numbers such as [1, 2.5]",
      "expected a list of texts such as [one, two]"};
  return byType[key.defaultValue.index()];
}

/// Returns a description of a node for a message.
std::string describe(const YAML::Node& node) {
  if (node.IsMap()) return "a section";
  if (node.IsSequence()) return "a list";
  if (node.IsNull()) return "nothing";
  if (node.Tag() == "!") return fmt::format("the quoted text \"{}\"", excerpt(node.Scalar()));
  return fmt::format("'{}'", excerpt(node.Scalar()));
}

/// Converts YAML nodes into values of one key's type. Messages begin with `where`.
class Converter {
 public:
  Converter(const detail::KeyInfo& key, std::string_view where) : key_(key), where_(where) {}

  SettingValue convert(const YAML::Node& node) const {
    if (node.IsNull()) throw SettingsError("{} has no value; {}", where_, expectation(key_));
    return std::visit([&](const auto& sample) { return SettingValue{read(node, sample)}; },
                      key_.defaultValue);
  }

 private:
  bool read(const YAML::Node& node, bool) const { return parsed<bool>(node); }

  std::int64_t read(const YAML::Node& node, std::int64_t) const {
    if (key_.autoIsZero && plain(node) == "auto") return 0;
    return parsed<std::int64_t>(node);
  }

  double read(const YAML::Node& node, double) const {
    const auto number = parsed<double>(node);
    if (!std::isfinite(number)) mismatch(node);
    return number;
  }

  std::string read(const YAML::Node& node, const std::string&) const {
    if (key_.acceptsList && node.IsSequence()) return textOf(node);
    if (!node.IsScalar()) mismatch(node);
    if (firstBadByte(node.Scalar()) != std::string::npos)
      throw SettingsError("{}: the text holds a control character or is not UTF-8", where_);
    return node.Scalar();
  }

  std::vector<double> read(const YAML::Node& node, const std::vector<double>&) const {
    if (!node.IsSequence()) mismatch(node);
    std::vector<double> numbers;
    for (const auto& item : node) numbers.push_back(read(item, double{}));
    return numbers;
  }

  /// Returns a list as text: [2, 4].
  std::string textOf(const YAML::Node& node) const {
    if (!node.IsSequence()) return read(node, std::string{});
    std::vector<std::string> items;
    for (const auto& item : node) items.push_back(textOf(item));
    return fmt::format("[{}]", fmt::join(items, ", "));
  }

  /// A single text is a list of one.
  std::vector<std::string> read(const YAML::Node& node, const std::vector<std::string>&) const {
    if (node.IsScalar()) return {read(node, std::string{})};
    if (!node.IsSequence()) mismatch(node);
    std::vector<std::string> texts;
    for (const auto& item : node) texts.push_back(read(item, std::string{}));
    return texts;
  }

  /// Returns the text of a single value that is neither quoted nor tagged.
  /// @throws SettingsError if the node is another one
  const std::string& plain(const YAML::Node& node) const {
    const bool untagged = node.Tag().empty() || node.Tag() == "?";
    if (!node.IsScalar() || !untagged) mismatch(node);
    return node.Scalar();
  }

  template <class T>
  T parsed(const YAML::Node& node) const {
    const std::string& text = plain(node);
    T value{};
    const auto status = detail::parse(text, value);
    if (status == detail::ParseStatus::malformed) mismatch(node);
    if (status == detail::ParseStatus::outOfRange) {
      throw SettingsError("{}: {}, got '{}', which {}", where_, expectation(key_), excerpt(text),
                          detail::rangeError<T>());
    }
    return value;
  }

  [[noreturn]] void mismatch(const YAML::Node& node) const {
    throw SettingsError("{}: {}, got {}", where_, expectation(key_), describe(node));
  }

  const detail::KeyInfo& key_;
  std::string_view where_;
};

/// Returns the keys of a section for a message: "folder, table_every".
std::string leavesOf(std::string_view section, const Schema& schema) {
  std::vector<std::string_view> leaves;
  for (const auto& key : schema.keys())
    if (key.section() == section) leaves.push_back(key.leaf());
  return fmt::format("{}", fmt::join(leaves, ", "));
}

/// Converts a YAML node into a ConfigNode.
class TreeReader {
 public:
  explicit TreeReader(const std::string& file) : file_(file) {}

  /// Converts a node and its children.
  /// @param path name of the node in messages, from the root
  /// @param key name in the parent map
  ConfigNode read(const YAML::Node& node, int line, const std::string& path,
                  const std::string& key) {
    const auto where = fmt::format("{}:{}: '{}'", file_, line, excerpt(path));
    // Aliases can expand a small file beyond all memory, or without end.
    if (++nodes_ > mostNodes || depth_ > mostDepth)
      throw SettingsError("{}: more than {} values, or nested more than {} deep", where, mostNodes,
                          mostDepth);
    if (node.IsNull()) throw SettingsError("{} has no value", where);
    ++depth_;
    auto tree = node.IsMap()        ? readMap(node, where, path, key)
                : node.IsSequence() ? readList(node, where, path, key)
                                    : readText(node, where, key);
    --depth_;
    return tree;
  }

 private:
  static constexpr int mostNodes = 100'000;
  static constexpr int mostDepth = 32;
  static constexpr std::size_t longestKey = 128;

  static ConfigNode readText(const YAML::Node& node, const std::string& where,
                             const std::string& key) {
    if (firstBadByte(node.Scalar()) != std::string::npos)
      throw SettingsError("{}: the text holds a control character or is not UTF-8", where);
    return {ConfigNode::Kind::text, where, key, node.Scalar()};
  }

  ConfigNode readList(const YAML::Node& node, const std::string& where, const std::string& path,
                      const std::string& key) {
    ConfigNode list{ConfigNode::Kind::list, where, key};
    for (const auto& item : node) {
      const auto name = fmt::format("{}[{}]", path, list.items().size() + 1);
      list.add(read(item, item.Mark().line + 1, name, {}));
    }
    return list;
  }

  ConfigNode readMap(const YAML::Node& node, const std::string& where, const std::string& path,
                     const std::string& key) {
    ConfigNode map{ConfigNode::Kind::map, where, key};
    std::unordered_map<std::string, std::string> first;  ///< file and line of each key
    for (const auto& pair : node) {
      const int line = pair.first.Mark().line + 1;
      if (!pair.first.IsScalar() || firstBadByte(pair.first.Scalar()) != std::string::npos)
        throw SettingsError("{}:{}: a key must be a word, got {}", file_, line,
                            describe(pair.first));
      const auto& name = pair.first.Scalar();
      if (name.size() > longestKey)
        throw SettingsError("{}:{}: a key of more than {} bytes", file_, line, longestKey);
      if (const auto found = first.find(name); found != first.end())
        throw SettingsError("{}:{}: '{}' is given a second time; the first is {}", file_, line,
                            excerpt(name), found->second);
      map.add(read(pair.second, line, path + "." + name, name));
      first.emplace(name, map.entries().back().where());
    }
    return map;
  }

  const std::string& file_;
  int nodes_ = 0;
  int depth_ = 0;
};

std::string unknownKey(std::string_view name, const Schema& schema) {
  const auto near = schema.nearest(name);
  const auto section = name.substr(0, name.find('.'));
  auto hint = fmt::format("did you mean '{}'?", near);
  if (near.empty()) hint = "--help lists the keys";
  if (near.empty() && schema.hasSection(section))
    hint = fmt::format("the keys of '{}' are {}", section, leavesOf(section, schema));
  return fmt::format("unknown key '{}'; {}", excerpt(name), hint);
}

/// Returns the message for a value out of range: the range, and the most similar choice.
std::string rangeMessage(const detail::KeyInfo& key, const SettingValue& value) {
  const bool list = std::holds_alternative<std::vector<double>>(value);
  auto message = fmt::format("{} be {}", list ? "each must" : "must", key.range());
  if (const auto* text = std::get_if<std::string>(&value)) {
    const auto near = nearestName(*text, key.choices);
    if (!near.empty()) message += fmt::format("; did you mean '{}'?", near);
  }
  return message;
}

/// @throws SettingsError if the text is longer than 1 MiB, or not printable UTF-8
void checkText(std::string_view text, const std::string& name) {
  if (text.size() > largestFile)
    throw SettingsError("{}: larger than 1 MiB, so it is no settings file", name);
  const auto bad = firstBadByte(text);
  if (bad == std::string_view::npos) return;
  throw SettingsError(
      "{}:{}: byte 0x{:02x} is not text; a settings file is UTF-8 without control characters", name,
      1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(bad), '\n'),
      static_cast<unsigned char>(text[bad]));
}

/// Parses a whole YAML stream and throws at the start of a second document. YAML::Load would ignore
/// the text after the first document, and YAML::LoadAll does not return if that is a stray ',' or
/// ']'.
class OneDocument : public YAML::EventHandler {
 public:
  explicit OneDocument(const std::string& name) : name_(name) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ == 1) return;
    throw SettingsError("{}:{}: a settings file is one YAML document; it ended before this line",
                        name_, mark.line + 1);
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                const std::string&) override {
    lastScalarLine_ = mark.line + 1;
  }
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

  /// Parses all of `text`.
  void parse(const std::string& text) {
    std::istringstream stream{text};
    YAML::Parser parser{stream};
    while (parser.HandleNextDocument(*this)) continue;
  }

  /// Returns the line, from 1, at which the last scalar begins; 0 if there is none.
  int lastScalarLine() const { return lastScalarLine_; }

 private:
  const std::string& name_;
  int documents_ = 0;
  int lastScalarLine_ = 0;
};

/// Returns the line of a quote that is not closed. After a line break yaml-cpp ends a quoted text
/// at the end of the input, so that it is the last scalar.
int lineOfOpenQuote(const std::string& text, const std::string& name) {
  OneDocument listener{name};
  try {
    listener.parse(text + '\n');
  } catch (const YAML::Exception&) {  // for instance, an open list around it
  }
  return listener.lastScalarLine();
}

/// @throws SettingsError or YAML::Exception if `text` is not one complete YAML document
void requireOneDocument(const std::string& text, const std::string& name) {
  try {
    // yaml-cpp detects an open quote only if text follows the last line break. The appended text is
    // a comment, unless it is in quotes.
    OneDocument{name}.parse(text + " #");
  } catch (const YAML::Exception& error) {
    if (error.msg != YAML::ErrorMsg::EOF_IN_SCALAR) throw;
    throw SettingsError("{}:{}: the quote that opens in this line is never closed", name,
                        lineOfOpenQuote(text, name));
  }
}

/// Parses `text` as one YAML document.
YAML::Node loadYaml(const std::string& text, const std::string& name) {
  checkText(text, name);
  YAML::Node document;
  try {
    requireOneDocument(text, name);
    document.reset(YAML::Load(text));
  } catch (const YAML::DeepRecursion& error) {
    throw SettingsError("{}:{}: nested too deeply", name, error.mark.line + 1);
  } catch (const YAML::Exception& error) {
    throw SettingsError("{}:{}:{}: not YAML: {}", name, error.mark.line + 1, error.mark.column + 1,
                        error.msg);
  }
  if (document.IsNull()) return YAML::Node(YAML::NodeType::Map);  // nothing but comments
  return document;
}

std::string readFile(const std::filesystem::path& file) {
  const auto refuse = [&](const std::string& reason) {
    throw SettingsError("cannot read the settings file '{}': {}", file.string(), reason);
  };
  struct Close {
    void operator()(std::FILE* stream) const { std::fclose(stream); }
  };
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) refuse("it is a folder");
  const std::unique_ptr<std::FILE, Close> stream{std::fopen(file.c_str(), "rb")};
  if (!stream) refuse(std::generic_category().message(errno));
  std::string text(largestFile + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), stream.get()));
  if (std::ferror(stream.get())) refuse(std::generic_category().message(errno));
  return text;
}

}  // namespace

/// Stores the keys of one YAML document in the settings.
class Settings::Reader {
 public:
  explicit Reader(Settings& settings) : settings_(settings) {}

  void read(const YAML::Node& document) {
    if (!document.IsMap())
      throw SettingsError("{}: expected 'key: value' lines, got {}", at(document),
                          describe(document));
    readKeys(document, "");
  }

 private:
  std::string at(const YAML::Node& node) const {
    return fmt::format("{}:{}", settings_.name_, node.Mark().line + 1);
  }

  void readKeys(const YAML::Node& map, const std::string& prefix) {
    for (const auto& pair : map) {
      if (!pair.first.IsScalar())
        throw SettingsError("{}: a key must be a word, got {}", at(pair.first),
                            describe(pair.first));
      const auto name = prefix + pair.first.Scalar();
      const auto [first, isNew] = lines_.emplace(name, pair.first.Mark().line + 1);
      if (!isNew)
        throw SettingsError("{}: '{}' is given a second time; the first is in line {}",
                            at(pair.first), excerpt(name), first->second);
      if (settings_.schema_.hasTree(name))
        readTree(pair.first, pair.second, name);
      else if (settings_.schema_.hasSection(name))
        readSection(pair.first, pair.second, name);
      else
        readKey(pair.first, pair.second, name);
    }
  }

  void readSection(const YAML::Node& key, const YAML::Node& value, const std::string& name) {
    if (value.IsNull()) return;  // all its keys are commented out
    if (!value.IsMap())
      throw SettingsError("{}: '{}' is a section: expected its keys ({}) indented below it, got {}",
                          at(key), name, leavesOf(name, settings_.schema_), describe(value));
    readKeys(value, name + ".");
  }

  void readTree(const YAML::Node& key, const YAML::Node& value, const std::string& name) {
    if (value.IsNull()) return;  // all its keys are commented out
    if (!value.IsMap())
      throw SettingsError("{}: '{}' is a section: expected its keys indented below it, got {}",
                          at(key), name, describe(value));
    settings_.trees_[name] =
        TreeReader{settings_.name_}.read(value, key.Mark().line + 1, name, name);
  }

  void readKey(const YAML::Node& keyNode, const YAML::Node& value, const std::string& name) {
    const auto* key = settings_.schema_.find(name);
    if (key == nullptr)
      throw SettingsError("{}: {}", at(keyNode), unknownKey(name, settings_.schema_));
    const auto where = fmt::format("{}: '{}'", at(keyNode), name);
    settings_.store(*key, {Converter{*key, where}.convert(value), Source::file, where});
  }

  Settings& settings_;
  std::map<std::string, int> lines_;  // line of each key and section
};

Settings::Settings(Schema schema) : schema_(std::move(schema)) {
  for (const auto& key : schema_.keys()) enter(key);
  for (const auto& tree : schema_.trees())
    trees_[tree.name] =
        ConfigNode{ConfigNode::Kind::map, fmt::format("'{}'", tree.name), tree.name};
}

/// Gives a key its default.
void Settings::enter(const detail::KeyInfo& key) {
  if (!key.allows(key.defaultValue))
    throw UsageError("the default of the settings key '{}', {}, is out of range: {}", key.name,
                     toYaml(key.defaultValue), rangeMessage(key, key.defaultValue));
  entries_[key.name] = {key.defaultValue};
}

void Settings::add(const detail::KeyInfo& key) {
  addTo(schema_, key);
}

void Settings::addTo(Schema schema, const detail::KeyInfo& key) {
  schema.add(key);
  enter(key);
  added_.insert(key.name);
  schema_ = std::move(schema);
}

void Settings::renew(const detail::KeyInfo& key) {
  if (schema_.find(key.name) != nullptr && !added_.contains(key.name)) return;
  Schema schema = schema_;
  schema.remove(key.name);
  addTo(std::move(schema), key);
  given_.erase(key.name);
}

Settings Settings::load(const std::filesystem::path& file, Schema schema) {
  Settings settings = parse(readFile(file), file.string(), std::move(schema));
  settings.file_ = file;
  return settings;
}

Settings Settings::parse(std::string_view yaml, std::string name, Schema schema) {
  Settings settings{std::move(schema)};
  settings.name_ = std::move(name);
  for (auto& [key, tree] : settings.trees_)
    tree = ConfigNode{ConfigNode::Kind::map, fmt::format("{}: '{}'", settings.name_, key), key};
  Reader{settings}.read(loadYaml(std::string{yaml}, settings.name_));
  return settings;
}

/// Returns the key and the value of "key=value".
/// @param where beginning of messages
std::pair<const detail::KeyInfo&, SettingValue> Settings::parsed(std::string_view assignment,
                                                                 const std::string& where) const {
  const auto equals = assignment.find('=');
  if (equals == std::string_view::npos)
    throw SettingsError("{}: expected key=value, such as {}seed=7", where,
                        where.starts_with("--set") ? "--set " : "");
  const std::string name{trimmed(assignment.substr(0, equals))};
  const std::string text{trimmed(assignment.substr(equals + 1))};
  if (schema_.hasSection(name))
    throw SettingsError("{}: '{}' is a section; its keys are {}", where, name,
                        leavesOf(name, schema_));
  if (const auto section = name.substr(0, name.find('.')); schema_.hasTree(section))
    throw SettingsError("{}: the section '{}' can be given in a settings file only", where,
                        section);
  const auto* key = schema_.find(name);
  if (key == nullptr) throw SettingsError("{}: {}", where, unknownKey(name, schema_));

  const bool isText = std::holds_alternative<std::string>(key->defaultValue);
  YAML::Node node;
  if (!isText && text.starts_with('[') && text.ends_with(']'))
    node = loadYaml(text, where);
  else if (isText || !text.empty())
    node = YAML::Node{text};
  return {*key, Converter{*key, where}.convert(node)};
}

void Settings::set(std::string_view assignment) {
  const auto where = "--set " + excerpt(assignment);
  auto [key, value] = parsed(assignment, where);
  store(key, {std::move(value), Source::commandLine, where});
}

const ConfigNode& Settings::tree(std::string_view name) const {
  const auto found = trees_.find(name);
  if (found == trees_.end())
    throw UsageError(
        "the program asks for the settings section '{}', which its schema does not declare", name);
  return found->second;
}

bool Settings::given(std::string_view key) const {
  return entry(key).source != Source::schema;
}

namespace {

constexpr std::string_view defaultOrigin = "default";
constexpr std::string_view commandLineOrigin = "--set";

/// Returns "life.yaml:7" for "life.yaml:7: 'rows'".
std::string fileAndLine(const std::string& where, std::string_view name) {
  return where.substr(0, where.size() - std::min(where.size(), name.size() + 4));
}

/// Returns the value with the type of the key, where JSON does not distinguish it: a number without
/// fraction, and an empty list.
SettingValue withTypeOf(const detail::KeyInfo& key, SettingValue value) {
  const auto* const integer = std::get_if<std::int64_t>(&value);
  if (integer != nullptr && std::holds_alternative<double>(key.defaultValue))
    return static_cast<double>(*integer);
  const auto* const list = std::get_if<std::vector<double>>(&value);
  if (list != nullptr && list->empty() &&
      std::holds_alternative<std::vector<std::string>>(key.defaultValue))
    return std::vector<std::string>{};
  return value;
}

}  // namespace

std::pair<std::string, SettingValue> Settings::liveValue(std::string_view assignment) const {
  const auto where = excerpt(assignment);
  auto [key, value] = parsed(assignment, where);
  requireLive(key, where);
  return {key.name, std::move(value)};
}

std::optional<SettingValue> Settings::change(const std::string& name, const SettingValue& value) {
  const auto where = fmt::format("{}={}", excerpt(name), excerpt(toYaml(value)));
  const auto* const key = schema_.find(name);
  if (key == nullptr) throw SettingsError("{}: {}", where, unknownKey(name, schema_));
  requireLive(*key, where);
  const SettingValue typed = withTypeOf(*key, value);
  if (typed.index() != key->defaultValue.index())
    throw SettingsError("{}: {}", where, expectation(*key));
  const Entry before = entry(name);
  if (before.value == typed) return std::nullopt;
  store(*key, {typed, Source::change, where});
  given_.emplace(name, before);
  return typed;
}

void Settings::undoChanges() {
  for (const auto& [name, given] : given_) entries_[name] = given;
  given_.clear();
}

/// @param where beginning of the message
/// @throws SettingsError if the key may not change during a run
void Settings::requireLive(const detail::KeyInfo& key, const std::string& where) const {
  if (key.isLive) return;
  const auto live = schema_.liveKeys();
  throw SettingsError("{}: '{}' cannot change during a run; {}", where, key.name,
                      live.empty() ? std::string("no key of this program can")
                                   : fmt::format("keys that can are {}", fmt::join(live, ", ")));
}

std::string Settings::origin(std::string_view name) const {
  if (schema_.hasTree(name)) {
    const ConfigNode& section = tree(name);
    return section.entries().empty() ? std::string(defaultOrigin)
                                     : fileAndLine(section.where(), name);
  }
  const Entry& found = givenEntry(name);
  if (found.source == Source::schema) return std::string(defaultOrigin);
  return found.source == Source::commandLine ? std::string(commandLineOrigin)
                                             : fileAndLine(found.where, name);
}

std::vector<detail::RecordedSetting> Settings::recorded() const {
  std::vector<detail::RecordedSetting> values;
  for (const auto& key : schema_.keys())
    values.push_back({key.name, givenEntry(key.name).value, origin(key.name)});
  for (const auto& section : schema_.trees())
    values.push_back({section.name, tree(section.name), origin(section.name)});
  return values;
}

Settings Settings::restored(const std::filesystem::path& file, Schema schema,
                            const std::vector<detail::RecordedSetting>& values) {
  Settings settings{std::move(schema)};
  settings.file_ = file;
  if (!file.empty()) settings.name_ = file.string();
  for (const auto& recorded : values) settings.restore(recorded);
  return settings;
}

void Settings::restore(const detail::RecordedSetting& recorded) {
  const auto& [name, value, origin] = recorded;
  if (const auto* const section = std::get_if<ConfigNode>(&value)) {
    if (!schema_.hasTree(name)) throw SettingsError("{}: unknown section '{}'", origin, name);
    trees_[name] = *section;
    return;
  }
  const auto* const key = schema_.find(name);
  if (key == nullptr) throw SettingsError("{}: {}", origin, unknownKey(name, schema_));
  const SettingValue restored = withTypeOf(*key, std::get<SettingValue>(value));
  const Source source = origin == defaultOrigin       ? Source::schema
                        : origin == commandLineOrigin ? Source::commandLine
                                                      : Source::file;
  const std::string where = source == Source::file ? fmt::format("{}: '{}'", origin, name)
                                                   : fmt::format("--set {}", name);
  if (restored.index() != key->defaultValue.index())
    throw SettingsError("{}: {}, got {}", where, expectation(*key), excerpt(toYaml(restored)));
  store(*key, {restored, source, where});
}

std::vector<std::string> Settings::differences(const Settings& other) const {
  std::vector<std::string> keys;
  for (const auto& key : schema_.keys()) {
    const auto theirs = other.entries_.find(key.name);
    if (theirs != other.entries_.end() && theirs->second.value != entry(key.name).value)
      keys.push_back(key.name);
  }
  for (const auto& tree : schema_.trees()) {
    const auto theirs = other.trees_.find(tree.name);
    if (theirs != other.trees_.end() && !(theirs->second == this->tree(tree.name)))
      keys.push_back(tree.name);
  }
  return keys;
}

std::filesystem::path Settings::path(std::string_view key) const {
  const auto text = get<std::string>(key);
  if (text.empty() || entry(key).source != Source::commandLine) return resolve(text);
  return resolved_.emplace_back(text);
}

std::filesystem::path Settings::resolve(std::string_view path) const {
  if (path.empty()) return {};
  return resolved_.emplace_back(std::filesystem::path{name_}.parent_path() / path);
}

void Settings::reject(std::string_view key, std::string_view message) const {
  refuse(key, entry(key), message);
}

std::string Settings::print() const {
  return printed(true);
}

std::string Settings::printFile() const {
  return printed(false);
}

/// Returns YAML with every key. @param hasDefaults false: keys that nobody has set are comments
std::string Settings::printed(bool hasDefaults) const {
  std::string yaml;
  std::string_view section;
  for (const auto& key : schema_.keys()) {
    if (key.section() != section) yaml += fmt::format("{}:\n", key.section());
    section = key.section();
    const auto line = fmt::format("{}{}{}: {}", section.empty() ? "" : "  ",
                                  hasDefaults || given(key.name) ? "" : "# ", key.leaf(),
                                  toYaml(entry(key.name).value));
    yaml += fmt::format("{:<34}  # {}\n", line, key.meaning());
  }
  for (const auto& info : schema_.trees()) {
    const bool isEmpty = tree(info.name).entries().empty();
    yaml += fmt::format("{:<34}  # {}\n", info.name + ":", info.about);
    if (!isEmpty) yaml += tree(info.name).toYaml(2);
  }
  return yaml;
}

const Settings::Entry& Settings::entry(std::string_view key) const {
  const auto found = entries_.find(key);
  if (found == entries_.end())
    throw UsageError(
        "the program asks for the settings key '{}', which its schema does not declare{}", key,
        schema_.nearest(key).empty() ? "" : "; the nearest is " + schema_.nearest(key));
  return found->second;
}

/// Returns the entry of a key before change().
const Settings::Entry& Settings::givenEntry(std::string_view key) const {
  const auto found = given_.find(key);
  return found == given_.end() ? entry(key) : found->second;
}

const SettingValue& Settings::valueOf(std::string_view key, std::size_t type) const {
  const auto& value = entry(key).value;
  if (value.index() != type)
    throw UsageError(
        "the program asks for the settings key '{}' with another type than its schema's: {}", key,
        schema_.find(key)->type());
  return value;
}

/// Returns a number of a key as a float.
/// @throws SettingsError if it is beyond the largest float, or 0 as a float and must be above 0
float Settings::toFloat(std::string_view key, double number) const {
  const auto value = static_cast<float>(number);
  if (!std::isfinite(value)) reject(key, detail::rangeError<float>());
  const detail::KeyInfo& info = *schema_.find(key);
  if (value == 0 && number != 0 && info.aboveMinimum && info.minimum == 0)
    reject(key, "is 0 as a float (the least is 1.4e-45), and must be above 0");
  return value;
}

void Settings::store(const detail::KeyInfo& key, Entry entry) {
  if (!key.allows(entry.value)) refuse(key.name, entry, rangeMessage(key, entry.value));
  entries_[key.name] = std::move(entry);
}

void Settings::refuse(std::string_view key, const Entry& entry, std::string_view message) const {
  const auto text = excerpt(toYaml(entry.value));
  if (entry.source == Source::commandLine || entry.source == Source::change)
    throw SettingsError("{}: {}", entry.where, message);
  if (entry.source == Source::file) throw SettingsError("{} = {}: {}", entry.where, text, message);
  throw SettingsError("{}: '{}' = {} (the default): {}", name_, key, text, message);
}

}  // namespace mass
