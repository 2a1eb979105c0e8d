#pragma once

#include <mass/rules/type_name.hpp>
#include <mass/support/export.hpp>

#include <cctype>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace mass {

/// Value of a settings key. The type of a key's default is the type of the key.
using SettingValue = std::variant<bool, std::int64_t, double, std::string, std::vector<double>,
                                  std::vector<std::string>>;

/// Data members of a structure that are settings:
///
///     struct Options {
///       double beta = 0.3;
///       std::int64_t people = 1000;
///       using Keys = mass::Keys<&Options::beta, &Options::people>;
///     };
///
/// The key of a member has its name, in which `_` and a small letter replace a capital
/// (`timeStep` is `time_step`), its type, and the default that a new structure has.
template <auto... Members>
struct Keys {};

namespace detail {

template <class Pointer>
struct KeyMember;
template <class C, class T>
struct KeyMember<T C::*> {
  using Structure = C;
  using Value = std::remove_cv_t<T>;
};
/// Structure of the member that Member points to.
template <auto Member>
using StructureOfKey = typename KeyMember<decltype(Member)>::Structure;
/// Type of the member that Member points to.
template <auto Member>
using ValueOfKey = typename KeyMember<decltype(Member)>::Value;

/// True if T is a character, which std::integral includes.
template <class T>
inline constexpr bool isCharacter =
    std::same_as<T, char> || std::same_as<T, wchar_t> || std::same_as<T, char8_t> ||
    std::same_as<T, char16_t> || std::same_as<T, char32_t>;

/// True if Settings::get returns a T.
template <class T>
concept SettingType =
    (std::integral<T> && !isCharacter<T>) || std::same_as<T, float> || std::same_as<T, double> ||
    std::same_as<T, std::string> || std::same_as<T, std::vector<float>> ||
    std::same_as<T, std::vector<double>> || std::same_as<T, std::vector<std::string>>;

/// Returns the double whose shortest decimal form is that of a float: 0.1 for 0.1F.
MASS_EXPORT double decimalOf(float number);

/// Returns a number, text or list as the default of a key.
template <SettingType T>
SettingValue settingOf(const T& value) {
  if constexpr (std::same_as<T, float>) {
    return decimalOf(value);
  } else if constexpr (std::same_as<T, std::vector<float>>) {
    std::vector<double> numbers;
    for (const float number : value) numbers.push_back(decimalOf(number));
    return numbers;
  } else if constexpr (std::integral<T> && !std::same_as<T, bool>) {
    return static_cast<std::int64_t>(value);
  } else {
    return value;
  }
}

/// Returns the key of a member: its name, in which `_` and a small letter replace a capital.
template <auto Member>
std::string keyOf() {
  std::string key;
  for (const char letter : memberName<Member>()) {
    const auto code = static_cast<unsigned char>(letter);
    if (std::isupper(code) != 0 && !key.empty()) key += '_';
    key += static_cast<char>(std::tolower(code));
  }
  return key;
}

/// Fails to compile if a member cannot be a setting.
template <auto Member>
constexpr void requireSetting() {
  static_assert(SettingType<ValueOfKey<Member>>,
                "this member cannot be a setting: settings are bool, integers, float, double, "
                "std::string, and std::vector of float, double or std::string");
}

/// Keys of a structure.
template <class Options>
constexpr auto keysOf() {
  static_assert(
      requires { typename Options::Keys; },
      "this structure does not say which members are settings: "
      "using Keys = mass::Keys<&Options::beta, ...>");
  return typename Options::Keys{};
}

}  // namespace detail

}  // namespace mass
