#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace mass::detail {

/// Threads and steps of the next part of a batch.
struct ThreadPlan {
  int threads;         ///< threads of all devices
  std::int64_t steps;  ///< at least 1
  double seconds;      ///< time after which the part may end with fewer steps
};

/// Selects the number of threads for one kind of work by measured times. Small work is faster with
/// few threads, above all on a machine with other load, where a barrier waits for threads that the
/// system has suspended. The tuner keeps a number of threads, tries the next lower or higher one
/// for some milliseconds, and changes to it if it was faster. It goes on in one direction as long
/// as that succeeds. Changes of direction become rare, so that trials take less than a hundredth of
/// the time.
class ThreadTuner {
 public:
  /// @param counts numbers of threads, ascending, at least one
  /// @param first index of the number to begin with
  /// @param work estimate of the time of a step with one thread, in seconds
  ThreadTuner(std::vector<int> counts, std::size_t first, double work = 0);

  /// Returns the plan for the next of `steps` steps, `steps` >= 1. Report its time with record().
  /// @param unit steps that run together; the plan has a multiple of them, or fewer at the end
  ThreadPlan next(std::int64_t steps, std::int64_t unit = 1) const;
  /// Records the time of the steps that the last plan gave.
  void record(std::int64_t steps, double seconds);

  /// Returns the number of threads in use, apart from trials.
  int threads() const { return counts_[kept_]; }
  /// Returns the number of threads of the next plan.
  int nextThreads() const { return counts_[tried_]; }

 private:
  /// Steps and their total time.
  struct Sample {
    std::int64_t steps = 0;
    double seconds = 0;

    void add(std::int64_t moreSteps, double moreSeconds) {
      steps += moreSteps;
      seconds += moreSeconds;
    }
    double perStep() const { return seconds / static_cast<double>(steps); }
  };

  ThreadPlan nextByStep(std::int64_t steps) const;
  bool isTrying() const { return tried_ != kept_; }
  void beginTrial();
  void endTrial();

  std::vector<int> counts_;
  double work_;             ///< estimated seconds of a step with one thread
  std::size_t kept_;        ///< index of the number in use
  std::size_t tried_;       ///< index of the number on trial; kept_ outside trials
  bool triesLower_ = true;  ///< direction of the next trial
  double keptPerStep_ = 0;  ///< latest seconds per step of the number in use; 0: unknown
  double pause_;            ///< seconds from the last trial to the next
  double backoff_ = 0;      ///< last pause before a change of direction
  double sincePause_ = 0;   ///< seconds since the last trial
  Sample recent_;           ///< current sample of the number in use, for keptPerStep_
  /// True until the first step after a change of threads is recorded: it may include milliseconds
  /// to wake them, and does not count.
  bool isWarmUp_ = true;
  double warmUpSeconds_ = 0;    ///< time of that step
  Sample trial_;                ///< current sample of the number on trial
  std::int64_t lastSteps_ = 0;  ///< steps of the last part
};

/// Tuners of the threads of all rules of an executor on CPUs.
class ThreadTuners {
 public:
  /// Returns the tuner of a rule on some places or agents. A new one begins with the fewest threads
  /// if one thread completes a step of work on `bytes` bytes in milliseconds, else with all: on a
  /// busy machine each step with too many threads takes milliseconds.
  /// @param state address of the places or agents
  /// @param rule address that identifies the work; may be null for one kind of work
  ThreadTuner& of(const void* state, const void* rule, const std::vector<int>& counts,
                  std::size_t bytes);

 private:
  std::map<std::pair<const void*, const void*>, ThreadTuner> tuners_;
};

/// Runs `part(plan, begin)` for successive parts of `steps` steps by the plans of `tuner`. It
/// returns the number of steps it has run, or 0 to end.
template <class Part>
void runTuned(ThreadTuner& tuner, std::int64_t steps, const Part& part) {
  using Clock = std::chrono::steady_clock;
  for (std::int64_t begin = 0; begin < steps;) {
    const ThreadPlan plan = tuner.next(steps - begin);
    const auto start = Clock::now();
    const std::int64_t done = part(plan, begin);
    if (done == 0) return;
    tuner.record(done, std::chrono::duration<double>(Clock::now() - start).count());
    begin += done;
  }
}

}  // namespace mass::detail
