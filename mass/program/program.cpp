#include <mass/program/program.hpp>

#include <mass/backend/gpus.hpp>
#include <mass/io/command_line.hpp>
#include <mass/io/interrupt.hpp>
#include <mass/io/print.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>
#include <optional>
#include <sstream>
#include <string>

namespace mass {
namespace {

constexpr int failed = 2;

/// In one line, though names in it, of files say, may have line breaks.
int fail(const Program& program, std::string message) {
  std::replace_if(
      message.begin(), message.end(), [](unsigned char c) { return c < ' ' || c == 0x7F; }, '?');
  printError(fmt::format("{}: {}\n", program.name, message));
  return failed;
}

int runOrThrow(int argc, const char* const* argv, const Program& program) {
  std::ostringstream help;
  const auto line =
      detail::parseCommandLine(argc, argv, program.name, program.about, program.schema, help);
  if (!line) {
    printResult(help.str());
    return 0;
  }
  Settings settings = line->settings.empty() ? Settings(program.schema)
                                             : Settings::load(line->settings, program.schema);
  for (const std::string& assignment : line->assignments) settings.set(assignment);
  if (line->printSettings) {
    printResult(settings.print());
    return 0;
  }
  if (settings.get<std::string>("backend") == "auto" && detail::isDriverUnusable()) {
    printError(
        fmt::format("{}: note: processors are used: {}\n", program.name, detail::whyNoGpu()));
  }
  Mass mass(std::move(settings));
  Simulation simulation(mass, program.name);
  program.setUp(mass, simulation);
  if (!line->restart.empty()) simulation.restart(line->restart);
  return simulation.run();
}

}  // namespace

int runProgram(int argc, const char* const* argv, const Program& program) {
  const detail::FileSizeGuard fileSize;
  try {
    return runOrThrow(argc, argv, program);
  } catch (const std::bad_alloc&) {
    return fail(program, "out of memory: make the world smaller, or have fewer agents in it");
  } catch (const std::exception& error) {
    return fail(program, error.what());
  }
}

}  // namespace mass
