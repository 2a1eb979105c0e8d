#pragma once

#include <mass/io/settings.hpp>
#include <mass/program/run_record.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace mass::detail {

/// Repetition of a recorded run, for the options `--again` and `--show`.
class Again {
 public:
  /// Reads the record of a run.
  /// @param program name of the present program
  /// @throws InputError if the file is no record, or that of another program or of a run without
  /// final state
  Again(std::filesystem::path file, const std::string& program);

  /// Returns the settings of the run. Results go to the folder `again` beside the record, and a
  /// checkpoint into that folder.
  /// @throws SettingsError if this program does not accept them
  Settings settings(Schema schema) const;
  /// Checks that the repetition does not replace files of the run.
  /// @throws SettingsError if it does
  void requireOtherFiles(const Settings& settings) const;
  /// Checks that the inputs of the model are those of the run. @pre the model is set up
  /// @throws InputError if one has another checksum
  void requireSameInputs(const Settings& settings) const;

  /// Returns the changes of settings during the run.
  /// @param settings settings of the repetition
  /// @throws InputError if this program does not accept a change
  std::vector<SettingChange> changes(Settings settings) const;

  /// True if the run continued a checkpoint.
  bool isRestart() const { return !record_.restart.empty(); }
  /// Returns the checkpoint that the run continued; empty if it was fresh, or if the checkpoint has
  /// changed since.
  std::filesystem::path restart() const;

  /// True if `hash` is that of the final state of the run.
  bool isReproduced(std::uint64_t hash) const;
  /// Returns the differences between this program and that of the run; empty if there are none.
  std::string differences(const Compilation& compilation) const;
  /// Returns a message on the difference of the hashes, with the differences of the programs.
  std::string difference(std::uint64_t hash, const Compilation& compilation) const;
  /// Returns the path of the record.
  const std::filesystem::path& file() const { return file_; }
  /// Returns the folder of the run.
  std::filesystem::path folder() const;
  /// Returns the checkpoint of the run in its folder; empty if there is none.
  std::filesystem::path checkpoint() const;
  /// Step at which the run began, that of the checkpoint that it continued.
  std::int64_t firstStep() const { return record_.firstStep; }
  /// Last step that the run made.
  std::int64_t lastStep() const { return record_.step; }

 private:
  std::filesystem::path located(const std::filesystem::path& path) const;

  std::filesystem::path file_;
  RunRecord record_;
};

}  // namespace mass::detail
