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
#include <mass/program/balance_monitor.hpp>
#include <mass/program/finite_check.hpp>
#include <mass/program/table_plot.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <csignal>
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

/// True if `path` is `other` or inside the folder `other`. @pre Links are resolved.
bool isOrIsBelow(const std::filesystem::path& path, const std::filesystem::path& other) {
  return std::mismatch(other.begin(), other.end(), path.begin(), path.end()).first == other.end();
}

/// Returns the absolute path with links resolved, as far as it exists.
std::filesystem::path resolvedPath(const std::filesystem::path& path) {
  std::error_code error;
  auto real = std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  return error ? path : real;
}

/// Columns of the table whose values one function returns.
struct ColumnGroup {
  std::vector<std::string> names;
  std::function<std::vector<double>()> values;
};

/// Data files for ParaView: a FieldSeries or a PointSeries.
struct DataSource {
  std::filesystem::path file;
  std::function<void(std::int64_t lastStep)> resume;
  std::function<void(std::int64_t step, double time)> write;
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

  /// Begins the table; continues it if `lastStep`, the step of a checkpoint, is given.
  void open(const std::optional<std::int64_t>& lastStep) {
    table = lastStep ? detail::AgentTable::open(file, columns,
                                                detail::AgentTable::Resumed{*lastStep, lastRow})
                     : detail::AgentTable::open(file, columns);
  }
  void write(std::int64_t step, const detail::FiniteCheck& check) {
    const detail::AgentFrame frame = rows();
    requireFinite(check, step, name, frame);
    table->add(step, frame.rows, frame.arrays);
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
  for (int device = 0; devices.areGpus() && device < devices.size(); ++device) {
    models.insert(devices.device(device).model());
  }
  return fmt::format("{} {} device{}{}", devices.size(), devices.areGpus() ? "GPU" : "CPU",
                     devices.size() == 1 ? "" : "s",
                     models.empty() ? "" : fmt::format(" ({})", fmt::join(models, ", ")));
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
  std::string note;  ///< note on the settings of the checkpoint; empty without a difference
  std::optional<detail::FolderLock> lock;
  std::optional<detail::FileLock> checkpointLock;
  std::optional<detail::Table> table;
  std::int64_t lastRow = -1;  ///< step of the table's last row; -1: none
  double computeSeconds = 0, outputSeconds = 0;
  double agentSteps = 0;                          ///< sum of agents times steps
  std::vector<AgentCapacity> reportedCapacities;  ///< at the last call of capacityNotes()
  detail::BalanceMonitor balanceMonitor;
  detail::FiniteCheck finiteCheck;
  detail::TablePlot plot;

  State(Mass& owner, std::string program);

  std::filesystem::path framesFolder() const { return folder / "frames"; }
  std::filesystem::path tableFile() const { return folder / (name + ".csv"); }
  bool drawsFrames() const { return picture && frameEvery > 0; }
  bool writesTable() const { return !columns.empty() && tableEvery > 0; }
  bool writesData() const { return !data.empty() && dataEvery > 0; }
  bool writesAgents() const { return !agents.empty() && agentsEvery > 0; }
  bool checkpoints() const {
    return checkpointEvery > 0 || mass.settings().given("checkpoint.file");
  }

  void requireSources() const;
  void requireOwnCheckpointFile() const;
  void lockOutput();
  std::vector<std::string> columnNames() const;
  void prepareOutput();
  void removeFramesAfter(std::int64_t last) const;
  void renameFormerTable() const;
  bool writesBeyondTable() const;
  void runCheck() const;
  void writeOutput();
  std::string timeText() const;
  void writeFrame() const;
  void writeCheckpoint();
  void synchronizeFrames() const;
  std::int64_t nextStop(std::int64_t chunk) const;
  void advanceTo(std::int64_t stop, std::int64_t& chunk);
  void finishTables();
  std::vector<std::filesystem::path> finishAnimation() const;
  void report(const std::vector<std::filesystem::path>& animations) const;
  std::string changesSince(const std::filesystem::path& checkpoint) const;
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

Simulation::State::State(Mass& owner, std::string program)
    : mass(owner),
      name(std::move(program)),
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

/// Checks that neither the checkpoint nor the temporary files beside it replace another file of the
/// run.
/// @throws SettingsError if they do
void Simulation::State::requireOwnCheckpointFile() const {
  std::error_code unknown;
  const auto status = std::filesystem::status(checkpointFile, unknown);
  if (std::filesystem::is_other(status)) {  // for example a device
    mass.settings().reject(
        "checkpoint.file",
        fmt::format("'{}' exists and is no file: name another file", checkpointFile.string()));
  }
  std::vector<std::pair<std::string, std::filesystem::path>> taken;
  if (!mass.settings().file().empty())
    taken.emplace_back("the settings file", mass.settings().file());
  for (const auto& file : mass.settings().resolved()) taken.emplace_back("the model's input", file);
  if (writesTable()) taken.emplace_back("the table", tableFile());
  for (const auto& file : plot.files(tableFile())) taken.emplace_back("the plot", file);
  for (const auto& [places, file] : balanceMonitor.files()) {
    taken.emplace_back("the table of the load balance", file);
  }
  if (drawsFrames()) {
    taken.emplace_back("the folder of the pictures", framesFolder());
    for (const char* const ending : {".gif", ".mp4"})
      taken.emplace_back("the animation", folder / (name + ending));
  }
  if (writesData()) {
    for (const DataSource& source : data) {
      taken.emplace_back("the data", source.file);
      taken.emplace_back("the folder of the data", folder / source.file.stem());
    }
  }
  if (writesAgents()) {
    for (const TableSource& source : agents) {
      taken.emplace_back("the table of agents", source.file);
      if (source.file.extension() == ".h5") {
        taken.emplace_back("the folder of the table of agents", folder / source.file.stem());
      }
    }
  }
  for (const auto& [use, path] : taken) {
    for (const auto& own :
         {checkpointFile, detail::partialName(checkpointFile), detail::lockName(checkpointFile)}) {
      if (isOrIsBelow(resolvedPath(own), resolvedPath(path)) ||
          resolvedPath(own) == resolvedPath(detail::partialName(path))) {
        mass.settings().reject("checkpoint.file",
                               fmt::format("'{}' is used for {}: name another file",
                                           (own == checkpointFile ? own : path).string(), use));
      }
    }
  }
}

/// Creates the folders of the results and of the checkpoint, and locks both against other runs.
void Simulation::State::lockOutput() {
  detail::makeFolder(folder);
  lock.emplace(folder);
  if (!checkpoints()) return;
  if (checkpointFile.has_parent_path()) detail::makeFolder(checkpointFile.parent_path());
  checkpointLock.emplace(checkpointFile);
}

/// Creates the folders and opens the files. On a restart, continues the files of the earlier run
/// and removes output of steps after the checkpoint.
void Simulation::State::prepareOutput() {
  const std::int64_t last = restarted ? step : -1;
  requireSources();
  if (checkpoints()) requireOwnCheckpointFile();
  if (drawsFrames() || writesTable() || writesData() || writesAgents() || checkpoints() ||
      balanceMonitor.writes()) {
    lockOutput();
  }
  balanceMonitor.begin();
  if (drawsFrames()) {
    detail::makeFolder(framesFolder());
    removeFramesAfter(last);
  }
  if (writesTable()) {
    renameFormerTable();
    const std::vector<std::string> names = columnNames();
    table = restarted ? detail::Table::resume(tableFile(), names, last, lastRow)
                      : detail::Table(tableFile(), names);
  }
  if (writesData() && restarted) {
    for (const DataSource& source : data) source.resume(last);
  }
  if (writesAgents()) {
    for (TableSource& source : agents) {
      source.open(restarted ? std::optional(last) : std::nullopt);
    }
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

/// Removes the frames of steps after `last`.
void Simulation::State::removeFramesAfter(std::int64_t last) const {
  for (const auto& file : framesIn(framesFolder())) {
    std::error_code error;
    if (frameStep(file) > last) std::filesystem::remove(file, error);
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

void Simulation::State::writeFrame() const {
  const Picture shown = picture();
  finiteCheck.requirePicture(step, shown.values, shown.columns);
  const auto [image, colors] = detail::drawPicture(shown, style, timeText());
  writePng(framesFolder() / fmt::format("{:09}.png", step), image, colors);
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

/// Writes the output of the current step, except a checkpoint.
void Simulation::State::writeOutput() {
  const auto start = Clock::now();
  if (writesBeyondTable()) runCheck();
  if (writesTable() && isMultiple(step, tableEvery)) {
    std::vector<double> values;
    for (const ColumnGroup& group : columns) {
      const std::vector<double> found = group.values();
      values.insert(values.end(), found.begin(), found.end());
    }
    finiteCheck.requireRow(step, columnNames(), values);
    table->add(step, values);
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
  outputSeconds += secondsSince(start);
}

/// Flushes pictures and data to the disk. They are not flushed one by one, which would take longer
/// than to write them.
void Simulation::State::synchronizeFrames() const {
  if (drawsFrames() || writesData() || writesAgents()) detail::synchronizeFolder(folder);
}

void Simulation::State::writeCheckpoint() {
  const auto start = Clock::now();
  synchronizeFrames();        // a restart keeps the frames up to this step
  if (table) table->flush();  // and the rows
  std::map<std::string, std::uint64_t> counters{{stepCounter, static_cast<std::uint64_t>(step)}};
  if (lastRow >= 0) counters[lastRowCounter] = static_cast<std::uint64_t>(lastRow);
  for (TableSource& source : agents) {
    source.flush();
    if (source.lastRow < 0) continue;
    counters[lastRowCounterOf(source.name)] = static_cast<std::uint64_t>(source.lastRow);
  }
  mass.saveCheckpoint(checkpointFile, name, counters);
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

/// Writes the animations of all frames and returns their paths.
std::vector<std::filesystem::path> Simulation::State::finishAnimation() const {
  std::vector<std::filesystem::path> animations;
  if (!drawsFrames() || mass.settings().get<std::string>("output.animation") == "none")
    return animations;
  const auto files = framesIn(framesFolder());
  if (files.size() < 2) return animations;
  const double rate = mass.settings().get<double>("output.frames_per_second");
  try {
    detail::writeGif(folder / (name + ".gif"), files, rate);
    animations.push_back(folder / (name + ".gif"));
    if (const auto film = folder / (name + ".mp4"); detail::writeMp4(film, files, rate))
      animations.push_back(film);
  } catch (
      const detail::EncoderError& error) {  // the GIF shows the same frames, so the run succeeds
    printError(fmt::format("{}: warning: {}\n", name, error.what()));
  } catch (const InputError& error) {  // frames of an earlier run with another legend or palette
    printError(
        fmt::format("{}: warning: there is no animation of all frames: {}\n", name, error.what()));
  }
  return animations;
}

/// Prints the summary of the run on standard output.
void Simulation::State::report(const std::vector<std::filesystem::path>& animations) const {
  const double updates = static_cast<double>(step - firstStep) * static_cast<double>(mass.size());
  std::string text =
      fmt::format("{}: step {} of {}, {} places, {}, {} thread{}\n", name, step, steps, mass.size(),
                  devicesText(mass.devices()), mass.devices().threads(),
                  mass.devices().threads() == 1 ? "" : "s");
  text += fmt::format("  compute     {:.3f} s", computeSeconds);
  if (updates > 0 && computeSeconds > 0)
    text += fmt::format(", {}", detail::formatRate(updates / computeSeconds));
  if (agentSteps > 0 && computeSeconds > 0)
    text += fmt::format(", {}", detail::formatRate(agentSteps / computeSeconds, "agent-steps/s"));
  text += fmt::format("\n  output      {:.3f} s\n", outputSeconds);
  if (const std::int64_t alive = mass.agentCount(); alive >= 0)
    text += fmt::format("  agents      {}\n", alive);
  text += balanceMonitor.report();
  text += fmt::format("  state hash  {:016x}\n", mass.hash());
  if (drawsFrames())
    text += fmt::format("  pictures    {} ({} PNG files)\n", framesFolder().string(),
                        framesIn(framesFolder()).size());
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
std::string Simulation::State::changesSince(const std::filesystem::path& checkpoint) const {
  const std::string written = detail::CheckpointReader(checkpoint).header().settings;
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
  std::string text = fmt::format("{}: stopped by {} at step {} of {}.\n", name,
                                 signal == SIGINT ? "Ctrl-C" : "SIGTERM", step, steps);
  text += checkpoints()
              ? fmt::format("To go on from there, run the same command with --restart {}\n",
                            checkpointFile.string())
              : "No checkpoint was asked for (checkpoint.every), so the run cannot go on from "
                "there.\n";
  printError(text);
  return 128 + signal;
}

Simulation::Simulation(Mass& mass, std::string name)
    : state_(std::make_unique<State>(mass, std::move(name))) {}

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
  state_->data.push_back(
      {series->path(), [series](std::int64_t step) { series->resume(step); },
       [this, series, name, geometry, frame = std::move(frame)](std::int64_t step, double time) {
         const DataFrame written = frame();
         state_->finiteCheck.requireArrays(
             step, written.arrays, geometry.places(), [&](std::size_t place) {
               return fmt::format("'{}' at ({})", name,
                                  fmt::join(geometry.coordinates(place), ", "));
             });
         series->add(step, time, written.arrays);
       }});
}

void Simulation::addPoints(const std::string& name, std::function<detail::AgentFrame()> frame) {
  const auto series = std::make_shared<detail::PointSeries>(state_->folder, name);
  state_->data.push_back(
      {series->path(), [series](std::int64_t step) { series->resume(step); },
       [this, series, name, frame = std::move(frame)](std::int64_t step, double time) {
         const detail::AgentFrame points = frame();
         requireFinite(state_->finiteCheck, step, name, points);
         series->add(step, time, points.rows, points.arrays.front(),
                     std::span(points.arrays).subspan(1));
       }});
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
  const std::string writer = detail::CheckpointReader(checkpoint).header().model;
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
  state_->restarted = true;
  state_->note = state_->changesSince(checkpoint);
}

int Simulation::run() {
  State& state = *state_;
  if (!state.advance)
    throw UsageError("the program '{}' has not called Simulation::advance", state.name);
  detail::InterruptGuard interrupts;
  state.prepareOutput();
  if (!state.note.empty()) printError(fmt::format("{}: note: {}\n", state.name, state.note));
  if (!state.restarted) state.writeOutput();
  {
    (void)state.capacityNotes();
    detail::Progress progress(state.steps, state.mass.size(), stderr, state.step);
    std::int64_t chunk = 1;
    const std::int64_t first = state.step;
    // The first check starts the measurement of times; by agents it may already move rows.
    if (state.balanceMonitor.every() > 0) state.balanceMonitor.rebalance(state.step);
    while (state.step < state.steps && interrupts.signal() == 0) {
      const bool isFirst = state.step == first;
      state.advanceTo(state.nextStop(chunk), chunk);
      if (isFirst) state.requireCheckpointable();
      if (const std::string lines = state.capacityNotes(); !lines.empty()) {
        progress.finish();
        printError(lines);
      }
      state.writeOutput();
      if (isMultiple(state.step, state.checkpointEvery)) state.writeCheckpoint();
      if (isMultiple(state.step, state.balanceMonitor.every())) {
        state.balanceMonitor.rebalance(state.step);
        (void)state.capacityNotes();  // repartitioning may change the capacities
      }
      progress.update(state.step, state.mass.agentCount());
    }
  }
  const int signal = state.step < state.steps ? interrupts.signal() : 0;
  if (signal != 0 && state.checkpoints()) {
    state.runCheck();
    state.writeCheckpoint();
  }
  const auto start = Clock::now();
  state.finishTables();
  state.plot.write(state.name, state.tableFile(), state.timeStep);
  const auto animations = state.finishAnimation();
  state.synchronizeFrames();
  state.outputSeconds += secondsSince(start);
  state.report(animations);
  state.notePendingRequests();
  return signal == 0 ? 0 : state.reportInterrupt(signal);
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
