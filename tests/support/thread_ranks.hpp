#pragma once

#include <mass/backend/ranks.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mass::testing {

class ThreadNetwork;

/// Properties of the ranks of ThreadRanks and of their network.
struct ThreadRankOptions {
  double timeout = 60;                         ///< in seconds, see Ranks::setTimeout()
  std::vector<std::string> hosts{};            ///< name of each rank's host; empty: all "host"
  std::chrono::microseconds shortestDelay{0};  ///< lower limit of the random delay of a message
  std::chrono::microseconds longestDelay{0};   ///< upper limit, if it is above the lower one
  std::uint64_t seed = 0;                      ///< seed of the delays
  /// Size up to which a send is complete before the message has been received.
  std::size_t eagerBytes = 4096;
};

/// End of one rank of ThreadRanks.
struct ThreadRankResult {
  int exitCode = 0;                    ///< that of the process if it were one
  std::string error;                   ///< message of the exception; empty without one
  std::optional<std::string> printed;  ///< message that the rank prints
  bool isStopped = false;              ///< it was stopped when all other ranks had ended
  double seconds = 0;                  ///< time from the start of the run to its end
};

/// Ranks that are threads of this process, connected by queues in memory.
class ThreadRanks {
 public:
  explicit ThreadRanks(int count, const ThreadRankOptions& options = {});
  ~ThreadRanks();

  /// Calls `work` on a thread for each rank and ends the ranks as runProgram() ends a process.
  /// @return the end of each rank
  std::vector<ThreadRankResult> run(const std::function<void(detail::Ranks&)>& work);

  /// Stops a rank at its next call of Ranks that uses the network, until all other ranks have
  /// ended. Any thread may call it.
  void stop(int rank);
  /// Loses all messages from and to a rank from now on. Any thread may call it.
  void cut(int rank);

 private:
  ThreadRankResult runRank(int rank, const std::function<void(detail::Ranks&)>& work);

  int count_;
  ThreadRankOptions options_;
  std::unique_ptr<ThreadNetwork> network_;
};

/// Calls `work` on that many ranks and fails the test if one of them fails.
void runOnThreadRanks(int count, const std::function<void(detail::Ranks&)>& work,
                      const ThreadRankOptions& options = {});

}  // namespace mass::testing
