#include <mass/dispatch/pass_tuner.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace mass::detail {
namespace {

/// Time of a trial, and the time of a first pass from which it counts.
constexpr double trialSeconds = 2e-3, longPass = 20e-3;
/// Maximum number of passes of a part.
constexpr std::int64_t mostPasses = 1 << 20;
/// Numbers larger than a candidate above this multiple of the shortest time are not measured.
constexpr double failure = 1.5;
/// Candidates up to this multiple of the shortest time are measured again. The smallest number is
/// left out if the next one is above it.
constexpr double near = 1.15;

}  // namespace

PassTuner::PassTuner(std::vector<int> candidates, std::int64_t firstPasses)
    : candidates_(std::move(candidates)),
      perStep_(candidates_.size(), std::numeric_limits<double>::infinity()),
      first_(candidates_.size() > 2 ? 1 : 0),
      current_(candidates_.size() > 1 ? first_ : 1),
      firstPasses_(firstPasses),
      passes_(firstPasses) {}

int PassTuner::fastest() const {
  return candidates_[static_cast<std::size_t>(std::min_element(perStep_.begin(), perStep_.end()) -
                                              perStep_.begin())];
}

PassPlan PassTuner::next(std::int64_t steps) const {
  const int number = isDecided() ? fastest() : candidates_[current_];
  const std::int64_t each = std::max(number, 1);
  if (isDecided() || steps < each)
    return {static_cast<int>(std::min<std::int64_t>(fastest(), steps)), steps, false};
  return {number, std::min(steps / each, passes_) * each, true};
}

void PassTuner::record(const PassPlan& plan, std::int64_t steps, double seconds) {
  if (!plan.isTrial) return;
  if (std::exchange(isWarmUp_, false) && seconds < longPass) return;
  seconds_ += seconds;
  steps_ += steps;
  // Parts begin short, since the time of a pass is unknown, and double.
  if (steps == passes_ * std::max(plan.stepsPerPass, 1))
    passes_ = std::min(2 * passes_, mostPasses);
  if (seconds_ >= trialSeconds) endTrial();
}

void PassTuner::endTrial() {
  double& perStep = perStep_[current_];
  perStep = std::min(perStep, seconds_ / static_cast<double>(steps_));
  seconds_ = 0;
  steps_ = 0;
  passes_ = firstPasses_;
  isWarmUp_ = true;
  current_ = nextCandidate();
}

/// Returns the candidate of the next trial; their number after the last trial.
std::size_t PassTuner::nextCandidate() {
  const double best = *std::min_element(perStep_.begin(), perStep_.end());
  const auto isNear = [&](std::size_t number) { return perStep_[number] <= near * best; };
  if (round_ == Round::larger) {
    if (current_ + 1 < candidates_.size() && perStep_[current_] <= failure * best)
      return current_ + 1;
    round_ = Round::smallest;
    if (first_ > 0 && isNear(first_)) return 0;
  }
  std::size_t next = round_ == Round::smallest ? 0 : current_ + 1;
  round_ = Round::again;
  while (next < candidates_.size() && !isNear(next)) ++next;
  return next;
}

}  // namespace mass::detail
