#include <mass/io/file_descriptor.hpp>
#include <mass/io/interrupt.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <tests/support/temporary_folder.hpp>

#include <array>
#include <cerrno>
#include <csignal>
#include <string>

namespace mass {
namespace {

using detail::InterruptGuard;

constexpr std::array signals{SIGINT, SIGTERM, SIGHUP, SIGUSR2, SIGXCPU};

/// Handles the signals as by default: a test that runs in the background inherits ignored ones.
void restoreDefaults() {
  for (const int signal : signals) ::signal(signal, SIG_DFL);
}

/// Returns the handler of a signal.
auto handlerOf(int signal) {
  struct sigaction action {};
  ::sigaction(signal, nullptr, &action);
  return action.sa_handler;
}

TEST(InterruptGuard, RecordsTheFirstSignalThatAsksForTheEnd) {
  restoreDefaults();
  for (const int signal : signals) {
    const InterruptGuard guard;
    EXPECT_EQ(guard.signal(), 0);
    EXPECT_FALSE(detail::isInterrupted());
    ASSERT_EQ(std::raise(signal), 0);
    ASSERT_EQ(std::raise(signal == SIGHUP ? SIGUSR2 : SIGHUP), 0);
    EXPECT_EQ(guard.signal(), signal);
    EXPECT_TRUE(detail::isInterrupted());
  }
  EXPECT_FALSE(detail::isInterrupted()) << "the record ends with the guard";
  for (const int signal : signals) EXPECT_EQ(handlerOf(signal), SIG_DFL) << signal;
}

/// Returns the signal that ends a child which gets `first` twice and, after `pause` microseconds,
/// `second`; 0 if it survives.
int endingSignal(int first, int second, unsigned pause) {
  const pid_t child = ::fork();
  if (child == 0) {
    const InterruptGuard guard;
    std::raise(first);
    std::raise(first);
    ::usleep(pause);
    std::raise(second);
    ::_exit(guard.signal() == first ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(!WIFEXITED(status) || WEXITSTATUS(status) == 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

TEST(InterruptGuard, TakesASignalThatIsRepeatedAtOnceForOne) {
  restoreDefaults();
  for (const int first : signals) {
    for (const int second : signals) EXPECT_EQ(endingSignal(first, second, 0), 0) << first;
  }
}

TEST(InterruptGuard, LetsTheUserEndTheProgramLaterButNotABatchSystem) {
  restoreDefaults();
  EXPECT_EQ(endingSignal(SIGINT, SIGINT, 1'010'000), SIGINT);
  EXPECT_EQ(endingSignal(SIGUSR2, SIGTERM, 1'010'000), SIGTERM);
  EXPECT_EQ(endingSignal(SIGTERM, SIGUSR2, 1'010'000), 0);
}

TEST(InterruptGuard, LeavesIgnoredSignalsIgnoredAsNohupAsks) {
  for (const int signal : {SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU}) {
    ::signal(signal, SIG_IGN);
    {
      const InterruptGuard guard;
      std::raise(signal);
      EXPECT_EQ(guard.signal(), 0);
      EXPECT_FALSE(guard.takeCheckpointRequest());
    }
    EXPECT_EQ(handlerOf(signal), SIG_IGN);
    ::signal(signal, SIG_DFL);
  }
}

TEST(InterruptGuard, TakesSigusr1AsARequestForACheckpoint) {
  ::signal(SIGUSR1, SIG_DFL);
  const InterruptGuard guard;
  EXPECT_FALSE(guard.takeCheckpointRequest());
  ASSERT_EQ(std::raise(SIGUSR1), 0);
  EXPECT_EQ(guard.signal(), 0);
  EXPECT_FALSE(detail::isInterrupted());
  EXPECT_TRUE(guard.takeCheckpointRequest());
  EXPECT_FALSE(guard.takeCheckpointRequest()) << "one signal is one request";
}

TEST(InterruptGuard, NamesEachSignal) {
  EXPECT_EQ(detail::signalName(SIGINT), "Ctrl-C");
  EXPECT_EQ(detail::signalName(SIGTERM), "SIGTERM");
  EXPECT_EQ(detail::signalName(SIGHUP), "SIGHUP");
  EXPECT_EQ(detail::signalName(SIGUSR1), "SIGUSR1");
  EXPECT_EQ(detail::signalName(SIGUSR2), "SIGUSR2");
  EXPECT_EQ(detail::signalName(SIGXCPU), "SIGXCPU");
}

/// Sends this process a signal after a tenth of a second, from a child.
void signalSoon(int signal) {
  if (::fork() != 0) return;
  ::usleep(100'000);
  ::kill(::getppid(), signal);
  ::_exit(0);
}

TEST(InterruptGuard, EndsAWriteThatBlocks) {
  const testing::TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  const detail::FileDescriptor fifo(::open((folder / "fifo").c_str(), O_RDWR));
  const std::string more(1 << 20, 'x');  // more than a FIFO holds
  const InterruptGuard guard;
  signalSoon(SIGUSR2);
  EXPECT_EQ(fifo.write(more), EINTR);
  EXPECT_EQ(guard.signal(), SIGUSR2);
  ::wait(nullptr);
}

}  // namespace
}  // namespace mass
