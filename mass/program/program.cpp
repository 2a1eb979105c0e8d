#include <mass/program/program.hpp>

#include <mass/backend/connect_ranks.hpp>
#include <mass/backend/gpus.hpp>
#include <mass/io/command_line.hpp>
#include <mass/io/interrupt.hpp>
#include <mass/io/print.hpp>
#include <mass/io/process_guard.hpp>
#include <mass/program/again.hpp>
#include <mass/program/change_replay.hpp>
#include <mass/program/live/view.hpp>
#include <mass/program/player.hpp>
#include <mass/program/predict_run.hpp>
#include <mass/program/rank_output.hpp>
#include <mass/program/rank_settings.hpp>

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <thread>

namespace mass {
namespace {

constexpr int failureCode = 2;
/// Time in which the first of several processes prints an error of all.
constexpr std::chrono::seconds messageTime(1);

/// Runs before main(), so that it precedes all files, and exceptions of static objects too.
[[gnu::constructor(101)]] void prepareProcess() {
  detail::openStandardStreams();
  std::set_terminate(detail::reportTermination);
}

/// Prints notes on a run that is slower than it need be.
void noteSlowness(const Program& program, const Settings& settings,
                  detail::Compilation compilation) {
  if (settings.get<std::string>("backend") == "auto" && detail::isDriverUnusable()) {
    printError(fmt::format("{}: note: running on CPUs: {}\n", program.name, detail::noGpuReason()));
  }
  if (!compilation.isOptimised) {
    printError(fmt::format(
        "{}: note: the program was compiled without optimisation, which makes rules 10 to 700 "
        "times slower; configure it with -DCMAKE_BUILD_TYPE=Release\n",
        program.name));
  }
}

/// Returns the recorded run that the command line names; none without --again and --show.
std::optional<detail::Again> recordedRun(const detail::CommandLine& line, const Program& program) {
  if (!line.again.empty()) return detail::Again(line.again, program.name);
  if (line.show.empty()) return std::nullopt;
  return detail::Again(line.show / detail::RunRecord::fileName, program.name);
}

/// Returns the settings of the command line, or of the run to repeat.
Settings settingsOf(const detail::CommandLine& line, const std::optional<detail::Again>& again,
                    const Schema& schema) {
  Settings settings = again                   ? again->settings(schema)
                      : line.settings.empty() ? Settings(schema)
                                              : Settings::load(line.settings, schema);
  for (const std::string& assignment : line.assignments) settings.set(assignment);
  if (again && line.show.empty()) again->requireOtherFiles(settings);
  return settings;
}

/// Returns the setting `ranks.timeout` for the connection of the ranks, before which no error can
/// be reported; its default if the command line or the settings are wrong, or without a settings
/// file that is a regular one.
double rankTimeoutOf(int argc, const char* const* argv, const Program& program) {
  try {
    std::ostringstream help;
    const auto line =
        detail::parseCommandLine(argc, argv, program.name, program.about, program.schema, help);
    if (line) {
      // A pipe can be read only once: it is left to runOrThrow().
      detail::CommandLine known = *line;
      if (!std::filesystem::is_regular_file(known.settings)) known.settings.clear();
      return settingsOf(known, recordedRun(known, program), program.schema)
          .get<double>("ranks.timeout");
    }
  } catch (const std::exception&) {
    // Reported by runOrThrow().
  }
  return detail::Ranks::defaultTimeout;
}

/// Returns a text on the action that the command line asks for; see requireSameStart().
std::string startOf(const std::optional<detail::CommandLine>& line) {
  if (!line) return "to print its help or version";
  if (line->printSettings) return "with --print-settings";
  if (!line->predict.empty()) return "with --predict";
  if (!line->again.empty()) return "with --again";
  if (!line->show.empty()) return "with --show";
  return line->restart.empty() ? "without --restart" : "with --restart";
}

/// Prepares the repetition of a run. @return checkpoint to continue; empty for none
std::filesystem::path checkpointOf(const detail::Again& again, const Program& program,
                                   const Settings& settings) {
  again.requireSameInputs(settings);
  std::filesystem::path checkpoint = again.restart();
  if (again.isRestart() && checkpoint.empty()) {
    printError(
        fmt::format("{}: note: the run of '{}' continued a checkpoint that has changed "
                    "since; this run begins at step 0\n",
                    program.name, again.file().string()));
  }
  return checkpoint;
}

/// Compares the final state with that of the repeated run. @return exit code
int compare(const detail::Again& again, const Program& program, std::uint64_t hash,
            detail::Compilation compilation) {
  if (!again.isReproduced(hash)) {
    detail::printErrorLine(program.name, again.difference(hash, compilation));
    return failureCode;
  }
  printResult(fmt::format("  reproduced  {}\n", again.file().string()));
  return 0;
}

/// Starts the live view that the command line asks for, and prints its address; null for none.
std::shared_ptr<detail::live::View> viewOf(const detail::CommandLine& line, const Program& program,
                                           const detail::Ranks& ranks) {
  if (!line.live) return nullptr;
  detail::live::ViewOptions options;
  options.port = *line.live;
  options.waitsForPage = line.waitsForPage;
  if (!line.show.empty()) options.host = detail::live::ViewHost::recording;
  auto view = std::make_shared<detail::live::View>(options, ranks.isFirst());
  printError(view->greeting(program.name));
  return view;
}

/// Parts of a run that do not depend on its settings.
struct Start {
  const Program& program;
  const detail::Compilation& compilation;
  const std::shared_ptr<detail::Ranks>& ranks;
  const std::shared_ptr<detail::live::View>& view;  ///< null without a live view
};

/// Sets the model up and runs it.
/// @param again run to repeat @param restart checkpoint to continue; empty for none
/// @return exit code.
int runModel(const Start& start, Settings settings, const std::optional<detail::Again>& again,
             const std::filesystem::path& restart) {
  const Program& program = start.program;
  Mass mass(std::move(settings), start.ranks);
  Simulation simulation(mass, program.name, start.compilation);
  program.setUp(mass, simulation);
  detail::requireSameInputs(*start.ranks, mass.settings());
  const std::filesystem::path checkpoint =
      again ? checkpointOf(*again, program, mass.settings()) : restart;
  if (!checkpoint.empty()) simulation.restart(checkpoint);
  if (again) {
    simulation.steer(std::make_shared<detail::ChangeReplay>(again->changes(mass.settings()),
                                                            again->file(), *start.ranks));
  }
  if (start.view) simulation.steer(start.view);
  const int code = simulation.run();
  return again && code == 0 ? compare(*again, program, simulation.hash(), start.compilation) : code;
}

/// Runs the program on this rank. @return exit code.
int runOrThrow(int argc, const char* const* argv, const Program& program,
               detail::Compilation compilation, const std::shared_ptr<detail::Ranks>& ranks) {
  std::ostringstream help;
  const auto line =
      detail::parseCommandLine(argc, argv, program.name, program.about, program.schema, help);
  detail::requireSameStart(*ranks, startOf(line));
  if (!line) {
    printResult(help.str());
    return 0;
  }
  if (!line->show.empty() && ranks->count() > 1)
    throw SettingsError("--show plays a run in one process: start the program without a launcher");
  const std::optional<detail::Again> again = recordedRun(*line, program);
  Settings settings = settingsOf(*line, again, program.schema);
  if (line->printSettings) {
    printResult(settings.printFile());
    return 0;
  }
  settings = detail::commonSettings(*ranks, std::move(settings),
                                    fmt::format("{} {}", program.name, MASS_VERSION));
  ranks->setTimeout(settings.get<double>("ranks.timeout"));
  noteSlowness(program, settings, compilation);
  if (!line->predict.empty()) {
    printResult(detail::predictRun(program, std::move(settings), ranks, line->predict));
    return 0;
  }
  const auto view = viewOf(*line, program, *ranks);
  if (!line->show.empty())
    return detail::Player(program, compilation, *again, std::move(settings), view).play();
  const Start start{program, compilation, ranks, view};
  int code = runModel(start, settings, again, line->restart);
  // A viewer may start the run anew.
  while (const auto seed = view ? view->takeSeed() : std::nullopt) {
    settings.set(fmt::format("seed={}", *seed));
    code = runModel(start, settings, std::nullopt, {});
  }
  return code;
}

/// Runs the program on this rank, and ends all ranks after an error. @return exit code.
int runOnRanks(int argc, const char* const* argv, const Program& program,
               detail::Compilation compilation, const std::shared_ptr<detail::Ranks>& ranks) {
  int code = failureCode;
  std::optional<std::string> message;
  {
    std::optional<detail::SilentOutput> silence;
    if (!ranks->isFirst()) silence.emplace();
    try {
      ranks->introduce();
      code = runOrThrow(argc, argv, program, compilation, ranks);
      ranks->barrier();
    } catch (...) {
      message = ranks->fail(detail::currentMessage());
    }
  }
  if (message) detail::printErrorLine(program.name, *message);
  ranks->disconnect(code);
  return code;
}

}  // namespace

int runProgram(int argc, const char* const* argv, const Program& program,
               detail::Compilation compilation) {
  const detail::ProcessGuard process(program.name.c_str());
  const detail::FileSizeGuard fileSize;
  const detail::RankLaunch launch =
      detail::launchOf([](const char* name) { return std::getenv(name); });
  try {
    const std::shared_ptr<detail::Ranks> ranks =
        launch.count == 1 ? std::make_shared<detail::Ranks>()
                          : detail::connectRanks(launch, rankTimeoutOf(argc, argv, program));
    if (ranks->count() > 1) return runOnRanks(argc, argv, program, compilation, ranks);
    return runOrThrow(argc, argv, program, compilation, ranks);
  } catch (...) {
    // All processes have this error. A launcher ends the first one when another one ends.
    if (launch.number == 0)
      detail::printErrorLine(program.name, detail::currentMessage());
    else
      std::this_thread::sleep_for(messageTime);
    return failureCode;
  }
}

}  // namespace mass
