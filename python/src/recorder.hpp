#pragma once

#include <python/src/signals.hpp>
#include <python/src/table.hpp>

#include <mass/program/live/view.hpp>
#include <mass/program/model_run.hpp>
#include <mass/program/steering.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace mass::python {

/// Steering of a run of Python: keeps its table, ends its steps after Ctrl-C, and hands it on to
/// the live view. Its functions are called without the GIL.
class Recorder : public detail::Steering {
 public:
  void begin(detail::ModelRun& model) override {
    model_ = &model;
    steps_ = model.step;
    table_ = {};
    const auto every = model.mass.settings().get<std::int64_t>("output.table_every");
    if (every > 0 && model.step % every == 0) table_.add(model.step, columns(), model.row());
    if (view_) show();
  }

  void tableRow(std::int64_t step, std::span<const double> values) override {
    table_.add(step, columns(), values);
    if (view_) view_->tableRow(step, values);
  }

  /// Ends the steps if Python has an error, which it sets for Ctrl-C.
  detail::SteeringPlan plan(detail::ModelRun& model) override {
    detail::SteeringPlan plan;
    if (view_) plan = view_->plan(model);
    steps_ = model.step;
    plan.ends |= signals_.haveFailed();
    return plan;
  }

  /// Sets the live view, which gets the table so far; null: none.
  void view(std::unique_ptr<detail::live::View> view) {
    view_ = std::move(view);
    if (view_) show();
  }
  /// Live view; null for none.
  detail::live::View* view() const { return view_.get(); }
  /// Lets the live view show the state between two calls. @param isChanged see View::rest
  void rest(bool isChanged) { view_->rest(*model_, isChanged); }

  const Table& table() const { return table_; }
  /// Number of steps made; may be called by any thread.
  std::int64_t steps() const { return steps_; }
  /// Sets that number before plan() does.
  void setSteps(std::int64_t steps) { steps_ = steps; }

 private:
  std::vector<std::string> columns() const { return model_->columnNames(); }

  void show() {
    view_->begin(*model_);
    const std::size_t width = table_.names().size();
    const std::span<const double> values = table_.values();
    for (std::size_t row = 0; row < table_.rows(); ++row) {
      const auto line = values.subspan(row * width, width);
      view_->tableRow(static_cast<std::int64_t>(line[0]), line.subspan(1));
    }
  }

  detail::ModelRun* model_ = nullptr;
  Table table_;
  std::unique_ptr<detail::live::View> view_;
  std::atomic<std::int64_t> steps_ = 0;
  Signals signals_;
};

}  // namespace mass::python
