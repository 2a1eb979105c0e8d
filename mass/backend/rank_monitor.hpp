#pragma once

#include <mass/backend/rank_link.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mass::detail {

/// Failure detection between the ranks of a run, by control messages. A rank that fails reports to
/// all ranks; the first rank collects the reports and prints one of them. A rank that waits for too
/// long asks the awaited ranks for an answer, and the ranks that those wait for.
class RankMonitor {
 public:
  /// @param link must outlive this @param timeoutSeconds see setTimeout()
  RankMonitor(RankLink& link, double timeoutSeconds);

  /// Sets the longest time in seconds without progress of an awaited message, above 0.
  void setTimeout(double seconds) { timeout_ = seconds; }
  /// Returns the timeout in seconds.
  double timeout() const { return timeout_; }
  /// Sets the step that messages on a silent rank name.
  void setStep(std::int64_t step) { step_ = step; }
  /// Sets the name of each rank's host, for messages.
  void setHosts(std::vector<std::string> hosts) { hosts_ = std::move(hosts); }
  /// Returns the name of each rank's host.
  const std::vector<std::string>& hosts() const { return hosts_; }

  /// Handles the control messages that have arrived. @throws RankError if another rank has failed
  /// @throws RankLinkError
  void poll();
  /// Begins to measure the time without progress.
  void beginWait();
  /// Handles control messages and compares the time since the last progress with the timeout.
  /// @throws RankError if another rank has failed, or an awaited one is silent
  /// @throws RankLinkError
  void check(RankTransfers& awaited);
  /// Reports to all ranks that messages to or from a rank are lost. @throws RankError always
  [[noreturn]] void reportLost(const RankLinkError& error);
  /// Completes transfers that the program has left by an exception, so that their memory can be
  /// freed. If that takes too long, the link is not used again.
  void abandon(RankTransfers& transfers) noexcept;

  /// Reports an error of this rank to all others, and waits up to a second for the first rank.
  /// @return the text to print on this rank, if any
  std::optional<std::string> fail(const std::string& text) noexcept;
  /// True if this or another rank has reported an error.
  bool hasFailed() const { return hasFailed_; }
  /// Lets the other ranks end, after fail() and the output of its text.
  /// @return true if all ranks end together, so that the link can be disconnected
  bool leave();

 private:
  using Clock = std::chrono::steady_clock;
  using Time = Clock::time_point;
  /// First character of a control message.
  enum class Kind : char {
    ping = 'p',      ///< asks for an answer
    pong = 'a',      ///< the answer, with the ranks that the sender waits for
    error = 'e',     ///< an error of the sender, with its text
    silence = 's',   ///< the sender found a silent rank; with the text
    followed = 'f',  ///< the sender ends because another rank failed
    printed = 'd',   ///< the sender ends with an error that it prints itself
    received = 'r',  ///< the first rank prints the sender's text or another one
    leave = 'l',     ///< the first rank has printed; "1" if all ranks have reported
  };
  struct Report {
    Kind kind = Kind::error;
    std::string text;
  };

  bool isFirst() const { return link_.number() == 0; }
  std::string label(int rank) const;
  std::string atStep() const;

  void send(int rank, Kind kind, std::string_view text = {});
  void sendToAll(Kind kind, std::string_view text = {});
  void receive(RankTransfers* awaited);
  bool receiveUntil(const std::function<bool()>& condition, double seconds);
  void handle(const RankControl& control, RankTransfers* awaited);
  void addReport(int rank, Kind kind, std::string_view text);
  void ask(const std::vector<int>& ranks);

  void throwIfFailed(Time now);
  void throwIfSilent(double silence);
  [[noreturn]] void throwSilence(const std::string& text);

  Report& report(int rank) { return *reports_[static_cast<std::size_t>(rank)]; }
  bool hasReported(int rank, Kind kind) const;
  bool haveAllReported() const;
  bool hasAnyPrinted() const;
  bool isSharedError() const;
  std::optional<std::string> chosenText() const;
  std::string textOf(int rank) const;
  std::optional<std::string> failTogether();
  bool printsAlone() const;
  std::optional<std::string> failAlone() const;
  std::optional<std::string> awaitLeave();

  RankLink& link_;
  double timeout_;
  std::int64_t step_ = -1;
  std::vector<std::string> hosts_;

  Time progress_;  ///< last progress of the awaited transfers
  Time nextLook_;  ///< next time at which they are counted
  std::size_t pending_ = 0;
  std::set<int> asked_;  ///< ranks asked for an answer since the last progress
  std::set<int> answered_;

  std::vector<std::optional<Report>> reports_;  ///< by rank
  std::optional<Time> failedAt_;                ///< time of the first report of another rank
  bool hasFailed_ = false;                      ///< this or another rank has
  bool isFollowing_ = false;                    ///< the error of this rank is that of another
  bool isSilence_ = false;     ///< the error of this rank is that another is silent
  bool isReceived_ = false;    ///< the first rank has this rank's report
  bool isLinkLost_ = false;    ///< the link must not be used any more
  bool isTogether_ = false;    ///< all ranks have reported
  std::optional<bool> leave_;  ///< content of the message `leave`
};

}  // namespace mass::detail
