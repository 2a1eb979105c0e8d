#include <mass/io/child_process.hpp>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <tests/support/temporary_folder.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace mass {
namespace {

using detail::ChildError;
using testing::contains;
using testing::messageOf;
using Bytes = std::vector<std::uint8_t>;

constexpr detail::ChildLimits limits{std::size_t{1} << 20, std::size_t{64} << 20, 5};

/// Returns the message of a child that ends without a result.
std::string crash(const std::function<Bytes()>& read) {
  return messageOf<ChildError>([&] { detail::readInChild(limits, read); });
}

/// Error if a child process is left.
void expectNoChild() {
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
}

TEST(ReadInChild, ReturnsItsBytes) {
  const Bytes large(1'000'000, 7);  // more than a pipe holds
  EXPECT_EQ(detail::readInChild(limits, [&] { return large; }), large);
  EXPECT_EQ(detail::readInChild(limits, [] { return Bytes{}; }), Bytes{});
  expectNoChild();
}

TEST(ReadInChild, ChangesNothingHere) {
  int value = 1;
  detail::readInChild(limits, [&] {
    value = 2;
    return Bytes{};
  });
  EXPECT_EQ(value, 1);
}

TEST(ReadInChild, PassesTheMessageOfAnException) {
  EXPECT_EQ(messageOf<InputError>([] {
              detail::readInChild(limits, []() -> Bytes { throw UsageError("no such array"); });
            }),
            "no such array");
  expectNoChild();
}

TEST(ReadInChild, TurnsACrashIntoAnError) {
  ::testing::internal::CaptureStderr();
  for (const int signal : {SIGSEGV, SIGABRT, SIGKILL}) {
    EXPECT_TRUE(contains(crash([signal]() -> Bytes {
                           std::fputs("free(): invalid pointer\n", stderr);
                           std::raise(signal);
                           return {};
                         }),
                         "crashed"));
  }
  EXPECT_TRUE(contains(crash([]() -> Bytes { ::_exit(0); }), "crashed"));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  expectNoChild();
}

TEST(ReadInChild, LimitsMemoryTimeAndResult) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_TRUE(contains(messageOf<InputError>([] {
                         detail::readInChild(limits, [] { return Bytes(std::size_t{1} << 30); });
                       }),
                       "out of memory"));
#endif
  EXPECT_TRUE(contains(crash([] { return Bytes((std::size_t{1} << 20) + 1); }), "crashed"));
  constexpr detail::ChildLimits quick{16, std::size_t{64} << 20, 1};
  EXPECT_THROW(detail::readInChild(quick,
                                   []() -> Bytes {
                                     for (volatile int i = 0;;) i = 1 - i;
                                   }),
               ChildError);
  expectNoChild();
}

}  // namespace
}  // namespace mass
