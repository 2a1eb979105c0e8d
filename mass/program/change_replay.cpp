#include <mass/program/change_replay.hpp>

#include <mass/support/error.hpp>

#include <limits>
#include <string>
#include <utility>

namespace mass::detail {

ChangeReplay::ChangeReplay(std::vector<SettingChange> changes, std::filesystem::path record,
                           Ranks& ranks)
    : changes_(std::move(changes)), record_(std::move(record)) {
  if (ranks.count() == 1) return;
  const std::string text = ranks.broadcast(toJsonText(changes_));
  if (!ranks.isFirst()) changes_ = changesFromJson(text, std::numeric_limits<std::int64_t>::max());
}

/// @throws InputError if the changes before a checkpoint are not those of the record
void ChangeReplay::requireHistory(const ModelRun& model) const {
  if (areBefore(model.changes, model.step, changes_)) return;
  throw InputError("'{}': the checkpoint of the run has other changes of settings than the record",
                   record_.string());
}

SteeringPlan ChangeReplay::plan(ModelRun& model) {
  if (next_ == 0) {
    requireHistory(model);
    next_ = model.changes.size();
  }
  std::vector<std::pair<std::string, SettingValue>> values;
  for (; next_ < changes_.size() && changes_[next_].step <= model.step; ++next_)
    values.emplace_back(changes_[next_].key, changes_[next_].value);
  try {
    model.change(values);
  } catch (const SettingsError& error) {
    throw InputError("'{}': the change at step {} is invalid: {}", record_.string(), model.step,
                     error.what());
  }
  SteeringPlan plan;
  if (next_ < changes_.size()) plan.stop = changes_[next_].step;
  return plan;
}

}  // namespace mass::detail
