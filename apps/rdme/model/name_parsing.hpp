#pragma once

#include <mass/mass.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rdme {

/// Returns `text` without the blanks at its ends.
std::string_view trimmed(std::string_view text);

/// Returns the names separated by commas: "A, B, C".
std::string joinNames(const std::vector<std::string>& names);

/// Returns `text` as a name, in the characters of plainText(). A name is a letter of any alphabet,
/// a digit or `_`, then these and any of `_ . : * ' + - ( ) ~`, without "->" in it, and not a
/// number.
/// @param setting is rejected if `text` is no name
/// @param kind "species" or "site type", for the message
/// @throws mass::SettingsError if `text` is no name
std::string requireName(const mass::ConfigNode& setting, std::string_view text,
                        std::string_view kind);

/// Returns the index of `name` in `names`, if it is there.
std::optional<int> findName(std::string_view name, const std::vector<std::string>& names);

/// Returns the index of the name `text`, in the characters of plainText(), in `names`.
/// @param setting is rejected if there is none
/// @param kind "species" or "site type", for the message
/// @throws mass::SettingsError if there is no such name; the message proposes the nearest
int numberOf(const mass::ConfigNode& setting, std::string_view text,
             const std::vector<std::string>& names, std::string_view kind);

/// Returns the indices of the site types that a setting names, as one name or a list of them.
/// @param siteTypes names by index; 0 is "outside"
/// @throws mass::SettingsError if a name is unknown, repeated or "outside", or the list is empty
std::vector<int> parseSiteTypes(const mass::ConfigNode& in,
                                const std::vector<std::string>& siteTypes);

}  // namespace rdme
