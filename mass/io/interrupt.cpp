#include <mass/io/interrupt.hpp>

#include <algorithm>
#include <cstddef>

namespace mass::detail {
namespace {

/// Signal that InterruptGuard records.
struct Recorded {
  int number;
  std::string_view name;
  bool isAlways;  ///< recorded even if it was ignored, and once: a second one ends the program
};

constexpr std::array<Recorded, 6> recordedSignals{{
    {SIGINT, "Ctrl-C", true},
    {SIGTERM, "SIGTERM", true},
    {SIGHUP, "SIGHUP", false},
    {SIGUSR1, "SIGUSR1", false},
    {SIGUSR2, "SIGUSR2", false},
    {SIGXCPU, "SIGXCPU", false},
}};

// Global, since a signal handler has no other state.
volatile std::sig_atomic_t received = 0;
volatile std::sig_atomic_t isCheckpointRequested = 0;

void record(int signal) {
  if (signal == SIGUSR1) {
    isCheckpointRequested = 1;
  } else if (received == 0) {
    received = signal;
  } else if (signal == SIGINT) {  // after another signal, for which the run has not ended
    ::signal(SIGINT, SIG_DFL);
    raise(SIGINT);
  }
}

}  // namespace

InterruptGuard::InterruptGuard() {
  static_assert(recordedSignals.size() == count);
  received = 0;
  isCheckpointRequested = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Recorded& signal = recordedSignals[i];
    sigaction(signal.number, nullptr, &previous_[i]);
    if (!signal.isAlways && previous_[i].sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = record;
    // Without SA_RESTART, so that a call that blocks ends; the run goes on after SIGUSR1.
    action.sa_flags = signal.isAlways            ? static_cast<int>(SA_RESETHAND)
                      : signal.number == SIGUSR1 ? SA_RESTART
                                                 : 0;
    sigemptyset(&action.sa_mask);
    sigaction(signal.number, &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  for (std::size_t i = 0; i < count; ++i) {
    sigaction(recordedSignals[i].number, &previous_[i], nullptr);
  }
  received = 0;
}

int InterruptGuard::signal() const {
  return received;
}

bool InterruptGuard::takeCheckpointRequest() const {
  const bool isRequested = isCheckpointRequested != 0;
  isCheckpointRequested = 0;
  return isRequested;
}

bool isInterrupted() {
  return received != 0;
}

std::string_view signalName(int signal) {
  const auto found =
      std::find_if(recordedSignals.begin(), recordedSignals.end(),
                   [signal](const Recorded& recorded) { return recorded.number == signal; });
  return found == recordedSignals.end() ? "a signal" : found->name;
}

FileSizeGuard::FileSizeGuard() {
  struct sigaction action {};
  action.sa_handler = SIG_IGN;
  sigemptyset(&action.sa_mask);
  sigaction(SIGXFSZ, &action, &previous_);
}

FileSizeGuard::~FileSizeGuard() {
  sigaction(SIGXFSZ, &previous_, nullptr);
}

}  // namespace mass::detail
