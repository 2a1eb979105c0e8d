#include <mass/program/rank_settings.hpp>

#include <mass/program/run_record.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

namespace mass::detail {
namespace {

/// Keys that describe the devices of one rank.
constexpr std::array<std::string_view, 3> keysOfRank{"devices", "threads", "tile"};

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
  const std::string firstProgram = ranks.broadcast(program);
  requireNone(ranks, program == firstProgram
                         ? ""
                         : fmt::format("runs {}, and rank 0 runs {}: start the same program on all "
                                       "ranks",
                                       program, firstProgram));
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
  const std::string first = ranks.broadcast(start);
  requireNone(ranks, start == first
                         ? ""
                         : fmt::format("was started {}, and rank 0 {}: give all ranks the same "
                                       "options",
                                       start, first));
}

void requireSameInputs(Ranks& ranks, const Settings& settings) {
  if (ranks.count() == 1) return;
  std::string different;
  const std::vector<std::filesystem::path>& files = settings.resolved();
  const std::size_t count = ranks.broadcast(files.size());
  if (count != files.size()) different = "reads other input files than rank 0";
  for (std::size_t i = 0; i < count; ++i) {
    const std::string own = i < files.size() ? fileChecksum(files[i]) : "";
    if (ranks.broadcast(own) != own && different.empty()) {
      different = fmt::format("has another '{}' than rank 0: copy the input files to all hosts",
                              files[i].string());
    }
  }
  requireNone(ranks, different);
}

}  // namespace mass::detail
