#pragma once

#include <mass/io/settings.hpp>
#include <mass/model/mass.hpp>
#include <mass/program/compilation.hpp>
#include <mass/program/setting_change.hpp>
#include <mass/support/export.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace mass::detail {

/// Input file of a run.
struct RunInput {
  std::filesystem::path file;  ///< path that the run opened
  std::string checksum;        ///< 16 hexadecimal digits; empty if it is no regular file
};

/// State of a run in its record.
enum class RunState {
  running,      ///< in progress, or killed
  finished,     ///< at its last step
  interrupted,  ///< ended by a signal, or by a Steering before its last step
  failed        ///< ended by an error
};

/// Record of a run, the file `run.json` in its output folder.
struct MASS_EXPORT RunRecord {
  /// Name of the file.
  static constexpr const char* fileName = "run.json";
  /// Limit of its length in bytes.
  static constexpr std::uintmax_t largestBytes = std::uintmax_t{1} << 28;

  RunState state = RunState::running;
  std::string program;
  std::string version, commit;  ///< library; `commit` is empty in an export
  std::string compiler, flags;  ///< program

  std::filesystem::path workingFolder;  ///< absolute
  std::filesystem::path settingsFile;   ///< relative to workingFolder; empty if there was none
  std::filesystem::path restart;  ///< checkpoint that the run continued; empty for a fresh run
  int continued = 0;  ///< times that a run in this folder was continued since it began at step 0
  std::vector<RecordedSetting> settings;  ///< all keys and sections, as given
  std::vector<SettingChange> changes;     ///< since step 0, those before a restart included
  std::vector<RunInput> inputs;           ///< settings file, checkpoint, files of the model

  std::uint64_t seed = 0;
  std::string backend;              ///< "cpu" or "cuda"
  int ranks = 1;                    ///< number of ranks
  int devices = 0;                  ///< number of devices of all ranks
  int threads = 0;                  ///< number of host threads of rank 0
  std::vector<std::string> models;  ///< model of each GPU; empty for CPUs

  std::string begin, end;                           ///< UTC times as "2024-05-01T12:00:00Z"
  double computeSeconds = 0, outputSeconds = 0;     ///< durations
  std::int64_t firstStep = 0, step = 0, steps = 0;  ///< first, last done, and last step asked for
  std::string endedBy;  ///< condition that ended the run before `steps`; empty if none did
  std::string hash;     ///< hash of the final state, 16 digits

  std::filesystem::path checkpoint;          ///< relative to the output folder, if it is inside
  std::vector<std::filesystem::path> files;  ///< files of the run, relative to the output folder

  /// Creates the record of a program, without a run.
  static RunRecord ofProgram(const std::string& program, const Compilation& compilation);
  /// Creates the record of a run that begins now.
  /// @param restart checkpoint that the run continues; empty for a fresh run
  static RunRecord of(const Mass& mass, const std::string& program, const Compilation& compilation,
                      const std::filesystem::path& restart);

  /// Reads a record.
  /// @throws InputError if the file cannot be read or is no record of a run
  static RunRecord read(const std::filesystem::path& file);
  /// Writes the record to `folder`, replacing an older one.
  /// @throws OutputError if that fails
  void write(const std::filesystem::path& folder) const;
  /// Changes the state of the record in `folder` from running to failed in place, which needs no
  /// space on the disk. Its other members stay, so it has no end and may not list all files.
  /// @throws InputError if there is no record of a run in progress; OutputError if that fails
  static void markFailed(const std::filesystem::path& folder);

  /// Returns the record as JSON.
  std::string json() const;
  /// Returns the reproducible part as JSON, for the attribute `run` of other files: equal for runs
  /// of one program with equal inputs and equal settings that affect results, in any folder, on any
  /// devices. Without times, paths, devices, hash and files.
  std::string reproducibleJson(const Schema& schema) const;
};

/// Returns the checksum of a file as 16 hexadecimal digits; empty if it is no regular file or
/// cannot be read.
std::string fileChecksum(const std::filesystem::path& file);

/// Returns the present time as "2024-05-01T12:00:00Z".
std::string utcTime();

}  // namespace mass::detail
