#include <mass/program/simulation_run.hpp>

#include <mass/io/atomic_file.hpp>
#include <mass/io/print.hpp>
#include <mass/program/step_agreement.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

namespace mass::detail {
namespace {

using Clock = std::chrono::steady_clock;

/// Compute time of the steps between two checks of progress and signals: enough for passes of
/// several steps over large worlds.
constexpr double secondsPerChunk = 0.5;
/// Likewise of a run with a Steering, such as a live view, which answers between two chunks.
constexpr double secondsPerSteeredChunk = 0.1;

/// Returns the seconds from `start` until now.
double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// True if an output of interval `every` is written at `step`; never if `every` is 0.
bool isMultiple(std::int64_t step, std::int64_t every) {
  return every > 0 && step % every == 0;
}

}  // namespace

/// True if this step is the last one or has output besides rows of tables of the run.
bool SimulationRun::writesBeyondTable() const {
  const auto isDue = [&](const Sink* sink) {
    return sink != &table_ && sink != &events_ && sink->isDue(model_.step);
  };
  return model_.step == model_.steps || std::ranges::any_of(outputs_, isDue) ||
         isMultiple(model_.step, checkpointEvery_);
}

/// Writes the output of the current step, except a checkpoint.
void SimulationRun::writeOutput() {
  const auto start = Clock::now();
  if (writesBeyondTable()) model_.runCheck();
  for (Sink* const sink : outputs_)
    if (sink->isDue(model_.step)) sink->write(model_.step);
  // Values that are not finite are found without a table too. With a table, the functions of its
  // columns are called for its rows only, since they may keep state from one row to the next.
  if (!table_.isActive() && writesBeyondTable() && finiteCheck_.isActive())
    (void)table_.checkedRow();
  outputSeconds_ += secondsSince(start);
}

/// Flushes pictures and data to the disk. They are not flushed one by one, which would take longer
/// than to write them.
void SimulationRun::synchronizeFrames() const {
  const auto hasFrames = [&](const Sink* sink) {
    return sink != &table_ && sink != &events_ && sink->isActive();
  };
  if (ownsFiles() && std::ranges::any_of(outputs_, hasFrames)) synchronizeFolder(folder_);
}

void SimulationRun::writeCheckpoint() {
  const auto start = Clock::now();
  // A restart continues rows and frames up to this step.
  for (Sink* const sink : active()) sink->flush(progress_);
  synchronizeFrames();  // after flush(), which publishes the rows of tables in HDF5
  auto counters = progress_.counters;
  for (const auto& [name, value] : model_.checkpointCounters()) counters[name] = value;
  auto texts = model_.checkpointTexts();
  if (ownsFiles() && !texts.empty()) {
    record_.changes = model_.changes;
    recordText_ = record_.reproducibleJson(settings().schema());
  }
  texts.insert(progress_.frames.begin(), progress_.frames.end());
  model_.mass.saveCheckpoint(checkpointFile_, model_.name, counters, texts, recordText_);
  outputSeconds_ += secondsSince(start);
}

/// Writes a checkpoint that was not due. @param by the signal or user that asked for it
void SimulationRun::writeRequestedCheckpoint(std::string_view by) {
  if (!checkpoints()) {
    note(
        fmt::format("{} asks for a checkpoint, and none was asked for in the settings "
                    "(checkpoint.every or checkpoint.file)",
                    by));
    return;
  }
  model_.runCheck();
  writeCheckpoint();
}

/// Called after the first steps of a run, so that a run that cannot be checkpointed ends early.
/// @throws UsageError if the settings ask for checkpoints, and agents have pending requests
void SimulationRun::requireCheckpointable() const {
  const auto pending = checkpoints() ? model_.mass.pendingAgents() : std::vector<std::string>{};
  if (pending.empty()) return;
  throw UsageError(
      "the steps of this program end with requests of the agents '{}' that no manageAll carried "
      "out, and a checkpoint cannot store them: call manageAll at the end of a step, or leave out "
      "checkpoint.every and checkpoint.file",
      fmt::join(pending, "', '"));
}

/// Returns the step at which the next chunk ends: at most `chunk` steps on, at the next output or
/// check of the load balance, or at the last step. @param limit largest step, above the present one
std::int64_t SimulationRun::nextStop(std::int64_t chunk, std::int64_t limit) const {
  const std::int64_t step = model_.step;
  const std::int64_t last = std::min(limit, model_.steps);
  std::int64_t stop = chunk < last - step ? step + chunk : last;
  const auto stopAt = [&](std::int64_t every) {
    if (every > 0 && every - step % every < stop - step) stop = step + every - step % every;
  };
  for (const Sink* const sink : sinks_) stopAt(sink->every());
  stopAt(checkpointEvery_);
  return stop;
}

/// Agrees with all ranks on signals, and carries a request for a checkpoint out.
bool SimulationRun::goesOn(std::int64_t& chunk) {
  const StepWish wish = agree(model_.mass.devices().ranks(),
                              {interrupts_.signal(), interrupts_.takeCheckpointRequest(), chunk});
  chunk = wish.chunk;
  signal_ = wish.signal;
  if (signal_ != 0) return false;
  if (wish.wantsCheckpoint) writeRequestedCheckpoint("SIGUSR1");
  return true;
}

/// Writes the output that is due after a chunk of steps.
void SimulationRun::chunkMade() {
  if (!std::exchange(hasSteps_, true)) requireCheckpointable();
  if (const std::string lines = capacityNotes_.take(); !lines.empty()) {
    if (display_) display_->finish();
    printError(lines);
  }
  writeOutput();
  if (isMultiple(model_.step, checkpointEvery_)) writeCheckpoint();
  if (balance_.isDue(model_.step)) {
    balance_.write(model_.step);
    (void)capacityNotes_.take();  // repartitioning may change the capacities
  }
  const std::int64_t alive = model_.mass.agentCount(), events = events_.events();
  if (display_) display_->update(model_.step, alive, events);
}

/// Runs to the last step, or until a signal or a Steering ends it, with all output on the way.
void SimulationRun::runSteps() {
  Mass& mass = model_.mass;
  for (const auto& steering : model_.steerings) steering->begin(model_);
  if (!restored_) writeOutput();
  (void)capacityNotes_.take();
  if (ownsFiles())
    display_.emplace(model_.steps, mass.size(), stderr, model_.step,
                     model_.timeStep == 1 ? 0 : model_.timeStep);
  // The first check starts the measurement of times; by agents it may already move rows.
  if (balance_.isActive()) balance_.write(model_.step);
  StepLoop loop(model_, *this, model_.steerings.empty() ? secondsPerChunk : secondsPerSteeredChunk);
  loop.wait(loop.makeSteps(model_.steps));
  display_.reset();
}

/// Completes the files and prints the summary.
/// @return exit code
int SimulationRun::finish() {
  int signal = signal_;
  const bool isAtEnd = model_.step == model_.steps;
  const bool isTooLate = isAtEnd && interrupts_.signal() != 0;  // to stop the steps
  if (!isAtEnd && checkpoints()) {
    model_.runCheck();
    writeCheckpoint();
  }
  const auto start = Clock::now();
  // Animations, which take longest, are last.
  for (auto sink = sinks_.rbegin(); sink != sinks_.rend(); ++sink) (*sink)->finish();
  synchronizeFrames();
  outputSeconds_ += secondsSince(start);
  if (!model_.isWithinStep) record_.hash = fmt::format("{:016x}", model_.hash());
  if (signal == 0 && !isTooLate) signal = interrupts_.signal();
  signal = model_.mass.devices().ranks().broadcast(signal);
  if (lock_) endRecord(signal == 0 && isAtEnd ? RunState::finished : RunState::interrupted);
  if (ownsFiles()) report();
  notePendingRequests();
  noteMissingAgents();
  return signal == 0 ? 0 : reportInterrupt(signal);
}

}  // namespace mass::detail
