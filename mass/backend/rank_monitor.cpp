#include <mass/backend/rank_monitor.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <thread>
#include <utility>

namespace mass::detail {
namespace {

/// Seconds for which calls still complete after another rank has failed: this rank may have the
/// same error, behind messages that have already been sent.
constexpr double settleSeconds = 0.25;
/// Seconds after the timeout in which a rank that answers may find out for which rank it waits.
constexpr double answeringSeconds = 0.5;
/// Seconds in which the first rank collects reports.
constexpr double collectSeconds = 0.6;
/// Seconds in which a rank that failed waits for the first rank to receive its report.
constexpr double receivedSeconds = 0.75;
/// Seconds in which the other ranks wait for the first one to print: a launcher kills all ranks
/// when one has ended.
constexpr double leaveSeconds = 1.1;
/// Seconds after which a rank that cannot use its link leaves.
constexpr double aloneSeconds = 0.9;
/// Seconds in which transfers complete that an exception has left.
constexpr double abandonSeconds = 0.25;
/// Largest number of ranks that an answer lists.
constexpr std::size_t mostListed = 64;

double secondsBetween(std::chrono::steady_clock::time_point begin,
                      std::chrono::steady_clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

std::chrono::steady_clock::duration durationOf(double seconds) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(seconds));
}

/// Returns a text that fits into a control message.
std::string shortened(const std::string& text) {
  constexpr std::size_t longest = RankLink::longestControl - 1;
  return text.size() <= longest ? text : text.substr(0, longest - 3) + "...";
}

/// Returns distinct ranks, at most mostListed, as a text with spaces.
std::string listOf(std::vector<int> ranks) {
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  if (ranks.size() > mostListed) ranks.resize(mostListed);
  return fmt::format("{}", fmt::join(ranks, " "));
}

std::vector<int> ranksIn(const std::string& list) {
  std::istringstream stream(list);
  std::vector<int> ranks;
  for (int rank = 0; stream >> rank;) ranks.push_back(rank);
  return ranks;
}

}  // namespace

RankMonitor::RankMonitor(RankLink& link, double timeoutSeconds)
    : link_(link), timeout_(timeoutSeconds), reports_(static_cast<std::size_t>(link.count())) {}

std::string RankMonitor::label(int rank) const {
  if (hosts_.empty()) return fmt::format("rank {}", rank);
  return fmt::format("rank {} on host {}", rank, hosts_[static_cast<std::size_t>(rank)]);
}

std::string RankMonitor::atStep() const {
  return step_ < 0 ? "" : fmt::format(" (step {})", step_);
}

void RankMonitor::send(int rank, Kind kind, std::string_view text) {
  std::string message(1, static_cast<char>(kind));
  link_.sendControl(rank, message.append(text));
}

void RankMonitor::sendToAll(Kind kind, std::string_view text) {
  for (int rank = 0; rank < link_.count(); ++rank) {
    if (rank != link_.number()) send(rank, kind, text);
  }
}

void RankMonitor::receive(RankTransfers* awaited) {
  while (const std::optional<RankControl> control = link_.receiveControl())
    handle(*control, awaited);
}

