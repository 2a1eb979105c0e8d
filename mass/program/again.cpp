#include <mass/program/again.hpp>

#include <mass/program/earlier_run.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

namespace mass::detail {
namespace {

namespace fs = std::filesystem;

const std::string folderKey = "output.folder";
const std::string checkpointKey = "checkpoint.file";

fs::path resolvedPath(const fs::path& path) {
  std::error_code error;
  fs::path found = fs::weakly_canonical(fs::absolute(path, error), error);
  return error ? path : found;
}

std::string hexadecimal(std::uint64_t hash) {
  return fmt::format("{:016x}", hash);
}

}  // namespace

Again::Again(fs::path file, const std::string& program)
    : file_(std::move(file)), record_(RunRecord::read(file_)) {
  if (record_.program != program) {
    throw InputError("'{}' is the record of a run of '{}': start that program with it",
                     file_.string(), record_.program);
  }
  const bool hasEnd = record_.state == RunState::finished || record_.state == RunState::interrupted;
  if (!hasEnd || record_.hash.empty()) {
    throw InputError("'{}' is the record of a run without a final state to compare with: {}",
                     file_.string(),
                     record_.state == RunState::failed        ? "an error ended it"
                     : record_.state == RunState::interrupted ? "a signal ended it within a step"
                                                              : "it did not end");
  }
}

fs::path Again::folder() const {
  return file_.has_parent_path() ? file_.parent_path() : fs::path(".");
}

fs::path Again::checkpoint() const {
  const fs::path file = folder() / record_.checkpoint;
  const bool isPresent =
      !record_.checkpoint.empty() && isRegularFileBelow(folder(), record_.checkpoint);
  return isPresent ? file : fs::path{};
}

/// Returns a path that was relative to the working folder of the run.
fs::path Again::located(const fs::path& path) const {
  std::error_code unknown;
  if (path.empty() || fs::current_path(unknown) == record_.workingFolder) return path;
  return record_.workingFolder / path;
}

Settings Again::settings(Schema schema) const {
  std::vector<RecordedSetting> values = record_.settings;
  std::erase_if(values, [](const auto& value) { return value.name == checkpointKey; });
  Settings settings = Settings::restored(located(record_.settingsFile), std::move(schema), values);
  settings.set(fmt::format("{}={}", folderKey, (folder() / "again").string()));
  if (record_.step != record_.steps) settings.set(fmt::format("steps={}", record_.step));
  return settings;
}

void Again::requireOtherFiles(const Settings& settings) const {
  if (resolvedPath(settings.get<std::string>(folderKey)) == resolvedPath(folder())) {
    settings.reject(folderKey, fmt::format("--again compares with the results in '{}' and must not "
                                           "replace them: name another folder",
                                           folder().string()));
  }
  const fs::path checkpoint = resolvedPath(settings.get<std::string>(checkpointKey));
  const bool isTaken = std::any_of(
      record_.files.begin(), record_.files.end(),
      [&](const fs::path& file) { return checkpoint == resolvedPath(folder() / file); });
  if (isTaken) {
    settings.reject(checkpointKey,
                    "--again must not replace a file of the recorded run: name "
                    "another file");
  }
}

void Again::requireSameInputs(const Settings& settings) const {
  for (const fs::path& present : settings.resolved()) {
    std::vector<std::string> recorded;  // checksums of the inputs of that name
    for (const RunInput& input : record_.inputs) {
      const bool isOfModel = input.file != record_.settingsFile && input.file != record_.restart;
      if (isOfModel && input.file.filename() == present.filename() && !input.checksum.empty())
        recorded.push_back(input.checksum);
    }
    const std::string now = fileChecksum(present);
    if (recorded.empty() || std::find(recorded.begin(), recorded.end(), now) != recorded.end())
      continue;
    throw InputError("'{}' has changed since the run of '{}' (checksum {}, now {}): restore it",
                     present.string(), file_.string(), fmt::join(recorded, " or "), now);
  }
}

std::vector<SettingChange> Again::changes(Settings settings) const {
  std::vector<SettingChange> changes = record_.changes;
  for (SettingChange& change : changes) {
    try {
      change.value = settings.change(change.key, change.value).value_or(change.value);
    } catch (const SettingsError& error) {
      throw InputError("'{}': the change at step {} is invalid: {}", file_.string(), change.step,
                       error.what());
    }
  }
  return changes;
}

fs::path Again::restart() const {
  if (!isRestart()) return {};
  const fs::path checkpoint = located(record_.restart);
  const auto isSame = [&](const RunInput& input) { return input.file == record_.restart; };
  const auto input = std::find_if(record_.inputs.begin(), record_.inputs.end(), isSame);
  const bool isUnchanged = input != record_.inputs.end() && !input->checksum.empty() &&
                           input->checksum == fileChecksum(checkpoint);
  return isUnchanged ? checkpoint : fs::path{};
}

bool Again::isReproduced(std::uint64_t hash) const {
  return hexadecimal(hash) == record_.hash;
}

std::string Again::differences(const Compilation& compilation) const {
  const RunRecord present = RunRecord::ofProgram(record_.program, compilation);
  std::vector<std::string> differences;
  for (const auto& [name, then, now] : {std::tuple{"version", record_.version, present.version},
                                        {"commit", record_.commit, present.commit},
                                        {"compiler", record_.compiler, present.compiler},
                                        {"compiler flags", record_.flags, present.flags}}) {
    if (then != now) differences.push_back(fmt::format("{} '{}', now '{}'", name, then, now));
  }
  return fmt::format("{}", fmt::join(differences, ", "));
}

std::string Again::difference(std::uint64_t hash, const Compilation& compilation) const {
  const std::string others = differences(compilation);
  return fmt::format("the run of '{}' is not reproduced: its state hash is {}, now {}{}{}",
                     file_.string(), record_.hash, hexadecimal(hash),
                     others.empty() ? "" : "; the program differs: ", others);
}

}  // namespace mass::detail
