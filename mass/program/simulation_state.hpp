#pragma once

#include <mass/io/file_lock.hpp>
#include <mass/io/folder_lock.hpp>
#include <mass/io/interrupt.hpp>
#include <mass/io/table.hpp>
#include <mass/model/mass.hpp>
#include <mass/program/balance_monitor.hpp>
#include <mass/program/capacity_notes.hpp>
#include <mass/program/earlier_run.hpp>
#include <mass/program/event_monitor.hpp>
#include <mass/program/finite_check.hpp>
#include <mass/program/output_paths.hpp>
#include <mass/program/output_sources.hpp>
#include <mass/program/picture_series.hpp>
#include <mass/program/run_record.hpp>
#include <mass/program/simulation.hpp>
#include <mass/program/table_plot.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mass::detail {

/// Counters of a checkpoint: its step, and the step of the table's last row.
inline constexpr const char* stepCounter = "simulation.step";
inline constexpr const char* lastRowCounter = "simulation.last_row";
/// Returns the name of the counter for the last row of a table of agents.
inline std::string lastRowCounterOf(const std::string& agents) {
  return std::string(lastRowCounter) + "." + agents;
}
/// Returns the name of the text of a checkpoint that lists the frames of a series or table.
inline std::string frameListOf(const std::filesystem::path& file) {
  return "frames of " + file.filename().string();
}

/// State of a Simulation, and the actions of its run. Those on files before and after the steps are
/// in simulation_files.cpp, the loop of steps in simulation_steps.cpp, texts in
/// simulation_messages.cpp.
struct SimulationState {
  Mass& mass;
  std::string name;
  std::filesystem::path folder;
  std::int64_t steps, tableEvery, dataEvery, agentsEvery, checkpointEvery;
  std::filesystem::path checkpointFile;

  std::function<void(Steps)> advance;
  std::function<void()> check;
  std::function<std::string(const std::filesystem::path&)> evaluate;
  std::vector<ColumnGroup> columns;
  PictureSeries pictures;
  std::vector<DataSource> data;
  std::vector<AgentTableSource> agents;
  double timeStep = 1;

  std::int64_t firstStep = 0;  ///< step at which this run starts
  std::int64_t step = 0;
  bool restarted = false;
  std::vector<std::string> formerNames;  ///< names of this program in earlier versions
  std::string writer;                    ///< program name in the checkpoint of a restart
  std::string settingsNote;  ///< on the settings of the checkpoint; empty without a difference
  std::filesystem::path restartFile;  ///< checkpoint of a restart
  Compilation compilation;
  RunRecord record;
  std::string recordText;                        ///< reproducible part of the record
  std::vector<std::filesystem::path> keptFiles;  ///< files of the run that a restart continues
  std::optional<FolderLock> lock;
  std::optional<FileLock> checkpointLock;
  std::optional<Table> table;
  std::int64_t lastRow = -1;  ///< step of the table's last row; -1: none
  /// Lists of frames by frameListOf(): of the checkpoint of a restart, later of this run.
  std::map<std::string, std::string> frameLists;
  double computeSeconds = 0, outputSeconds = 0;
  double agentSteps = 0;  ///< sum of agents times steps
  CapacityNotes capacityNotes;
  BalanceMonitor balanceMonitor;
  EventMonitor eventMonitor;
  FiniteCheck finiteCheck;
  TablePlot plot;

  SimulationState(Mass& owner, std::string program, const Compilation& options);

  /// True on rank 0, which has the files and the terminal.
  bool ownsFiles() const { return mass.devices().ranks().isFirst(); }
  std::filesystem::path tableFile() const { return folder / (name + ".csv"); }
  bool writesTable() const { return !columns.empty() && tableEvery > 0; }
  bool writesData() const { return !data.empty() && dataEvery > 0; }
  bool writesAgents() const { return !agents.empty() && agentsEvery > 0; }
  bool writesAnything() const {
    return pictures.isActive() || writesTable() || writesData() || writesAgents() ||
           checkpoints() || balanceMonitor.writes();
  }
  bool checkpoints() const {
    return checkpointEvery > 0 || mass.settings().given("checkpoint.file");
  }

  // Files
  void requireSources() const;
  std::vector<UsedPath> finalFiles() const;
  std::vector<UsedPath> takenPaths() const;
  void lockOutput();
  void prepareOutput();
  OutputNames outputNames() const;
  std::vector<std::filesystem::path> outputFiles() const;
  std::vector<std::filesystem::path> inputFiles() const;
  void takeFolderOver();
  void openFiles();
  void renameFormerTable() const;
  void beginRecord();
  void endRecord(RunState state);
  void recordFailure() noexcept;

  // Steps
  std::vector<std::string> columnNames() const;
  std::string timeText() const;
  void writeFrame();
  bool writesBeyondTable() const;
  void runCheck() const;
  std::vector<double> checkedRow() const;
  void writeOutput();
  void synchronizeFrames() const;
  void writeCheckpoint();
  void writeRequestedCheckpoint();
  void requireCheckpointable() const;
  std::int64_t nextStop(std::int64_t chunk) const;
  void advanceTo(std::int64_t stop, std::int64_t& chunk);
  int runSteps(const InterruptGuard& interrupts);
  void finishTables();
  int finish(int signal, const InterruptGuard& interrupts);

  // Messages
  void note(const std::string& text) const;
  void report() const;
  std::string changesSince(const std::filesystem::path& checkpoint,
                           const std::string& written) const;
  void notePendingRequests() const;
  int reportInterrupt(int signal) const;
};

}  // namespace mass::detail
