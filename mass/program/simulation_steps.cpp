#include <mass/program/simulation_state.hpp>

#include <mass/io/atomic_file.hpp>
#include <mass/io/print.hpp>
#include <mass/io/progress.hpp>
#include <mass/program/step_agreement.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstdio>
#include <utility>

namespace mass::detail {
namespace {

using Clock = std::chrono::steady_clock;

/// Compute time of a chunk, the steps between two checks of progress and signals.
constexpr double secondsPerChunk = 0.1;

/// Returns the seconds from `start` until now.
double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// True if an output of interval `every` is written at `step`; never if `every` is 0.
bool isMultiple(std::int64_t step, std::int64_t every) {
  return every > 0 && step % every == 0;
}

}  // namespace

/// Returns the names of all columns of the table.
std::vector<std::string> SimulationState::columnNames() const {
  std::vector<std::string> names;
  for (const ColumnGroup& group : columns) {
    names.insert(names.end(), group.names.begin(), group.names.end());
  }
  return names;
}

/// Returns the step and, if a step has a length in time, the time.
std::string SimulationState::timeText() const {
  const std::string time =
      timeStep == 1 ? "" : fmt::format(", {:.4g} s", static_cast<double>(step) * timeStep);
  return fmt::format("step {}{}", step, time);
}

void SimulationState::writeFrame() {
  const Picture picture = pictures.draw();
  finiteCheck.requirePicture(step, picture.values, picture.columns);
  if (ownsFiles()) pictures.write(step, picture, timeText());
}

/// True if this step is the last one or has output besides a row of the table.
bool SimulationState::writesBeyondTable() const {
  return step == steps || (pictures.isActive() && isMultiple(step, pictures.every())) ||
         (writesData() && isMultiple(step, dataEvery)) ||
         (writesAgents() && isMultiple(step, agentsEvery)) || isMultiple(step, checkpointEvery);
}

/// Calls the function of Simulation::check.
void SimulationState::runCheck() const {
  if (check) check();
}

/// Returns the values of all columns.
/// @throws ModelError if one is not finite, and that is not allowed
std::vector<double> SimulationState::checkedRow() const {
  std::vector<double> values;
  for (const ColumnGroup& group : columns) {
    const std::vector<double> found = group.values();
    values.insert(values.end(), found.begin(), found.end());
  }
  finiteCheck.requireRow(step, columnNames(), values);
  return values;
}

/// Writes the output of the current step, except a checkpoint.
void SimulationState::writeOutput() {
  const auto start = Clock::now();
  if (writesBeyondTable()) runCheck();
  if (writesTable() && isMultiple(step, tableEvery)) {
    const std::vector<double> row = checkedRow();
    if (table) table->add(step, row);
    lastRow = step;
    eventMonitor.add(step);
  }
  if (pictures.isActive() && isMultiple(step, pictures.every())) writeFrame();
  if (writesData() && isMultiple(step, dataEvery)) {
    for (const DataSource& source : data) {
      source.write(step, static_cast<double>(step) * timeStep);
    }
  }
  if (writesAgents() && isMultiple(step, agentsEvery)) {
    for (AgentTableSource& source : agents) source.write(step, finiteCheck);
  }
  // Values that are not finite are found without a table too. With a table, the functions of its
  // columns are called for its rows only, since they may keep state from one row to the next.
  if (!writesTable() && writesBeyondTable() && finiteCheck.isActive()) (void)checkedRow();
  outputSeconds += secondsSince(start);
}

/// Flushes pictures and data to the disk. They are not flushed one by one, which would take longer
/// than to write them.
void SimulationState::synchronizeFrames() const {
  if (ownsFiles() && (pictures.isActive() || writesData() || writesAgents()))
    synchronizeFolder(folder);
}

void SimulationState::writeCheckpoint() {
  const auto start = Clock::now();
  // A restart continues rows and frames up to this step.
  if (table) table->flush();
  std::map<std::string, std::uint64_t> counters{{stepCounter, static_cast<std::uint64_t>(step)}};
  if (lastRow >= 0) counters[lastRowCounter] = static_cast<std::uint64_t>(lastRow);
  for (AgentTableSource& source : agents) {
    source.flush();
    if (source.lastRow < 0) continue;
    counters[lastRowCounterOf(source.name)] = static_cast<std::uint64_t>(source.lastRow);
  }
  synchronizeFrames();  // after flush(), which publishes the rows of tables in HDF5
  if (ownsFiles() && writesData()) {
    for (const DataSource& source : data) frameLists[frameListOf(source.file)] = source.list();
  }
  if (ownsFiles() && writesAgents()) {
    for (const AgentTableSource& source : agents) {
      std::string list = source.table->list();
      if (!list.empty()) frameLists[frameListOf(source.file)] = std::move(list);
    }
  }
  mass.saveCheckpoint(checkpointFile, name, counters, frameLists, recordText);
  outputSeconds += secondsSince(start);
}

/// Writes the checkpoint that SIGUSR1 asked for.
void SimulationState::writeRequestedCheckpoint() {
  if (!checkpoints()) {
    note(
        "SIGUSR1 asks for a checkpoint, and none was asked for in the settings "
        "(checkpoint.every or checkpoint.file)");
    return;
  }
  runCheck();
  writeCheckpoint();
}

/// Called after the first steps of a run, so that a run that cannot be checkpointed ends early.
/// @throws UsageError if the settings ask for checkpoints, and agents have pending requests
void SimulationState::requireCheckpointable() const {
  const auto pending = checkpoints() ? mass.pendingAgents() : std::vector<std::string>{};
  if (pending.empty()) return;
  throw UsageError(
      "the steps of this program end with requests of the agents '{}' that no manageAll carried "
      "out, and a checkpoint cannot store them: call manageAll at the end of a step, or leave out "
      "checkpoint.every and checkpoint.file",
      fmt::join(pending, "', '"));
}

/// Returns the step at which the next chunk ends: at most `chunk` steps on, at the next output or
/// check of the load balance, or at the last step.
std::int64_t SimulationState::nextStop(std::int64_t chunk) const {
  std::int64_t stop = chunk < steps - step ? step + chunk : steps;
  const auto stopAt = [&](bool active, std::int64_t every) {
    if (active && every > 0 && every - step % every < stop - step)
      stop = step + every - step % every;
  };
  stopAt(writesTable(), tableEvery);
  stopAt(pictures.isActive(), pictures.every());
  stopAt(writesData(), dataEvery);
  stopAt(writesAgents(), agentsEvery);
  stopAt(true, checkpointEvery);
  stopAt(true, balanceMonitor.every());
  return stop;
}

/// Advances the model to step `stop` and adapts the length of chunks to secondsPerChunk.
void SimulationState::advanceTo(std::int64_t stop, std::int64_t& chunk) {
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

/// Runs to the last step or until a signal, with all output on the way.
/// @return the signal that ended the steps; 0 if none did
int SimulationState::runSteps(const InterruptGuard& interrupts) {
  if (!restarted) writeOutput();
  (void)capacityNotes.take();
  std::optional<Progress> progress;
  if (ownsFiles()) progress.emplace(steps, mass.size(), stderr, step, timeStep == 1 ? 0 : timeStep);
  StepWish wish;
  const std::int64_t first = step;
  // The first check starts the measurement of times; by agents it may already move rows.
  if (balanceMonitor.every() > 0) balanceMonitor.rebalance(step);
  while (step < steps) {
    wish = agree(mass.devices().ranks(),
                 {interrupts.signal(), interrupts.takeCheckpointRequest(), wish.chunk});
    if (wish.signal != 0) break;
    if (wish.wantsCheckpoint) writeRequestedCheckpoint();
    const bool isFirst = step == first;
    advanceTo(nextStop(wish.chunk), wish.chunk);
    if (isFirst) requireCheckpointable();
    if (const std::string lines = capacityNotes.take(); !lines.empty()) {
      if (progress) progress->finish();
      printError(lines);
    }
    writeOutput();
    if (isMultiple(step, checkpointEvery)) writeCheckpoint();
    if (isMultiple(step, balanceMonitor.every())) {
      balanceMonitor.rebalance(step);
      (void)capacityNotes.take();  // repartitioning may change the capacities
    }
    const std::int64_t alive = mass.agentCount(), events = eventMonitor.events();
    if (progress) progress->update(step, alive, events);
  }
  return wish.signal;
}

void SimulationState::finishTables() {
  if (table) table->finish();
  balanceMonitor.finish();
  eventMonitor.finish();
  for (const AgentTableSource& source : agents) {
    if (source.table) source.table->finish();
  }
}

/// Completes the files and prints the summary.
/// @param signal signal that ended the steps; 0 if none did
/// @param interrupts signals that may arrive while files are completed
/// @return exit code
int SimulationState::finish(int signal, const InterruptGuard& interrupts) {
  const bool isTooLate = step == steps && interrupts.signal() != 0;  // to stop the steps
  if (step < steps && checkpoints()) {
    runCheck();
    writeCheckpoint();
  }
  const auto start = Clock::now();
  finishTables();
  if (ownsFiles()) plot.write(name, tableFile(), timeStep);
  pictures.finish();
  synchronizeFrames();
  outputSeconds += secondsSince(start);
  record.hash = fmt::format("{:016x}", mass.hash());
  if (signal == 0 && !isTooLate) signal = interrupts.signal();
  signal = mass.devices().ranks().broadcast(signal);
  if (lock) endRecord(signal == 0 ? RunState::finished : RunState::interrupted);
  if (ownsFiles()) report();
  notePendingRequests();
  return signal == 0 ? 0 : reportInterrupt(signal);
}

}  // namespace mass::detail
