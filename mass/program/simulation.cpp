#include <mass/program/simulation.hpp>

#include <mass/io/agent_table.hpp>
#include <mass/io/animation.hpp>
#include <mass/io/atomic_file.hpp>
#include <mass/io/checkpoint_file.hpp>
#include <mass/io/color_map.hpp>
#include <mass/io/file_lock.hpp>
#include <mass/io/folder_lock.hpp>
#include <mass/io/image.hpp>
#include <mass/io/interrupt.hpp>
#include <mass/io/point_series.hpp>
#include <mass/io/print.hpp>
#include <mass/io/progress.hpp>
#include <mass/io/table.hpp>
#include <mass/model/rank_checkpoint.hpp>
#include <mass/program/balance_monitor.hpp>
#include <mass/program/earlier_run.hpp>
#include <mass/program/finite_check.hpp>
#include <mass/program/output_paths.hpp>
#include <mass/program/run_record.hpp>
#include <mass/program/table_plot.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace mass {
namespace {

using Clock = std::chrono::steady_clock;

/// Compute time of a chunk, the steps between two checks of progress and signals.
constexpr double secondsPerChunk = 0.1;

/// Counters of a checkpoint: its step, and the step of the table's last row.
const std::string stepCounter = "simulation.step";
const std::string lastRowCounter = "simulation.last_row";
/// Returns the name of the counter for the last row of a table of agents.
std::string lastRowCounterOf(const std::string& agents) {
  return lastRowCounter + "." + agents;
}

/// Returns the name of the text of a checkpoint that lists the frames of a series or table.
std::string frameListOf(const std::filesystem::path& file) {
  return "frames of " + file.filename().string();
}

/// Returns the seconds from `start` until now.
double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// True if an output of interval `every` is written at `step`; never if `every` is 0.
bool isMultiple(std::int64_t step, std::int64_t every) {
  return every > 0 && step % every == 0;
}

/// Returns the step in the name of a frame file; -1 if `file` is no frame.
std::int64_t frameStep(const std::filesystem::path& file) {
  const std::string stem = file.stem().string();
  std::int64_t step = -1;
  if (file.extension() != ".png") return -1;
  const auto [end, error] = std::from_chars(stem.data(), stem.data() + stem.size(), step);
  return error == std::errc{} && end == stem.data() + stem.size() ? step : -1;
}

/// Returns the frames in a folder in the order of their steps.
/// @throws OutputError if the folder cannot be read
std::vector<std::filesystem::path> framesIn(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  try {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (frameStep(entry.path()) >= 0) files.push_back(entry.path());
    }
  } catch (const std::filesystem::filesystem_error& error) {
    throw detail::cannotWrite(folder, error.code().value());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Columns of the table whose values one function returns.
struct ColumnGroup {
  std::vector<std::string> names;
  std::function<std::vector<double>()> values;
};

/// Data files for ParaView: a FieldSeries or a PointSeries.
struct DataSource {
  std::filesystem::path file;
  std::function<void(const std::string& run)> begin;
  /// Returns a note on missing frames.
  std::function<std::string(std::int64_t lastStep, const std::string& list, const std::string& run)>
      resume;
  std::function<std::vector<std::filesystem::path>()> files;
  std::function<std::string()> list;  ///< list of the frames, for a checkpoint
  std::function<void(std::int64_t step, double time)> write;

  /// Creates a source without `write`.
  template <class Series>
  static DataSource of(const std::shared_ptr<Series>& series) {
    return {series->path(),
            [series](const std::string& run) { series->begin(run); },
            [series](std::int64_t last, const std::string& frames, const std::string& run) {
              return series->resume(last, frames, run);
            },
            [series] { return series->files(); },
            [series] { return series->list(); },
            nullptr};
  }
};

/// Checks the values of agents. @param name name of the agents
/// @throws ModelError with the identity of an agent
void requireFinite(const detail::FiniteCheck& check, std::int64_t step, const std::string& name,
                   const detail::AgentFrame& frame) {
  check.requireArrays(step, frame.arrays, frame.rows, [&](std::size_t row) {
    const auto isId = [](const detail::FieldArray& array) { return array.name == "id"; };
    const auto ids = std::find_if(frame.arrays.begin(), frame.arrays.end(), isId);
    return fmt::format("agent {} of '{}'", static_cast<const std::uint64_t*>(ids->data)[row], name);
  });
}

/// Table of agents of a run.
struct TableSource {
  std::string name;  ///< name of the agents
  std::filesystem::path file;
  std::vector<detail::FieldArray> columns;
  std::function<detail::AgentFrame()> rows;
  std::unique_ptr<detail::AgentTable> table{};
  std::int64_t lastRow = -1;  ///< step of the last flushed row; -1: none

  /// Begins the table. @param run description of the run
  void begin(const std::string& run) {
    table = detail::AgentTable::open(file, columns, std::nullopt, run);
  }
  /// Continues the table of a checkpoint.
  /// @param lastStep step of the checkpoint
  /// @param list list of the files of the table
  /// @param run description of the run
  /// @return note on missing files
  std::string resume(std::int64_t lastStep, const std::string& list, const std::string& run) {
    table = detail::AgentTable::open(file, columns,
                                     detail::AgentTable::Resumed{lastStep, lastRow, list}, run);
    return table->note();
  }
  void write(std::int64_t step, const detail::FiniteCheck& check) {
    const detail::AgentFrame frame = rows();
    requireFinite(check, step, name, frame);
    if (table) table->add(step, frame.rows, frame.arrays);
  }
  void flush() {
    if (!table) return;
    table->flush();
    lastRow = table->lastRow();
  }
};

/// Returns a text as "2 CPU devices" or "1 GPU device (NVIDIA H200)".
std::string devicesText(const detail::DeviceConfig& devices) {
  std::set<std::string> models;
  if (devices.areGpus()) {
    for (const int device : devices.local()) models.insert(devices.device(device).model());
  }
  std::string text =
      fmt::format("{} {} device{}{}", devices.size(), devices.areGpus() ? "GPU" : "CPU",
                  devices.size() == 1 ? "" : "s",
                  models.empty() ? "" : fmt::format(" ({})", fmt::join(models, ", ")));
  if (const int ranks = devices.ranks().count(); ranks > 1)
    text += fmt::format(" of {} ranks", ranks);
  return text;
}

}  // namespace

struct Simulation::State {
  Mass& mass;
  std::string name;
  std::filesystem::path folder;
  std::int64_t steps, tableEvery, frameEvery, dataEvery, agentsEvery, checkpointEvery;
  std::filesystem::path checkpointFile;

