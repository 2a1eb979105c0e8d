#include <mass/backend/rank_deputy.hpp>

#include <mass/support/wait_for_stop.hpp>

#include <stop_token>

namespace mass::detail {

RankDeputy::RankDeputy(RankMonitor& monitor, std::mutex& mutex)
    : thread_(
          [&monitor, &mutex, seconds = monitor.lookSeconds()](const std::stop_token& stop) mutable {
            while (!waitForStop(stop, seconds)) {
              // A thread that holds the mutex for long waits for messages, and answers itself.
              const std::unique_lock lock(mutex, std::try_to_lock);
              if (!lock) continue;
              monitor.answerAtWork();
              seconds = monitor.lookSeconds();
            }
          }) {}

}  // namespace mass::detail
