#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace mass::detail {

/// Finds out which of several ways to do the same is fastest while they do it: each has its turn
/// until all were timed often enough.
class CandidateTimer {
 public:
  /// @param ways how many there are, 1 or more
  explicit CandidateTimer(int candidates)
      : best_(static_cast<std::size_t>(candidates), std::numeric_limits<double>::infinity()) {}

  bool decided() const { return best_.size() == 1 || round_ == rounds; }
  /// The way to take now: the one whose turn it is, or the fastest.
  int candidate() const { return decided() ? fastest() : turn_; }
  /// How long the way that had its turn took, in any unit. Its first time does not count: it finds
  /// caches cold.
  void record(double time) {
    if (decided()) return;
    double& best = best_[static_cast<std::size_t>(turn_)];
    if (round_ > 0) best = std::min(best, time);
    if (++turn_ < static_cast<int>(best_.size())) return;
    turn_ = 0;
    ++round_;
  }

 private:
  static constexpr int rounds = 4;

  int fastest() const {
    return static_cast<int>(std::min_element(best_.begin(), best_.end()) - best_.begin());
  }

  std::vector<double> best_;  // by way: the shortest time so far
  int turn_ = 0;
  int round_ = 0;
};

}  // namespace mass::detail
