#pragma once

#include <mass/io/schema.hpp>
#include <mass/program/setting_change.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <concepts>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mass::detail {

using Json = nlohmann::ordered_json;

/// True if a value is read as a `T` without a change.
template <class T>
bool holds(const Json& json) {
  if constexpr (std::same_as<T, std::string>) {
    return json.is_string();
  } else if constexpr (std::same_as<T, bool>) {
    return json.is_boolean();
  } else if constexpr (std::floating_point<T>) {
    return json.is_number();
  } else {
    if (json.is_number_unsigned()) return std::in_range<T>(json.get<std::uint64_t>());
    return json.is_number_integer() && std::in_range<T>(json.get<std::int64_t>());
  }
}

/// Value in a record, with its path for messages as "settings.rows".
class Member {
 public:
  Member(const Json& json, std::string path) : json_(json), path_(std::move(path)) {}

  /// @throws InputError, always
  [[noreturn]] void reject() const {
    if (path_.empty()) throw InputError("it is no JSON object");
    throw InputError("'{}' is no value of a record", path_);
  }
  bool isNull() const { return json_.is_null(); }
  const Json& json() const { return json_; }
  const std::string& path() const { return path_; }

  /// @throws InputError if the value is of another type, or out of range
  template <class T>
  T get() const {
    if (!holds<T>(json_)) reject();
    return json_.get<T>();
  }

  /// Returns a text; empty for null.
  /// @throws InputError if the value is neither
  std::string text() const { return isNull() ? std::string{} : get<std::string>(); }

  /// Returns the value of a member.
  /// @throws InputError if there is none
  Member at(const std::string& name) const {
    if (!json_.is_object()) reject();
    const auto found = json_.find(name);
    if (found == json_.end()) throw InputError("it has no member '{}'", pathOf(name));
    return {*found, pathOf(name)};
  }

  /// True if the value is an object with such a member.
  bool has(const std::string& name) const { return json_.is_object() && json_.contains(name); }
  /// Returns the value of a member; `absent` if there is none.
  /// @throws InputError if it is of another type, or out of range
  template <class T>
  T getOr(const std::string& name, T absent) const {
    return has(name) ? at(name).get<T>() : absent;
  }

  /// Returns the members of an object with their names.
  /// @throws InputError if it is none
  std::vector<std::pair<std::string, Member>> members() const {
    if (!json_.is_object()) reject();
    return entries();
  }

  /// Returns the values of a list.
  /// @throws InputError if it is none
  std::vector<Member> items() const {
    if (!json_.is_array()) reject();
    std::vector<Member> values;
    for (const auto& [index, value] : entries()) values.push_back(value);
    return values;
  }

  /// Returns the values of a list.
  /// @throws InputError if it is none, or a value is of another type
  template <class T>
  std::vector<T> list() const {
    std::vector<T> values;
    for (const Member& item : items()) values.push_back(item.get<T>());
    return values;
  }

 private:
  std::string pathOf(const std::string& name) const {
    return path_.empty() ? name : fmt::format("{}.{}", path_, name);
  }
  std::vector<std::pair<std::string, Member>> entries() const {
    std::vector<std::pair<std::string, Member>> found;
    for (const auto& [name, value] : json_.items())
      found.emplace_back(name, Member{value, pathOf(name)});
    return found;
  }

  const Json& json_;
  std::string path_;
};

/// Returns the value of a setting as JSON.
Json toJson(const SettingValue& value);
/// Returns the value of a setting. A number without fraction and an empty list may have the type of
/// another key.
/// @throws InputError if it is none
SettingValue valueFrom(const Member& member);

/// Returns changes of settings as JSON.
Json toJson(const std::vector<SettingChange>& changes);
/// Returns changes of settings.
/// @param lastStep largest step that a change may have
/// @throws InputError if the value is no list of them, or the steps do not ascend from 0 to
/// `lastStep`
std::vector<SettingChange> changesFrom(const Member& member, std::int64_t lastStep);

}  // namespace mass::detail
