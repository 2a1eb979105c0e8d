#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mass::detail {

/// Search for the rank that a wait is due to. This rank asks the ranks that it awaits, the ranks
/// that those await, and so on; each answers with its state: it works, or it awaits other ranks. A
/// rank without an answer is silent. If all answer, always with the same waits, they are stuck.
class RankWaits {
 public:
  using Clock = std::chrono::steady_clock;
  using Time = Clock::time_point;

  /// Returns the answer of a rank that waits; that of a rank that works is empty.
  /// @param wait number of the wait, different from that of the previous one
  /// @param awaited ranks, of which the answer names at most 64
  static std::string answerOf(std::uint64_t wait, std::vector<int> awaited);

  /// @param own number of this rank @param timeoutSeconds see setTimeout()
  RankWaits(int own, double timeoutSeconds) : own_(own), timeout_(timeoutSeconds) {}

  /// Sets the time in seconds after which a wait without progress is an error, above 0.
  void setTimeout(double seconds) { timeout_ = seconds; }
  /// Returns the timeout in seconds.
  double timeout() const { return timeout_; }

  /// Begins a new wait, or continues one that has made progress.
  void restart(Time now);
  /// Returns the ranks to ask now: none before a quarter of the timeout, then each again soon after
  /// its answer. @param awaited ranks that this rank awaits
  std::vector<int> ranksToAsk(const std::vector<int>& awaited, Time now);
  /// Records the answer of a rank.
  void answer(int rank, std::string_view answer, Time now);

  /// Returns a rank that has not answered for three quarters of the timeout, if any.
  std::optional<int> silentRank(Time now) const;
  /// True if all ranks have answered, and no answer has changed for longer than the timeout.
  bool areStuck(Time now) const;

 private:
  /// Rank that this rank waits for, directly or not.
  struct Other {
    std::optional<Time> asked;          ///< time of the question that it has not answered
    std::optional<std::string> answer;  ///< last answer
    Time answered;                      ///< time of the last answer
  };

  void addAwaited(const std::vector<int>& ranks, std::map<int, Other>& reached);

  int own_;
  double timeout_;
  Time begin_;    ///< begin of the wait
  Time changed_;  ///< last time at which a rank worked or changed its wait
  std::map<int, Other> others_;
};

}  // namespace mass::detail
