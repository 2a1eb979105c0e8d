#include <mass/io/atomic_file.hpp>
#include <mass/io/process_guard.hpp>
#include <mass/support/error.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <tests/support/temporary_folder.hpp>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <functional>
#include <new>

namespace mass {
namespace {

using ::testing::ExitedWithCode;
using ::testing::KilledBySignal;
using testing::TemporaryFolder;
using testing::writeBytes;
using Names = std::set<std::string>;

/// Begins a file, and ends the program by `end` under a guard.
template <class End>
void endWhileWriting(const TemporaryFolder& folder, End end) {
  const detail::ProcessGuard guard("life");
  const detail::AtomicFile file(folder / "a");
  writeBytes(file.temporary(), "half");
  end();
}

TEST(ProcessGuardDeathTest, ALibraryThatExitsGivesOneLineAndStatus2) {
  const TemporaryFolder folder;
  EXPECT_EXIT(endWhileWriting(folder, [] { std::exit(-1); }), ExitedWithCode(2),
              "^life: a library has ended the program, probably since memory is exhausted.*\n$");
  EXPECT_EQ(folder.names(), Names{}) << "no half-written file is left";
}

TEST(ProcessGuardDeathTest, AProgramThatExitsItselfIsLeftAlone) {
  const TemporaryFolder folder;
  EXPECT_EXIT(endWhileWriting(folder, [] { std::exit(3); }), ExitedWithCode(3), "^$");
  EXPECT_EXIT(
      {
        { const detail::ProcessGuard guard("life"); }
        std::exit(-1);
      },
      ExitedWithCode(255), "^$");
}

TEST(ProcessGuardDeathTest, ACrashLeavesNoHalfWrittenFile) {
  const TemporaryFolder folder;
  writeBytes(folder / "a", "older");
  EXPECT_EXIT(endWhileWriting(folder, [] { std::abort(); }), KilledBySignal(SIGABRT),
              "^life: the program has crashed.*\n$");
  EXPECT_EQ(folder.names(), Names{"a"});
  EXPECT_EQ(testing::readBytes(folder / "a"), "older");
}

/// Recurses until the stack is exhausted.
int recurse(int depth) {
  const volatile int kept = depth;
  return kept < 0 ? 0 : recurse(depth + 1) + kept;
}

TEST(ProcessGuardDeathTest, ALibraryThatRecursesWithoutEndGivesTheLineToo) {
  const TemporaryFolder folder;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_EXIT(endWhileWriting(folder, [] { recurse(0); }), KilledBySignal(SIGSEGV),
              "^life: the program has crashed.*\n$");
#endif
  EXPECT_EQ(folder.names(), Names{});
}

TEST(ProcessGuardDeathTest, ASignalOfAnotherProgramEndsThisOne) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer handles these signals";
#endif
  for (const int signal : {SIGABRT, SIGBUS, SIGFPE}) {
    EXPECT_EXIT(
        {
          const detail::ProcessGuard guard("life");
          ::kill(::getpid(), signal);
          ::_exit(0);
        },
        KilledBySignal(signal), "^life: a signal of another program has ended this one.*\n$");
  }
}

TEST(ProcessGuardDeathTest, AnExceptionThatNobodyCatchesGivesItsMessageAndStatus2) {
  std::set_terminate(detail::reportTermination);
  const auto uncaught = [](const std::function<void()>& action) noexcept { action(); };
  EXPECT_EXIT(uncaught([] { throw OutputError("the disk\nis full"); }), ExitedWithCode(2),
              ": the disk\\?is full\n$");
  EXPECT_EXIT(uncaught([] { throw std::bad_alloc(); }), ExitedWithCode(2),
              ": out of memory: .*\n$");
  EXPECT_EXIT(uncaught([] { throw 7; }), ExitedWithCode(2), ": an exception without a message");
}

TEST(ProcessGuard, RestoresTheHandlersOfCrashes) {
  struct sigaction before {};
  struct sigaction after {};
  ::sigaction(SIGABRT, nullptr, &before);
  { const detail::ProcessGuard guard("life"); }
  ::sigaction(SIGABRT, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
}

TEST(StandardStreams, NoFileGetsTheNumberOfAClosedOne) {
  EXPECT_EXIT(
      {
        for (int stream = 0; stream < 3; ++stream) ::close(stream);
        detail::openStandardStreams();
        const int file = ::open("/dev/zero", O_RDONLY);
        ::_exit(file);  // the lowest free number
      },
      [](int status) { return WIFEXITED(status) && WEXITSTATUS(status) > 2; }, "");
}

}  // namespace
}  // namespace mass
