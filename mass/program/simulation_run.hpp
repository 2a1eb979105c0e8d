#pragma once

#include <mass/io/file_lock.hpp>
#include <mass/io/folder_lock.hpp>
#include <mass/io/interrupt.hpp>
#include <mass/io/progress.hpp>
#include <mass/program/agent_table_sink.hpp>
#include <mass/program/balance_monitor.hpp>
#include <mass/program/capacity_notes.hpp>
#include <mass/program/compilation.hpp>
#include <mass/program/data_sink.hpp>
#include <mass/program/event_monitor.hpp>
#include <mass/program/finite_check.hpp>
#include <mass/program/model_run.hpp>
#include <mass/program/output_paths.hpp>
#include <mass/program/picture_sink.hpp>
#include <mass/program/run_record.hpp>
#include <mass/program/step_loop.hpp>
#include <mass/program/table_sink.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mass::detail {

/// Run of a model to its last step or a signal, with its output folder, sinks and checkpoints. The
/// functions on files before and after the steps are in simulation_files.cpp, the loop of steps in
/// simulation_steps.cpp, texts in simulation_messages.cpp.
class SimulationRun : private StepOwner {
 public:
  /// The references must outlive this.
  /// @param restored checkpoint that the run continues, if it does
  SimulationRun(ModelRun& model, const Compilation& compilation,
                const std::optional<RestoredCheckpoint>& restored);
  SimulationRun(const SimulationRun&) = delete;
  SimulationRun& operator=(const SimulationRun&) = delete;

  /// Makes the run; see Simulation::run.
  int run();

 private:
  /// True on rank 0, which has the files and the terminal.
  bool ownsFiles() const { return model_.mass.devices().ranks().isFirst(); }
  const Settings& settings() const { return model_.mass.settings(); }
  bool checkpoints() const { return checkpointEvery_ > 0 || settings().given("checkpoint.file"); }
  std::vector<Sink*> active() const;

  // Files
  void requireSources() const;
  bool writesAnything() const;
  std::vector<UsedPath> finalFiles() const;
  std::vector<UsedPath> takenPaths() const;
  void lockOutput();
  void prepareOutput();
  std::vector<std::filesystem::path> outputFiles() const;
  std::vector<std::filesystem::path> inputFiles() const;
  void takeFolderOver();
  void openFiles();
  void beginRecord();
  void endRecord(RunState state);
  void recordFailure() noexcept;

  // Steps
  bool writesBeyondTable() const;
  void writeOutput();
  void synchronizeFrames() const;
  void writeCheckpoint();
  void writeRequestedCheckpoint(std::string_view by);
  void requireCheckpointable() const;
  bool goesOn(std::int64_t& chunk) override;
  std::int64_t nextStop(std::int64_t chunk, std::int64_t limit) const override;
  void chunkMade() override;
  void checkpointWanted() override { writeRequestedCheckpoint("a user"); }
  void runSteps();
  int finish();

  // Messages
  void note(const std::string& text) const;
  void report() const;
  std::string settingsNote() const;
  std::string changesNote() const;
  void notePendingRequests() const;
  void noteMissingAgents() const;
  int reportInterrupt(int signal) const;

  ModelRun& model_;
  const Compilation& compilation_;
  const std::optional<RestoredCheckpoint>& restored_;
  std::filesystem::path folder_;
  std::int64_t checkpointEvery_;
  std::filesystem::path checkpointFile_;
  FiniteCheck finiteCheck_;

  // Sinks
  PictureSink pictures_;
  std::vector<DataSink> data_;
  TableSink table_;
  std::vector<AgentTableSink> agents_;
  EventMonitor events_;
  BalanceMonitor balance_;
  std::vector<Sink*> outputs_;  ///< all but balance_, in the order in which they write
  std::vector<Sink*> sinks_;    ///< all
  OutputProgress progress_;     ///< from the checkpoint of a restart, later from this run

  InterruptGuard interrupts_;
  int signal_ = 0;                   ///< signal that ended the steps; 0 if none did
  bool hasSteps_ = false;            ///< a chunk of steps has been made
  std::optional<Progress> display_;  ///< on the terminal, during the steps

  CapacityNotes capacityNotes_;
  RunRecord record_;
  std::string recordText_;                        ///< reproducible part of the record
  std::vector<std::filesystem::path> keptFiles_;  ///< files of the run that a restart continues
  std::optional<FolderLock> lock_;
  std::optional<FileLock> checkpointLock_;
  double outputSeconds_ = 0;
};

}  // namespace mass::detail
