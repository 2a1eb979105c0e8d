#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mass/io/progress.hpp>
#include <string_view>
#include <vector>

namespace mass::detail {
namespace {

constexpr std::chrono::milliseconds showInterval{200};
constexpr const char* eraseLine = "\r\x1b[K";

int terminalWidth(std::FILE* out) {
  winsize size{};
  const bool known = ::ioctl(::fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

}  // namespace

std::string formatRate(double perSecond, std::string_view unit) {
  constexpr std::array<std::string_view, 7> prefixes{"", "k ", "M ", "G ", "T ", "P ", "E "};
  std::size_t prefix = 0;
  // From 999.5 on, rounding would give a fourth digit.
  while (perSecond >= 999.5 && prefix + 1 < prefixes.size()) {
    perSecond /= 1000;
    ++prefix;
  }
  const int decimals = perSecond < 9.995 ? 2 : perSecond < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}{}", perSecond, decimals, prefixes[prefix], unit);
}

std::string formatDuration(double seconds) {
  if (!(seconds >= 0 && seconds < 1e14)) return "?";
  const std::int64_t whole = std::llround(seconds);
  const std::int64_t days = whole / 86400, hours = whole / 3600 % 24, minutes = whole / 60 % 60;
  if (days > 0) {
    return fmt::format("{} day{} {}:{:02}:{:02}", days, days == 1 ? "" : "s", hours, minutes,
                       whole % 60);
  }
  if (hours > 0) return fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60);
  return fmt::format("{}:{:02}", minutes, whole % 60);
}

std::string progressLine(const ProgressState& state, int width) {
  const double done = state.totalSteps > 0
                          ? static_cast<double>(state.step) / static_cast<double>(state.totalSteps)
                          : 1.0;
  std::vector<std::string> parts{
      fmt::format("step {}/{}", state.step, state.totalSteps),
      fmt::format("  {} %", static_cast<int>(100 * std::clamp(done, 0.0, 1.0))),
  };
  if (state.eventsPerSecond < 0) {
    parts.push_back("  " + formatRate(state.placesPerSecond));
  } else {
    if (state.time >= 0) parts.push_back(fmt::format("  at {:.4g} s", state.time));
    parts.push_back("  " + formatRate(state.eventsPerSecond, "events/s"));
  }
  if (state.agents >= 0) {
    parts.push_back(fmt::format("  {} agents", state.agents));
    parts.push_back("  " + formatRate(state.agentStepsPerSecond, "agent-steps/s"));
  }
  parts.push_back("  " + formatDuration(state.secondsLeft) + " left");
  const auto room = static_cast<std::size_t>(std::max(width, 0));
  std::string line = parts[0].substr(0, room);
  for (std::size_t i = 1; i < parts.size() && line.size() + parts[i].size() <= room; ++i) {
    line += parts[i];
  }
  return line;
}

Progress::Progress(std::int64_t totalSteps, std::int64_t placesPerStep, std::FILE* out,
                   std::int64_t firstStep, double timeStep)
    : totalSteps_(totalSteps),
      placesPerStep_(placesPerStep),
      firstStep_(firstStep),
      lastStep_(firstStep),
      timeStep_(timeStep),
      out_(out),
      isTerminal_(::isatty(::fileno(out)) == 1),
      nextShow_(start_ + showInterval) {}

Progress::~Progress() {
  finish();
}

void Progress::update(std::int64_t step, std::int64_t agents, std::int64_t events) {
  if (!isTerminal_) return;
  if (agents > 0)
    agentSteps_ += static_cast<double>(agents) * static_cast<double>(step - lastStep_);
  lastStep_ = step;
  const Clock::time_point now = Clock::now();
  if (now < nextShow_) return;
  nextShow_ = now + showInterval;
  show(step, agents, events, std::chrono::duration<double>(now - start_).count());
}

void Progress::show(std::int64_t step, std::int64_t agents, std::int64_t events,
                    double elapsedSeconds) {
  const double stepsPerSecond = static_cast<double>(step - firstStep_) / elapsedSeconds;
  const ProgressState state{step,
                            totalSteps_,
                            stepsPerSecond * static_cast<double>(placesPerStep_),
                            stepsPerSecond > 0
                                ? static_cast<double>(totalSteps_ - step) / stepsPerSecond
                                : std::numeric_limits<double>::quiet_NaN(),
                            agents,
                            agentSteps_ / elapsedSeconds,
                            events < 0 ? -1 : static_cast<double>(events) / elapsedSeconds,
                            timeStep_ > 0 ? static_cast<double>(step) * timeStep_ : -1};
  // The last column stays empty, since a terminal wraps after it.
  const std::string line = eraseLine + progressLine(state, terminalWidth(out_) - 1);
  std::fputs(line.c_str(), out_);
  std::fflush(out_);
  isShown_ = true;
}

void Progress::finish() {
  if (!isShown_) return;
  isShown_ = false;
  std::fputs(eraseLine, out_);
  std::fflush(out_);
}

}  // namespace mass::detail
