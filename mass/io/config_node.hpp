#pragma once

#include <mass/support/export.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mass {

/// Node of a settings section that the program reads itself (Schema::addTree): a text (or number),
/// a list, or a map. Every SettingsError names the file, line and key of the node.
class MASS_EXPORT ConfigNode {
 public:
  /// Kind of a node.
  enum class Kind {
    text,  ///< a single value
    list,  ///< a list of nodes
    map    ///< named nodes
  };

  /// Creates an empty map.
  ConfigNode() = default;
  /// Creates a node without children.
  /// @param where beginning of messages, for instance "min.yaml:12: 'model.lattice'"
  /// @param key name in the parent map; empty in a list
  /// @param text value, for Kind::text
  ConfigNode(Kind kind, std::string where, std::string key = {}, std::string text = {});
  /// Appends a child to a list or a map.
  /// @throws UsageError if the node is a text
  void add(ConfigNode child);

  /// Returns the kind of the node.
  Kind kind() const { return kind_; }
  /// True if the node is a single value.
  bool isText() const { return kind_ == Kind::text; }
  /// True if the node is a list.
  bool isList() const { return kind_ == Kind::list; }
  /// True if the node is a map.
  bool isMap() const { return kind_ == Kind::map; }
  /// Returns the file, line and path of the node, for instance "min.yaml:12: 'model.lattice'".
  const std::string& where() const { return where_; }
  /// Returns the name in the parent map; empty in a list.
  const std::string& key() const { return key_; }

  /// Returns the text of a single value.
  /// @throws SettingsError if the node is a list or a map
  const std::string& text() const;
  /// Returns the value as a finite number, as parseValue() reads it.
  /// @throws SettingsError if it is none
  double number() const;
  /// Returns the value as an integer, which may be written as 1.0 or 2e3.
  /// @throws SettingsError if it is none, or does not fit into 64 bits
  std::int64_t integer() const;
  /// Returns the value as true or false, as parseValue() reads it.
  /// @throws SettingsError if the value is another one
  bool truth() const;

  /// Returns the items of a list.
  /// @throws SettingsError if the node is no list
  const std::vector<ConfigNode>& items() const;
  /// Returns the items of a list, or the node itself if it is a single value: `in: cytoplasm` is
  /// short for `in: [cytoplasm]`.
  /// @throws SettingsError if the node is a map
  std::vector<ConfigNode> itemOrItems() const;
  /// Returns the entries of a map, in the order of the file.
  /// @throws SettingsError if the node is no map
  const std::vector<ConfigNode>& entries() const;
  /// Returns the entry of a map, or nullptr if there is none of that name.
  /// @throws SettingsError if the node is no map
  const ConfigNode* find(std::string_view key) const;
  /// Returns the entry of a map.
  /// @throws SettingsError if there is none of that name, or the node is no map
  const ConfigNode& at(std::string_view key) const;

  /// Checks the keys of a map.
  /// @throws SettingsError with the most similar key of `known` if the map has a key that is not in
  ///   `known`
  void refuseOthers(const std::vector<std::string>& known) const;
  /// Reports a value that the program does not accept.
  /// @throws SettingsError "min.yaml:12: 'model.lattice.spacing' = 16: <message>", always
  [[noreturn]] void reject(std::string_view message) const;

  /// Returns YAML that reads back to an equal node.
  /// @param indent number of blanks at the beginning of each line
  std::string toYaml(std::size_t indent = 0) const;
  /// True if kind, key, text and children are equal; where() is not compared.
  bool operator==(const ConfigNode& other) const;

 private:
  template <class T>
  T parsed(std::string_view what) const;
  [[noreturn]] void expected(std::string_view what) const;
  std::string shown() const;

  Kind kind_ = Kind::map;
  std::string where_;
  std::string key_;
  std::string text_;
  std::vector<ConfigNode> children_;
};

/// Former name of ConfigNode.
using Tree [[deprecated("use ConfigNode")]] = ConfigNode;

}  // namespace mass
