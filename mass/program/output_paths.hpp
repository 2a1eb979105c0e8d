#pragma once

#include <mass/io/settings.hpp>

#include <filesystem>
#include <span>
#include <string>
#include <utility>

namespace mass::detail {

/// Use of a file or folder for messages, and its path.
using UsedPath = std::pair<std::string, std::filesystem::path>;

/// Checks that no folder is where a run writes a file, or the temporary file beside it.
/// @throws OutputError if there is one
void requireNoFolders(std::span<const UsedPath> files);

/// File of the checkpoints of a run, and its place among the other files. Errors of the checks are
/// SettingsErrors of the key `checkpoint.file`.
class CheckpointPath {
 public:
  /// @param settings for errors; must outlive this
  /// @param file the checkpoint
  /// @param results folder of the results
  /// @param isContinued true if the run continues a checkpoint, which it may then replace
  CheckpointPath(const Settings& settings, std::filesystem::path file,
                 std::filesystem::path results, bool isContinued);

  /// Returns the path relative to the folder of the results; empty if it is not below that.
  std::filesystem::path inResults() const;
  /// Checks that the path is that of a file, and that it replaces checkpoints only.
  /// @throws SettingsError if that is not so
  void requireName() const;
  /// Checks that neither the checkpoint nor the temporary files beside it replace another file or
  /// are in another folder of the run. @param taken these
  /// @throws SettingsError if they do
  void requireUnused(std::span<const UsedPath> taken) const;
  /// Creates the folder of the checkpoint, unless it is below that of the results.
  /// @throws SettingsError if it cannot be created or written to
  void makeFolder() const;
  /// Renames the checkpoint of an earlier run, unless the run continues it.
  /// @return note on that; empty if there is none
  /// @throws OutputError if it cannot be renamed
  std::string keepPrevious() const;

 private:
  /// Returns the name to which the checkpoint of an earlier run is renamed.
  std::filesystem::path previous() const;
  [[noreturn]] void reject(const std::filesystem::path& path, std::string_view reason) const;

  const Settings& settings_;
  std::filesystem::path file_, results_;
  bool isContinued_;
};

}  // namespace mass::detail
