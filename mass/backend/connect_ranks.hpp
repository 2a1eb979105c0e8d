#pragma once

#include <mass/backend/launcher.hpp>
#include <mass/backend/ranks.hpp>

#include <memory>

namespace mass::detail {

/// Connects this process, which calls Ranks::introduce() next, with the other ranks that its
/// launcher has started. Calls MPI_Init only if there are several. At most one call in a process.
/// @param launch launch of this process, see launchOf()
/// @param timeoutSeconds see Ranks::setTimeout()
/// @param leastStartSeconds If the other ranks do not start within this time and `timeoutSeconds`,
/// the process prints a message and ends with status 2. Programs start slowly on busy hosts.
/// @throws RankError if they cannot be connected: the launcher belongs to another MPI library, or
/// this program was built without MPI. Every process has the same message, so the one with
/// `launch.number` 0 prints it.
std::unique_ptr<Ranks> connectRanks(const RankLaunch& launch,
                                    double timeoutSeconds = Ranks::defaultTimeout,
                                    double leastStartSeconds = 30);

}  // namespace mass::detail