  std::function<void(Steps)> advance;
  std::function<void()> check;
  std::function<std::string(const std::filesystem::path&)> evaluate;
  std::vector<ColumnGroup> columns;
  std::function<Picture()> picture;
  detail::PictureStyle style;
  std::vector<DataSource> data;
  std::vector<TableSource> agents;
  double timeStep = 1;

  std::int64_t firstStep = 0;  ///< step at which this run starts
  std::int64_t step = 0;
  bool restarted = false;
  std::vector<std::string> formerNames;  ///< names of this program in earlier versions
  std::string writer;                    ///< program name in the checkpoint of a restart
  std::string settingsNote;  ///< on the settings of the checkpoint; empty without a difference
  std::filesystem::path restartFile;  ///< checkpoint of a restart
  detail::Compilation compilation;
  detail::RunRecord record;
  std::string recordText;                        ///< reproducible part of the record
  std::vector<std::filesystem::path> keptFiles;  ///< files of the run that a restart continues
  std::vector<std::filesystem::path> frames, animations;
  std::optional<detail::FolderLock> lock;
  std::optional<detail::FileLock> checkpointLock;
  std::optional<detail::Table> table;
  std::int64_t lastRow = -1;  ///< step of the table's last row; -1: none
  /// Lists of frames by frameListOf(): of the checkpoint of a restart, later of this run.
  std::map<std::string, std::string> frameLists;
  double computeSeconds = 0, outputSeconds = 0;
  double agentSteps = 0;                          ///< sum of agents times steps
  std::vector<AgentCapacity> reportedCapacities;  ///< at the last call of capacityNotes()
  detail::BalanceMonitor balanceMonitor;
  detail::FiniteCheck finiteCheck;
  detail::TablePlot plot;

  State(Mass& owner, std::string program, const detail::Compilation& options);

  /// True on rank 0, which has the files and the terminal.
  bool ownsFiles() const { return mass.devices().ranks().isFirst(); }
  std::filesystem::path framesFolder() const { return folder / "frames"; }
  std::filesystem::path tableFile() const { return folder / (name + ".csv"); }
  bool drawsFrames() const { return picture && frameEvery > 0; }
  std::vector<std::filesystem::path> animationFiles() const {
    return {folder / (name + ".gif"), folder / (name + ".mp4")};
  }
  bool makesAnimation() const {
    return drawsFrames() && mass.settings().get<std::string>("output.animation") != "none";
  }
  bool writesTable() const { return !columns.empty() && tableEvery > 0; }
  bool writesData() const { return !data.empty() && dataEvery > 0; }
  bool writesAgents() const { return !agents.empty() && agentsEvery > 0; }
  bool writesAnything() const {
    return drawsFrames() || writesTable() || writesData() || writesAgents() || checkpoints() ||
           balanceMonitor.writes();
  }
  bool checkpoints() const {
    return checkpointEvery > 0 || mass.settings().given("checkpoint.file");
  }

