#pragma once

#include <mass/mass.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace rdme {

/// Without blanks at its ends.
std::string_view trimmed(std::string_view text);

/// "A, B, C"
std::string listed(const std::vector<std::string>& names);

/// Throws SettingsError unless `name` can be one: a letter or `_`, then letters, digits and any of
/// `_ . : * ' -`, without "->" in it.
void requireName(const mass::ConfigNode& setting, std::string_view name, std::string_view what);

/// The number of a name; `what` is "species" or "site type". Throws SettingsError with the nearest
/// name when there is none.
int numberOf(const mass::ConfigNode& setting, std::string_view name,
             const std::vector<std::string>& names, std::string_view what);

/// The numbers of the site types that the key `in` of a map names, one or a list, each once. Throws
/// SettingsError, also for "outside".
std::vector<int> siteTypesIn(const mass::ConfigNode& in, const std::vector<std::string>& siteTypes);

}  // namespace rdme
