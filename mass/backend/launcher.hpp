#pragma once

#include <mass/support/export.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace mass::detail {

/// Processes that a launcher, such as mpirun or srun, has started as the ranks of one run.
struct RankLaunch {
  std::string launcher;  ///< its name in messages; empty without a launcher
  int number = 0;        ///< number of this process
  int count = 1;         ///< number of processes; 0 if only MPI knows it
};

/// Returns the value of an environment variable; null if it is not set.
using EnvironmentVariable = std::function<const char*(const char*)>;

/// Returns the launch that the environment variables of this process describe. The number of tasks
/// of a Slurm job does not matter, only that of a step of srun: a batch script that starts a
/// program without srun starts it once.
MASS_EXPORT RankLaunch launchOf(const EnvironmentVariable& variable);

/// @param connected number of processes that MPI connects
/// @param library name of the MPI library, for the message
/// @throws RankError if the launcher has started another number
void requireConnected(const RankLaunch& launch, int connected, std::string_view library);

/// For a program without MPI. @throws RankError if the launcher has or may have started several
void requireOneProcess(const RankLaunch& launch);

}  // namespace mass::detail
