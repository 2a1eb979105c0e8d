#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace mass::detail {

/// Names of the files that a program writes in its output folder with any settings.
struct OutputNames {
  /// Numbered files of a folder: `<folder>/<step><extension>`, with leading zeros.
  struct Series {
    std::filesystem::path folder;  ///< relative to the output folder
    std::string extension;         ///< with the dot
    std::size_t digits = 0;        ///< digits of the step

    /// True if `name` is one of the files, complete or `.partial`.
    bool contains(std::string name) const;
  };
  /// Digits of the steps in the names of pictures, and of files of data.
  static constexpr std::size_t digitsOfFrames = 9, digitsOfData = 12;

  std::vector<std::filesystem::path> files;  ///< relative to the output folder
  std::vector<Series> series;

  /// Adds a file and the name that it has while it is incomplete.
  void addFile(const std::filesystem::path& file);
};

/// Earlier run in an output folder, as its run.json describes it. Without a record, for a killed
/// run, and for one that ended on a full disk (RunRecord::markFailed), the names of OutputNames are
/// added to the files that it lists. Entries that are absolute, contain `..`, or lead through a
/// symbolic link are ignored.
class EarlierRun {
 public:
  /// Name of the checkpoint of an earlier run.
  static constexpr const char* previousCheckpoint = "checkpoint.previous.h5";

  /// Reads the record, if there is one.
  /// @param names names that this program uses itself
  EarlierRun(std::filesystem::path folder, const OutputNames& names);

  /// True if the record says that the run is in progress: it was killed, if the folder is locked.
  bool wasKilled() const { return wasKilled_; }
  /// True if run.json exists and is no record of a run.
  bool isRecordUnreadable() const { return isRecordUnreadable_; }
  /// Returns RunRecord::continued; 0 without a record.
  int continued() const { return continued_; }
  /// Returns the paths of the regular files of the run, relative to the output folder, sorted.
  const std::vector<std::filesystem::path>& files() const { return files_; }

  /// Removes the files, and renames the checkpoint to previousCheckpoint.
  /// @param inputs files of the present run, which are kept
  /// @return description of the changes for a note; empty without changes
  /// @throws OutputError if a file cannot be removed or renamed; a folder named previousCheckpoint
  ///   is found before a file is removed
  std::string remove(const std::vector<std::filesystem::path>& inputs) const;

 private:
  void readRecord();
  void addOwn(const OutputNames& names);
  void add(const std::filesystem::path& file);

  std::filesystem::path folder_;
  std::vector<std::filesystem::path> files_;
  std::filesystem::path checkpoint_;
  int continued_ = 0;
  bool hasRecord_ = false, isComplete_ = false, wasKilled_ = false, isRecordUnreadable_ = false;
};

/// True if `file` is a regular file below `folder`: relative, without `..`, and no component is a
/// symbolic link.
bool isRegularFileBelow(const std::filesystem::path& folder, const std::filesystem::path& file);

}  // namespace mass::detail
