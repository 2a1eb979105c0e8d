#pragma once

#include <array>
#include <csignal>
#include <string_view>

namespace mass::detail {

/// Records the first signal that asks the run to end, so that it can end at a step: SIGINT
/// (Ctrl-C), SIGTERM, SIGHUP, SIGUSR2 and SIGXCPU. A SIGINT or SIGTERM that arrives a second or
/// more after that has its default effect; earlier ones are repetitions, as `timeout` and launchers
/// of ranks send a signal to a process and to its group. The others are sent repeatedly by
/// terminals, batch systems and the kernel, and have no further effect; they stay ignored if they
/// were ignored before (nohup). Blocking calls of the
/// system fail with EINTR when such a signal arrives; see isInterrupted(). SIGUSR1 asks for a
/// checkpoint. The destructor restores the previous handlers. At most one object may exist at a
/// time, since signal handlers belong to the process.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// Returns the number of the received signal that asks the run to end, or 0.
  int signal() const;
  /// True if SIGUSR1 has arrived since the last call.
  bool takeCheckpointRequest() const;

 private:
  static constexpr std::size_t count = 6;
  std::array<struct sigaction, count> previous_{};
};

/// True if an InterruptGuard has recorded a signal: a call of the system that failed with EINTR is
/// not repeated, since it may never end.
bool isInterrupted();

/// Returns the name of a signal that InterruptGuard records, as the user knows it: "Ctrl-C",
/// "SIGTERM".
std::string_view signalName(int signal);

/// Ignores SIGXFSZ, so that a write beyond the limit of file sizes (ulimit -f) fails with EFBIG
/// instead of ending the program. The destructor restores the previous handler.
class FileSizeGuard {
 public:
  FileSizeGuard();
  ~FileSizeGuard();
  FileSizeGuard(const FileSizeGuard&) = delete;
  FileSizeGuard& operator=(const FileSizeGuard&) = delete;

 private:
  struct sigaction previous_ {};
};

}  // namespace mass::detail
