#include <mass/io/interrupt.hpp>

namespace mass::detail {
namespace {

// Global, since a signal handler has no other state.
volatile std::sig_atomic_t received = 0;

void record(int signal) {
  received = signal;
}

}  // namespace

InterruptGuard::InterruptGuard() {
  received = 0;
  struct sigaction action {};
  action.sa_handler = record;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &previousInterrupt_);
  sigaction(SIGTERM, &action, &previousTermination_);
}

InterruptGuard::~InterruptGuard() {
  sigaction(SIGINT, &previousInterrupt_, nullptr);
  sigaction(SIGTERM, &previousTermination_, nullptr);
}

int InterruptGuard::signal() const {
  return received;
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
