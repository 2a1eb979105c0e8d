#pragma once

#include <mass/io/keys.hpp>
#include <mass/support/export.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mass {

/// Returns the value as YAML. Text is quoted only if YAML needs it; numbers read back to the same
/// bits.
MASS_EXPORT std::string toYaml(const SettingValue& value);

namespace detail {

/// Declaration of one settings key.
struct MASS_EXPORT KeyInfo {
  std::string name;  ///< "rows", or "output.folder" for the key `folder` of the section `output`
  SettingValue defaultValue;  ///< also determines the type
  std::string unit;           ///< empty if the key has none
  std::string about;          ///< meaning, in one line
  /// Bounds of a number, or of each number of a list.
  std::optional<double> minimum{}, maximum{};
  bool aboveMinimum = false;           ///< the minimum itself is not allowed
  std::vector<std::string> choices{};  ///< allowed texts; empty if any text is allowed
  bool autoIsZero = false;             ///< an integer key that accepts `auto` for 0
  bool affectsResults = true;          ///< the state after a given step depends on the value
  bool isLive = false;                 ///< may change during a run
  bool acceptsList = false;            ///< a text key whose value may be written as a list
  bool hasWholeName = false;           ///< the dot in the name is not that of a section

  /// Sets the minimum of a number, or of each number of a list. Each setter returns this key.
  KeyInfo& atLeast(double least);
  /// Sets an exclusive lower bound.
  KeyInfo& above(double bound);
  /// Sets the minimum and maximum.
  KeyInfo& between(double least, double most);
  /// Sets the allowed texts.
  KeyInfo& oneOf(std::vector<std::string> names);
  /// Makes `auto` another spelling of 0, for an integer key.
  KeyInfo& orAuto();
  /// Declares that the state after a given step does not depend on the key. A restart with another
  /// value is not reported.
  KeyInfo& withoutEffectOnResults();
  /// Makes a list another spelling of its text, for a text key: [2, 4] is "[2, 4]".
  KeyInfo& orList();
  /// Makes the dot a part of the name: the key belongs to no section and is written in one line, as
  /// `partition.cuts: ...`, beside the key `partition`.
  KeyInfo& withWholeName();
  /// Declares that the key may change during a run (Run::set). The model reads it in each step, or
  /// in a function that it gives to Simulation::onChange.
  KeyInfo& live();

  /// Returns "output" for "output.folder", "" for "rows".
  std::string_view section() const;
  /// Returns "folder" for "output.folder", "rows" for "rows".
  std::string_view leaf() const;
  /// Returns "integer", "number", "true or false", "text", "list of numbers" or "list of texts".
  std::string_view type() const;
  /// Returns "at least 1", "1 to 64", "above 0", "cpu or auto"; empty if every value of the type is
  /// allowed.
  std::string range() const;
  /// Returns `about` with the unit and range: "height of the world [places, at least 1]"; also that
  /// the key may change during a run.
  std::string meaning() const;
  /// True if `value` has this key's type and lies in its range.
  bool allows(const SettingValue& value) const;
};

/// Declaration of a section that the program reads itself, as a ConfigNode.
struct TreeInfo {
  std::string name;   ///< a word without dots
  std::string about;  ///< meaning, in one line
};

}  // namespace detail

/// Settings keys of a program: the keys of the library, and those that the program adds.
///
///     auto schema = mass::Schema::library();
///     schema.setDefault("steps", 1000);
///     schema.add("rows", 512, "places", "height of the world").atLeast(1);
///     schema.add("border", "periodic", "", "cells beyond the edge").oneOf({"periodic", "dead"});
class MASS_EXPORT Schema {
 public:
  /// Returns the keys of every program: those that Mass and Simulation read. Each is declared
  /// beside its reader, in mass/model and mass/program.
  static Schema library();

  /// Removes a key, if there is one of the name.
  void remove(std::string_view name);
  /// Adds a key after the last one of its section.
  /// @return the added key, for setting its range; valid until the next call of add()
  /// @throws UsageError if the name is malformed (letters, digits, `_`, at most one dot) or taken
  detail::KeyInfo& add(detail::KeyInfo key);
  /// Adds a key, as above.
  /// @param name "rows", or "output.folder" for the key `folder` of the section `output`
  /// @param defaultValue also determines the type
  /// @param unit empty if the key has none
  /// @param about meaning, in one line
  detail::KeyInfo& add(std::string name, SettingValue defaultValue, std::string unit,
                       std::string about);
  /// Adds a key for a member of a structure, with its name, type and default (mass::Keys):
  /// `schema.add<&Options::beta>("1/day", "rate of infection").atLeast(0)`. The parameters are
  /// those above.
  template <auto Member>
  detail::KeyInfo& add(std::string unit, std::string about) {
    detail::requireSetting<Member>();
    return add(detail::keyOf<Member>(), detail::settingOf(detail::StructureOfKey<Member>{}.*Member),
               std::move(unit), std::move(about));
  }
  /// Adds keys without unit and meaning for the members that a structure lists (mass::Keys).
  /// @return this schema
  template <class Options>
  Schema& add() {
    return addAll(detail::keysOf<Options>());
  }

  /// Adds a section that the program reads itself, from a settings file; see Settings::tree.
  /// @throws UsageError if the name is not a word or is taken
  Schema& addTree(std::string name, std::string about);

  /// Declares that no key of `section` affects results, including the keys added later: a program
  /// may add `output.quantity` to the library's section `output`. See KeyInfo::affectsResults.
  Schema& withoutEffectOnResults(std::string section);

  /// Replaces the default of a key by another value of the same type.
  /// @throws UsageError if there is no such key, or the type differs
  Schema& setDefault(std::string_view name, SettingValue value);

  /// Sets the minimum and maximum of a key, as KeyInfo::between does, for one that add<Options>()
  /// has added: `schema.add<Options>().between("beta", 0, 1)`.
  /// @throws UsageError if there is no such key
  Schema& between(std::string_view name, double least, double most);

  /// Returns the key of that name, or nullptr.
  const detail::KeyInfo* find(std::string_view name) const;
  /// True if a key belongs to the section `name`.
  bool hasSection(std::string_view name) const;
  /// True if addTree() added a section `name`.
  bool hasTree(std::string_view name) const;
  /// Returns the key or section whose name is most similar to a misspelled `name`; empty if none
  /// is.
  std::string nearest(std::string_view name) const;
  /// Returns all keys; those of a section are adjacent.
  const std::vector<detail::KeyInfo>& keys() const { return keys_; }
  /// Returns the sections that the program reads itself.
  const std::vector<detail::TreeInfo>& trees() const { return trees_; }

  /// Returns the names of the keys that may change during a run.
  std::vector<std::string> liveKeys() const;

  /// Returns a Markdown table | key | type | unit | default | range | meaning | with a row per key.
  std::string markdownTable() const;

 private:
  template <auto... Members>
  Schema& addAll(Keys<Members...>) {
    ((void)add<Members>({}, {}), ...);
    return *this;
  }

  std::vector<detail::KeyInfo> keys_;
  std::vector<detail::TreeInfo> trees_;
  std::vector<std::string> sectionsWithoutEffect_;
};

/// Returns the candidate most similar to a misspelled `name`, ignoring case; empty if none is.
MASS_EXPORT std::string nearestName(std::string_view name,
                                    const std::vector<std::string>& candidates);

}  // namespace mass
