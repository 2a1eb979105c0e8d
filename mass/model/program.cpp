#include <mass/model/program.hpp>

#include <mass/io/command_line.hpp>

#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <optional>

namespace mass {
namespace {

constexpr int failed = 2;

int fail(const Program& program, const char* message) {
  fmt::print(stderr, "{}: {}\n", program.name, message);
  return failed;
}

int runOrThrow(int argc, const char* const* argv, const Program& program) {
  const auto line =
      parseCommandLine(argc, argv, program.name, program.about, program.schema, std::cout);
  if (!line) return 0;
  Settings settings = line->settings.empty() ? Settings(program.schema)
                                             : Settings::load(line->settings, program.schema);
  for (const std::string& assignment : line->assignments) settings.set(assignment);
  if (line->printSettings) {
    std::cout << settings.print();
    return 0;
  }
  Mass mass(std::move(settings));
  Simulation simulation(mass, program.name);
  program.setUp(mass, simulation);
  if (!line->restart.empty()) simulation.restart(line->restart);
  return simulation.run();
}

}  // namespace

int runProgram(int argc, const char* const* argv, const Program& program) {
  try {
    return runOrThrow(argc, argv, program);
  } catch (const std::bad_alloc&) {
    return fail(program, "out of memory: make the world smaller");
  } catch (const std::exception& error) {
    return fail(program, error.what());
  }
}

}  // namespace mass
