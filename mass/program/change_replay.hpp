#pragma once

#include <mass/backend/ranks.hpp>
#include <mass/program/model_run.hpp>
#include <mass/program/setting_change.hpp>
#include <mass/program/steering.hpp>

#include <cstddef>
#include <filesystem>
#include <vector>

namespace mass::detail {

/// Steering that repeats the changes of settings of a recorded run at their steps.
class ChangeReplay : public Steering {
 public:
  /// All ranks construct it together, and take the changes of rank 0.
  /// @param changes changes since step 0, in their order
  /// @param record path of the record, for messages
  ChangeReplay(std::vector<SettingChange> changes, std::filesystem::path record, Ranks& ranks);

  /// Makes the changes of the present step.
  /// @throws InputError if the model refuses one, or the run continues a checkpoint with other
  /// changes
  SteeringPlan plan(ModelRun& model) override;

 private:
  void requireHistory(const ModelRun& model) const;

  std::vector<SettingChange> changes_;
  std::filesystem::path record_;
  std::size_t next_ = 0;  ///< index of the next change
};

}  // namespace mass::detail
