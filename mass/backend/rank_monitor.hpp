#pragma once

#include <mass/backend/rank_link.hpp>
#include <mass/backend/rank_waits.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mass::detail {

/// Failure detection between the ranks of a run, by control messages. A rank that fails reports to
/// all ranks; the first rank collects the reports and prints one of them. A rank that waits for too
/// long asks the awaited ranks for an answer, and the ranks that those wait for. If ranks differ on
/// who is silent, the printed rank is one from which no report has arrived.
class RankMonitor {
 public:
  /// @param link must outlive this @param timeoutSeconds see setTimeout()
  RankMonitor(RankLink& link, double timeoutSeconds);

  /// Sets the longest time in seconds without progress of an awaited message, above 0.
  void setTimeout(double seconds) { waits_.setTimeout(seconds); }
  /// Returns the timeout in seconds.
  double timeout() const { return waits_.timeout(); }
  /// Returns the longest time in seconds between two looks at the control messages.
  double lookSeconds() const;
  /// Sets the step that messages on a silent rank name.
  void setStep(std::int64_t step) { step_ = step; }
  /// Sets the name of each rank's host, for messages.
  void setHosts(std::vector<std::string> hosts) { hosts_ = std::move(hosts); }
  /// Returns the name of each rank's host.
  const std::vector<std::string>& hosts() const { return hosts_; }

  /// Handles the control messages that have arrived. @throws RankError if another rank has failed
  /// @throws RankLinkError
  void poll();
  /// Answers the ranks that have asked, while the program of this rank works. Reports of errors are
  /// kept for the next poll() or check().
  void answerAtWork() noexcept;
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
    pong = 'a',      ///< the answer; see RankWaits::answerOf()
    error = 'e',     ///< an error of the sender, with its text
    lost = 'c',      ///< messages of the sender are lost, or all ranks are stuck; with the text
    silence = 's',   ///< the sender found a silent rank; with its number and the text after it
    followed = 'f',  ///< the sender ends because another rank failed; with a rank that it awaits
    printed = 'd',   ///< the sender ends with an error that it prints itself
    received = 'r',  ///< the first rank prints the sender's text or another one
    leave = 'l',     ///< the sender has printed; "1" if all ranks have reported
  };
  /// End of a rank.
  struct Report {
    Kind kind = Kind::error;
    std::string text{};
    int awaited = -1;             ///< silent rank, or rank that the sender awaits; -1 for none
    bool isAcknowledged = false;  ///< `received` has been sent
  };

  bool isFirst() const { return link_.number() == 0; }
  std::string label(int rank) const;
  std::string atStep() const;

  void send(int rank, Kind kind, std::string_view text = {});
  void sendToAll(Kind kind, std::string_view text = {});
  void receive(RankTransfers* awaited);
  bool receiveUntil(const std::function<bool()>& condition, double seconds);
  void handle(const RankControl& control, RankTransfers* awaited);
  void addReport(int rank, Kind kind, const std::string& message);
  void acknowledgeReports();

  void throwIfFailed(const std::vector<int>& awaited);
  void throwIfSilent(const std::vector<int>& awaited, Time now);
  [[noreturn]] void throwFound(const Report& finding);

  const std::optional<Report>& reportOf(int rank) const {
    return reports_[static_cast<std::size_t>(rank)];
  }
  const std::optional<Report>& ownReport() const { return reportOf(link_.number()); }
  void setOwnReport(Report report);
  std::string messageOf(const Report& report) const;
  bool hasReported(int rank, Kind kind) const;
  bool haveAllReported() const;
  bool haveAllButSilentReported() const;
  bool hasAnyPrinted() const;
  bool isSharedError() const;
  int silentRank(int rank) const;
  std::optional<std::string> chosenText() const;
  std::string textOf(int rank) const;
  std::optional<std::string> failTogether();
  bool printsAlone() const;
  std::optional<std::string> failAlone() const;
  std::optional<std::string> awaitLeave();

  RankLink& link_;
  std::int64_t step_ = -1;
  std::vector<std::string> hosts_;

  RankWaits waits_;
  Time nextLook_;  ///< next time at which the awaited transfers are counted
  std::size_t pending_ = 0;
  std::uint64_t wait_ = 0;  ///< number of waits, and of times at which one made progress

  std::vector<std::optional<Report>> reports_;  ///< by rank
  std::optional<Time> failedAt_;                ///< time of the first report of another rank
  bool hasFailed_ = false;                      ///< this or another rank has
  bool isReceived_ = false;                     ///< the first rank has this rank's report
  bool isDecided_ = false;                      ///< `text_` is what this rank prints
  std::optional<std::string> text_;
  bool isLinkLost_ = false;    ///< the link must not be used any more
  bool isTogether_ = false;    ///< all ranks have reported
  std::optional<bool> leave_;  ///< content of the message `leave`
};

}  // namespace mass::detail
