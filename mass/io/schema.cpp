#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <mass/io/schema.hpp>
#include <mass/support/error.hpp>
#include <numeric>

namespace mass {
namespace {

constexpr std::array<std::string_view, std::variant_size_v<SettingValue>> typeNames = {
    "true or false", "integer", "number", "text", "list of numbers", "list of texts"};

constexpr std::string_view liveNote = "may change during a run";

std::string_view sectionOf(std::string_view name) {
  const auto dot = name.find('.');
  return dot == std::string_view::npos ? std::string_view{} : name.substr(0, dot);
}

bool isWord(std::string_view text) {
  const auto isLetter = [](unsigned char c) { return std::isalpha(c) || c == '_'; };
  return !text.empty() && isLetter(static_cast<unsigned char>(text.front())) &&
         std::all_of(text.begin(), text.end(),
                     [&](unsigned char c) { return isLetter(c) || std::isdigit(c); });
}

std::string toLower(std::string_view text) {
  std::string lower{text};
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

/// Returns the Levenshtein distance: the number of letters to insert, delete or replace.
std::size_t editDistance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t replaced = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

/// Returns the edit distance to `candidate`; a missing section counts as one letter, so that
/// `folder` is near `output.folder`.
std::size_t nameDistance(const std::string& name, const std::string& candidate) {
  const auto whole = editDistance(name, candidate);
  const auto dot = candidate.find('.');
  return dot == std::string::npos
             ? whole
             : std::min(whole, editDistance(name, candidate.substr(dot + 1)) + 1);
}

std::string toYamlText(const std::string& text) {
  YAML::Emitter emitter;
  emitter << text;
  return emitter.c_str();
}

std::string toYamlList(const std::vector<std::string>& texts) {
  YAML::Emitter emitter;
  emitter << YAML::Flow << texts;
  return emitter.c_str();
}

std::string inTable(std::string_view text) {
  std::string escaped;
  for (const char c : text) escaped += c == '|' ? std::string{"\\|"} : std::string{c};
  return escaped;
}

}  // namespace

double detail::decimalOf(float number) {
  double decimal = number;
  const std::string text = fmt::format("{}", number);
  (void)std::from_chars(text.data(), text.data() + text.size(), decimal);
  return decimal;
}

std::string toYaml(const SettingValue& value) {
  struct Writer {
    std::string operator()(bool x) const { return x ? "true" : "false"; }
    std::string operator()(std::int64_t x) const { return fmt::format("{}", x); }
    std::string operator()(double x) const { return fmt::format("{}", x); }
    std::string operator()(const std::string& x) const { return toYamlText(x); }
    std::string operator()(const std::vector<double>& x) const {
      return fmt::format("[{}]", fmt::join(x, ", "));
    }
    std::string operator()(const std::vector<std::string>& x) const { return toYamlList(x); }
  };
  return std::visit(Writer{}, value);
}

detail::KeyInfo& detail::KeyInfo::atLeast(double least) {
  minimum = least;
  return *this;
}

detail::KeyInfo& detail::KeyInfo::above(double bound) {
  aboveMinimum = true;
  return atLeast(bound);
}

detail::KeyInfo& detail::KeyInfo::between(double least, double most) {
  maximum = most;
  return atLeast(least);
}

detail::KeyInfo& detail::KeyInfo::oneOf(std::vector<std::string> names) {
  choices = std::move(names);
  return *this;
}

detail::KeyInfo& detail::KeyInfo::orAuto() {
  autoIsZero = true;
  return *this;
}

detail::KeyInfo& detail::KeyInfo::withoutEffectOnResults() {
  affectsResults = false;
  return *this;
}

detail::KeyInfo& detail::KeyInfo::orList() {
  acceptsList = true;
  return *this;
}

detail::KeyInfo& detail::KeyInfo::withWholeName() {
  hasWholeName = true;
  return *this;
}

detail::KeyInfo& detail::KeyInfo::live() {
  isLive = true;
  return *this;
}

std::string_view detail::KeyInfo::section() const {
  return hasWholeName ? std::string_view{} : sectionOf(name);
}

std::string_view detail::KeyInfo::leaf() const {
  return std::string_view{name}.substr(section().empty() ? 0 : section().size() + 1);
}

std::string_view detail::KeyInfo::type() const {
  return typeNames[defaultValue.index()];
}

std::string detail::KeyInfo::range() const {
  if (choices.size() > 1)
    return fmt::format("{} or {}", fmt::join(choices.begin(), choices.end() - 1, ", "),
                       choices.back());
  if (!choices.empty()) return choices.front();
  if (minimum && maximum && !aboveMinimum) {
    return fmt::format("{} to {}{}", *minimum, *maximum, autoIsZero ? " or auto" : "");
  }
  std::string text;
  if (minimum) text = fmt::format("{} {}", aboveMinimum ? "above" : "at least", *minimum);
  if (maximum) text += fmt::format("{}at most {}", text.empty() ? "" : ", ", *maximum);
  return text;
}

std::string detail::KeyInfo::meaning() const {
  std::vector<std::string> notes{unit, range(), std::string(isLive ? liveNote : "")};
  std::erase(notes, "");
  return notes.empty() ? about : fmt::format("{} [{}]", about, fmt::join(notes, ", "));
}

bool detail::KeyInfo::allows(const SettingValue& value) const {
  const auto inRange = [this](double x) {
    return std::isfinite(x) && !(minimum && (aboveMinimum ? x <= *minimum : x < *minimum)) &&
           !(maximum && x > *maximum);
  };
  if (value.index() != defaultValue.index()) return false;
  if (const auto* integer = std::get_if<std::int64_t>(&value))
    return inRange(static_cast<double>(*integer));
  if (const auto* number = std::get_if<double>(&value)) return inRange(*number);
  if (const auto* list = std::get_if<std::vector<double>>(&value))
    return std::all_of(list->begin(), list->end(), inRange);
  if (const auto* text = std::get_if<std::string>(&value))
    return choices.empty() || std::find(choices.begin(), choices.end(), *text) != choices.end();
  return true;
}

void Schema::remove(std::string_view name) {
  std::erase_if(keys_, [&](const detail::KeyInfo& key) { return key.name == name; });
}

detail::KeyInfo& Schema::add(detail::KeyInfo key) {
  const auto section = key.section(), first = sectionOf(key.name);
  const auto leaf = std::string_view{key.name}.substr(first.empty() ? 0 : first.size() + 1);
  if (!isWord(leaf) || (key.name.size() > leaf.size() && !isWord(first)))
    throw UsageError("a settings key is a word, or section.word; '{}' is not", key.name);
  if (find(key.name) != nullptr)
    throw UsageError(
        "the settings key '{}' is declared twice; to change its default use setDefault", key.name);
  if (hasSection(key.name) || find(section) != nullptr || hasTree(key.name) || hasTree(section))
    throw UsageError("the settings key '{}' makes one name both a key and a section", key.name);
  if (std::find(sectionsWithoutEffect_.begin(), sectionsWithoutEffect_.end(), section) !=
      sectionsWithoutEffect_.end()) {
    key.withoutEffectOnResults();
  }
  const auto last = std::find_if(keys_.rbegin(), keys_.rend(), [&](const detail::KeyInfo& other) {
    return other.section() == section;
  });
  return *keys_.insert(last == keys_.rend() ? keys_.end() : last.base(), std::move(key));
}

detail::KeyInfo& Schema::add(std::string name, SettingValue defaultValue, std::string unit,
                             std::string about) {
  return add(
      detail::KeyInfo{std::move(name), std::move(defaultValue), std::move(unit), std::move(about)});
}

Schema& Schema::addTree(std::string name, std::string about) {
  if (!isWord(name)) throw UsageError("a settings section is a word; '{}' is not", name);
  if (find(name) != nullptr || hasSection(name) || hasTree(name))
    throw UsageError("the settings section '{}' has a name that is taken", name);
  trees_.push_back({std::move(name), std::move(about)});
  return *this;
}

Schema& Schema::withoutEffectOnResults(std::string section) {
  for (detail::KeyInfo& key : keys_) {
    if (key.section() == section) key.withoutEffectOnResults();
  }
  sectionsWithoutEffect_.push_back(std::move(section));
  return *this;
}

Schema& Schema::setDefault(std::string_view name, SettingValue value) {
  const auto key = std::find_if(keys_.begin(), keys_.end(),
                                [&](const detail::KeyInfo& other) { return other.name == name; });
  if (key == keys_.end()) throw UsageError("setDefault: there is no settings key '{}'", name);
  if (value.index() != key->defaultValue.index())
    throw UsageError("setDefault: '{}' is a key of type {}, not {}", name, key->type(),
                     typeNames[value.index()]);
  key->defaultValue = std::move(value);
  return *this;
}

Schema& Schema::between(std::string_view name, double least, double most) {
  const auto key = std::ranges::find(keys_, name, &detail::KeyInfo::name);
  if (key == keys_.end()) throw UsageError("between: there is no settings key '{}'", name);
  key->between(least, most);
  return *this;
}

const detail::KeyInfo* Schema::find(std::string_view name) const {
  const auto key = std::find_if(keys_.begin(), keys_.end(),
                                [&](const detail::KeyInfo& other) { return other.name == name; });
  return key == keys_.end() ? nullptr : &*key;
}

bool Schema::hasSection(std::string_view name) const {
  return !name.empty() && std::any_of(keys_.begin(), keys_.end(), [&](const detail::KeyInfo& key) {
    return key.section() == name;
  });
}

bool Schema::hasTree(std::string_view name) const {
  return std::any_of(trees_.begin(), trees_.end(),
                     [&](const detail::TreeInfo& tree) { return tree.name == name; });
}

std::string Schema::nearest(std::string_view name) const {
  const bool dotted = name.find('.') != std::string_view::npos;
  std::vector<std::string> names;
  for (const auto& key : keys_) {
    names.push_back(key.name);
    if (!dotted && !key.section().empty()) names.emplace_back(key.section());
  }
  for (const auto& tree : trees_) names.push_back(tree.name);
  return nearestName(name, names);
}

std::vector<std::string> Schema::liveKeys() const {
  std::vector<std::string> names;
  for (const auto& key : keys_)
    if (key.isLive) names.push_back(key.name);
  return names;
}

std::string Schema::markdownTable() const {
  std::string table =
      "| key | type | unit | default | range | meaning |\n|---|---|---|---|---|---|\n";
  for (const auto& key : keys_)
    table += fmt::format("| `{}` | {} | {} | `{}` | {} | {} |\n", key.name, key.type(),
                         inTable(key.unit), inTable(toYaml(key.defaultValue)), inTable(key.range()),
                         inTable(key.about) + (key.isLive ? fmt::format("; {}", liveNote) : ""));
  for (const auto& tree : trees_)
    table += fmt::format("| `{}` | section |  |  |  | {} |\n", tree.name, inTable(tree.about));
  return table;
}

std::string nearestName(std::string_view name, const std::vector<std::string>& candidates) {
  constexpr std::size_t longest = 64;  // longer names are no typing errors; bounds the search time
  if (name.size() > longest) return {};
  std::string best;
  const auto leaf = name.size() - (name.rfind('.') + 1);  // a common section is no similarity
  std::size_t least = std::max<std::size_t>(2, leaf / 3) + 1;
  for (const auto& candidate : candidates) {
    const auto distance = nameDistance(toLower(name), toLower(candidate));
    if (distance >= least || distance >= candidate.size()) continue;
    least = distance;
    best = candidate;
  }
  return best;
}

}  // namespace mass
