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

constexpr int failureCode = 2;

/// Prints an error on one line; control characters, as in file names, are shown as '?'.
/// @return exit code after an error
int fail(const Program& program, std::string message) {
  std::replace_if(
      message.begin(), message.end(), [](unsigned char c) { return c < ' ' || c == 0x7F; }, '?');
  printError(fmt::format("{}: {}\n", program.name, message));
  return failureCode;
}

/// Runs the program. @return exit code.
int runOrThrow(int argc, const char* const* argv, const Program& program,
               detail::Compilation compilation) {
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
    printError(fmt::format("{}: note: running on CPUs: {}\n", program.name, detail::noGpuReason()));
  }
  if (!compilation.isOptimised) {
    printError(fmt::format(
        "{}: note: the program was compiled without optimisation, which makes rules 10 to 700 "
        "times slower; configure it with -DCMAKE_BUILD_TYPE=Release\n",
        program.name));
  }
  Mass mass(std::move(settings));
  Simulation simulation(mass, program.name);
  program.setUp(mass, simulation);
  if (!line->restart.empty()) simulation.restart(line->restart);
  return simulation.run();
}

}  // namespace

int runProgram(int argc, const char* const* argv, const Program& program,
               detail::Compilation compilation) {
  const detail::FileSizeGuard fileSize;
  try {
    return runOrThrow(argc, argv, program, compilation);
  } catch (const std::bad_alloc&) {
    return fail(program, "out of memory: use a smaller world or fewer agents");
  } catch (const std::exception& error) {
    return fail(program, error.what());
  }
}

}  // namespace mass
