#pragma once

#include <csignal>

namespace mass::detail {

/// Records the first SIGINT (Ctrl-C) or SIGTERM, so that a run can end at a step; a second one has
/// its default effect. The destructor restores the previous handlers. At most one object may exist
/// at a time, since signal handlers belong to the process.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// Returns the number of the received signal, or 0.
  int signal() const;

 private:
  struct sigaction previousInterrupt_ {};
  struct sigaction previousTermination_ {};
};

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
