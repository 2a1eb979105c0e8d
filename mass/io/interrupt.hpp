#pragma once

#include <csignal>

namespace mass::detail {

/// While it lives, the first Ctrl-C (SIGINT) or SIGTERM is only noted, so that a run can end
/// cleanly; the second one does what it did before. One at a time in a program, since signals
/// belong to the process.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// The signal that came, or 0.
  int signal() const;

 private:
  struct sigaction previousInterrupt_ {};
  struct sigaction previousTermination_ {};
};

/// While it lives, writing beyond the limit on file sizes (ulimit -f) is an error of the write, as
/// on a full disk, and not the end of the program without a word.
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
