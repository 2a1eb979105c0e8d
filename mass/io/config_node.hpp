#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mass {

/// A piece of a settings section that the program reads itself: a text (or number), a list, or a
/// map. Every piece knows where it stands, and every function that throws a SettingsError names
/// that place: file, line and key.
class ConfigNode {
 public:
  enum class Kind { text, list, map };

  /// An empty map.
  ConfigNode() = default;
  /// `where` starts messages, as "min.yaml:12: 'model.lattice'"; `key` is its name in the map
  /// above.
  ConfigNode(Kind kind, std::string where, std::string key = {}, std::string text = {});
  /// Adds an item to a list or a map.
  void add(ConfigNode child);

  Kind kind() const { return kind_; }
  bool isText() const { return kind_ == Kind::text; }
  bool isList() const { return kind_ == Kind::list; }
  bool isMap() const { return kind_ == Kind::map; }
  const std::string& where() const { return where_; }
  /// Its name in the map above; empty in a list.
  const std::string& key() const { return key_; }

  /// What is written there. Throw SettingsError when it is something else.
  const std::string& text() const;
  double number() const;
  std::int64_t integer() const;
  /// true, yes, on; false, no, off
  bool truth() const;

  /// The items of a list. Throws SettingsError when it is none.
  const std::vector<ConfigNode>& items() const;
  /// The items of a list, or the piece itself where it is a single text: `in: cytoplasm` for
  /// `in: [cytoplasm]`. Throws SettingsError for a map.
  std::vector<ConfigNode> itemOrItems() const;
  /// What a map holds, in the order in which it is written. Throws SettingsError when it is none.
  const std::vector<ConfigNode>& entries() const;
  /// The entry of a map, or nullptr. Throws SettingsError when it is none.
  const ConfigNode* find(std::string_view key) const;
  /// The entry of a map. Throws SettingsError when it has no such key, or is no map.
  const ConfigNode& at(std::string_view key) const;

  /// Throws SettingsError, with the key that was most likely meant, unless all keys of the map are
  /// among `known`.
  void refuseOthers(const std::vector<std::string>& known) const;
  /// Throws SettingsError "min.yaml:12: 'model.lattice.spacing' = 16: <message>", for what a
  /// program checks itself.
  [[noreturn]] void reject(std::string_view message) const;

  /// As YAML that reads back to an equal tree; every line of it begins with `indent` blanks.
  std::string toYaml(std::size_t indent = 0) const;
  /// Equal in what it holds, wherever it stands.
  bool operator==(const ConfigNode& other) const;

 private:
  [[noreturn]] void expected(std::string_view what) const;
  std::string shown() const;

  Kind kind_ = Kind::map;
  std::string where_;
  std::string key_;
  std::string text_;
  std::vector<ConfigNode> children_;
};

}  // namespace mass
