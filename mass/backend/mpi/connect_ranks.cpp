#include <mass/backend/connect_ranks.hpp>

#include <mass/backend/mpi/mpi_link.hpp>

#include <utility>

namespace mass::detail {
namespace {

/// Status of the process, and seconds for the end of MPI, if a launcher belongs to another library.
constexpr int failureCode = 2;
constexpr double disconnectSeconds = 1;

}  // namespace

std::unique_ptr<Ranks> connectRanks(const RankLaunch& launch, double timeoutSeconds) {
  if (launch.count == 1) return std::make_unique<Ranks>();
  auto link = std::make_unique<MpiLink>();
  try {
    requireConnected(launch, link->count(), MpiLink::library());
  } catch (const RankError&) {
    link->disconnect(failureCode, disconnectSeconds);
    throw;
  }
  return std::make_unique<Ranks>(std::move(link), timeoutSeconds);
}

}  // namespace mass::detail
