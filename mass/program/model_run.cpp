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

void ModelRun::requireSteps() const {
  if (!advance) throw UsageError("the program '{}' has not called Simulation::advance", name);
}

double ModelRun::advanceTo(std::int64_t stop) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  advance(Steps{stop - step});
  mass.devices().ranks().setStep(stop);
  const std::int64_t alive = mass.agentCount();
  if (alive > 0) agentSteps += static_cast<double>(alive) * static_cast<double>(stop - step);
  step = stop;
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  computeSeconds += seconds;
  return seconds;
}

void ModelRun::runCheck() const {
  if (check) check();
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

RestoredCheckpoint ModelRun::restore(const std::filesystem::path& file) {
  const CheckpointHeader header = RankCheckpoint(mass.devices().ranks(), file).header();
  const bool isFormer = std::ranges::find(formerNames, header.model) != formerNames.end();
  RestoredCheckpoint restored{
      file, isFormer ? header.model : name, header.settings, {}, header.texts};
  restored.counters = mass.restoreCheckpoint(file, restored.writer);
  const auto found = restored.counters.find(stepCounter);
  if (found == restored.counters.end())
    throw CheckpointError("{} has no step; it was not written by a Simulation", file.string());
  step = firstStep = static_cast<std::int64_t>(found->second);
  return restored;
}

}  // namespace mass::detail
