#include <mass/io/interrupt.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ctime>

namespace mass::detail {
namespace {

/// Signal that InterruptGuard records.
struct Recorded {
  int number;
  std::string_view name;
  bool isAlways;  ///< recorded even if it was ignored; a later second one ends the program
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
/// Time of the first signal, in milliseconds of the monotonic clock.
std::atomic<std::int64_t> firstAt = 0;
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "for use in a signal handler");

/// Milliseconds after the first signal within which another one is a repetition of it.
constexpr std::int64_t repetition = 1000;

std::int64_t milliseconds() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * std::int64_t{1000} + now.tv_nsec / 1'000'000;
}

void record(int signal) {
  if (signal == SIGUSR1) {
    isCheckpointRequested = 1;
  } else if (received == 0) {
    firstAt = milliseconds();
    received = signal;
  } else if ((signal == SIGINT || signal == SIGTERM) && milliseconds() - firstAt >= repetition) {
    ::signal(signal, SIG_DFL);
    raise(signal);
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
    action.sa_flags = signal.number == SIGUSR1 ? SA_RESTART : 0;
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
