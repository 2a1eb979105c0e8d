#pragma once

#include <python/src/table.hpp>

#include <mass/backend/launcher.hpp>
#include <mass/mass.hpp>
#include <mass/program/model_run.hpp>
#include <mass_python_apps.hpp>

#include <fmt/ranges.h>
#include <nanobind/nanobind.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace mass::python {

namespace nb = nanobind;

/// Returns the program of an app.
/// @throws UsageError that lists the apps
inline Program programNamed(const std::string& name) {
  const auto apps = allApps();
  const auto found = std::ranges::find(apps, name, &Program::name);
  if (found != apps.end()) return *found;
  std::vector<std::string> names;
  for (const Program& app : apps) names.push_back(app.name);
  throw UsageError("there is no app '{}'; apps are {}", name, fmt::join(names, ", "));
}

/// Returns the settings of a program.
/// @param file YAML file; empty for none @param assignments "key=value" each
inline Settings settingsOf(const Program& program, const std::filesystem::path& file,
                           const std::vector<std::string>& assignments) {
  Settings settings =
      file.empty() ? Settings(program.schema) : Settings::load(file, program.schema);
  for (const std::string& assignment : assignments) settings.set(assignment);
  return settings;
}

/// @throws UsageError if a launcher has started several processes
inline void requireOneProcess() {
  const auto launch = detail::launchOf([](const char* name) { return std::getenv(name); });
  if (launch.count == 1) return;
  throw UsageError(
      "{} has started several processes: Python runs a simulation in one; start the program "
      "itself on several ranks",
      launch.launcher);
}

/// Run of an app, used by one thread at a time.
class AppRun {
 public:
  AppRun(const std::string& name, const std::filesystem::path& file,
         const std::vector<std::string>& assignments)
      : run_(make(name, file, assignments)),
        tableEvery_(run_.mass().settings().get<std::int64_t>("output.table_every")) {
    record();
  }

  /// Right of a thread to use the run.
  /// @throws UsageError if another thread uses it, or the process is a copy of that which made it
  class Use {
   public:
    explicit Use(AppRun& run) : run_(run) {
      if (::getpid() != run.process_)
        throw UsageError(
            "this process is a fork of the one that opened the run, without its threads: open the "
            "run after the fork");
      if (run.isUsed_.exchange(true))
        throw UsageError("another thread uses this run: open one for each thread");
    }
    ~Use() { run_.isUsed_ = false; }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    AppRun& run_;
  };

  /// Calls `function` with the run, while other threads of Python go on.
  template <class Function>
  auto use(Function&& function) {
    const Use use(*this);
    const nb::gil_scoped_release released;
    return function(run_);
  }

  /// Makes steps, and adds rows to the table. Ctrl-C ends it at a step.
  /// @return texts of the model's warnings
  std::vector<std::string> step(std::int64_t count) {
    const Use use(*this);
    if (count < 0) run_.step(count);  // throws
    const std::int64_t end = endOf(count);
    while (run_.step() < end) {
      {
        const nb::gil_scoped_release released;
        advance(std::min(end, nextRow()) - run_.step());
        record();
      }
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
    return run_.takeWarnings();
  }

  void restore(const std::filesystem::path& checkpoint) {
    use([&](Run& run) {
      run.restore(checkpoint);
      table_ = {};
      record();
    });
  }

  const Table& table() const { return table_; }
  /// Returns the run, for properties that are constant during steps.
  const Run& run() const { return run_; }
  /// Number of steps made, also while another thread makes some.
  std::int64_t steps() const { return steps_; }

 private:
  static Run make(const std::string& name, const std::filesystem::path& file,
                  const std::vector<std::string>& assignments) {
    requireOneProcess();
    const nb::gil_scoped_release released;
    const Program program = programNamed(name);
    return {program, settingsOf(program, file, assignments)};
  }

  /// Makes a chunk of steps, at most `count`.
  void advance(std::int64_t count) {
    using Clock = std::chrono::steady_clock;
    constexpr double secondsOfChunk = 0.05;
    const std::int64_t steps = std::min(count, chunk_);
    const auto start = Clock::now();
    run_.step(steps);
    const std::chrono::duration<double> seconds = Clock::now() - start;
    chunk_ = detail::nextChunk(chunk_, steps, seconds.count(), secondsOfChunk);
  }

  /// Returns the step after `count` further ones.
  /// @throws UsageError if that is no number of 62 bits
  std::int64_t endOf(std::int64_t count) const {
    constexpr std::int64_t most = std::int64_t{1} << 62;
    if (count > most - run_.step())
      throw UsageError("{} steps were asked for; a run ends at step 2^62", count);
    return run_.step() + count;
  }

  /// Returns the step of the next row of the table.
  std::int64_t nextRow() const {
    if (tableEvery_ == 0) return std::numeric_limits<std::int64_t>::max();
    return (run_.step() / tableEvery_ + 1) * tableEvery_;
  }

  /// Publishes the number of steps, and adds the present row if it is due.
  void record() {
    steps_ = run_.step();
    if (tableEvery_ > 0 && run_.step() % tableEvery_ == 0) table_.add(run_.step(), run_.row());
  }

  Run run_;
  std::int64_t tableEvery_;
  Table table_;
  std::int64_t chunk_ = 1;  ///< steps between two looks for signals
  std::atomic<std::int64_t> steps_ = 0;
  std::atomic<bool> isUsed_ = false;
  pid_t process_ = ::getpid();
};

}  // namespace mass::python