  void note(const std::string& text) const;
  void requireSources() const;
  std::vector<detail::UsedPath> finalFiles() const;
  std::vector<detail::UsedPath> takenPaths() const;
  void lockOutput();
  std::vector<std::string> columnNames() const;
  void prepareOutput();
  detail::OutputNames outputNames() const;
  std::vector<std::filesystem::path> outputFiles() const;
  std::vector<std::filesystem::path> inputFiles() const;
  void takeFolderOver();
  void openFiles();
  void beginRecord();
  void endRecord(detail::RunState state);
  void recordFailure() noexcept;
  void removeFramesAfter(std::int64_t last);
  void renameFormerTable() const;
  bool writesBeyondTable() const;
  void runCheck() const;
  std::vector<double> checkedRow() const;
  void writeOutput();
  std::string timeText() const;
  void writeFrame();
  void writeCheckpoint();
  void synchronizeFrames() const;
  std::int64_t nextStop(std::int64_t chunk) const;
  void advanceTo(std::int64_t stop, std::int64_t& chunk);
  void finishTables();
  /// Next action of the loop of steps, as a rank wishes it.
  struct Wish {
    int signal = 0;                ///< signal that asks the run to end; 0 for none
    bool wantsCheckpoint = false;  ///< SIGUSR1 has arrived
    std::int64_t chunk = 1;        ///< see nextStop()
  };
  Wish agree(const Wish& own) const;
  void writeRequestedCheckpoint();
  int runSteps(const detail::InterruptGuard& interrupts);
  int finish(int signal, const detail::InterruptGuard& interrupts);
  void finishAnimation();
  void report() const;
  std::string changesSince(const std::filesystem::path& checkpoint,
                           const std::string& written) const;
  std::string capacityNotes();
  void requireCheckpointable() const;
  void notePendingRequests() const;
  int reportInterrupt(int signal) const;
};

namespace detail {

void addSimulationKeys(Schema& schema) {
  schema.add("steps", 100, "steps", "number of steps to run").atLeast(0).withoutEffectOnResults();
  schema.withoutEffectOnResults("output").withoutEffectOnResults("checkpoint");
  schema.add("output.folder", "out", "",
             "folder of the results, relative to the working directory");
  schema.add("output.table_every", 1, "steps", "interval between lines of the table; 0 = none")
      .atLeast(0);
  schema.add("output.frame_every", 0, "steps", "interval between pictures; 0 = none").atLeast(0);
  schema.add("output.data_every", 0, "steps", "interval between saves of the data; 0 = none")
      .atLeast(0);
  schema
      .add("output.agents_every", 0, "steps",
           "interval between writes of the tables of agents; 0 = none")
      .atLeast(0);
  schema
      .add("output.agents_format", "csv", "", "format of the tables of agents; hdf5 for many rows")
      .oneOf({"csv", "hdf5"});
  schema
      .add("output.animation", "gif", "",
           "animation of the pictures; an MP4 is written beside the GIF if ffmpeg is installed")
      .oneOf({"gif", "none"});
  schema.add("output.frames_per_second", 20.0, "1/s", "frame rate of the animation").between(1, 50);
  std::vector<std::string> palettes{"automatic"};
  palettes.insert(palettes.end(), ColorMap::names().begin(), ColorMap::names().end());
  schema
      .add("output.palette", "automatic", "",
           "colours of the pictures; automatic = the model's choice")
      .oneOf(std::move(palettes));
  schema.add("output.legend", true, "",
             "a legend below the pictures: names, scale, unit, step; false = the field only");
  TablePlot::addKeys(schema);
  FiniteCheck::addKeys(schema);
  schema.add("checkpoint.every", 0, "steps", "interval between checkpoints; 0 = none").atLeast(0);
  schema.add("checkpoint.file", "", "",
             "file of the checkpoint; empty = checkpoint.h5 in the output folder");
}

}  // namespace detail

Simulation::State::State(Mass& owner, std::string program, const detail::Compilation& options)
    : mass(owner),
      name(std::move(program)),
      compilation(options),
      balanceMonitor(owner),
      finiteCheck(owner.settings()),
      plot(owner.settings()) {
  const Settings& settings = mass.settings();
  folder = settings.get<std::string>("output.folder");
  if (folder.empty()) {
    settings.reject("output.folder", "must name a folder; '.' is the working directory");
  }
  steps = settings.get<std::int64_t>("steps");
  tableEvery = settings.get<std::int64_t>("output.table_every");
  frameEvery = settings.get<std::int64_t>("output.frame_every");
  dataEvery = settings.get<std::int64_t>("output.data_every");
  agentsEvery = settings.get<std::int64_t>("output.agents_every");
  checkpointEvery = settings.get<std::int64_t>("checkpoint.every");
  checkpointFile = settings.get<std::string>("checkpoint.file");
  if (checkpointFile.empty()) checkpointFile = folder / "checkpoint.h5";
  style.hasLegend = settings.get<bool>("output.legend");
}

/// Prints a note on standard error, unless it is empty.
void Simulation::State::note(const std::string& text) const {
  if (!text.empty()) printError(fmt::format("{}: note: {}\n", name, text));
}

/// Checks that the model registered each output that the settings ask for.
/// @throws SettingsError if one is missing
void Simulation::State::requireSources() const {
  const auto require = [&](const std::string& key, bool isRegistered, std::string_view output) {
    const Settings& settings = mass.settings();
    if (isRegistered || !settings.given(key) || settings.get<std::int64_t>(key) == 0) return;
    settings.reject(key, fmt::format("'{}' has no {}: leave it out, or set it to 0", name, output));
  };
  require("output.table_every", !columns.empty(), "columns for a table");
  require("output.frame_every", picture != nullptr, "pictures");
  require("output.data_every", !data.empty(), "data to save");
  require("output.agents_every", !agents.empty(), "tables of agents");
  plot.requireColumns(name, writesTable() ? columnNames() : std::vector<std::string>{});
  if (mass.settings().get<std::string>("balance.by") == "agents" &&
      mass.agentCapacities().empty()) {
    mass.settings().reject("balance.by", fmt::format("'{}' has no agents: set it to time", name));
  }
}

/// Returns the files that this run writes under names that do not depend on the step.
std::vector<detail::UsedPath> Simulation::State::finalFiles() const {
  std::vector<detail::UsedPath> files{
      {"the record of the run", folder / detail::RunRecord::fileName}};
  if (writesTable()) files.emplace_back("the table", tableFile());
  for (const auto& file : plot.files(tableFile())) files.emplace_back("the plot", file);
  for (const auto& [places, file] : balanceMonitor.files())
    files.emplace_back("the table of the load balance", file);
  if (makesAnimation()) {
    for (const auto& file : animationFiles()) files.emplace_back("the animation", file);
  }
  if (writesData()) {
    for (const DataSource& source : data) files.emplace_back("the data", source.file);
  }
  if (writesAgents()) {
    for (const TableSource& source : agents) files.emplace_back("the table of agents", source.file);
  }
  return files;
}

/// Returns the files and folders that the checkpoint must not replace.
std::vector<detail::UsedPath> Simulation::State::takenPaths() const {
  std::vector<detail::UsedPath> taken = finalFiles();
  if (!mass.settings().file().empty())
    taken.emplace_back("the settings file", mass.settings().file());
  for (const auto& file : mass.settings().resolved()) taken.emplace_back("the model's input", file);
  if (drawsFrames()) {
    taken.emplace_back("the folder of the pictures", framesFolder());
    for (const auto& file : animationFiles()) taken.emplace_back("the animation", file);
  }
  if (writesData()) {
    for (const DataSource& source : data)
      taken.emplace_back("the folder of the data", folder / source.file.stem());
  }
  if (writesAgents()) {
    for (const TableSource& source : agents) {
      if (source.file.extension() == ".h5")
        taken.emplace_back("the folder of the table of agents", folder / source.file.stem());
    }
  }
  return taken;
}

/// Creates the folders of the results and of the checkpoint, and locks both against other runs.
void Simulation::State::lockOutput() {
  detail::makeFolder(folder);
  lock.emplace(folder);
  note(lock->note());
  if (drawsFrames()) detail::makeFolder(framesFolder());
  if (!checkpoints()) return;
  if (checkpointFile.has_parent_path()) detail::makeFolder(checkpointFile.parent_path());
  checkpointLock.emplace(checkpointFile);
  if (lock->note().empty()) note(checkpointLock->note());
}

/// Creates the folders and opens the files. A fresh run removes the files of the earlier run first.
/// A restart continues them and removes output of steps after the checkpoint.
void Simulation::State::prepareOutput() {
  requireSources();
  if (!ownsFiles()) return;
  const detail::CheckpointPath checkpoint(mass.settings(), checkpointFile, folder, restarted);
  if (checkpoints()) {
    checkpoint.requireUnused(takenPaths());
    checkpoint.requireName();
  }
  if (!writesAnything()) return;
  detail::requireNoFolders(finalFiles());
  if (checkpoints()) checkpoint.makeFolder();
  lockOutput();
  record = detail::RunRecord::of(mass, name, compilation, restartFile);
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
detail::OutputNames Simulation::State::outputNames() const {
  constexpr std::size_t digitsOfFrames = 9, digitsOfData = 12;
  detail::OutputNames names;
  const auto addFile = [&](const std::string& file) {
    names.files.emplace_back(file);
    names.files.push_back(detail::partialName(file));
  };
  for (const char* const extension : {".csv", ".gif", ".mp4", ".plot.svg", ".plot.png"})
    addFile(name + extension);
  for (const std::string& places : mass.placesNames())
    addFile(fmt::format("{}{}.csv", detail::BalanceMonitor::tablePrefix, places));
  names.series.push_back({"frames", ".png", digitsOfFrames});
  for (const DataSource& source : data) {
    addFile(source.file.filename().string());
    names.series.push_back({source.file.stem(), ".vtkhdf", digitsOfData});
  }
  for (const TableSource& source : agents) {
    for (const char* const extension : {".csv", ".h5"}) addFile(source.name + extension);
    names.series.push_back({source.name, ".h5", digitsOfData});
  }
  return names;
}

/// Returns the paths of the files that this run has written or is about to write, complete or not.
std::vector<std::filesystem::path> Simulation::State::outputFiles() const {
  std::vector<std::filesystem::path> files = frames;
  const auto add = [&](const std::vector<std::filesystem::path>& more) {
    files.insert(files.end(), more.begin(), more.end());
  };
  const auto addBoth = [&](const std::filesystem::path& file) {
    add({file, detail::partialName(file)});
  };
  if (writesTable()) addBoth(tableFile());
  for (const std::filesystem::path& file : plot.files(tableFile())) addBoth(file);
  for (const auto& [places, file] : balanceMonitor.files()) addBoth(file);
  add(animations);
  if (writesData()) {
    for (const DataSource& source : data) add(source.files());
  }
  for (const TableSource& source : agents) {
    if (source.table) add(source.table->files());
  }
  return files;
}

/// Returns the paths of the inputs of this run.
std::vector<std::filesystem::path> Simulation::State::inputFiles() const {
  std::vector<std::filesystem::path> files;
  for (const detail::RunInput& input : record.inputs) files.push_back(input.file);
  return files;
}

/// Removes the files of the earlier run in the output folder; a restart keeps them. Prints a note
/// on the changes, and on a run that was killed.
void Simulation::State::takeFolderOver() {
  const detail::EarlierRun earlier(folder, outputNames());
  const std::string recordFile = (folder / detail::RunRecord::fileName).string();
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
void Simulation::State::openFiles() {
  const std::int64_t last = restarted ? step : -1;
  balanceMonitor.begin();
  if (drawsFrames() && restarted) removeFramesAfter(last);
  if (writesTable()) {
    renameFormerTable();
    const std::vector<std::string> names = columnNames();
    table = restarted ? detail::Table::resume(tableFile(), names, last, lastRow)
                      : detail::Table(tableFile(), names);
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
    for (TableSource& source : agents) {
      if (restarted)
        note(source.resume(last, frameLists[frameListOf(source.file)], recordText));
      else
        source.begin(recordText);
    }
  }
}

/// Writes the record of a run in progress.
void Simulation::State::beginRecord() {
  record.firstStep = firstStep;
  record.steps = steps;
  endRecord(detail::RunState::running);
}

/// Writes the record. Unless the run is in progress, it lists only files that exist.
void Simulation::State::endRecord(detail::RunState state) {
  const bool isRunning = state == detail::RunState::running;
  record.state = state;
  record.step = step;
  record.computeSeconds = computeSeconds;
  record.outputSeconds = outputSeconds;
  if (!isRunning) record.end = detail::utcTime();
  std::set<std::filesystem::path> files(keptFiles.begin(), keptFiles.end());
  for (const std::filesystem::path& file : outputFiles())
    files.insert(file.lexically_relative(folder));
  if (!record.checkpoint.empty()) {
    files.insert(record.checkpoint);
    files.insert(detail::partialName(record.checkpoint));
  }
  std::erase_if(files, [&](const std::filesystem::path& file) {
    return !isRunning && !detail::isRegularFileBelow(folder, file);
  });
  record.files.assign(files.begin(), files.end());
  record.write(folder);
}

/// Writes the record of a run that an error ends; on a full disk only its state.
void Simulation::State::recordFailure() noexcept {
  if (!lock || record.state != detail::RunState::running || record.begin.empty()) return;
  try {
    detail::RunRecord::markFailed(folder);
    endRecord(detail::RunState::failed);
  } catch (...) {  // the error that ends the run is reported instead
  }
}

/// Returns the names of all columns of the table.
std::vector<std::string> Simulation::State::columnNames() const {
  std::vector<std::string> names;
  for (const ColumnGroup& group : columns) {
    names.insert(names.end(), group.names.begin(), group.names.end());
  }
  return names;
}

/// Removes the frames of steps after `last` and lists the others.
void Simulation::State::removeFramesAfter(std::int64_t last) {
  for (const auto& file : framesIn(framesFolder())) {
    std::error_code error;
    if (frameStep(file) > last)
      std::filesystem::remove(file, error);
    else
      frames.push_back(file);
    if (error) throw detail::cannotWrite(file, error.value());
  }
}

/// Renames the table that the checkpoint's program wrote under its former name, unless a table of
/// the present name exists.
void Simulation::State::renameFormerTable() const {
  if (!restarted || writer == name || std::filesystem::exists(tableFile())) return;
  const auto former = folder / (writer + ".csv");
  std::error_code error;
  if (std::filesystem::exists(former)) std::filesystem::rename(former, tableFile(), error);
  if (error) throw detail::cannotWrite(tableFile(), error.value());
}

/// Returns the step and, if a step has a length in time, the time.
std::string Simulation::State::timeText() const {
  const std::string time =
      timeStep == 1 ? "" : fmt::format(", {:.4g} s", static_cast<double>(step) * timeStep);
  return fmt::format("step {}{}", step, time);
}

void Simulation::State::writeFrame() {
  const Picture shown = picture();
  finiteCheck.requirePicture(step, shown.values, shown.columns);
  if (!ownsFiles()) return;
  const auto [image, colors] = detail::drawPicture(shown, style, timeText());
  frames.push_back(framesFolder() / fmt::format("{:09}.png", step));
  writePng(frames.back(), image, colors);
}

/// True if this step is the last one or has output besides a row of the table.
bool Simulation::State::writesBeyondTable() const {
  return step == steps || (drawsFrames() && isMultiple(step, frameEvery)) ||
         (writesData() && isMultiple(step, dataEvery)) ||
         (writesAgents() && isMultiple(step, agentsEvery)) || isMultiple(step, checkpointEvery);
}

/// Calls the function of Simulation::check.
void Simulation::State::runCheck() const {
  if (check) check();
}

/// Returns the values of all columns.
/// @throws ModelError if one is not finite, and that is not allowed
std::vector<double> Simulation::State::checkedRow() const {
  std::vector<double> values;
  for (const ColumnGroup& group : columns) {
    const std::vector<double> found = group.values();
    values.insert(values.end(), found.begin(), found.end());
  }
  finiteCheck.requireRow(step, columnNames(), values);
  return values;
}

/// Writes the output of the current step, except a checkpoint.
void Simulation::State::writeOutput() {
  const auto start = Clock::now();
  if (writesBeyondTable()) runCheck();
  if (writesTable() && isMultiple(step, tableEvery)) {
    const std::vector<double> row = checkedRow();
    if (table) table->add(step, row);
    lastRow = step;
  }
  if (drawsFrames() && isMultiple(step, frameEvery)) writeFrame();
  if (writesData() && isMultiple(step, dataEvery)) {
    for (const DataSource& source : data) {
      source.write(step, static_cast<double>(step) * timeStep);
    }
  }
  if (writesAgents() && isMultiple(step, agentsEvery)) {
    for (TableSource& source : agents) source.write(step, finiteCheck);
  }
  // Values that are not finite are found without a table too. With a table, the functions of its
  // columns are called for its rows only, since they may keep state from one row to the next.
  if (!writesTable() && writesBeyondTable() && finiteCheck.isActive()) (void)checkedRow();
  outputSeconds += secondsSince(start);
}

/// Flushes pictures and data to the disk. They are not flushed one by one, which would take longer
/// than to write them.
void Simulation::State::synchronizeFrames() const {
  if (ownsFiles() && (drawsFrames() || writesData() || writesAgents()))
    detail::synchronizeFolder(folder);
}

void Simulation::State::writeCheckpoint() {
  const auto start = Clock::now();
  // A restart continues rows and frames up to this step.
  if (table) table->flush();
  std::map<std::string, std::uint64_t> counters{{stepCounter, static_cast<std::uint64_t>(step)}};
  if (lastRow >= 0) counters[lastRowCounter] = static_cast<std::uint64_t>(lastRow);
  for (TableSource& source : agents) {
    source.flush();
    if (source.lastRow < 0) continue;
    counters[lastRowCounterOf(source.name)] = static_cast<std::uint64_t>(source.lastRow);
  }
  synchronizeFrames();  // after flush(), which publishes the rows of tables in HDF5
  if (ownsFiles() && writesData()) {
    for (const DataSource& source : data) frameLists[frameListOf(source.file)] = source.list();
  }
  if (ownsFiles() && writesAgents()) {
    for (const TableSource& source : agents) {
      std::string list = source.table->list();
      if (!list.empty()) frameLists[frameListOf(source.file)] = std::move(list);
    }
  }
  mass.saveCheckpoint(checkpointFile, name, counters, frameLists, recordText);
  outputSeconds += secondsSince(start);
}

/// Returns the step at which the next chunk ends: at most `chunk` steps on, at the next output or
/// check of the load balance, or at the last step.
std::int64_t Simulation::State::nextStop(std::int64_t chunk) const {
  std::int64_t stop = chunk < steps - step ? step + chunk : steps;
  const auto stopAt = [&](bool active, std::int64_t every) {
    if (active && every > 0 && every - step % every < stop - step)
      stop = step + every - step % every;
  };
  stopAt(writesTable(), tableEvery);
  stopAt(drawsFrames(), frameEvery);
  stopAt(writesData(), dataEvery);
  stopAt(writesAgents(), agentsEvery);
  stopAt(true, checkpointEvery);
  stopAt(true, balanceMonitor.every());
  return stop;
}

/// Advances the model to step `stop` and adapts the length of chunks to secondsPerChunk.
void Simulation::State::advanceTo(std::int64_t stop, std::int64_t& chunk) {
  const auto start = Clock::now();
  advance(Steps{stop - step});
  mass.devices().ranks().setStep(stop);
  const std::int64_t alive = mass.agentCount();
  if (alive > 0) agentSteps += static_cast<double>(alive) * static_cast<double>(stop - step);
  const double seconds = secondsSince(start);
  computeSeconds += seconds;
  if (seconds < secondsPerChunk / 2 && stop - step == chunk) chunk *= 2;
  if (seconds > secondsPerChunk * 2 && chunk > 1) chunk /= 2;
  step = stop;
}

void Simulation::State::finishTables() {
  if (table) table->finish();
  balanceMonitor.finish();
  for (const TableSource& source : agents) {
    if (source.table) source.table->finish();
  }
}

/// Writes the animations of all frames.
void Simulation::State::finishAnimation() {
  if (!makesAnimation() || frames.size() < 2) return;
  const double rate = mass.settings().get<double>("output.frames_per_second");
  try {
    detail::writeGif(folder / (name + ".gif"), frames, rate);
    animations.push_back(folder / (name + ".gif"));
    if (const auto film = folder / (name + ".mp4"); detail::writeMp4(film, frames, rate))
      animations.push_back(film);
  } catch (
      const detail::EncoderError& error) {  // the GIF shows the same frames, so the run succeeds
    printError(fmt::format("{}: warning: {}\n", name, error.what()));
  } catch (const InputError& error) {  // frames of an earlier run with another legend or palette
    printError(
        fmt::format("{}: warning: there is no animation of all frames: {}\n", name, error.what()));
  }
}

/// Prints the summary of the run on standard output.
void Simulation::State::report() const {
  const double updates = static_cast<double>(step - firstStep) * static_cast<double>(mass.size());
  std::string text = fmt::format("{}: step {} of {}, {} places, {}, {} thread{}{}\n", name, step,
                                 steps, mass.size(), devicesText(mass.devices()),
                                 mass.devices().threads(), mass.devices().threads() == 1 ? "" : "s",
                                 mass.devices().ranks().count() > 1 ? " each" : "");
  text += fmt::format("  compute     {:.3f} s", computeSeconds);
  if (updates > 0 && computeSeconds > 0)
    text += fmt::format(", {}", detail::formatRate(updates / computeSeconds));
  if (agentSteps > 0 && computeSeconds > 0)
    text += fmt::format(", {}", detail::formatRate(agentSteps / computeSeconds, "agent-steps/s"));
  text += fmt::format("\n  output      {:.3f} s\n", outputSeconds);
  if (const std::int64_t alive = mass.agentCount(); alive >= 0)
    text += fmt::format("  agents      {}\n", alive);
  text += balanceMonitor.report();
  text += fmt::format("  state hash  {}\n", record.hash);
  if (drawsFrames())
    text +=
        fmt::format("  pictures    {} ({} PNG files)\n", framesFolder().string(), frames.size());
  for (const auto& animation : animations)
    text += fmt::format("  animation   {}\n", animation.string());
  if (writesData()) {
    for (const DataSource& source : data)
      text += fmt::format("  data        {} (for ParaView)\n", source.file.string());
  }
  if (writesTable()) text += fmt::format("  table       {}\n", tableFile().string());
  for (const auto& file : plot.files(tableFile()))
    text += fmt::format("  plot        {}\n", file.string());
  if (writesTable() && evaluate) text += evaluate(tableFile());
  if (writesAgents()) {
    for (const TableSource& source : agents)
      text += fmt::format("  agent table {}\n", source.file.string());
  }
  printResult(text);
}

/// Returns a note on the settings of the model that differ from those of the checkpoint; empty if
/// none does.
/// @param written settings in the checkpoint
std::string Simulation::State::changesSince(const std::filesystem::path& checkpoint,
                                            const std::string& written) const {
  try {
    const Schema& schema = mass.settings().schema();
    auto keys = mass.settings().differences(Settings::parse(written, checkpoint.string(), schema));
    std::erase_if(keys, [&schema](const std::string& changed) {
      const detail::KeyInfo* const key = schema.find(changed);
      return key != nullptr && !key->affectsResults;
    });
    if (keys.empty()) return {};
    return fmt::format("{} was written with other values of {}; this run uses the new ones",
                       checkpoint.string(), fmt::join(keys, ", "));
  } catch (const SettingsError& error) {  // settings of another version of the program
    return fmt::format("the settings of the checkpoint cannot be compared: {}", error.what());
  }
}

/// Returns a line for each capacity of agents that has grown since the last call, if at least 1
/// MiB.
std::string Simulation::State::capacityNotes() {
  constexpr std::size_t minBytes = std::size_t{1} << 20;
  const std::vector<AgentCapacity> before =
      std::exchange(reportedCapacities, mass.agentCapacities());
  std::string lines;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const AgentCapacity& now = reportedCapacities[i];
    if (before[i].capacity == 0 || now.capacity <= before[i].capacity || now.bytes < minBytes)
      continue;
    lines += fmt::format(
        "{}: note: agents '{}' exceed the capacity of {}, {}: enlarged to {} agents, {:.1f} MiB\n",
        name, now.agents, now.device, before[i].capacity, now.capacity,
        static_cast<double>(now.bytes) / 0x1p20);
  }
  return lines;
}

/// Called after the first steps of a run, so that a run that cannot be checkpointed ends early.
/// @throws UsageError if the settings ask for checkpoints, and agents have pending requests
void Simulation::State::requireCheckpointable() const {
  const auto pending = checkpoints() ? mass.pendingAgents() : std::vector<std::string>{};
  if (pending.empty()) return;
  throw UsageError(
      "the steps of this program end with requests of the agents '{}' that no manageAll carried "
      "out, and a checkpoint cannot store them: call manageAll at the end of a step, or leave out "
      "checkpoint.every and checkpoint.file",
      fmt::join(pending, "', '"));
}

/// Prints a note on requests of agents that the run has dropped.
void Simulation::State::notePendingRequests() const {
  for (const std::string& pending : mass.pendingAgents()) {
    printError(fmt::format(
        "{}: note: requests of the agents '{}' were never carried out: call manageAll after the "
        "rule with the Intent\n",
        name, pending));
  }
}

/// Prints a note on the signal that ended the run. @return exit code.
int Simulation::State::reportInterrupt(int signal) const {
  if (step == steps) {
    printError(fmt::format("{}: stopped by {} after the last step, {}.\n", name,
                           detail::signalName(signal), steps));
    return 128 + signal;
  }
  std::string text = fmt::format("{}: stopped by {} at step {} of {}.\n", name,
                                 detail::signalName(signal), step, steps);
  text += checkpoints()
              ? fmt::format("To go on from there, run the same command with --restart {}\n",
                            checkpointFile.string())
              : "No checkpoint was asked for (checkpoint.every), so the run cannot go on from "
                "there.\n";
  printError(text);
  return 128 + signal;
}

/// Agrees with all ranks on how to go on: with the first signal of any rank, and the chunk of rank
/// 0.
Simulation::State::Wish Simulation::State::agree(const Wish& own) const {
  detail::Ranks& ranks = mass.devices().ranks();
  if (ranks.count() == 1) return own;
  std::vector<Wish> wishes(static_cast<std::size_t>(ranks.count()));
  wishes[static_cast<std::size_t>(ranks.number())] = own;
  std::vector<std::size_t> offsets;
  for (std::size_t rank = 0; rank <= wishes.size(); ++rank) offsets.push_back(rank * sizeof(Wish));
  ranks.allGatherInPlace(wishes.data(), offsets);
  Wish agreed{0, false, wishes.front().chunk};
  for (const Wish& wish : wishes) {
    if (agreed.signal == 0) agreed.signal = wish.signal;
    agreed.wantsCheckpoint |= wish.wantsCheckpoint;
  }
  return agreed;
}

/// Writes the checkpoint that SIGUSR1 asked for.
void Simulation::State::writeRequestedCheckpoint() {
  if (!checkpoints()) {
    note(
        "SIGUSR1 asks for a checkpoint, and none was asked for in the settings "
        "(checkpoint.every or checkpoint.file)");
    return;
  }
  runCheck();
  writeCheckpoint();
}

/// Runs to the last step or until a signal, with all output on the way.
/// @return the signal that ended the steps; 0 if none did
int Simulation::State::runSteps(const detail::InterruptGuard& interrupts) {
  if (!restarted) writeOutput();
  (void)capacityNotes();
  std::optional<detail::Progress> progress;
  if (ownsFiles()) progress.emplace(steps, mass.size(), stderr, step);
  Wish wish;
  const std::int64_t first = step;
  // The first check starts the measurement of times; by agents it may already move rows.
  if (balanceMonitor.every() > 0) balanceMonitor.rebalance(step);
  while (step < steps) {
    wish = agree({interrupts.signal(), interrupts.takeCheckpointRequest(), wish.chunk});
    if (wish.signal != 0) break;
    if (wish.wantsCheckpoint) writeRequestedCheckpoint();
    const bool isFirst = step == first;
    advanceTo(nextStop(wish.chunk), wish.chunk);
    if (isFirst) requireCheckpointable();
    if (const std::string lines = capacityNotes(); !lines.empty()) {
      if (progress) progress->finish();
      printError(lines);
    }
    writeOutput();
    if (isMultiple(step, checkpointEvery)) writeCheckpoint();
    if (isMultiple(step, balanceMonitor.every())) {
      balanceMonitor.rebalance(step);
      (void)capacityNotes();  // repartitioning may change the capacities
    }
    const std::int64_t alive = mass.agentCount();
    if (progress) progress->update(step, alive);
  }
  return wish.signal;
}

/// Completes the files and prints the summary.
/// @param signal signal that ended the steps; 0 if none did
/// @param interrupts signals that may arrive while files are completed
/// @return exit code
int Simulation::State::finish(int signal, const detail::InterruptGuard& interrupts) {
  const bool isTooLate = step == steps && interrupts.signal() != 0;  // to stop the steps
  if (step < steps && checkpoints()) {
    runCheck();
    writeCheckpoint();
  }
  const auto start = Clock::now();
  finishTables();
  if (ownsFiles()) plot.write(name, tableFile(), timeStep);
  finishAnimation();
  synchronizeFrames();
  outputSeconds += secondsSince(start);
  record.hash = fmt::format("{:016x}", mass.hash());
  if (signal == 0 && !isTooLate) signal = interrupts.signal();
  signal = mass.devices().ranks().broadcast(signal);
  if (lock) endRecord(signal == 0 ? detail::RunState::finished : detail::RunState::interrupted);
  if (ownsFiles()) report();
  notePendingRequests();
  return signal == 0 ? 0 : reportInterrupt(signal);
}

Simulation::Simulation(Mass& mass, std::string name)
    : Simulation(mass, std::move(name), detail::compilationOfCaller()) {}

Simulation::Simulation(Mass& mass, std::string name, const detail::Compilation& compilation)
    : state_(std::make_unique<State>(mass, std::move(name), compilation)) {}

Simulation::~Simulation() = default;

void Simulation::advance(std::function<void(Steps)> advance) {
  state_->advance = std::move(advance);
}

void Simulation::check(std::function<void()> check) {
  state_->check = std::move(check);
}

void Simulation::observe(std::string column, std::function<double()> value) {
  observe(std::vector{std::move(column)},
          [value = std::move(value)] { return std::vector{value()}; });
}

void Simulation::observe(std::vector<std::string> columns,
                         std::function<std::vector<double>()> values) {
  state_->columns.push_back({std::move(columns), std::move(values)});
}

void Simulation::evaluate(std::function<std::string(const std::filesystem::path& table)> evaluate) {
  state_->evaluate = std::move(evaluate);
}

void Simulation::picture(std::function<Picture()> picture, const std::string& palette) {
  const auto chosen = state_->mass.settings().get<std::string>("output.palette");
  state_->style.isPaletteOfModel = chosen == "automatic";
  state_->style.palette = chosen == "automatic" ? palette : chosen;
  state_->picture = std::move(picture);
}

void Simulation::timeStep(double seconds) {
  state_->timeStep = seconds;
}

void Simulation::duration(double seconds) {
  constexpr double most = 0x1p62;
  const double steps = std::ceil(seconds / state_->timeStep * (1 - 1e-12));
  if (!(seconds >= 0 && steps < most)) {
    throw UsageError("a duration of {} s is {} steps of {} s; it must be from 0 to 2^62 steps",
                     seconds, steps, state_->timeStep);
  }
  if (steps > 0 && !state_->mass.settings().given("steps"))
    state_->steps = static_cast<std::int64_t>(steps);
}

void Simulation::formerName(std::string name) {
  state_->formerNames.push_back(std::move(name));
}

std::int64_t Simulation::step() const {
  return state_->step;
}

void Simulation::addData(const std::string& name, const detail::FieldGeometry& geometry,
                         std::function<DataFrame()> frame) {
  const auto series = std::make_shared<detail::FieldSeries>(state_->folder, name, geometry);
  state_->data.push_back(DataSource::of(series));
  state_->data.back().write = [this, series, name, geometry, frame = std::move(frame)](
                                  std::int64_t step, double time) {
    const DataFrame written = frame();
    if (!state_->ownsFiles()) return;  // arrays of the library have no values there
    state_->finiteCheck.requireArrays(
        step, written.arrays, geometry.places(), [&](std::size_t place) {
          return fmt::format("'{}' at ({})", name, fmt::join(geometry.coordinates(place), ", "));
        });
    series->add(step, time, written.arrays);
  };
}

void Simulation::addPoints(const std::string& name, std::function<detail::AgentFrame()> frame) {
  const auto series = std::make_shared<detail::PointSeries>(state_->folder, name);
  state_->data.push_back(DataSource::of(series));
  state_->data.back().write = [this, series, name, frame = std::move(frame)](std::int64_t step,
                                                                             double time) {
    const detail::AgentFrame points = frame();
    requireFinite(state_->finiteCheck, step, name, points);
    if (!state_->ownsFiles()) return;
    series->add(step, time, points.rows, points.arrays.front(),
                std::span(points.arrays).subspan(1));
  };
}

void Simulation::addAgentTable(const std::string& name, std::vector<detail::FieldArray> columns,
                               std::function<detail::AgentFrame()> rows) {
  // Checked without regard to the settings, so that a name is valid for every run of a model.
  if (name.starts_with(detail::BalanceMonitor::tablePrefix)) {
    throw UsageError(
        "agents named '{}' cannot have a table: names with the prefix '{}' are for the load "
        "balance; rename the agents",
        name, detail::BalanceMonitor::tablePrefix);
  }
  const bool asHdf5 = state_->mass.settings().get<std::string>("output.agents_format") == "hdf5";
  const auto file = state_->folder / (name + (asHdf5 ? ".h5" : ".csv"));
  const auto isTaken = [&](const TableSource& other) { return other.file == file; };
  if (file == state_->tableFile() ||
      std::any_of(state_->agents.begin(), state_->agents.end(), isTaken)) {
    throw UsageError("there are two tables '{}': rename the agents '{}'", file.string(), name);
  }
  state_->agents.push_back({name, file, std::move(columns), std::move(rows)});
}

void Simulation::restart(const std::filesystem::path& checkpoint) {
  const auto& former = state_->formerNames;
  const detail::CheckpointHeader header =
      detail::RankCheckpoint(state_->mass.devices().ranks(), checkpoint).header();
  const std::string& writer = header.model;
  const bool isFormer = std::find(former.begin(), former.end(), writer) != former.end();
  state_->writer = isFormer ? writer : state_->name;
  const auto counters = state_->mass.restoreCheckpoint(checkpoint, state_->writer);
  const auto step = counters.find(stepCounter);
  if (step == counters.end()) {
    throw CheckpointError("{} has no step; it was not written by a Simulation",
                          checkpoint.string());
  }
  state_->step = state_->firstStep = static_cast<std::int64_t>(step->second);
  if (state_->step > state_->steps) {
    state_->mass.settings().reject(
        "steps", fmt::format("{} was written at step {}, beyond 'steps': set it to at least {}",
                             checkpoint.string(), state_->step, state_->step));
  }
  if (const auto row = counters.find(lastRowCounter); row != counters.end()) {
    state_->lastRow = static_cast<std::int64_t>(row->second);
  }
  for (TableSource& source : state_->agents) {
    const auto row = counters.find(lastRowCounterOf(source.name));
    if (row != counters.end()) source.lastRow = static_cast<std::int64_t>(row->second);
  }
  for (const auto& [name, text] : header.texts) {
    if (name.starts_with(frameListOf(""))) state_->frameLists[name] = text;
  }
  state_->restarted = true;
  state_->restartFile = checkpoint;
  state_->settingsNote = state_->changesSince(checkpoint, header.settings);
}

int Simulation::run() {
  State& state = *state_;
  if (!state.advance)
    throw UsageError("the program '{}' has not called Simulation::advance", state.name);
  const detail::InterruptGuard interrupts;
  state.prepareOutput();
  state.note(state.settingsNote);
  try {
    const int signal = state.runSteps(interrupts);
    return state.finish(signal, interrupts);
  } catch (...) {
    state.recordFailure();
    throw;
  }
}

namespace detail {

FieldGeometry geometryOf(const PlacesState& population, double spacing) {
  const Domain& domain = population.fields->domain();
  FieldGeometry geometry;
  for (int axis = 0; axis < domain.dimensions; ++axis) {
    geometry.shape.push_back(domain.shape[static_cast<std::size_t>(axis)]);
    geometry.spacing.push_back(spacing);
    geometry.origin.push_back(0);
  }
  return geometry;
}

}  // namespace detail
}  // namespace mass
