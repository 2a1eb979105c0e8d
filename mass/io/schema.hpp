#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mass {

/// What a settings key can hold. The type of a key's default is the type of the key.
using SettingValue = std::variant<bool, std::int64_t, double, std::string, std::vector<double>>;

/// The value as YAML: text quoted only where YAML needs it, numbers so that they read back to the
/// same bits.
std::string toYaml(const SettingValue& value);

namespace detail {
/// One settings key: its type and default, what it means, and which values it takes.
struct KeyInfo {
  std::string name;  ///< "rows", or "output.folder" for the key `folder` of the section `output`
  SettingValue defaultValue;
  std::string unit;                            ///< empty when it has none
  std::string about;                           ///< one line
  std::optional<double> minimum{}, maximum{};  ///< of a number, or of each number of a list
  bool aboveMinimum = false;                   ///< the minimum itself is not allowed
  std::vector<std::string> choices{};          ///< of a text; empty = any text
  bool autoIsZero = false;                     ///< of an integer: `auto` may be said for 0

  KeyInfo& atLeast(double least);
  KeyInfo& above(double bound);
  KeyInfo& between(double least, double most);
  KeyInfo& oneOf(std::vector<std::string> names);
  KeyInfo& orAuto();

  /// "output" of "output.folder", "" of "rows".
  std::string_view section() const;
  /// "folder" of "output.folder", "rows" of "rows".
  std::string_view leaf() const;
  /// "integer", "number", "true or false", "text" or "list of numbers".
  std::string_view type() const;
  /// "at least 1", "1 to 64", "above 0", "cpu or auto"; empty when every value of the type is
  /// allowed.
  std::string range() const;
  /// What it is about, with the unit and range: "how far a rule may read [rows, 1 to 64]".
  std::string meaning() const;
  /// Whether `value` has this key's type and lies in its range.
  bool allows(const SettingValue& value) const;
};
}  // namespace detail

namespace detail {
/// A section that the program reads itself, piece by piece: see ConfigNode.
struct TreeInfo {
  std::string name;
  std::string about;  ///< one line
};
}  // namespace detail

/// The keys a program understands: the library's own, and those the program adds.
///
///     auto schema = mass::Schema::library();
///     schema.setDefault("steps", 1000);
///     schema.add("rows", 512, "places", "height of the world").atLeast(1);
///     schema.add("border", "periodic", "", "what lies beyond the edge").oneOf({"periodic",
///     "dead"});
class Schema {
 public:
  /// The keys that every program built on the library has.
  static Schema library();

  /// Adds a key, next to the others of its section. The reference returned is for stating the range
  /// at once; the next `add` ends its life. Throws UsageError when the name is malformed (letters,
  /// digits,
  /// `_`, at most one dot), taken, or a section's.
  detail::KeyInfo& add(detail::KeyInfo key);
  detail::KeyInfo& add(std::string name, SettingValue defaultValue, std::string unit,
                       std::string about);

  /// Adds a section that the program reads itself, from a settings file. Throws UsageError when the
  /// name is no word, or taken.
  Schema& addTree(std::string name, std::string about);

  /// Gives a declared key another default, of the same type. Throws UsageError otherwise.
  Schema& setDefault(std::string_view name, SettingValue value);

  /// The key of that name, or nullptr.
  const detail::KeyInfo* find(std::string_view name) const;
  bool hasSection(std::string_view name) const;
  bool hasTree(std::string_view name) const;
  /// The key or section that a misspelled `name` most likely means; empty when none is near.
  std::string nearest(std::string_view name) const;
  /// Every key; those of a section follow each other.
  const std::vector<detail::KeyInfo>& keys() const { return keys_; }
  /// The sections that the program reads itself.
  const std::vector<detail::TreeInfo>& trees() const { return trees_; }

  /// | key | type | unit | default | range | meaning |, one line a key.
  std::string markdownTable() const;

 private:
  std::vector<detail::KeyInfo> keys_;
  std::vector<detail::TreeInfo> trees_;
};

/// The candidate that a misspelled `name` most likely means, capitals aside; empty when none is
/// near.
std::string nearestName(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace mass
