#include <mass/backend/connect_ranks.hpp>

#include <mass/backend/exit_timer.hpp>
#include <mass/backend/mpi/mpi_link.hpp>

#include <fmt/format.h>

#include <errno.h>

#include <algorithm>
#include <string>
#include <utility>

namespace mass::detail {
namespace {

/// Status of the process, and seconds for the end of MPI, if a launcher belongs to another library.
constexpr int failureCode = 2;
constexpr double disconnectSeconds = 1;
/// Seconds between the messages of two ranks that cannot start: a launcher kills the others when
/// one has ended.
constexpr double messageSeconds = 1.5;
constexpr int mostMessages = 4;

/// Limits the time of the start, as MPI_Init waits for all ranks.
ExitTimer startTimer(const RankLaunch& launch, double seconds) {
  return {
      seconds + messageSeconds * std::min(launch.number, mostMessages), failureCode,
      fmt::format("{}: {} has started {} processes, but not all of them have connected within "
                  "{:.3g} s: one has stopped or ended or is another program, or its host cannot "
                  "be reached",
                  program_invocation_short_name, launch.launcher,
                  launch.count == 0 ? "several" : std::to_string(launch.count), seconds)};
}

/// Returns the link to all ranks.
std::unique_ptr<MpiLink> connect(const RankLaunch& launch, double seconds) {
  const ExitTimer timer = startTimer(launch, seconds);
  return std::make_unique<MpiLink>();
}

}  // namespace

std::unique_ptr<Ranks> connectRanks(const RankLaunch& launch, double timeoutSeconds,
                                    double leastStartSeconds) {
  if (launch.count == 1) return std::make_unique<Ranks>();
  auto link = connect(launch, std::max(timeoutSeconds, leastStartSeconds));
  try {
    requireConnected(launch, link->count(), MpiLink::library());
  } catch (const RankError&) {
    link->disconnect(failureCode, disconnectSeconds);
    throw;
  }
  return std::make_unique<Ranks>(std::move(link), timeoutSeconds);
}

}  // namespace mass::detail
