#pragma once

#include <mass/io/schema.hpp>
#include <mass/model/mass.hpp>
#include <mass/program/simulation.hpp>

#include <functional>
#include <string>

namespace mass {

/// A program that runs one model: what `--help` says of it, its settings, and how to set it up.
struct Program {
  std::string name;
  std::string about;  ///< one line
  Schema schema = Schema::library();
  /// Creates the places and tells the simulation how to advance and what to write.
  std::function<void(Mass&, Simulation&)> setUp;
};

/// The main function of a program: reads the command line and the settings, sets the model up, runs
/// it, and prints any error as one message. Returns the exit code: 0; 2 after an error; 128 + the
/// signal's number when one ended the run.
int runProgram(int argc, const char* const* argv, const Program& program);

}  // namespace mass
