#pragma once

#include <mass/io/settings.hpp>
#include <mass/program/model_run.hpp>
#include <mass/program/steering.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace mass::detail {

/// Steering that makes the present step the last one of a run as soon as a condition holds.
class Ending : public Steering {
 public:
  void begin(ModelRun& model) override;
  SteeringPlan plan(ModelRun& model) override;

 protected:
  /// @param reason text of the condition, for the summary and the record
  explicit Ending(std::string reason) : reason_(std::move(reason)) {}
  /// Condition of the run.
  const std::string& reason() const { return reason_; }

 private:
  /// True if the run ends at the present step. All ranks call it together.
  virtual bool holds(const ModelRun& model) = 0;
  /// Returns a step above the present one, at which the condition may hold first.
  virtual std::int64_t nextStep(const ModelRun& model) const = 0;

  std::string reason_;
  std::int64_t steps_ = 0;  ///< last step without this condition
};

/// Ending by a function of the model.
class FunctionEnding : public Ending {
 public:
  /// @param holds all ranks call it together, at multiples of `every` steps but step 0
  FunctionEnding(std::string reason, std::function<bool()> holds, std::int64_t every)
      : Ending(std::move(reason)), holds_(std::move(holds)), every_(every) {}

 private:
  bool holds(const ModelRun& model) override;
  std::int64_t nextStep(const ModelRun& model) const override;

  std::function<bool()> holds_;
  std::int64_t every_;
  std::int64_t checked_ = -1;  ///< step of the last call of `holds_`
};

/// Ending by a row of the table: the setting `until`.
class TableEnding : public Ending {
 public:
  /// @param settings outlive this
  /// @throws SettingsError if `until` is no condition, or the table has no rows
  explicit TableEnding(const Settings& settings);

  /// @throws SettingsError if the table has no such column
  void begin(ModelRun& model) override;
  void tableRow(std::int64_t step, std::span<const double> values) override;

 private:
  using Compare = bool (*)(double, double);

  bool holds(const ModelRun& model) override;
  std::int64_t nextStep(const ModelRun& model) const override;

  const Settings* settings_;
  ModelRun* model_ = nullptr;
  std::int64_t every_;
  std::string column_;
  Compare compare_ = nullptr;
  double bound_ = 0;
  std::size_t index_ = 0;  ///< number of the column
};

}  // namespace mass::detail
