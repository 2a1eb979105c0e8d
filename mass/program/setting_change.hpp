#pragma once

#include <mass/io/schema.hpp>
#include <mass/support/export.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mass::detail {

/// Change of a setting during a run.
struct SettingChange {
  std::int64_t step = 0;  ///< number of steps that the run had made
  std::string key;
  SettingValue value;  ///< new value

  /// True if step, key and value are equal.
  friend bool operator==(const SettingChange&, const SettingChange&) = default;
};

/// True if `made` can be the changes before a checkpoint of a run with the changes `all`: all those
/// before its step, and perhaps the first ones at it.
MASS_EXPORT bool areBefore(const std::vector<SettingChange>& made, std::int64_t step,
                           const std::vector<SettingChange>& all);

/// Returns the changes as JSON.
MASS_EXPORT std::string toJsonText(const std::vector<SettingChange>& changes);
/// Returns the changes that toJsonText() wrote.
/// @param lastStep largest step that a change may have
/// @throws InputError if the text is no such list, or the steps do not ascend from 0 to `lastStep`
MASS_EXPORT std::vector<SettingChange> changesFromJson(std::string_view text,
                                                       std::int64_t lastStep);

}  // namespace mass::detail
