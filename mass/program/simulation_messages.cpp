#include <mass/program/simulation_run.hpp>

#include <mass/io/parse_value.hpp>
#include <mass/io/print.hpp>
#include <mass/io/progress.hpp>
#include <mass/program/devices_text.hpp>
#include <mass/program/partition_text.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace mass::detail {
namespace {

/// Returns a time with a unit: "12.3 us".
std::string timeText(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
  return seconds < 1 ? fmt::format("{:.3g} ms", seconds * 1e3) : fmt::format("{:.3g} s", seconds);
}

/// Returns a line on the exchanges between ranks, for the rule that took most time; empty if there
/// were none. @param asked value of the key `exchange_every`
std::string exchangeText(const std::vector<ExchangeReport>& reports, const std::string& asked) {
  const auto longest = std::ranges::max_element(reports, {}, &ExchangeReport::seconds);
  if (longest == reports.end()) return {};
  const auto& [every, mayBeSeldom, steps, seconds, moved, waited, sent, latency, rate, predicted,
               measured] = *longest;
  int given = every;  // auto is no number
  const bool isLess = mayBeSeldom && parseValue(asked, given).empty() && given != every;
  std::string text = fmt::format("  exchange    every {} step{}{}", every, every == 1 ? "" : "s",
                                 isLess ? ", as a device has no ghost rows for " + asked : "");
  if (waited + moved > 0)  // unknown of GPUs
    text +=
        fmt::format(", waited {:.3f} s and moved rows {:.3f} s of {:.3f} s, {:.4g} MB sent a step",
                    waited, moved, seconds, sent / 1e6);
  if (predicted > 0) text += fmt::format("; latency {}", timeText(latency));
  if (rate > 0) text += fmt::format(", {:.3g} MB/s", rate / 1e6);
  if (predicted > 0) text += fmt::format("; {} a step predicted", timeText(predicted));
  if (measured > 0) text += fmt::format(", {} a step measured", timeText(measured));
  return text + '\n';
}

}  // namespace

/// Prints a note on standard error, unless it is empty.
void SimulationRun::note(const std::string& text) const {
  if (!text.empty()) printError(fmt::format("{}: note: {}\n", model_.name, text));
}

/// Prints the summary of the run on standard output.
void SimulationRun::report() const {
  const Mass& mass = model_.mass;
  const double seconds = model_.computeSeconds;
  const double updates =
      static_cast<double>(model_.step - model_.firstStep) * static_cast<double>(mass.size());
  std::string text = fmt::format(
      "{}: step {} of {}, {} places, {}, {} thread{}{}\n", model_.name, model_.step, model_.steps,
      mass.size(), devicesText(mass.devices()), mass.devices().threads(),
      mass.devices().threads() == 1 ? "" : "s", mass.devices().ranks().count() > 1 ? " each" : "");
  if (!model_.endedBy.empty()) {
    text += fmt::format("  ended by    {}\n", model_.endedBy);
  } else if (const auto until = settings().get<std::string>("until"); !until.empty()) {
    text += fmt::format("  until       {}: not met\n", until);
  }
  text += fmt::format("  compute     {:.3f} s", seconds);
  if (updates > 0 && seconds > 0) text += fmt::format(", {}", formatRate(updates / seconds));
  if (model_.agentSteps > 0 && seconds > 0)
    text += fmt::format(", {}", formatRate(model_.agentSteps / seconds, "agent-steps/s"));
  text += fmt::format("\n  output      {:.3f} s\n", outputSeconds_);
  if (const std::int64_t alive = mass.agentCount(); alive >= 0)
    text += fmt::format("  agents      {}\n", alive);
  text += partitionText(mass.places(), settings().given("partition.cuts"));
  text += exchangeText(mass.exchangeReports(), settings().get<std::string>("exchange_every"));
  if (balance_.isActive()) text += balance_.report();
  text += events_.summary(seconds);
  if (!record_.hash.empty()) text += fmt::format("  state hash  {}\n", record_.hash);
  for (const Sink* const sink : outputs_)
    if (sink->isActive()) text += sink->report();
  printResult(text);
}

/// Returns a note on the settings of the model that differ from those of the checkpoint that the
/// run continues; empty if none does.
std::string SimulationRun::settingsNote() const {
  if (!restored_) return {};
  const std::string file = restored_->file.string();
  try {
    const Schema& schema = settings().schema();
    auto keys = settings().differences(Settings::parse(restored_->settings, file, schema));
    std::erase_if(keys, [&schema](const std::string& changed) {
      const KeyInfo* const key = schema.find(changed);
      return key != nullptr && !key->affectsResults;
    });
    if (keys.empty()) return {};
    return fmt::format("{} was written with other values of {}; this run uses the new ones", file,
                       fmt::join(keys, ", "));
  } catch (const SettingsError& error) {  // settings of another version of the program
    return fmt::format("the settings of the checkpoint cannot be compared: {}", error.what());
  }
}

/// Returns a note on the settings that had changed when the checkpoint was written which the run
/// continues; empty if there were none.
std::string SimulationRun::changesNote() const {
  std::map<std::string, std::string> values;
  for (const SettingChange& change : model_.changes) values[change.key] = toYaml(change.value);
  if (values.empty()) return {};
  std::vector<std::string> texts;
  for (const auto& [key, value] : values) texts.push_back(fmt::format("{}={}", key, value));
  return fmt::format("{} was written after changes of settings, with which this run goes on: {}",
                     restored_->file.string(), fmt::join(texts, ", "));
}

/// Prints a note on requests of agents that the run has dropped.
void SimulationRun::notePendingRequests() const {
  for (const std::string& pending : model_.mass.pendingAgents()) {
    note(fmt::format(
        "requests of the agents '{}' were never carried out: call manageAll after the rule with "
        "the Intent",
        pending));
  }
}

/// Prints a note on agents that rules looked for by identity in vain.
void SimulationRun::noteMissingAgents() const {
  for (const auto& [name, count] : model_.mass.missingAgents()) {
    note(fmt::format(
        "rules read agents '{}' by identity or gave to them {} times when no agent had the "
        "identity: such a read yields the initial attributes, and such a gift is lost",
        name, count));
  }
}

/// Prints a note on the signal that ended the run. @return exit code.
int SimulationRun::reportInterrupt(int signal) const {
  if (model_.step == model_.steps) {
    printError(fmt::format("{}: stopped by {} after the last step, {}.\n", model_.name,
                           signalName(signal), model_.steps));
    return 128 + signal;
  }
  std::string text =
      fmt::format("{}: stopped by {} {} step {} of {}.\n", model_.name, signalName(signal),
                  model_.isWithinStep ? "after" : "at", model_.step, model_.steps);
  text += checkpoints()
              ? fmt::format("To go on from there, run the same command with --restart {}\n",
                            checkpointFile_.string())
              : "No checkpoint was asked for (checkpoint.every), so the run cannot go on from "
                "there.\n";
  printError(text);
  return 128 + signal;
}

}  // namespace mass::detail
