#include <mass/support/wait_for_stop.hpp>

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace mass::detail {

bool waitForStop(const std::stop_token& stop, double seconds) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any requested;
  requested.wait_for(lock, stop, std::chrono::duration<double>(seconds), [] { return false; });
  return stop.stop_requested();
}

}  // namespace mass::detail
