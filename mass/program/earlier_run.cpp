#include <mass/program/earlier_run.hpp>

#include <mass/io/atomic_file.hpp>
#include <mass/io/regular_file.hpp>
#include <mass/program/run_record.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

namespace mass::detail {
namespace {

namespace fs = std::filesystem;

/// Returns the run.json of a folder as JSON; a discarded value if it cannot be read. Reads any
/// object, so that the files of a damaged or newer record are found.
nlohmann::json readJson(const fs::path& file) {
  try {
    return nlohmann::json::parse(readRegularFile(file, RunRecord::largestBytes), nullptr,
                                 /*allow_exceptions=*/false);
  } catch (const InputError&) {
    return nlohmann::json::value_t::discarded;
  }
}

/// Returns the text of a member; empty if there is none.
std::string textOf(const nlohmann::json& record, const char* name) {
  const auto found = record.find(name);
  return found != record.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

bool isAnyOf(const fs::path& file, const std::vector<fs::path>& files) {
  return std::any_of(files.begin(), files.end(), [&](const fs::path& other) {
    std::error_code unknown;
    return fs::equivalent(file, other, unknown);
  });
}

/// Returns "26 files of the earlier run (life.csv, life.gif, life.vtkhdf, ...)".
std::string describe(const std::vector<std::string>& removed) {
  constexpr std::size_t mostNames = 3;
  const std::vector<std::string> first(
      removed.begin(),
      removed.begin() + static_cast<std::ptrdiff_t>(std::min(removed.size(), mostNames)));
  return fmt::format("{} file{} of the earlier run ({}{})", removed.size(),
                     removed.size() == 1 ? "" : "s", fmt::join(first, ", "),
                     removed.size() > mostNames ? ", ..." : "");
}

}  // namespace

void OutputNames::addFile(const fs::path& file) {
  files.push_back(file);
  files.push_back(partialName(file));
}

bool OutputNames::Series::contains(std::string name) const {
  constexpr std::string_view partial = ".partial";
  if (name.ends_with(partial)) name.resize(name.size() - partial.size());
  if (!name.ends_with(extension)) return false;
  const std::string_view step(name.data(), name.size() - extension.size());
  const auto isDigit = [](unsigned char c) { return std::isdigit(c) != 0; };
  return step.size() >= digits && std::all_of(step.begin(), step.end(), isDigit);
}

bool isRegularFileBelow(const fs::path& folder, const fs::path& file) {
  if (file.empty() || file.is_absolute()) return false;
  std::error_code unknown;
  fs::path at = folder;
  fs::file_type type = fs::file_type::directory;
  for (const fs::path& component : file) {
    if (type != fs::file_type::directory || component.empty() || component == "." ||
        component == "..") {
      return false;
    }
    at /= component;
    type = fs::symlink_status(at, unknown).type();
  }
  return type == fs::file_type::regular;
}

EarlierRun::EarlierRun(fs::path folder, const OutputNames& names) : folder_(std::move(folder)) {
  readRecord();
  if (!hasRecord_ || !isComplete_) addOwn(names);
  std::sort(files_.begin(), files_.end());
  files_.erase(std::unique(files_.begin(), files_.end()), files_.end());
}

void EarlierRun::readRecord() {
  if (!isRegularFileBelow(folder_, RunRecord::fileName)) return;
  const nlohmann::json record = readJson(folder_ / RunRecord::fileName);
  const auto files = record.is_object() ? record.find("files") : record.end();
  hasRecord_ = record.is_object() && files != record.end() && files->is_array();
  isRecordUnreadable_ = !hasRecord_;
  if (!hasRecord_) return;
  const std::string state = textOf(record, "state");
  wasKilled_ = state == "running";
  isComplete_ = !wasKilled_ && (state != "failed" || !textOf(record, "end").empty());
  checkpoint_ = textOf(record, "checkpoint");
  if (const auto found = record.find("continued");
      found != record.end() && found->is_number_integer())
    continued_ = std::max(0, found->get<int>());
  for (const nlohmann::json& file : *files) {
    if (file.is_string()) add(file.get<std::string>());
  }
}

void EarlierRun::addOwn(const OutputNames& names) {
  for (const fs::path& file : names.files) add(file);
  for (const OutputNames::Series& series : names.series) {
    std::error_code unreadable;
    if (!fs::is_directory(fs::symlink_status(folder_ / series.folder, unreadable))) continue;
    for (const auto& entry : fs::directory_iterator(folder_ / series.folder, unreadable)) {
      const fs::path name = entry.path().filename();
      if (series.contains(name.string())) add(series.folder / name);
    }
  }
  if (checkpoint_.empty()) checkpoint_ = "checkpoint.h5";
  add(checkpoint_);
}

void EarlierRun::add(const fs::path& file) {
  if (file != RunRecord::fileName && isRegularFileBelow(folder_, file)) files_.push_back(file);
}

std::string EarlierRun::remove(const std::vector<fs::path>& inputs) const {
  const fs::path previous = folder_ / previousCheckpoint;
  const bool hasCheckpoint = std::find(files_.begin(), files_.end(), checkpoint_) != files_.end();
  std::error_code unknown;
  if (hasCheckpoint && fs::is_directory(fs::symlink_status(previous, unknown)))
    throw cannotWrite(previous, EISDIR);
  std::vector<std::string> removed;
  bool isCheckpointRenamed = false;
  for (const fs::path& file : files_) {
    const fs::path path = folder_ / file;
    std::error_code error;
    if (isAnyOf(path, inputs)) continue;
    if (file == checkpoint_) {
      fs::rename(path, previous, error);
      isCheckpointRenamed = true;
    } else {
      fs::remove(path, error);
      removed.push_back(file.string());
    }
    if (error) throw cannotWrite(file == checkpoint_ ? previous : path, error.value());
  }
  std::vector<std::string> changes;
  if (!removed.empty()) changes.push_back("removed " + describe(removed));
  if (isCheckpointRenamed)
    changes.push_back(fmt::format("renamed its checkpoint to {}", previousCheckpoint));
  return fmt::format("{}", fmt::join(changes, ", "));
}

}  // namespace mass::detail
