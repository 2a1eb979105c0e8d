#include <mass/backend/launcher.hpp>

#include <mass/backend/rank_link.hpp>

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <optional>
#include <system_error>

namespace mass::detail {
namespace {

/// Returns the value of a variable if it is a number, at least `least`.
std::optional<int> numberIn(const EnvironmentVariable& variable, const char* name, int least) {
  const char* const text = variable(name);
  if (text == nullptr) return std::nullopt;
  const char* const end = text + std::strlen(text);
  int number = 0;
  const auto [rest, error] = std::from_chars(text, end, number);
  if (error != std::errc() || rest != end || number < least) return std::nullopt;
  return number;
}

}  // namespace

// A variable may remain set from an outer launcher: the mpirun of Open MPI and of MPICH, and other
// PMIx launchers, start helpers by srun inside a Slurm job. So srun is the last one.
RankLaunch launchOf(const EnvironmentVariable& variable) {
  const auto launched = [&](const char* launcher, const char* number, std::optional<int> count) {
    return RankLaunch{launcher, numberIn(variable, number, 0).value_or(0), count.value_or(0)};
  };
  if (const auto count = numberIn(variable, "OMPI_COMM_WORLD_SIZE", 1))
    return launched("Open MPI's mpirun", "OMPI_COMM_WORLD_RANK", count);
  if (const auto count = numberIn(variable, "PMI_SIZE", 1))
    return launched("a launcher for MPICH", "PMI_RANK", count);
  const char* const space = variable("PMIX_NAMESPACE");
  const bool isOfSlurm = space != nullptr && std::string_view(space).starts_with("slurm.");
  if (numberIn(variable, "PMIX_RANK", 0) && !isOfSlurm)
    return launched("a PMIx launcher", "PMIX_RANK", std::nullopt);
  if (const auto count = numberIn(variable, "SLURM_STEP_NUM_TASKS", 1))
    return launched("srun", "SLURM_PROCID", count);
  return {};
}

void requireConnected(const RankLaunch& launch, int connected, std::string_view library) {
  if (launch.count == 0 || launch.count == connected) return;
  throw RankError(
      "{} has started {} processes, but this program's MPI library ({}) connects {} of them: start "
      "it by the mpirun of that library, or by srun with another option --mpi ('srun --mpi=list' "
      "lists them)",
      launch.launcher, launch.count, library, connected);
}

void requireOneProcess(const RankLaunch& launch) {
  if (launch.count == 1) return;
  throw RankError(
      "{} has started {}, but this program was built without MPI: configure it with "
      "-DMASS_MPI=ON, or start one process",
      launch.launcher,
      launch.count == 0 ? std::string("this process") : fmt::format("{} processes", launch.count));
}

}  // namespace mass::detail
