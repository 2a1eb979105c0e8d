#include <mass/backend/exit_timer.hpp>

#include <mass/support/wait_for_stop.hpp>

#include <unistd.h>

#include <cstddef>
#include <stop_token>
#include <utility>

namespace mass::detail {

ExitTimer::ExitTimer(double seconds, int exitCode, std::string message)
    : thread_([seconds, exitCode, text = std::move(message)](const std::stop_token& stop) {
        if (waitForStop(stop, seconds)) return;
        // Without locks and exit handlers, as another thread may hold the locks.
        const std::string line = text.empty() ? "" : text + "\n";
        [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
        ::_exit(exitCode);
      }) {}

}  // namespace mass::detail
