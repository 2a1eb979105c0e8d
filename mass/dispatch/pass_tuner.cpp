#include <mass/dispatch/pass_tuner.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace mass::detail {
namespace {

constexpr int rounds = 2;
/// Time of a trial, and the time of a first pass from which it counts.
constexpr double trialSeconds = 2e-3, longPass = 20e-3;
/// Maximum number of passes of a part.
constexpr std::int64_t mostPasses = 1 << 20;
/// A candidate above this multiple of the shortest time is not measured again, nor are larger ones.
constexpr double failure = 1.5;

}  // namespace

PassTuner::PassTuner(std::vector<int> candidates, std::int64_t firstPasses)
    : candidates_(std::move(candidates)),
      perStep_(candidates_.size(), std::numeric_limits<double>::infinity()),
      firstPasses_(firstPasses),
      passes_(firstPasses) {
  if (candidates_.size() == 1) current_ = 1;
}

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
  const double best = *std::min_element(perStep_.begin(), perStep_.end());
  const bool isSlow = perStep > failure * best;
  seconds_ = 0;
  steps_ = 0;
  passes_ = firstPasses_;
  isWarmUp_ = true;
  ++current_;
  if ((isSlow || isDecided()) && ++round_ < rounds)
    current_ = 0;
  else if (isSlow)
    current_ = candidates_.size();
}

}  // namespace mass::detail
