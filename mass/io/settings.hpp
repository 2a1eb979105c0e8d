#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <mass/io/config_node.hpp>
#include <mass/io/schema.hpp>
#include <mass/support/export.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace mass {

namespace detail {
/// Value of a key, or section that the program reads itself, in the record of a run.
struct RecordedSetting {
  std::string name;
  std::variant<SettingValue, ConfigNode> value;
  std::string origin;  ///< see Settings::origin
};
}  // namespace detail

/// Values of the keys of a schema: the default, replaced by that of a YAML file, replaced by
/// `--set key=value`. An error in the user's input is a SettingsError that names the file and line
/// (or the --set), the key, and an acceptable value; an error of the program is a UsageError.
class MASS_EXPORT Settings {
 public:
  /// Creates settings with every key at its default.
  /// @throws UsageError if a default is out of the range of its key
  explicit Settings(Schema schema = Schema::library());

  /// Reads a YAML file of at most 1 MiB.
  /// @throws SettingsError if the file cannot be read, has a malformed, unknown or repeated key, or
  /// a value out of range
  static Settings load(const std::filesystem::path& file, Schema schema = Schema::library());

  /// Reads YAML text.
  /// @param name name of the file, in messages and for `resolve`
  /// @throws SettingsError if the text has a malformed, unknown or repeated key, or a value out of
  /// range
  static Settings parse(std::string_view yaml, std::string name, Schema schema = Schema::library());

  /// Sets a key. The value of a text key is used verbatim; any other value is YAML.
  /// @param assignment "key=value"
  /// @throws SettingsError if the key is unknown, or the value malformed or out of range
  void set(std::string_view assignment);

  /// Reads the new value of a key that may change during a run (KeyInfo::live).
  /// @param assignment "key=value", as for set()
  /// @return key and value, for change()
  /// @throws SettingsError if the key is unknown or may not change, or the value is malformed
  std::pair<std::string, SettingValue> liveValue(std::string_view assignment) const;
  /// Changes the value of a key that may change during a run. recorded() keeps the given one.
  /// @return the value with the type of the key; empty if the key has it already
  /// @throws SettingsError if the key is unknown or may not change, or the value is of another type
  /// or out of range
  std::optional<SettingValue> change(const std::string& key, const SettingValue& value);
  /// Undoes all calls of change().
  void undoChanges();

  /// Adds a key, with its default.
  /// @throws UsageError if the name is malformed or taken, or the default is out of the range
  void add(const detail::KeyInfo& key);
  /// Adds a key as add(), or replaces one that it has added, so that the key has its new default
  /// and no changes. Keys of the first schema stay as they are.
  void renew(const detail::KeyInfo& key);

  /// Returns the value of a key.
  /// @tparam T bool, an integer type, float, double, std::string, or std::vector of float, double
  ///   or std::string; a float is the nearest to the number
  /// @throws UsageError if the key is not declared or has another type; SettingsError if the value
  ///   does not fit into T
  template <class T>
  T get(std::string_view key) const;

  /// Returns a structure with the values of the keys of its members (mass::Keys), which the schema
  /// declares: `const auto options = settings.read<Options>()`.
  /// @throws UsageError or SettingsError as get()
  template <class Options>
  Options read() const {
    return readAll<Options>(detail::keysOf<Options>());
  }

  /// Returns a section that the program reads itself; an empty map if the file does not have it.
  /// @throws UsageError if the schema does not declare the section
  const ConfigNode& tree(std::string_view name) const;

  /// True if the file or a --set has set the key, even to its default.
  /// @throws UsageError if the key is not declared
  bool given(std::string_view key) const;

  /// Returns the origin of the value of a key, or of a section that the program reads itself:
  /// "default", "life.yaml:7" or "--set"; not of a change.
  /// @throws UsageError if neither is declared
  std::string origin(std::string_view name) const;

  /// Returns the values and origins of all keys, then of the sections that the program reads
  /// itself, in the order of the schema. Values are those before change().
  std::vector<detail::RecordedSetting> recorded() const;
  /// Returns settings with the values and origins of a record. Keys that it lacks have their
  /// defaults.
  /// @param file settings file of the recorded run, for `resolve`; empty if there was none
  /// @throws SettingsError if a name is unknown, or a value malformed or out of range
  static Settings restored(const std::filesystem::path& file, Schema schema,
                           const std::vector<detail::RecordedSetting>& values);

  /// Returns the path given to load(); empty if no file was read.
  std::filesystem::path file() const { return file_; }

