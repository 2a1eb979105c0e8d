#pragma once

#include <python/src/recorder.hpp>
#include <python/src/session.hpp>
#include <python/src/watcher.hpp>

#include <mass/mass.hpp>
#include <mass_python_apps.hpp>

#include <fmt/ranges.h>
#include <nanobind/nanobind.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mass::python {

/// Returns the program of an app.
/// @throws UsageError that lists the apps
inline Program programNamed(const std::string& name) {
  const auto apps = allApps();
  const auto found = apps.find(name);
  if (found != apps.end()) return found->second();
  std::vector<std::string> names;
  for (const auto& [app, program] : apps) names.push_back(app);
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

/// Run of an app.
class AppRun : public Session {
 public:
  AppRun(const std::string& name, const std::filesystem::path& file,
         const std::vector<std::string>& assignments)
      : recorder_(std::make_shared<Recorder>()), run_(make(name, file, assignments)) {
    run_.steer(recorder_);
  }
  ~AppRun() override {
    if (!isForked()) return;
    // The threads that these would end are those of the parent.
    (void)watcher_.release();
    (void)new std::shared_ptr<Recorder>(recorder_);
  }

  Mass& mass() override { return run_.mass(); }

  /// Calls `function` with the run, while other threads of Python go on.
  template <class Function>
  auto useRun(const Function& function) {
    return use([&] { return function(run_); });
  }

  /// Makes steps, and adds rows to the table. Ctrl-C ends it at a step.
  /// @return texts of the model's warnings
  std::vector<std::string> step(std::int64_t count) {
    const Change change(*this);
    requireEnd(count);
    {
      const nb::gil_scoped_release released;
      run_.step(count);
    }
    if (PyErr_Occurred() != nullptr) throw nb::python_error();  // set by the recorder
    return run_.takeWarnings();
  }

  /// Changes live settings, "key=value" each.
  void set(const std::vector<std::string>& assignments) {
    change([&] { run_.setAll(assignments); });
  }

  void restore(const std::filesystem::path& checkpoint) {
    change([&] { run_.restore(checkpoint); });
  }

  /// Begins to serve a page that shows and steers the run. @param port 0: a free one
  /// @return addresses of the page, and of the page for a frame
  std::pair<std::string, std::string> openView(int port) {
    return use([&] {
      if (const auto* const view = recorder_->view(); view != nullptr)
        throw UsageError("the run has a live view, at {}: close it before", view->address());
      detail::live::ViewOptions options;
      options.port = port;
      options.host = detail::live::ViewHost::caller;
      recorder_->view(std::make_unique<detail::live::View>(options, true));
      watcher_ = std::make_unique<Watcher>(*this, *recorder_);
      return std::pair(recorder_->view()->address(), recorder_->view()->frameAddress());
    });
  }
  /// Ends the page, if there is one.
  void closeView() {
    use([&] {
      watcher_.reset();
      recorder_->view(nullptr);
    });
  }

  const Table& table() const { return recorder_->table(); }
  /// Returns the run, for properties that are constant during steps.
  const Run& run() const { return run_; }
  /// Number of steps made, also while another thread makes some.
  std::int64_t steps() const { return recorder_->steps(); }

 private:
  static Run make(const std::string& name, const std::filesystem::path& file,
                  const std::vector<std::string>& assignments) {
    requireOneProcess();
    const nb::gil_scoped_release released;
    const Program program = programNamed(name);
    return {program, settingsOf(program, file, assignments)};
  }

  /// @throws UsageError if step() + `count` is no number of 62 bits
  void requireEnd(std::int64_t count) const {
    constexpr std::int64_t most = std::int64_t{1} << 62;
    if (count > most - run_.step())
      throw UsageError("{} steps were asked for; a run ends at step 2^62", count);
  }

  std::shared_ptr<Recorder> recorder_;
  Run run_;
  std::unique_ptr<Watcher> watcher_;  ///< null without a live view
};

}  // namespace mass::python
