#pragma once

#include <array>
#include <csignal>

namespace mass::detail {

/// Opens /dev/null for each standard stream that is closed. Otherwise the next file would get its
/// number, and messages would be written into that file.
void openStandardStreams();

/// Reports ends of the program that are no return from runProgram(). While the object exists:
/// - A call of exit(-1), as by HDF5 if it cannot allocate memory, prints one line and ends the
///   program with status 2.
/// - A signal of a crash (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) prints one line; the signal
/// then
///   has its default effect. Signals with a handler, as of a sanitizer, are left alone.
///
/// Both remove temporary files. At most one object may exist at a time.
class ProcessGuard {
 public:
  /// @param program name for messages, which must outlive this
  explicit ProcessGuard(const char* program);
  ~ProcessGuard();
  ProcessGuard(const ProcessGuard&) = delete;
  ProcessGuard& operator=(const ProcessGuard&) = delete;

  /// Ends the effects in a child process, which owns no file of the run.
  static void releaseInChild();

 private:
  std::array<struct sigaction, 5> previous_{};
};

/// Prints the exception that ends the program on one line, and ends it with status 2. For
/// std::set_terminate().
[[noreturn]] void reportTermination();

/// Returns the message of the exception that is being handled, for the user.
/// @pre called in a catch block; the text is valid in it
const char* currentMessage();

}  // namespace mass::detail
