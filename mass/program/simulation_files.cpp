#include <mass/program/simulation_state.hpp>

#include <mass/io/atomic_file.hpp>
#include <mass/program/earlier_run.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace mass::detail {

/// Checks that the model registered each output that the settings ask for.
/// @throws SettingsError if one is missing
void SimulationState::requireSources() const {
  const auto require = [&](const std::string& key, bool isRegistered, std::string_view output) {
    const Settings& settings = mass.settings();
    if (isRegistered || !settings.given(key) || settings.get<std::int64_t>(key) == 0) return;
    settings.reject(key, fmt::format("'{}' has no {}: leave it out, or set it to 0", name, output));
  };
  require("output.table_every", !columns.empty(), "columns for a table");
  require("output.frame_every", pictures.hasSource(), "pictures");
  require("output.data_every", !data.empty(), "data to save");
  require("output.agents_every", !agents.empty(), "tables of agents");
  plot.requireColumns(name, writesTable() ? columnNames() : std::vector<std::string>{});
  const auto by = mass.settings().get<std::string>("balance.by");
  const auto requireFor = [&](const std::string& value, bool has, std::string_view what) {
    if (by == value && !has)
      mass.settings().reject("balance.by",
                             fmt::format("'{}' has no {}: set it to time", name, what));
  };
  requireFor("agents", !mass.agentCapacities().empty(), "agents");
  requireFor("rate", !mass.placesNames(true).empty(), "events");
}

/// Returns the files that this run writes under names that do not depend on the step.
std::vector<UsedPath> SimulationState::finalFiles() const {
  std::vector<UsedPath> files{{"the record of the run", folder / RunRecord::fileName}};
  if (writesTable()) files.emplace_back("the table", tableFile());
  for (const auto& file : plot.files(tableFile())) files.emplace_back("the plot", file);
  for (const auto& [places, file] : balanceMonitor.files())
    files.emplace_back("the table of the load balance", file);
  for (const auto& [places, file] : eventMonitor.files())
    files.emplace_back("the table of events", file);
  if (pictures.makesAnimations()) {
    for (const auto& file : pictures.animationFiles()) files.emplace_back("the animation", file);
  }
  if (writesData()) {
    for (const DataSource& source : data) files.emplace_back("the data", source.file);
  }
  if (writesAgents()) {
    for (const AgentTableSource& source : agents)
      files.emplace_back("the table of agents", source.file);
  }
  return files;
}

/// Returns the files and folders that the checkpoint must not replace.
std::vector<UsedPath> SimulationState::takenPaths() const {
  std::vector<UsedPath> taken = finalFiles();
  if (!mass.settings().file().empty())
    taken.emplace_back("the settings file", mass.settings().file());
  for (const auto& file : mass.settings().resolved()) taken.emplace_back("the model's input", file);
  if (pictures.isActive()) {
    taken.emplace_back("the folder of the pictures", pictures.folder());
    for (const auto& file : pictures.animationFiles()) taken.emplace_back("the animation", file);
  }
  if (writesData()) {
    for (const DataSource& source : data)
      taken.emplace_back("the folder of the data", folder / source.file.stem());
  }
  if (writesAgents()) {
    for (const AgentTableSource& source : agents) {
      if (source.file.extension() == ".h5")
        taken.emplace_back("the folder of the table of agents", folder / source.file.stem());
    }
  }
  return taken;
}

/// Creates the folders of the results and of the checkpoint, and locks both against other runs.
void SimulationState::lockOutput() {
  makeFolder(folder);
  lock.emplace(folder);
  note(lock->note());
  if (pictures.isActive()) makeFolder(pictures.folder());
  if (!checkpoints()) return;
  if (checkpointFile.has_parent_path()) makeFolder(checkpointFile.parent_path());
  checkpointLock.emplace(checkpointFile);
  if (lock->note().empty()) note(checkpointLock->note());
}

/// Creates the folders and opens the files. A fresh run removes the files of the earlier run first.
/// A restart continues them and removes output of steps after the checkpoint.
void SimulationState::prepareOutput() {
  requireSources();
  if (!ownsFiles()) return;
  const CheckpointPath checkpoint(mass.settings(), checkpointFile, folder, restarted);
  if (checkpoints()) {
    checkpoint.requireUnused(takenPaths());
    checkpoint.requireName();
  }
  if (!writesAnything()) return;
  requireNoFolders(finalFiles());
  if (checkpoints()) checkpoint.makeFolder();
  lockOutput();
  record = RunRecord::of(mass, name, compilation, restartFile);
  recordText = record.reproducibleJson(mass.settings().schema());
  takeFolderOver();
  if (checkpoints()) {
    note(checkpoint.keepPrevious());
    record.checkpoint = checkpoint.inResults();
  }
  openFiles();
  beginRecord();
}

