#include <mass/program/simulation_run.hpp>

#include <mass/io/atomic_file.hpp>
#include <mass/program/earlier_run.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace mass::detail {
namespace {

template <class T>
void append(std::vector<T>& list, const std::vector<T>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

/// Returns the progress of the outputs that a checkpoint holds.
OutputProgress progressOf(const RestoredCheckpoint& restored) {
  OutputProgress progress;
  for (const auto& [name, value] : restored.counters)
    if (name.starts_with(lastRowCounter)) progress.counters[name] = value;
  for (const auto& [name, text] : restored.texts)
    if (name.starts_with(OutputProgress::frameListOf(""))) progress.frames[name] = text;
  return progress;
}

}  // namespace

SimulationRun::SimulationRun(ModelRun& model, const Compilation& compilation,
                             const std::optional<RestoredCheckpoint>& restored)
    : model_(model),
      compilation_(compilation),
      restored_(restored),
      folder_(settings().get<std::string>("output.folder")),
      checkpointEvery_(settings().get<std::int64_t>("checkpoint.every")),
      checkpointFile_(settings().get<std::string>("checkpoint.file")),
      finiteCheck_(settings()),
      pictures_(model, finiteCheck_),
      table_(model, finiteCheck_),
      events_(model.mass),
      balance_(model.mass),
      capacityNotes_(model.mass, model.name) {
  if (checkpointFile_.empty()) checkpointFile_ = folder_ / "checkpoint.h5";
  if (restored) progress_ = progressOf(*restored);
  for (const DataDeclaration& data : model.data) data_.emplace_back(model, data, finiteCheck_);
  for (const AgentTableDeclaration& table : model.agentTables)
    agents_.emplace_back(model, table, finiteCheck_);
  outputs_ = {&pictures_};
  for (DataSink& sink : data_) outputs_.push_back(&sink);
  outputs_.push_back(&table_);
  for (AgentTableSink& sink : agents_) outputs_.push_back(&sink);
  outputs_.push_back(&events_);
  sinks_ = outputs_;
  sinks_.push_back(&balance_);
}

int SimulationRun::run() {
  model_.requireSteps();
  prepareOutput();
  note(settingsNote());
  note(changesNote());
  const std::shared_ptr<void> noEnd(nullptr, [&](void*) { model_.isEndWanted = nullptr; });
  model_.isEndWanted = [&] { return interrupts_.signal() != 0; };
  try {
    runSteps();
    return finish();
  } catch (...) {
    recordFailure();
    throw;
  }
}

/// Returns the sinks whose output the run writes.
std::vector<Sink*> SimulationRun::active() const {
  std::vector<Sink*> active;
  for (Sink* const sink : sinks_)
    if (sink->isActive()) active.push_back(sink);
  return active;
}

/// Checks that the model registered each output that the settings ask for.
/// @throws SettingsError if one is missing
void SimulationRun::requireSources() const {
  const auto require = [&](const std::string& key, bool isRegistered, std::string_view output) {
    if (isRegistered || !settings().given(key) || settings().get<std::int64_t>(key) == 0) return;
    settings().reject(
        key, fmt::format("'{}' has no {}: leave it out, or set it to 0", model_.name, output));
  };
  require("output.table_every", !model_.columns.empty(), "columns for a table");
  require("output.frame_every", model_.picture != nullptr, "pictures");
  require("output.data_every", !model_.data.empty(), "data to save");
  require("output.agents_every", !model_.agentTables.empty(), "tables of agents");
  table_.requireColumns();
  const auto by = settings().get<std::string>("balance.by");
  const auto requireFor = [&](const std::string& value, bool has, std::string_view what) {
    if (by == value && !has)
      settings().reject("balance.by",
                        fmt::format("'{}' has no {}: set it to time", model_.name, what));
  };
  requireFor("agents", !model_.mass.agentCapacities().empty(), "agents");
  requireFor("rate", !model_.mass.placesNames(true).empty(), "events");
}

/// True if the run writes a file.
bool SimulationRun::writesAnything() const {
  const auto isActive = [](const Sink* sink) { return sink->isActive(); };
  return std::ranges::any_of(outputs_, isActive) || balance_.writes() || checkpoints();
}

/// Returns the files that this run writes under names that do not depend on the step.
std::vector<UsedPath> SimulationRun::finalFiles() const {
  std::vector<UsedPath> files{{"the record of the run", folder_ / RunRecord::fileName}};
  for (const Sink* const sink : active()) append(files, sink->finalFiles());
  return files;
}

/// Returns the files and folders that the checkpoint must not replace.
std::vector<UsedPath> SimulationRun::takenPaths() const {
  std::vector<UsedPath> taken = finalFiles();
  if (!settings().file().empty()) taken.emplace_back("the settings file", settings().file());
  for (const auto& file : settings().resolved()) taken.emplace_back("the model's input", file);
  for (const Sink* const sink : active()) append(taken, sink->folders());
  return taken;
}

/// Creates the folders of the results and of the checkpoint, and locks both against other runs.
void SimulationRun::lockOutput() {
  makeFolder(folder_);
  lock_.emplace(folder_);
  note(lock_->note());
  for (Sink* const sink : active()) sink->prepare();
  if (!checkpoints()) return;
  if (checkpointFile_.has_parent_path()) makeFolder(checkpointFile_.parent_path());
  checkpointLock_.emplace(checkpointFile_);
  if (lock_->note().empty()) note(checkpointLock_->note());
}

/// Creates the folders and opens the files. A fresh run removes the files of the earlier run first.
/// A restart continues them and removes output of steps after the checkpoint.
void SimulationRun::prepareOutput() {
  requireSources();
  if (!ownsFiles()) return;
  const CheckpointPath checkpoint(settings(), checkpointFile_, folder_, restored_.has_value());
  if (checkpoints()) {
    checkpoint.requireUnused(takenPaths());
    checkpoint.requireName();
  }
  if (!writesAnything()) return;
  requireNoFolders(finalFiles());
  if (checkpoints()) checkpoint.makeFolder();
  lockOutput();
  record_ = RunRecord::of(model_.mass, model_.name, compilation_,
                          restored_ ? restored_->file : std::filesystem::path{});
  record_.changes = model_.changes;
  recordText_ = record_.reproducibleJson(settings().schema());
  takeFolderOver();
  if (checkpoints()) {
    note(checkpoint.keepPrevious());
    record_.checkpoint = checkpoint.inResults();
  }
  openFiles();
  beginRecord();
}

/// Returns the paths of the files that this run has written or is about to write, complete or not.
std::vector<std::filesystem::path> SimulationRun::outputFiles() const {
  std::vector<std::filesystem::path> files;
  for (const Sink* const sink : active()) append(files, sink->files());
  return files;
}

/// Returns the paths of the inputs of this run.
std::vector<std::filesystem::path> SimulationRun::inputFiles() const {
  std::vector<std::filesystem::path> files;
  for (const RunInput& input : record_.inputs) files.push_back(input.file);
  return files;
}

/// Removes the files of the earlier run in the output folder; a restart keeps them. Prints a note
/// on the changes, and on a run that was killed.
void SimulationRun::takeFolderOver() {
  OutputNames names;
  for (const Sink* const sink : sinks_) sink->addNames(names);
  const EarlierRun earlier(folder_, names);
  const std::string recordFile = (folder_ / RunRecord::fileName).string();
  if (earlier.isRecordUnreadable())
    note(fmt::format("'{}' is no record of a run, and is replaced", recordFile));
  if (earlier.wasKilled())
    note(fmt::format(
        "the last run in '{}' did not end: it crashed, was killed, or the machine stopped",
        folder_.string()));
  if (restored_) {
    keptFiles_ = earlier.files();
    record_.continued = earlier.continued() + 1;
    return;
  }
  const std::string changes = earlier.remove(inputFiles());
  if (!changes.empty()) note(fmt::format("in '{}': {}", folder_.string(), changes));
}

/// Opens the files of the sinks; a restart continues them.
void SimulationRun::openFiles() {
  for (Sink* const sink : active()) {
    if (restored_)
      note(sink->resume({model_.step, progress_, restored_->writer}, recordText_));
    else
      sink->begin(recordText_);
  }
}

/// Writes the record of a run in progress.
void SimulationRun::beginRecord() {
  record_.firstStep = model_.firstStep;
  record_.steps = model_.steps;
  endRecord(RunState::running);
}

/// Writes the record. Unless the run is in progress, it lists only files that exist.
void SimulationRun::endRecord(RunState state) {
  const bool isRunning = state == RunState::running;
  record_.state = state;
  record_.step = model_.step;
  record_.endedBy = model_.endedBy;
  record_.changes = model_.changes;
  record_.computeSeconds = model_.computeSeconds;
  record_.outputSeconds = outputSeconds_;
  if (!isRunning) record_.end = utcTime();
  std::set<std::filesystem::path> files(keptFiles_.begin(), keptFiles_.end());
  for (const std::filesystem::path& file : outputFiles())
    files.insert(file.lexically_relative(folder_));
  if (!record_.checkpoint.empty()) {
    files.insert(record_.checkpoint);
    files.insert(partialName(record_.checkpoint));
  }
  std::erase_if(files, [&](const std::filesystem::path& file) {
    return !isRunning && !isRegularFileBelow(folder_, file);
  });
  record_.files.assign(files.begin(), files.end());
  record_.write(folder_);
}

/// Writes the record of a run that an error ends; on a full disk only its state.
void SimulationRun::recordFailure() noexcept {
  if (!lock_ || record_.state != RunState::running || record_.begin.empty()) return;
  try {
    RunRecord::markFailed(folder_);
    endRecord(RunState::failed);
  } catch (...) {  // the error that ends the run is reported instead
  }
}

}  // namespace mass::detail
