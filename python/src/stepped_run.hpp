#pragma once

#include <python/src/recorder.hpp>
#include <python/src/session.hpp>
#include <python/src/watcher.hpp>

#include <mass/mass.hpp>

#include <nanobind/nanobind.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mass::python {

/// Run that Python advances, with its table and its live view.
class SteppedRun {
 public:
  /// @param session devices of the run, which must outlive this
  SteppedRun(Session& session, std::shared_ptr<Recorder> recorder, Run run)
      : session_(session), recorder_(std::move(recorder)), run_(std::move(run)) {
    session_.use([&] { run_.steer(recorder_); });
  }
  ~SteppedRun() {
    if (!session_.isForked()) return;
    // The threads that these would end are those of the parent.
    (void)watcher_.release();
    (void)new std::shared_ptr<Recorder>(recorder_);
  }
  SteppedRun(const SteppedRun&) = delete;
  SteppedRun& operator=(const SteppedRun&) = delete;

  /// Calls `function` with the run, while other threads of Python go on.
  template <class Function>
  auto use(const Function& function) {
    return session_.use([&] { return function(run_); });
  }

  /// Makes steps, and adds rows to the table. Ctrl-C ends it at a step.
  /// @return texts of the model's warnings
  std::vector<std::string> step(std::int64_t count) {
    requireBetweenSteps();
    const Session::Change change(session_);
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
    requireBetweenSteps();
    session_.change([&] { run_.setAll(assignments); });
  }

  void restore(const std::filesystem::path& checkpoint) {
    requireBetweenSteps();
    session_.change([&] { run_.restore(checkpoint); });
  }

  /// Begins to serve a page that shows and steers the run. @param port 0: a free one
  /// @return addresses of the page, and of the page for a frame
  std::pair<std::string, std::string> openView(int port) {
    requireBetweenSteps();
    return session_.use([&] {
      if (const auto* const view = recorder_->view(); view != nullptr)
        throw UsageError("the run has a live view, at {}: close it before", view->address());
      detail::live::ViewOptions options;
      options.port = port;
      options.host = detail::live::ViewHost::caller;
      recorder_->view(std::make_unique<detail::live::View>(options, true));
      watcher_ = std::make_unique<Watcher>(session_, *recorder_);
      return std::pair(recorder_->view()->address(), recorder_->view()->frameAddress());
    });
  }
  /// Ends the page, if there is one.
  void closeView() {
    requireBetweenSteps();
    session_.use([&] {
      watcher_.reset();
      recorder_->view(nullptr);
    });
  }

  /// Returns the table, with the right to use the session.
  template <class Function>
  auto useTable(const Function& function) {
    const Session::Use use(session_);
    return function(recorder_->table());
  }
  /// Returns the run, for properties that are constant during steps.
  const Run& run() const { return run_; }
  Mass& mass() { return run_.mass(); }
  /// Number of steps made, also while another thread makes some.
  std::int64_t steps() const { return recorder_->steps(); }
  /// Updates steps() in a function that the run calls.
  void updateSteps() { recorder_->setSteps(run_.step()); }

 private:
  /// @throws UsageError in a function of Python that makes a step
  void requireBetweenSteps() const {
    if (session_.isInCallback())
      throw UsageError("a step of this run is being made: do this after the step");
  }

  /// @throws UsageError if step() + `count` is no number of 62 bits
  void requireEnd(std::int64_t count) const {
    constexpr std::int64_t most = std::int64_t{1} << 62;
    if (count > most - run_.step())
      throw UsageError("{} steps were asked for; a run ends at step 2^62", count);
  }

  Session& session_;
  std::shared_ptr<Recorder> recorder_;
  Run run_;
  std::unique_ptr<Watcher> watcher_;  ///< null without a live view
};

}  // namespace mass::python