/// Returns the names of the files of this program with any settings.
OutputNames SimulationState::outputNames() const {
  constexpr std::size_t digitsOfFrames = 9, digitsOfData = 12;
  OutputNames names;
  const auto addFile = [&](const std::string& file) {
    names.files.emplace_back(file);
    names.files.push_back(partialName(file));
  };
  for (const char* const extension : {".csv", ".gif", ".mp4", ".plot.svg", ".plot.png"})
    addFile(name + extension);
  for (const std::string& places : mass.placesNames()) {
    addFile(fmt::format("{}{}.csv", BalanceMonitor::tablePrefix, places));
    addFile(fmt::format("{}{}.csv", EventMonitor::tablePrefix, places));
  }
  names.series.push_back({"frames", ".png", digitsOfFrames});
  for (const DataSource& source : data) {
    addFile(source.file.filename().string());
    names.series.push_back({source.file.stem(), ".vtkhdf", digitsOfData});
  }
  for (const AgentTableSource& source : agents) {
    for (const char* const extension : {".csv", ".h5"}) addFile(source.name + extension);
    names.series.push_back({source.name, ".h5", digitsOfData});
  }
  return names;
}

/// Returns the paths of the files that this run has written or is about to write, complete or not.
std::vector<std::filesystem::path> SimulationState::outputFiles() const {
  std::vector<std::filesystem::path> files = pictures.files();
  const auto add = [&](const std::vector<std::filesystem::path>& more) {
    files.insert(files.end(), more.begin(), more.end());
  };
  const auto addBoth = [&](const std::filesystem::path& file) { add({file, partialName(file)}); };
  if (writesTable()) addBoth(tableFile());
  for (const std::filesystem::path& file : plot.files(tableFile())) addBoth(file);
  for (const auto& [places, file] : balanceMonitor.files()) addBoth(file);
  for (const auto& [places, file] : eventMonitor.files()) addBoth(file);
  if (writesData()) {
    for (const DataSource& source : data) add(source.files());
  }
  for (const AgentTableSource& source : agents) {
    if (source.table) add(source.table->files());
  }
  return files;
}

/// Returns the paths of the inputs of this run.
std::vector<std::filesystem::path> SimulationState::inputFiles() const {
  std::vector<std::filesystem::path> files;
  for (const RunInput& input : record.inputs) files.push_back(input.file);
  return files;
}

/// Removes the files of the earlier run in the output folder; a restart keeps them. Prints a note
/// on the changes, and on a run that was killed.
void SimulationState::takeFolderOver() {
  const EarlierRun earlier(folder, outputNames());
  const std::string recordFile = (folder / RunRecord::fileName).string();
  if (earlier.isRecordUnreadable())
    note(fmt::format("'{}' is no record of a run, and is replaced", recordFile));
  if (earlier.wasKilled())
    note(fmt::format(
        "the last run in '{}' did not end: it crashed, was killed, or the machine stopped",
        folder.string()));
  if (restarted) {
    keptFiles = earlier.files();
    return;
  }
  const std::string changes = earlier.remove(inputFiles());
  if (!changes.empty()) note(fmt::format("in '{}': {}", folder.string(), changes));
}

/// Begins the tables and data series; a restart continues them.
void SimulationState::openFiles() {
  const std::int64_t last = restarted ? step : -1;
  balanceMonitor.begin();
  eventMonitor.begin();
  if (pictures.isActive() && restarted) pictures.resume(last);
  if (writesTable()) {
    renameFormerTable();
    const std::vector<std::string> names = columnNames();
    table =
        restarted ? Table::resume(tableFile(), names, last, lastRow) : Table(tableFile(), names);
  }
  if (writesData()) {
    for (const DataSource& source : data) {
      if (restarted)
        note(source.resume(last, frameLists[frameListOf(source.file)], recordText));
      else
        source.begin(recordText);
    }
  }
  if (writesAgents()) {
    for (AgentTableSource& source : agents) {
      if (restarted)
        note(source.resume(last, frameLists[frameListOf(source.file)], recordText));
      else
        source.begin(recordText);
    }
  }
}

/// Renames the table that the checkpoint's program wrote under its former name, unless a table of
/// the present name exists.
void SimulationState::renameFormerTable() const {
  if (!restarted || writer == name || std::filesystem::exists(tableFile())) return;
  const auto former = folder / (writer + ".csv");
  std::error_code error;
  if (std::filesystem::exists(former)) std::filesystem::rename(former, tableFile(), error);
  if (error) throw cannotWrite(tableFile(), error.value());
}

/// Writes the record of a run in progress.
void SimulationState::beginRecord() {
  record.firstStep = firstStep;
  record.steps = steps;
  endRecord(RunState::running);
}

/// Writes the record. Unless the run is in progress, it lists only files that exist.
void SimulationState::endRecord(RunState state) {
  const bool isRunning = state == RunState::running;
  record.state = state;
  record.step = step;
  record.computeSeconds = computeSeconds;
  record.outputSeconds = outputSeconds;
  if (!isRunning) record.end = utcTime();
  std::set<std::filesystem::path> files(keptFiles.begin(), keptFiles.end());
  for (const std::filesystem::path& file : outputFiles())
    files.insert(file.lexically_relative(folder));
  if (!record.checkpoint.empty()) {
    files.insert(record.checkpoint);
    files.insert(partialName(record.checkpoint));
  }
  std::erase_if(files, [&](const std::filesystem::path& file) {
    return !isRunning && !isRegularFileBelow(folder, file);
  });
  record.files.assign(files.begin(), files.end());
  record.write(folder);
}

/// Writes the record of a run that an error ends; on a full disk only its state.
void SimulationState::recordFailure() noexcept {
  if (!lock || record.state != RunState::running || record.begin.empty()) return;
  try {
    RunRecord::markFailed(folder);
    endRecord(RunState::failed);
  } catch (...) {  // the error that ends the run is reported instead
  }
}

}  // namespace mass::detail