  /// Returns the names of the keys, then of the sections that the program reads itself, whose
  /// values differ from `other`, in the order of the schema. Names that `other` does not have are
  /// left out.
  std::vector<std::string> differences(const Settings& other) const;

  /// Returns the value of a text key as a path; empty if the text is empty. A relative path is
  /// resolved against the folder of the settings file, or against the working directory if a --set
  /// has set it. Adds the path to resolved().
  /// @throws UsageError if the key is not declared or is no text
  std::filesystem::path path(std::string_view key) const;

  /// Resolves a path against the folder of the settings file, unless it is absolute; empty if
  /// `path` is empty. Adds the result to resolved().
  std::filesystem::path resolve(std::string_view path) const;
  /// Returns the results of all calls of path() and resolve() so far, except empty ones: the input
  /// files of the model.
  const std::vector<std::filesystem::path>& resolved() const { return resolved_; }

  /// Reports a value that the model does not accept.
  /// @throws SettingsError "life.yaml:7: 'time_step' = 0.5: <message>", always
  [[noreturn]] void reject(std::string_view key, std::string_view message) const;

  /// Returns YAML with every key, and its meaning, unit and range as a comment. It reads back to
  /// the same settings.
  std::string print() const;
  /// Returns YAML as print(), in which the keys that nobody has set are comments: a program that
  /// asks given() reads the same settings from it.
  std::string printFile() const;

  /// Returns the declarations of the keys.
  const Schema& schema() const { return schema_; }

 private:
  enum class Source { schema, file, commandLine, change };
  struct Entry {
    SettingValue value;
    Source source = Source::schema;
    std::string where{};  ///< "life.yaml:7: 'time_step'", "--set time_step=0.5" or "growth=0.1"
  };
  class Reader;

  template <class Options, auto... Members>
  Options readAll(Keys<Members...>) const {
    (detail::requireSetting<Members>(), ...);
    Options options;
    ((options.*Members = get<detail::ValueOfKey<Members>>(detail::keyOf<Members>())), ...);
    return options;
  }
  void enter(const detail::KeyInfo& key);
  void addTo(Schema schema, const detail::KeyInfo& key);
  std::string printed(bool hasDefaults) const;
  std::pair<const detail::KeyInfo&, SettingValue> parsed(std::string_view assignment,
                                                         const std::string& where) const;
  void requireLive(const detail::KeyInfo& key, const std::string& where) const;
  const Entry& entry(std::string_view key) const;
  const Entry& givenEntry(std::string_view key) const;
  const SettingValue& valueOf(std::string_view key, std::size_t type) const;
  float toFloat(std::string_view key, double number) const;
  void store(const detail::KeyInfo& key, Entry entry);
  void restore(const detail::RecordedSetting& recorded);
  [[noreturn]] void refuse(std::string_view key, const Entry& entry,
                           std::string_view message) const;

  Schema schema_;
  std::string name_ = "settings";
  std::filesystem::path file_;
  mutable std::vector<std::filesystem::path> resolved_;
  std::map<std::string, Entry, std::less<>> entries_;
  std::map<std::string, Entry, std::less<>> given_;  ///< entries of changed keys before change()
  std::set<std::string, std::less<>> added_;         ///< keys of add()
  std::map<std::string, ConfigNode, std::less<>> trees_;
};

template <class T>
T Settings::get(std::string_view key) const {
  if constexpr (std::integral<T> && !std::same_as<T, bool>) {
    const auto value = std::get<std::int64_t>(valueOf(key, SettingValue{std::int64_t{}}.index()));
    if (!std::in_range<T>(value)) {
      reject(key, "the program takes integers from " +
                      std::to_string(std::numeric_limits<T>::min()) + " to " +
                      std::to_string(std::numeric_limits<T>::max()));
    }
    return static_cast<T>(value);
  } else if constexpr (std::same_as<T, float>) {
    return toFloat(key, get<double>(key));
  } else if constexpr (std::same_as<T, std::vector<float>>) {
    std::vector<float> numbers;
    for (const double number : get<std::vector<double>>(key))
      numbers.push_back(toFloat(key, number));
    return numbers;
  } else {
    static_assert(std::same_as<T, bool> || std::same_as<T, double> ||
                      std::same_as<T, std::string> || std::same_as<T, std::vector<double>> ||
                      std::same_as<T, std::vector<std::string>>,
                  "settings.get<T>: T is bool, an integer type, float, double, std::string, or "
                  "std::vector of float, double or std::string");
    return std::get<T>(valueOf(key, SettingValue{T{}}.index()));
  }
}

}  // namespace mass
