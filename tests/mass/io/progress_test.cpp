#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <mass/io/progress.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "../../support/temporary_folder.hpp"

namespace mass {
namespace {

using testing::contains;
using testing::readBytes;
using testing::TemporaryFolder;

TEST(FormatRate, HasThreeDigitsAndAPrefix) {
  EXPECT_EQ(detail::formatRate(0), "0.00 places/s");
  EXPECT_EQ(detail::formatRate(7), "7.00 places/s");
  EXPECT_EQ(detail::formatRate(999), "999 places/s");
  EXPECT_EQ(detail::formatRate(1000), "1.00 k places/s");
  EXPECT_EQ(detail::formatRate(12'345), "12.3 k places/s");
  EXPECT_EQ(detail::formatRate(3.41e9), "3.41 G places/s");
  EXPECT_EQ(detail::formatRate(2.5e13), "25.0 T places/s");
  EXPECT_EQ(detail::formatRate(1e21), "1000 E places/s");
}

TEST(FormatRate, RoundsUpIntoTheNextForm) {
  EXPECT_EQ(detail::formatRate(9.996e6), "10.0 M places/s");
  EXPECT_EQ(detail::formatRate(99.96e6), "100 M places/s");
  EXPECT_EQ(detail::formatRate(999.6e6), "1.00 G places/s");
  EXPECT_EQ(detail::formatRate(999.4e6), "999 M places/s");
}

TEST(FormatDuration, IsReadToTheSecond) {
  EXPECT_EQ(detail::formatDuration(0), "0:00");
  EXPECT_EQ(detail::formatDuration(6.6), "0:07");
  EXPECT_EQ(detail::formatDuration(59.7), "1:00");
  EXPECT_EQ(detail::formatDuration(7380), "2:03:00");
  EXPECT_EQ(detail::formatDuration(86400), "1 day 0:00:00");
  EXPECT_EQ(detail::formatDuration(5 * 86400 + 3661), "5 days 1:01:01");
}

TEST(FormatDuration, IsAQuestionMarkForTheUnknown) {
  EXPECT_EQ(detail::formatDuration(std::nan("")), "?");
  EXPECT_EQ(detail::formatDuration(-1), "?");
  EXPECT_EQ(detail::formatDuration(std::numeric_limits<double>::infinity()), "?");
  EXPECT_EQ(detail::formatDuration(1e300), "?");
}

const detail::ProgressState someState{1200, 10000, 3.41e9, 32};

TEST(ProgressLine, SaysWhereTheRunIs) {
  EXPECT_EQ(progressLine(someState, 80), "step 1200/10000  12 %  3.41 G places/s  0:32 left");
}

TEST(ProgressLine, HasTheEventsOfAModelWithEvents) {
  detail::ProgressState state = someState;
  state.eventsPerSecond = 4.5e6;
  state.time = 1.25;
  EXPECT_EQ(progressLine(state, 80),
            "step 1200/10000  12 %  at 1.25 s  4.50 M events/s  0:32 left");
}

TEST(ProgressLine, HasTheAgentsOfAModelWithAgents) {
  const detail::ProgressState state{1200, 10000, 3.41e6, 32, 20000, 1.207e6};
  EXPECT_EQ(
      progressLine(state, 100),
      "step 1200/10000  12 %  3.41 M places/s  20000 agents  1.21 M agent-steps/s  0:32 left");
  EXPECT_EQ(detail::progressLine({0, 10, 1, 9, 0, 0}, 80),
            "step 0/10  0 %  1.00 places/s  0 agents  0.00 agent-steps/s  0:09 left");
}

TEST(ProgressLine, LeavesOutWhatTheWidthCannotHold) {
  EXPECT_EQ(progressLine(someState, 49), "step 1200/10000  12 %  3.41 G places/s  0:32 left");
  EXPECT_EQ(progressLine(someState, 48), "step 1200/10000  12 %  3.41 G places/s");
  EXPECT_EQ(progressLine(someState, 37), "step 1200/10000  12 %");
  EXPECT_EQ(progressLine(someState, 15), "step 1200/10000");
  EXPECT_EQ(progressLine(someState, 6), "step 1");
  EXPECT_EQ(progressLine(someState, 0), "");
  EXPECT_EQ(progressLine(someState, -1), "");
}

TEST(ProgressLine, IsDoneOnlyAtTheEnd) {
  EXPECT_TRUE(contains(detail::progressLine({9999, 10000, 1, 1}, 80), " 99 %"));
  EXPECT_TRUE(contains(detail::progressLine({10000, 10000, 1, 0}, 80), " 100 %"));
  EXPECT_TRUE(contains(detail::progressLine({0, 0, 0, 0}, 80), " 100 %"));
}

/// Pseudo-terminal whose output the test reads.
class Terminal {
 public:
  explicit Terminal(unsigned short columns) {
    winsize size{};
    size.ws_row = 24;
    size.ws_col = columns;
    int inner = -1;
    if (::openpty(&outer_, &inner, nullptr, nullptr, &size) != 0) {
      throw std::runtime_error("openpty failed");
    }
    file_ = ::fdopen(inner, "w");
  }
  ~Terminal() {
    std::fclose(file_);
    ::close(outer_);
  }

  std::FILE* file() const { return file_; }

  /// Returns the output since the last call.
  std::string output() const {
    std::fflush(file_);
    std::string bytes;
    pollfd waiting{outer_, POLLIN, 0};
    while (::poll(&waiting, 1, 150) == 1) {  // output arrives with a delay
      std::array<char, 4096> part;
      const ssize_t count = ::read(outer_, part.data(), part.size());
      if (count <= 0) break;
      bytes.append(part.data(), static_cast<std::size_t>(count));
    }
    return bytes;
  }

 private:
  int outer_ = -1;
  std::FILE* file_ = nullptr;
};

void letTimePass() {
  std::this_thread::sleep_for(std::chrono::milliseconds(250));
}

TEST(Progress, RewritesOneLineAndWipesIt) {
  Terminal terminal(100);
  detail::Progress progress(1000, 1'000'000, terminal.file());
  letTimePass();
  progress.update(500);
  const std::string first = terminal.output();
  EXPECT_TRUE(first.starts_with("\r\x1b[Kstep 500/1000  50 %  ")) << first;
  EXPECT_TRUE(contains(first, " places/s  0:0"));
  EXPECT_TRUE(first.ends_with(" left")) << first;
  letTimePass();
  progress.update(750);
  EXPECT_TRUE(contains(terminal.output(), "\r\x1b[Kstep 750/1000  75 %"));
  progress.finish();
  EXPECT_EQ(terminal.output(), "\r\x1b[K");
  progress.finish();
  EXPECT_EQ(terminal.output(), "");
}

TEST(Progress, CountsFromTheStepItStartsFrom) {
  Terminal terminal(100);
  detail::Progress progress(1000, 1, terminal.file(), 900);
  letTimePass();
  progress.update(910);
  // 10 steps take at least 0.25 s: at most 40 places/s, and at least 2.25 s for the other 90 steps.
  const std::string line = terminal.output();
  double rate = 0;
  int secondsLeft = 0;
  ASSERT_EQ(std::sscanf(line.c_str(), "\r\x1b[Kstep 910/1000  91 %%  %lf places/s  0:%d left",
                        &rate, &secondsLeft),
            2)
      << line;
  EXPECT_LE(rate, 40.1);
  EXPECT_GE(secondsLeft, 2);
}

TEST(Progress, WritesAtMostFiveTimesASecond) {
  Terminal terminal(100);
  detail::Progress progress(1'000'000'000, 1, terminal.file());
  const auto start = std::chrono::steady_clock::now();
  std::int64_t step = 0;
  double seconds = 0;
  while (seconds < 0.7) {
    progress.update(++step);
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  const std::string output = terminal.output();
  const auto lines = std::count(output.begin(), output.end(), '\r');
  EXPECT_GE(lines, 1);
  EXPECT_LE(lines, static_cast<std::int64_t>(seconds / 0.2) + 1);
}

TEST(Progress, FitsTheTerminal) {
  Terminal terminal(20);
  detail::Progress progress(10000, 1'000'000, terminal.file());
  letTimePass();
  progress.update(1200);
  EXPECT_EQ(terminal.output(), "\r\x1b[Kstep 1200/10000");
}

TEST(Progress, WipesTheLineWhenARunIsLeftByAnException) {
  Terminal terminal(100);
  try {
    detail::Progress progress(10, 1, terminal.file());
    letTimePass();
    progress.update(1);
    terminal.output();
    throw std::runtime_error("trouble");
  } catch (const std::runtime_error&) {
    EXPECT_EQ(terminal.output(), "\r\x1b[K");
  }
}

TEST(Progress, AShortRunShowsNothing) {
  Terminal terminal(100);
  detail::Progress progress(2, 1, terminal.file());
  progress.update(1);
  progress.update(2);
  progress.finish();
  EXPECT_EQ(terminal.output(), "");
}

TEST(Progress, IsSilentInAFile) {
  TemporaryFolder folder;
  const std::unique_ptr<std::FILE, decltype(&std::fclose)> file(
      std::fopen((folder / "log").c_str(), "w"), &std::fclose);
  detail::Progress progress(1000, 1, file.get());
  letTimePass();
  progress.update(500);
  progress.finish();
  std::fflush(file.get());
  EXPECT_EQ(readBytes(folder / "log"), "");
}

}  // namespace
}  // namespace mass
