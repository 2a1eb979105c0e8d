#pragma once

#include <mass/backend/ranks.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <functional>
#include <limits>
#include <vector>

namespace mass::detail {

/// Real time that a part of simulated time is to take.
struct PartTime {
  double seconds;
  /// Leaves out time in which other processes used the processors, which does not depend on the
  /// length of a part.
  bool ofProcessor;

  /// For parts at whose ends threads and ranks wait for each other.
  static constexpr PartTime economical() { return {0.4, true}; }
  /// For parts between which a user waits.
  static constexpr PartTime prompt() { return {0.05, false}; }
};

/// Division of stretches of simulated time into parts, between which ranks look for a wish to end,
/// and blocks of places may move. The length of a part adapts to the time that it is to take; it is
/// kept for the next stretch.
class TimeParts {
 public:
  /// Calls run(begin, end) for the parts of a stretch, until one is at its end or the end is wanted
  /// on a rank. All ranks call it together, and have the same parts.
  /// @param wanted time of a part @param isEndWanted asked before each part; may be empty: never
  /// @return end of the last part
  template <class F>
  double make(Ranks& ranks, double begin, double end, PartTime wanted,
              const std::function<bool()>& isEndWanted, F&& run) {
    using Clock = std::chrono::steady_clock;
    // The first part is short, since it may have any number of events.
    if (!(length_ > 0)) length_ = (end - begin) * 0x1p-20;
    double reached = begin;
    while (reached < end) {
      last_.isEnd = isEndWanted && isEndWanted() ? 1 : 0;
      const Part last = agree(ranks);
      if (last.isEnd != 0) break;
      adapt(last, wanted.seconds);
      const double to = endOf(reached, end);
      const auto start = Clock::now();
      const std::clock_t startOfProcessor = std::clock();
      run(reached, to);
      const double ofProcessor =
          static_cast<double>(std::clock() - startOfProcessor) / CLOCKS_PER_SEC;
      const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
      last_ = {wanted.ofProcessor ? std::min(seconds, ofProcessor) : seconds, to - reached, 0};
      reached = to;
    }
    return reached;
  }

 private:
  static constexpr double mostGrowth = 4;

  /// A part that was executed, or is none.
  struct Part {
    double seconds = 0;      ///< see PartTime
    double length = 0;       ///< simulated time; less than that of others at the end of a stretch
    std::int64_t isEnd = 0;  ///< 1: no other part is to follow
  };

  /// Returns the last part: its time on rank 0, and the wish of any rank to end.
  Part agree(Ranks& ranks) const {
    if (ranks.count() == 1) return last_;
    const std::vector<Part> all = ranks.allGather(last_);
    Part last = all.front();
    for (const Part& each : all) last.isEnd |= each.isEnd;
    return last;
  }
  /// Adapts the length to the last part. @param wanted seconds of a part
  void adapt(const Part& last, double wanted) {
    if (last.length == 0) return;
    const double longer = std::min(wanted / last.seconds, mostGrowth);
    if (longer < 0.8 || (longer > 1.25 && last.length >= length_)) length_ = last.length * longer;
  }
  /// Returns the end of a part, which is above its begin.
  double endOf(double begin, double end) const {
    const double next = std::nextafter(begin, std::numeric_limits<double>::infinity());
    return std::min(end, std::max(begin + length_, next));
  }

  double length_ = 0;  // s; the same on all ranks
  Part last_;
};

}  // namespace mass::detail
