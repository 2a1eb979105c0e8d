#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <mass/io/print.hpp>
#include <mass/io/process_guard.hpp>
#include <mass/io/temporary_files.hpp>
#include <new>

namespace mass::detail {
namespace {

constexpr int failureCode = 2;
constexpr int libraryFailure = 0xFF;  // status of exit(-1), which HDF5 calls
constexpr std::array crashSignals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

// Global, since handlers of exit() and of signals have no other state. Null if there is no guard.
std::atomic<const char*> guarded = nullptr;

void reportExit(int status, void*) {
  const char* const program = guarded.exchange(nullptr);
  if (program == nullptr || (status & 0xFF) != libraryFailure) return;
  printErrorLine(program,
                 "a library has ended the program, probably since memory is exhausted: use a "
                 "smaller world, fewer agents or a machine with more memory");
  removeTemporaryFiles();
  ::_exit(failureCode);
}

void reportCrash(int signal, siginfo_t* information, void*) {
  if (const char* const program = guarded.exchange(nullptr)) {
    printErrorLine(program,
                   information->si_code == SI_USER
                       ? "a signal of another program has ended this one; all files with their "
                         "final names are whole, and a restart goes on from the last checkpoint, "
                         "if there is one"
                       : "the program has crashed; all files with their final names are whole, and "
                         "a restart goes on from the last checkpoint, if there is one");
    removeTemporaryFiles();
  }
  // The handler is reset: the signal ends the program when this function returns.
  ::raise(signal);
}

/// Gives handlers of this thread a stack of their own: a library that recurses without end has used
/// up the other one.
void setSignalStack() {
  static std::array<std::byte, std::size_t{1} << 16> memory;
  stack_t present{};
  if (::sigaltstack(nullptr, &present) != 0 || (present.ss_flags & SS_DISABLE) == 0) return;
  stack_t own{};
  own.ss_sp = memory.data();
  own.ss_size = memory.size();
  ::sigaltstack(&own, nullptr);
}

}  // namespace

void openStandardStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number is given, which is that of the stream.
    if (::open("/dev/null", O_RDWR) < 0) return;
  }
}

ProcessGuard::ProcessGuard(const char* program) {
  static const bool isRegistered = ::on_exit(reportExit, nullptr) == 0;
  static_cast<void>(isRegistered);
  guarded = program;
  setSignalStack();
  for (std::size_t i = 0; i < crashSignals.size(); ++i) {
    ::sigaction(crashSignals[i], nullptr, &previous_[i]);
    if (previous_[i].sa_handler != SIG_DFL) continue;
    struct sigaction action {};
    action.sa_sigaction = reportCrash;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_ONSTACK | SA_SIGINFO);
    sigemptyset(&action.sa_mask);
    ::sigaction(crashSignals[i], &action, nullptr);
  }
}

ProcessGuard::~ProcessGuard() {
  guarded = nullptr;
  for (std::size_t i = 0; i < crashSignals.size(); ++i) {
    ::sigaction(crashSignals[i], &previous_[i], nullptr);
  }
}

void ProcessGuard::releaseInChild() {
  guarded = nullptr;
}

const char* currentMessage() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return "out of memory: use a smaller world or fewer agents";
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an exception without a message has ended the program";
  }
}

void reportTermination() {
  const char* const program = guarded.exchange(nullptr);
  const char* const name = program != nullptr ? program : ::program_invocation_short_name;
  if (std::current_exception() == nullptr) {
    printErrorLine(name, "std::terminate() has ended the program");
  } else {
    try {
      throw;
    } catch (...) {
      printErrorLine(name, currentMessage());
    }
  }
  removeTemporaryFiles();
  ::_exit(failureCode);
}

}  // namespace mass::detail
