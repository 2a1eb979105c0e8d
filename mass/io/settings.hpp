#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mass/io/config_node.hpp>
#include <mass/io/schema.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mass {

/// What a run is told: the values of a schema's keys, from a YAML file and from `--set key=value`,
/// which wins. Every error of the user's is a SettingsError that names the file and line (or the
/// --set), the key, and what would be right; every error of the program's is a UsageError.
class Settings {
 public:
  /// Every key at its default. Throws UsageError when a default lies outside its own range.
  explicit Settings(Schema schema = Schema::library());

  /// Reads a YAML file of at most 1 MiB. Throws SettingsError.
  static Settings load(const std::filesystem::path& file, Schema schema = Schema::library());

  /// Reads YAML text; `name` stands for the file in messages and in `resolve`. Throws
  /// SettingsError.
  static Settings parse(std::string_view yaml, std::string name, Schema schema = Schema::library());

  /// Takes "key=value". The value of a text key is taken as it stands, any other is written as in
  /// YAML. The last of several for one key wins. Throws SettingsError.
  void set(std::string_view assignment);

  /// The value of a key, as bool, an integer type, double, std::string or std::vector<double>.
  /// Throws UsageError when the key is not declared or of another type, SettingsError when it does
  /// not fit T.
  template <class T>
  T get(std::string_view key) const;

  /// What the file has in a section that the program reads itself; an empty map when it has none.
  /// Throws UsageError when the schema does not declare it.
  const ConfigNode& tree(std::string_view name) const;

  /// Whether the file or a --set gave the key; otherwise it has its default.
  bool given(std::string_view key) const;

  /// The file that was read, as it was named; empty when there was none.
  std::filesystem::path file() const { return file_; }

  /// The keys, and after them the sections that the program reads itself, that have another value
  /// here than in `other`, in the order of the schema. One that `other` does not know is none of
  /// them.
  std::vector<std::string> differences(const Settings& other) const;

  /// The file that a text key names: relative to the settings file when it was given (or defaulted)
  /// there, to the working directory when --set gave it. Empty when the text is.
  std::filesystem::path path(std::string_view key) const;

  /// A path as written in the settings file: a relative one is relative to that file.
  std::filesystem::path resolve(std::string_view path) const;
  /// What path() and resolve() have given so far: the files that a model reads, each of them once
  /// or more often.
  const std::vector<std::filesystem::path>& resolved() const { return resolved_; }

  /// Throws SettingsError "life.yaml:7: 'time_step' = 0.5: <message>", for what a model checks
  /// itself.
  [[noreturn]] void reject(std::string_view key, std::string_view message) const;

  /// YAML with every key, its unit, range and meaning in comments; it reads back to the same
  /// settings.
  std::string print() const;

  const Schema& schema() const { return schema_; }

 private:
  enum class Source { schema, file, commandLine };
  struct Entry {
    SettingValue value;
    Source source = Source::schema;
    std::string where{};  ///< "life.yaml:7: 'time_step'" or "--set time_step=0.5"
  };
  class Reader;

  const Entry& entry(std::string_view key) const;
  const SettingValue& valueOf(std::string_view key, std::size_t type) const;
  void store(const detail::KeyInfo& key, Entry entry);
  [[noreturn]] void refuse(std::string_view key, const Entry& entry,
                           std::string_view message) const;

  Schema schema_;
  std::string name_ = "settings";
  std::filesystem::path file_;
  mutable std::vector<std::filesystem::path> resolved_;
  std::map<std::string, Entry, std::less<>> entries_;
  std::map<std::string, ConfigNode, std::less<>> trees_;
};

template <class T>
T Settings::get(std::string_view key) const {
  if constexpr (std::integral<T> && !std::same_as<T, bool>) {
    const auto value = std::get<std::int64_t>(valueOf(key, SettingValue{std::int64_t{}}.index()));
    if (!std::in_range<T>(value)) reject(key, "this number is too large for the program");
    return static_cast<T>(value);
  } else {
    return std::get<T>(valueOf(key, SettingValue{T{}}.index()));
  }
}

}  // namespace mass
