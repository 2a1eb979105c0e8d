#include <mass/program/simulation_state.hpp>

#include <mass/io/parse_value.hpp>
#include <mass/io/print.hpp>
#include <mass/io/progress.hpp>
#include <mass/support/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mass::detail {
namespace {

/// Returns a text as "2 CPU devices" or "1 GPU device (NVIDIA H200)".
std::string devicesText(const DeviceConfig& devices) {
  std::set<std::string> models;
  if (devices.areGpus()) {
    for (const int device : devices.local()) models.insert(devices.device(device).model());
  }
  std::string text =
      fmt::format("{} {} device{}{}", devices.size(), devices.areGpus() ? "GPU" : "CPU",
                  devices.size() == 1 ? "" : "s",
                  models.empty() ? "" : fmt::format(" ({})", fmt::join(models, ", ")));
  if (const int ranks = devices.ranks().count(); ranks > 1)
    text += fmt::format(" of {} ranks", ranks);
  return text;
}

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
  const auto& [every, steps, seconds, waited, latency, rate, predicted, measured] = *longest;
  int given = every;  // auto is no number
  const bool isLess = parseValue(asked, given).empty() && given != every;
  std::string text = fmt::format(
      "  exchange    every {} step{}{}, waited {:.3f} s of {:.3f} s", every, every == 1 ? "" : "s",
      isLess ? ", as a device has no ghost rows for " + asked : "", waited, seconds);
  if (predicted > 0) text += fmt::format("; latency {}", timeText(latency));
  if (rate > 0) text += fmt::format(", {:.3g} MB/s", rate / 1e6);
  if (predicted > 0) text += fmt::format("; {} a step predicted", timeText(predicted));
  if (measured > 0) text += fmt::format(", {} a step measured", timeText(measured));
  return text + '\n';
}

}  // namespace

/// Prints a note on standard error, unless it is empty.
void SimulationState::note(const std::string& text) const {
  if (!text.empty()) printError(fmt::format("{}: note: {}\n", name, text));
}

/// Prints the summary of the run on standard output.
void SimulationState::report() const {
  const double updates = static_cast<double>(step - firstStep) * static_cast<double>(mass.size());
  std::string text = fmt::format("{}: step {} of {}, {} places, {}, {} thread{}{}\n", name, step,
                                 steps, mass.size(), devicesText(mass.devices()),
                                 mass.devices().threads(), mass.devices().threads() == 1 ? "" : "s",
                                 mass.devices().ranks().count() > 1 ? " each" : "");
  text += fmt::format("  compute     {:.3f} s", computeSeconds);
  if (updates > 0 && computeSeconds > 0)
    text += fmt::format(", {}", formatRate(updates / computeSeconds));
  if (agentSteps > 0 && computeSeconds > 0)
    text += fmt::format(", {}", formatRate(agentSteps / computeSeconds, "agent-steps/s"));
  text += fmt::format("\n  output      {:.3f} s\n", outputSeconds);
  if (const std::int64_t alive = mass.agentCount(); alive >= 0)
    text += fmt::format("  agents      {}\n", alive);
  text += exchangeText(mass.exchangeReports(), mass.settings().get<std::string>("exchange_every"));
  text += balanceMonitor.report();
  text += eventMonitor.report(computeSeconds);
  text += fmt::format("  state hash  {}\n", record.hash);
  text += pictures.report();
  if (writesData()) {
    for (const DataSource& source : data)
      text += fmt::format("  data        {} (for ParaView)\n", source.file.string());
  }
  if (writesTable()) text += fmt::format("  table       {}\n", tableFile().string());
  for (const auto& file : plot.files(tableFile()))
    text += fmt::format("  plot        {}\n", file.string());
  if (writesTable() && evaluate) text += evaluate(tableFile());
  if (writesAgents()) {
    for (const AgentTableSource& source : agents)
      text += fmt::format("  agent table {}\n", source.file.string());
  }
  printResult(text);
}

/// Returns a note on the settings of the model that differ from those of the checkpoint; empty if
/// none does.
/// @param written settings in the checkpoint
std::string SimulationState::changesSince(const std::filesystem::path& checkpoint,
                                          const std::string& written) const {
  try {
    const Schema& schema = mass.settings().schema();
    auto keys = mass.settings().differences(Settings::parse(written, checkpoint.string(), schema));
    std::erase_if(keys, [&schema](const std::string& changed) {
      const KeyInfo* const key = schema.find(changed);
      return key != nullptr && !key->affectsResults;
    });
    if (keys.empty()) return {};
    return fmt::format("{} was written with other values of {}; this run uses the new ones",
                       checkpoint.string(), fmt::join(keys, ", "));
  } catch (const SettingsError& error) {  // settings of another version of the program
    return fmt::format("the settings of the checkpoint cannot be compared: {}", error.what());
  }
}

/// Prints a note on requests of agents that the run has dropped.
void SimulationState::notePendingRequests() const {
  for (const std::string& pending : mass.pendingAgents()) {
    printError(fmt::format(
        "{}: note: requests of the agents '{}' were never carried out: call manageAll after the "
        "rule with the Intent\n",
        name, pending));
  }
}

/// Prints a note on the signal that ended the run. @return exit code.
int SimulationState::reportInterrupt(int signal) const {
  if (step == steps) {
    printError(fmt::format("{}: stopped by {} after the last step, {}.\n", name, signalName(signal),
                           steps));
    return 128 + signal;
  }
  std::string text =
      fmt::format("{}: stopped by {} at step {} of {}.\n", name, signalName(signal), step, steps);
  text += checkpoints()
              ? fmt::format("To go on from there, run the same command with --restart {}\n",
                            checkpointFile.string())
              : "No checkpoint was asked for (checkpoint.every), so the run cannot go on from "
                "there.\n";
  printError(text);
  return 128 + signal;
}

}  // namespace mass::detail