bool RankMonitor::receiveUntil(const std::function<bool()>& condition, double seconds) {
  const Time end = Clock::now() + durationOf(seconds);
  while (true) {
    receive(nullptr);
    link_.discardMessages();  // ranks that do not know of the error yet send some
    if (condition()) return true;
    if (Clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void RankMonitor::handle(const RankControl& control, RankTransfers* awaited) {
  if (control.message.empty()) return;
  const auto kind = static_cast<Kind>(control.message.front());
  const std::string text = control.message.substr(1);
  switch (kind) {
    case Kind::ping:
      send(control.rank, Kind::pong, awaited == nullptr ? "" : listOf(awaited->pending()));
      break;
    case Kind::pong:
      answered_.insert(control.rank);
      ask(ranksIn(text));
      break;
    case Kind::received:
      isReceived_ = true;
      break;
    case Kind::leave:
      leave_ = text == "1";
      break;
    case Kind::error:
    case Kind::silence:
    case Kind::followed:
    case Kind::printed:
      addReport(control.rank, kind, text);
  }
}

void RankMonitor::addReport(int rank, Kind kind, std::string_view text) {
  reports_[static_cast<std::size_t>(rank)] = {kind, std::string(text)};
  hasFailed_ = true;
  if (!failedAt_) failedAt_ = Clock::now();
  if (isFirst() && (kind == Kind::error || kind == Kind::silence)) send(rank, Kind::received);
}

void RankMonitor::ask(const std::vector<int>& ranks) {
  for (const int rank : ranks) {
    if (rank != link_.number() && asked_.insert(rank).second) send(rank, Kind::ping);
  }
}

void RankMonitor::poll() {
  receive(nullptr);
  throwIfFailed(Clock::now());
}

void RankMonitor::beginWait() {
  progress_ = Clock::now();
  nextLook_ = progress_;
  pending_ = 0;
}

void RankMonitor::check(RankTransfers& awaited) {
  receive(&awaited);
  const Time now = Clock::now();
  throwIfFailed(now);
  if (now < nextLook_) return;
  nextLook_ = now + durationOf(std::min(0.25, timeout_ / 16));
  const std::vector<int> ranks = awaited.pending();
  if (ranks.size() != pending_) {
    pending_ = ranks.size();
    progress_ = now;
    asked_.clear();
    answered_.clear();
  }
  const double silence = secondsBetween(progress_, now);
  if (silence > timeout_ - std::min(1.0, timeout_ / 4)) ask(ranks);
  if (silence > timeout_) throwIfSilent(silence);
}

void RankMonitor::throwIfFailed(Time now) {
  if (!failedAt_ || secondsBetween(*failedAt_, now) < settleSeconds) return;
  isFollowing_ = true;
  throw RankError(chosenText().value_or("another rank has ended the run with an error"));
}

void RankMonitor::throwIfSilent(double silence) {
  for (const int rank : asked_) {
    if (answered_.contains(rank)) continue;
    throwSilence(
        fmt::format("{} has not answered for {:.3g} s{}: its process has stopped, its host cannot "
                    "be reached, or its work takes longer; in the last case raise "
                    "'ranks.timeout'",
                    label(rank), timeout_, atStep()));
  }
  if (asked_.empty() || silence < timeout_ + answeringSeconds) return;
  throwSilence(
      fmt::format("{} answers, but has sent no message for {:.3g} s{}: raise 'ranks.timeout' if "
                  "the work of a rank takes longer",
                  label(*asked_.begin()), timeout_, atStep()));
}

void RankMonitor::throwSilence(const std::string& text) {
  isSilence_ = true;
  hasFailed_ = true;
  // Not later: abandon() may find that the link must not be used any more.
  sendToAll(Kind::silence, shortened(text));
  throw RankError(text);
}

void RankMonitor::reportLost(const RankLinkError& error) {
  const std::string text = fmt::format("messages to or from {} are lost{}: {}", label(error.rank()),
                                       atStep(), error.what());
  try {
    throwSilence(text);
  } catch (const RankLinkError&) {
    isLinkLost_ = true;
  }
  throw RankError(text);
}

void RankMonitor::abandon(RankTransfers& transfers) noexcept {
  try {
    if (isLinkLost_) return;
    transfers.cancelReceives();
    if (receiveUntil([&] { return transfers.test(); }, abandonSeconds)) return;
    isLinkLost_ = true;
    if (printsAlone())
      sendToAll(Kind::printed);
    else if (!isFirst() && !isSilence_)
      send(0, Kind::followed);
  } catch (...) {
    isLinkLost_ = true;
  }
}

std::optional<std::string> RankMonitor::fail(const std::string& text) noexcept {
  const Kind kind = isFollowing_ ? Kind::followed : isSilence_ ? Kind::silence : Kind::error;
  hasFailed_ = true;
  reports_[static_cast<std::size_t>(link_.number())] = {kind, shortened(text)};
  if (isLinkLost_) return failAlone();
  try {
    return failTogether();
  } catch (...) {
    isLinkLost_ = true;
    return failAlone();
  }
}

std::optional<std::string> RankMonitor::failTogether() {
  const Report own = report(link_.number());
  if (own.kind == Kind::error) sendToAll(own.kind, own.text);
  if (own.kind == Kind::followed && !isFirst()) send(0, own.kind);
  if (!isFirst()) return awaitLeave();
  receiveUntil([this] { return haveAllReported(); }, collectSeconds);
  // A rank that prints its error itself does not wait for the others.
  isTogether_ = haveAllReported() && !hasAnyPrinted();
  return chosenText();
}

bool RankMonitor::leave() {
  // Not before this rank has printed.
  if (hasFailed_ && isFirst() && !isLinkLost_) sendToAll(Kind::leave, isTogether_ ? "1" : "0");
  return !isLinkLost_ && (!hasFailed_ || isTogether_);
}

std::optional<std::string> RankMonitor::awaitLeave() {
  const auto hasAnswer = [this] { return leave_ || isReceived_ || isFollowing_; };
  if (receiveUntil(hasAnswer, receivedSeconds))
    receiveUntil([this] { return leave_.has_value(); }, leaveSeconds);
  isTogether_ = leave_.value_or(false);
  if (leave_) return std::nullopt;
  if (!printsAlone()) return std::nullopt;
  sendToAll(Kind::printed);
  return textOf(link_.number());
}

bool RankMonitor::printsAlone() const {
  if (isFollowing_ || isReceived_) return false;
  if (isFirst()) return !isSilence_;
  // If several ranks find the first one silent, one prints.
  for (int rank = 0; rank < link_.number(); ++rank) {
    for (const Kind kind : {Kind::error, Kind::silence, Kind::printed}) {
      if (hasReported(rank, kind)) return false;
    }
  }
  return true;
}

std::optional<std::string> RankMonitor::failAlone() const {
  if (isFirst()) return chosenText();
  if (printsAlone()) return textOf(link_.number());
  std::this_thread::sleep_for(durationOf(aloneSeconds));
  return std::nullopt;
}

bool RankMonitor::hasReported(int rank, Kind kind) const {
  const std::optional<Report>& report = reports_[static_cast<std::size_t>(rank)];
  return report && report->kind == kind;
}

bool RankMonitor::haveAllReported() const {
  return std::all_of(reports_.begin(), reports_.end(),
                     [](const auto& report) { return report.has_value(); });
}

bool RankMonitor::hasAnyPrinted() const {
  return std::any_of(reports_.begin(), reports_.end(),
                     [](const auto& report) { return report && report->kind == Kind::printed; });
}

bool RankMonitor::isSharedError() const {
  return haveAllReported() &&
         std::all_of(reports_.begin(), reports_.end(), [&](const auto& report) {
           return report->kind == Kind::error && report->text == reports_.front()->text;
         });
}

std::optional<std::string> RankMonitor::chosenText() const {
  if (hasAnyPrinted()) return std::nullopt;
  if (isSharedError()) return reports_.front()->text;
  for (const Kind kind : {Kind::error, Kind::silence}) {
    for (int rank = 0; rank < link_.count(); ++rank) {
      if (hasReported(rank, kind)) return textOf(rank);
    }
  }
  return std::nullopt;
}

std::string RankMonitor::textOf(int rank) const {
  const Report& report = *reports_[static_cast<std::size_t>(rank)];
  return report.kind == Kind::silence ? report.text
                                      : fmt::format("{}: {}", label(rank), report.text);
}

}  // namespace mass::detail
