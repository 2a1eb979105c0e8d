#include <mass/program/rank_settings.hpp>

#include <mass/program/run_record.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mass::detail {
namespace {

/// Keys that describe the devices of one rank.
constexpr std::array<std::string_view, 4> keysOfRank{"backend", "devices", "threads", "tile"};

/// Throws on all ranks if `difference` is not empty on one of them.
/// @param difference text on how this rank differs from rank 0
void requireNone(Ranks& ranks, const std::string& difference) {
  const std::vector<std::string> texts = ranks.allGather(difference);
  const auto found =
      std::ranges::find_if(texts, [](const std::string& text) { return !text.empty(); });
  if (found == texts.end()) return;
  const auto rank = static_cast<int>(found - texts.begin());
  throw SettingsError("rank {} on host {} {}", rank, ranks.host(rank), *found);
}

/// Throws on all ranks if a text of one of them is not that of rank 0.
/// @param difference returns a text on how this rank differs from rank 0, given the text of rank 0
void requireEqual(Ranks& ranks, const std::string& own,
                  const std::function<std::string(const std::string& first)>& difference) {
  const std::string first = ranks.broadcast(own);
  requireNone(ranks, own == first ? "" : difference(first));
}

/// Returns the names of keys in `names` that affect results.
std::vector<std::string> affectingResults(std::vector<std::string> names, const Schema& schema) {
  std::erase_if(names, [&](const std::string& name) {
    const KeyInfo* const key = schema.find(name);
    return key != nullptr && !key->affectsResults;
  });
  return names;
}

}  // namespace

Settings commonSettings(Ranks& ranks, Settings settings, const std::string& program) {
  if (ranks.count() == 1) return settings;
  requireEqual(ranks, program, [&](const std::string& first) {
    return fmt::format("runs {}, and rank 0 runs {}: start the same program on all ranks", program,
                       first);
  });
  const std::string text = ranks.broadcast(settings.print());
  if (ranks.isFirst()) {
    requireNone(ranks, "");
    return settings;
  }
  const Schema& schema = settings.schema();
  const Settings first = Settings::parse(text, "the settings of rank 0", schema);
  std::vector<std::string> different = settings.differences(first);
  std::erase_if(different, [](const std::string& name) {
    return std::ranges::find(keysOfRank, name) != keysOfRank.end();
  });
  const std::vector<std::string> names = affectingResults(different, schema);
  requireNone(ranks, names.empty()
                         ? ""
                         : fmt::format("has another value than rank 0 of {}, which affects "
                                       "results: use the same settings on all ranks",
                                       fmt::join(names, ", ")));
  if (different.empty()) return settings;  // messages name its origins as those of rank 0 do
  std::vector<RecordedSetting> values = settings.recorded();
  for (const RecordedSetting& other : first.recorded()) {
    if (std::ranges::find(different, other.name) == different.end()) continue;
    const auto own = std::ranges::find(values, other.name, &RecordedSetting::name);
    if (own != values.end()) own->value = other.value;
  }
  return Settings::restored(settings.file(), schema, values);
}

void requireSameStart(Ranks& ranks, const std::string& start) {
  requireEqual(ranks, start, [&](const std::string& first) {
    return fmt::format("was started {}, and rank 0 {}: give all ranks the same options", start,
                       first);
  });
}

void requireSameInputs(Ranks& ranks, const Settings& settings) {
  if (ranks.count() == 1) return;
  const std::vector<std::filesystem::path>& files = settings.resolved();
  requireEqual(ranks, fmt::to_string(files.size()),
               [](const std::string&) { return "reads other input files than rank 0"; });
  for (const std::filesystem::path& file : files) {
    requireEqual(ranks, fileChecksum(file), [&](const std::string&) {
      return fmt::format("has another '{}' than rank 0: copy the input files to all hosts",
                         file.string());
    });
  }
}

}  // namespace mass::detail
