#include <mass/program/model_run.hpp>

#include <mass/model/rank_checkpoint.hpp>
#include <mass/support/error.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

namespace mass::detail {

DataFrame dataOf(AgentFrame frame) {
  const auto kept = std::make_shared<AgentFrame>(std::move(frame));
  return {kept->arrays, {kept}};
}

ModelRun::ModelRun(Mass& owner, std::string program)
    : mass(owner), name(std::move(program)), steps(owner.settings().get<std::int64_t>("steps")) {}

void ModelRun::addSettings(const Schema& schema) {
  for (const KeyInfo& key : schema.keys()) mass.settings_.renew(key);
}

void ModelRun::requireSteps() const {
  if (!advance && !runEvents)
    throw UsageError("the program '{}' has called neither Simulation::advance, step nor events",
                     name);
}

/// Makes steps. @return their number, less than `count` if the events of one were interrupted
std::int64_t ModelRun::advanceBy(std::int64_t count) {
  if (!runEvents) {
    advance(Steps{count});
    return count;
  }
  auto& clock = eventPlaces->schedule;
  if (clock == nullptr) clock = makeSchedule(*eventPlaces);
  for (std::int64_t made = 0; made < count; ++made) {
    clock->interruptIf(isEndWanted);
    runEvents();
    isWithinStep = clock->isInterrupted();
    if (isWithinStep) return made;
  }
  return count;
}

void ModelRun::advanceTo(std::int64_t stop) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const std::int64_t made = advanceBy(stop - step);
  step += made;
  mass.devices().ranks().setStep(step);
  const std::int64_t alive = mass.agentCount();
  if (alive > 0) agentSteps += static_cast<double>(alive) * static_cast<double>(made);
  computeSeconds += std::chrono::duration<double>(Clock::now() - start).count();
}

void ModelRun::runCheck() const {
  if (check) check();
}

Picture ModelRun::pictureWithLayers() const {
  Picture shown = picture();
  for (const PointDeclaration& each : points)
    if (each.isLayer) shown.marks.push_back({each.name, each.color, each.positions()});
  return shown;
}

std::vector<std::string> ModelRun::columnNames() const {
  std::vector<std::string> names;
  for (const ColumnGroup& group : columns)
    names.insert(names.end(), group.names.begin(), group.names.end());
  return names;
}

std::vector<double> ModelRun::row() const {
  std::vector<double> values;
  for (const ColumnGroup& group : columns) {
    const std::vector<double> found = group.values();
    values.insert(values.end(), found.begin(), found.end());
  }
  return values;
}

void ModelRun::change(const std::vector<std::string>& assignments) {
  std::vector<std::pair<std::string, SettingValue>> values;
  for (const std::string& assignment : assignments)
    values.push_back(mass.settings().liveValue(assignment));
  change(values);
}

void ModelRun::change(const std::vector<std::pair<std::string, SettingValue>>& values) {
  const Settings before = mass.settings();
  std::vector<SettingChange> made;
  try {
    for (const auto& [key, value] : values) {
      if (const auto changed = mass.settings_.change(key, value))
        made.push_back({step, key, *changed});
    }
    if (!made.empty()) notifyOfChange();
  } catch (...) {
    mass.settings_ = before;
    throw;
  }
  changes.insert(changes.end(), made.begin(), made.end());
}

void ModelRun::notifyOfChange() const {
  if (onChange) onChange();
}

std::map<std::string, std::uint64_t> ModelRun::checkpointCounters() const {
  std::map<std::string, std::uint64_t> counters{{stepCounter, static_cast<std::uint64_t>(step)}};
  state.save(counters);
  return counters;
}

std::map<std::string, std::string> ModelRun::checkpointTexts() const {
  std::map<std::string, std::string> texts;
  if (!changes.empty()) texts[changesText] = toJsonText(changes);
  if (!met.empty()) texts[metText] = met;
  return texts;
}

/// Replaces the changes so far, and their values, by those of a checkpoint.
/// @throws CheckpointError if this program does not accept them
void ModelRun::restoreChanges(const CheckpointHeader& header, const std::filesystem::path& file) {
  const auto text = header.texts.find(changesText);
  const auto last = header.counters.find(stepCounter);
  if (text == header.texts.end() && changes.empty()) return;
  try {
    mass.settings_.undoChanges();
    changes.clear();
    if (text != header.texts.end() && last != header.counters.end())
      changes = changesFromJson(text->second, static_cast<std::int64_t>(last->second));
    for (SettingChange& change : changes)
      change.value = mass.settings_.change(change.key, change.value).value_or(change.value);
    notifyOfChange();
  } catch (const Error& error) {
    throw CheckpointError("{} has changes of settings that cannot be continued: {}", file.string(),
                          error.what());
  }
}

RestoredCheckpoint ModelRun::restore(const std::filesystem::path& file) {
  const CheckpointHeader header = RankCheckpoint(mass.devices().ranks(), file).header();
  const bool isFormer = std::ranges::find(formerNames, header.model) != formerNames.end();
  RestoredCheckpoint restored{
      file, isFormer ? header.model : name, header.settings, {}, header.texts};
  const Settings settings = mass.settings();
  const std::vector<SettingChange> changed = changes;
  try {
    // A checkpoint of another model is refused below.
    if (header.model == restored.writer) {
      state.requireIn(header.counters, file);
      restoreChanges(header, file);
    }
    restored.counters = mass.restoreCheckpoint(file, restored.writer);
    state.restore(restored.counters);
  } catch (...) {
    mass.settings_ = settings;
    changes = changed;
    notifyOfChange();
    throw;
  }
  const auto found = restored.counters.find(stepCounter);
  if (found == restored.counters.end())
    throw CheckpointError("{} has no step; it was not written by a Simulation", file.string());
  step = firstStep = static_cast<std::int64_t>(found->second);
  isWithinStep =
      runEvents && eventPlaces->schedule != nullptr && eventPlaces->schedule->isInterrupted();
  const auto condition = restored.texts.find(metText);
  met = condition == restored.texts.end() ? std::string() : condition->second;
  return restored;
}

}  // namespace mass::detail
