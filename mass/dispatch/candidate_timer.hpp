#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace mass::detail {

/// Autotuner that selects the fastest of several candidates during production runs. Candidates run
/// in turn, `rounds` times each; then the one with the shortest time is kept.
class CandidateTimer {
 public:
  /// @param candidates number of candidates, at least 1
  explicit CandidateTimer(int candidates)
      : best_(static_cast<std::size_t>(candidates), std::numeric_limits<double>::infinity()) {}

  /// True if the fastest candidate has been selected.
  bool decided() const { return best_.size() == 1 || round_ == rounds; }
  /// Returns the candidate to run next: the one to be timed, or the fastest once decided.
  int candidate() const { return decided() ? fastest() : current_; }
  /// Records the time of candidate(), in any unit. The first time of each candidate is discarded as
  /// warm-up.
  void record(double time) {
    if (decided()) return;
    double& best = best_[static_cast<std::size_t>(current_)];
    if (round_ > 0) best = std::min(best, time);
    if (++current_ < static_cast<int>(best_.size())) return;
    current_ = 0;
    ++round_;
  }

 private:
  static constexpr int rounds = 4;

  int fastest() const {
    return static_cast<int>(std::min_element(best_.begin(), best_.end()) - best_.begin());
  }

  std::vector<double> best_;  // by candidate: the shortest time so far
  int current_ = 0;
  int round_ = 0;
};

}  // namespace mass::detail
