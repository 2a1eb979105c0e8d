#pragma once

#include <mass/io/schema.hpp>
#include <mass/model/mass.hpp>
#include <mass/program/compilation.hpp>
#include <mass/program/simulation.hpp>
#include <mass/support/export.hpp>

#include <functional>
#include <string>

namespace mass {

/// Program of one model, for runProgram().
struct Program {
  std::string name;                   ///< name in messages, output files and checkpoints
  std::string about;                  ///< one line for `--help`
  Schema schema = Schema::library();  ///< settings: keys of the library, and those of the model
  /// Creates places and agents, and registers the step and the output with the simulation.
  std::function<void(Mass&, Simulation&)> setUp;
};

/// Main function of a program. Reads the command line and the settings, sets the model up, runs it,
/// and prints an error as one line on standard error. Prints a note if the caller was compiled
/// without optimisation: rules are 10 to 700 times slower then.
/// @param compilation leave it out
/// @return exit code: 0; 2 after an error; 128 + the signal number if a signal ended the run
MASS_EXPORT int runProgram(int argc, const char* const* argv, const Program& program,
                           detail::Compilation compilation = detail::compilationOfCaller());

}  // namespace mass
