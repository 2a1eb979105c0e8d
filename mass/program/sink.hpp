#pragma once

#include <mass/program/earlier_run.hpp>
#include <mass/program/output_paths.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace mass::detail {

/// Contents of a checkpoint from which a restart continues the files of a run.
struct OutputProgress {
  std::map<std::string, std::uint64_t> counters;  ///< steps of the last rows of tables
  std::map<std::string, std::string> frames;      ///< lists of frames, by name of their file

  /// Returns the step of the last row; -1 if there is none. @param counter name of the counter
  std::int64_t lastRow(const std::string& counter) const {
    const auto found = counters.find(counter);
    return found == counters.end() ? -1 : static_cast<std::int64_t>(found->second);
  }
  /// Sets the step of the last row, unless it is -1.
  void setLastRow(const std::string& counter, std::int64_t step) {
    if (step >= 0) counters[counter] = static_cast<std::uint64_t>(step);
  }
  /// Returns the list of the frames of a file; empty if there is none.
  std::string framesOf(const std::filesystem::path& file) const {
    const auto found = frames.find(frameListOf(file));
    return found == frames.end() ? "" : found->second;
  }
  /// Returns the name of the text of a checkpoint that lists the frames of a series or table.
  static std::string frameListOf(const std::filesystem::path& file) {
    return "frames of " + file.filename().string();
  }
};

/// Run that continues a checkpoint.
struct ContinuedRun {
  std::int64_t step;        ///< step of the checkpoint
  OutputProgress progress;  ///< stored in the checkpoint
  std::string writer;       ///< name of the program that wrote the checkpoint
};

/// Output of a run, such as its table or its pictures, in files of the output folder. The sink is
/// told when output is due. Rank 0 has the files: it alone calls the functions about paths,
/// prepare(), begin() and resume(); all ranks call the others together.
class Sink {
 public:
  virtual ~Sink() = default;

  /// Steps between two calls of write(); 0: the settings or the model ask for no such output.
  virtual std::int64_t every() const = 0;
  /// True if the run writes this output.
  bool isActive() const { return every() > 0; }
  /// True if output is due at `step`.
  bool isDue(std::int64_t step) const { return isActive() && step % every() == 0; }

  /// Adds the names of the files that the output has with any settings.
  virtual void addNames(OutputNames& names) const = 0;
  /// Returns the files of an active sink whose names do not depend on the step.
  virtual std::vector<UsedPath> finalFiles() const = 0;
  /// Returns other paths of an active sink that a checkpoint must not replace.
  virtual std::vector<UsedPath> folders() const { return {}; }
  /// Returns the paths of all files that the run has written or is about to write, complete or not.
  virtual std::vector<std::filesystem::path> files() const = 0;

  /// Creates folders, before the files of an earlier run are removed.
  virtual void prepare() {}
  /// Opens the files of a fresh run. @param run description of the run, for the files
  virtual void begin(const std::string& run) = 0;
  /// Opens the files of a run that continues a checkpoint, and removes output of later steps.
  /// @return note on missing files; empty if there is none
  virtual std::string resume(const ContinuedRun& from, const std::string& run) = 0;
  /// Writes the output of the present step.
  virtual void write(std::int64_t step) = 0;
  /// Makes the output durable before a checkpoint, and adds to its contents.
  virtual void flush(OutputProgress&) {}
  /// Completes the files after the last step.
  virtual void finish() {}
  /// Returns lines for the summary of the run.
  virtual std::string report() const { return {}; }
};

}  // namespace mass::detail
