#include <mass/dispatch/thread_tuner.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace mass::detail {
namespace {

/// Time of a trial of fewer threads, and of a sample of the number in use.
constexpr double sampleSeconds = 2e-3;
/// Time of a trial of more threads. On a busy machine they are as fast as on an idle one until
/// their time slices of some milliseconds end.
constexpr double raiseSeconds = 8e-3;
/// Longest time from one trial to the next.
constexpr double longestPause = 1;
/// Time after the last trial in a direction, as a multiple of the trial's.
constexpr double pausePerTrial = 64;
/// Longest step of one thread for which few threads are tried: barriers cost little beside it.
constexpr double longestStep = 20e-3;
/// A part may end early after this multiple of its expected time.
constexpr double overtime = 2;
/// A trial of more threads succeeds below this fraction of the time; one of fewer, if they are not
/// slower.
constexpr double success = 0.9;
/// Memory rate of one thread, in bytes a second, for the estimate of that time.
constexpr double bytesPerSecond = 8e9;
/// A trial ends early above this multiple of the time, after the time to wake threads.
constexpr double failedTrial = 3;
constexpr double failureSeconds = 2e-4;
/// Shortest and longest part of many steps. After a part, the tuner can react to a new load.
constexpr double shortPart = 2.5e-4, longPart = 4e-3;
/// Fewer threads are tried at once if a part took more than this multiple of the time.
constexpr double slowPart = 1.5;

}  // namespace

ThreadTuner::ThreadTuner(std::vector<int> counts, std::size_t first, double work)
    : counts_(std::move(counts)), work_(work), kept_(first), tried_(first), pause_(sampleSeconds) {}

ThreadPlan ThreadTuner::next(std::int64_t steps, std::int64_t unit) const {
  ThreadPlan plan = nextByStep(steps);
  plan.steps = std::min(steps, std::max<std::int64_t>(1, plan.steps / unit) * unit);
  return plan;
}

ThreadPlan ThreadTuner::nextByStep(std::int64_t steps) const {
  const int threads = counts_[tried_];
  if (counts_.size() == 1) return {threads, steps, std::numeric_limits<double>::infinity()};
  if (isWarmUp_) return {threads, 1, sampleSeconds};
  // Parts begin short, since the time of a step is unknown, and double.
  if (keptPerStep_ == 0)
    return {threads, std::min(steps, std::max<std::int64_t>(1, 2 * lastSteps_)), sampleSeconds};
  const double seconds =
      isTrying() ? shortPart : std::clamp(pause_ - sincePause_, shortPart, longPart);
  double most = std::max(1.0, std::floor(seconds / keptPerStep_));
  // On a busy machine, each barrier of a trial may take a time slice of another process.
  if (isTrying())
    most = std::min(most, static_cast<double>(std::max<std::int64_t>(1, trial_.steps)));
  return {threads, most < static_cast<double>(steps) ? static_cast<std::int64_t>(most) : steps,
          overtime * seconds};
}

void ThreadTuner::record(std::int64_t steps, double seconds) {
  if (counts_.size() == 1) return;
  if (std::exchange(isWarmUp_, false)) {
    warmUpSeconds_ = seconds;
    return;
  }
  lastSteps_ = steps;
  if (isTrying()) {
    trial_.add(steps, seconds);
    const bool isLost =
        trial_.perStep() > failedTrial * keptPerStep_ && trial_.seconds > failureSeconds;
    if (isLost || trial_.seconds >= (tried_ > kept_ ? raiseSeconds : sampleSeconds)) endTrial();
    return;
  }
  recent_.add(steps, seconds);
  sincePause_ += seconds;
  if (recent_.seconds < sampleSeconds) return;
  const bool isSlow = keptPerStep_ > 0 && recent_.perStep() > slowPart * keptPerStep_;
  keptPerStep_ = recent_.perStep();
  recent_ = {};
  if (isSlow) triesLower_ = true;
  if (isSlow ? kept_ > 0 : sincePause_ >= pause_) beginTrial();
}

void ThreadTuner::beginTrial() {
  const bool canLower = kept_ > 0 && work_ < longestStep;
  const bool canRaise = kept_ + 1 < counts_.size();
  sincePause_ = 0;
  if (!canLower && !canRaise) return;
  tried_ = canLower && (triesLower_ || !canRaise) ? kept_ - 1 : kept_ + 1;
  trial_ = {};
  isWarmUp_ = true;
}

void ThreadTuner::endTrial() {
  const bool isRaise = tried_ > kept_;
  const bool succeeds = trial_.perStep() < (isRaise ? success : 1) * keptPerStep_;
  if (succeeds) {
    kept_ = tried_;
    keptPerStep_ = trial_.perStep();
  } else {
    tried_ = kept_;
    isWarmUp_ = true;
  }
  sincePause_ = 0;
  pause_ = sampleSeconds;
  if (succeeds && (isRaise ? kept_ + 1 < counts_.size() : kept_ > 0)) return;
  // The other direction is tried next, but not soon.
  const double cost = warmUpSeconds_ + trial_.seconds;
  triesLower_ = isRaise;
  backoff_ = std::min(std::max(pausePerTrial * cost, 2 * backoff_), longestPause);
  pause_ = backoff_;
}

ThreadTuner& ThreadTuners::of(const void* state, const void* rule, const std::vector<int>& counts,
                              std::size_t bytes) {
  const auto key = std::pair(state, rule);
  const auto found = tuners_.find(key);
  if (found != tuners_.end()) return found->second;
  const double work = static_cast<double>(bytes) / bytesPerSecond;
  const std::size_t start = work < longestStep ? 0 : counts.size() - 1;
  return tuners_.emplace(key, ThreadTuner(counts, start, work)).first->second;
}

}  // namespace mass::detail
