#include <mass/program/live/pace.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mass::detail::live {
namespace {

constexpr double secondsOfRate = 0.5;
constexpr std::int64_t farthest = std::numeric_limits<std::int64_t>::max();

double secondsBetween(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

Clock::duration durationOf(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

/// Returns `step` + `count`, or the greatest number.
std::int64_t sumOf(std::int64_t step, std::int64_t count) {
  return count < farthest - step ? step + count : farthest;
}

/// Returns a number of steps, at least 1. @param steps may be huge
std::int64_t stepsOf(double steps) {
  return static_cast<std::int64_t>(std::clamp(std::floor(steps), 1.0, 0x1p62));
}

}  // namespace

void Pace::run() {
  isPaused_ = false;
  goal_ = 0;
}

void Pace::pause() {
  isPaused_ = true;
  target_ = goal_ = 0;
}

void Pace::makeSteps(std::int64_t step, std::int64_t count) {
  isPaused_ = true;
  target_ = sumOf(std::max(step, target_), count);
  goal_ = 0;
}

void Pace::goTo(std::int64_t step) {
  isPaused_ = true;
  target_ = goal_ = step;
  due_ = {};
}

void Pace::limit(double rate) {
  limit_ = rate;
  due_ = {};
}

void Pace::restart(std::int64_t step) {
  target_ = goal_ = 0;
  due_ = {};
  rate_ = 0;
  chunkStep_ = rateStep_ = step;
  chunkBegin_.reset();
  rateBegin_.reset();
}

void Pace::reached(std::int64_t step, Clock::time_point now) {
  if (chunkBegin_ && step > chunkStep_) {
    const double seconds = std::max(secondsBetween(*chunkBegin_, now), 1e-9);
    chunkSteps_ = step - chunkStep_;
    stepsPerSecond_ = static_cast<double>(chunkSteps_) / seconds;
  }
  chunkBegin_.reset();
  if (isPaused(step)) {
    rate_ = 0;
    rateBegin_.reset();
    return;
  }
  const double seconds = rateBegin_ ? secondsBetween(*rateBegin_, now) : 0;
  if (rateBegin_ && seconds < secondsOfRate) return;
  if (rateBegin_) rate_ = static_cast<double>(step - rateStep_) / seconds;
  rateBegin_ = now;
  rateStep_ = step;
}

std::int64_t Pace::stopAfter(std::int64_t step, Clock::time_point now) {
  if (isPaused(step) || now < due_) return step;
  const bool isLimited = limit_ > 0 && step >= goal_;
  const double seconds = std::chrono::duration<double>(isLimited ? chunk : freeChunk_).count();
  // A rate that few steps give may be wrong.
  constexpr double growth = 4;
  std::int64_t count =
      stepsOf(std::min(stepsPerSecond_ * seconds, growth * static_cast<double>(chunkSteps_)));
  if (isLimited) count = std::min(count, stepsOf(limit_ * seconds));
  // GPUs make up to 16 steps in one pass over memory; the steps that are left over take longest.
  constexpr std::int64_t wholePasses = 16;
  if (count >= 4 * wholePasses) count -= count % wholePasses;
  if (isLimited) {
    // A slow model does not catch up later.
    const auto earliest = due_ == Clock::time_point{} ? now : now - durationOf(0.1);
    due_ = std::max(due_, earliest) + durationOf(static_cast<double>(count) / limit_);
  }
  if (isPaused_) count = std::min(count, target_ - step);
  chunkBegin_ = now;
  chunkStep_ = step;
  return sumOf(step, count);
}

}  // namespace mass::detail::live
