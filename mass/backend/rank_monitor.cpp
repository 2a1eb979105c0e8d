#include <mass/backend/rank_monitor.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <thread>
#include <utility>

namespace mass::detail {
namespace {

/// Seconds for which calls still complete after another rank has failed: this rank may have the
/// same error, behind messages that have already been sent.
constexpr double settleSeconds = 0.25;
/// Seconds in which the first rank collects reports, and those after which the report of a silent
/// rank is no longer expected.
constexpr double collectSeconds = 0.8, expectSeconds = 0.3;
/// Seconds in which a rank that failed waits for the first rank to receive its report.
constexpr double receivedSeconds = 0.75;
/// Seconds in which the other ranks wait for the first one to print: a launcher kills all ranks
/// when one has ended.
constexpr double leaveSeconds = 1.5;
/// Seconds in which a rank waits for another one to print if the first rank cannot be reached.
constexpr double aloneSeconds = 0.6;
/// Seconds in which transfers complete that an exception has left.
constexpr double abandonSeconds = 0.25;

double secondsBetween(std::chrono::steady_clock::time_point begin,
                      std::chrono::steady_clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

std::chrono::steady_clock::duration durationOf(double seconds) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(seconds));
}

/// Returns a text that fits into a control message, behind its kind and a number.
std::string shortened(const std::string& text) {
  constexpr std::size_t longest = RankLink::longestControl - 16;
  return text.size() <= longest ? text : text.substr(0, longest - 3) + "...";
}

}  // namespace

RankMonitor::RankMonitor(RankLink& link, double timeoutSeconds)
    : link_(link),
      waits_(link.number(), timeoutSeconds),
      reports_(static_cast<std::size_t>(link.count())) {}

double RankMonitor::lookSeconds() const {
  return std::min(0.25, timeout() / 16);
}

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
  acknowledgeReports();
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
      send(control.rank, Kind::pong,
           awaited == nullptr ? "" : RankWaits::answerOf(wait_, awaited->pending()));
      break;
    case Kind::pong:
      waits_.answer(control.rank, text, Clock::now());
      nextLook_ = {};  // to ask the ranks that it awaits
      break;
    case Kind::received:
      isReceived_ = true;
      break;
    case Kind::leave:
      leave_ = text == "1";
      break;
    case Kind::error:
    case Kind::lost:
    case Kind::silence:
    case Kind::followed:
    case Kind::printed:
      addReport(control.rank, kind, text);
  }
}

std::string RankMonitor::messageOf(const Report& report) const {
  return fmt::format("{} {}", report.awaited, report.text);
}

void RankMonitor::addReport(int rank, Kind kind, const std::string& message) {
  Report report;
  report.kind = kind;
  const char* const end = message.data() + message.size();
  const auto [rest, error] = std::from_chars(message.data(), end, report.awaited);
  if (rest != end) report.text.assign(rest + 1, end);
  reports_[static_cast<std::size_t>(rank)] = std::move(report);
  hasFailed_ = true;
  if (!failedAt_) failedAt_ = Clock::now();
}

// Not by answerAtWork(): a rank that works may print too late.
void RankMonitor::acknowledgeReports() {
  if (!isFirst() || !failedAt_) return;
  for (int rank = 1; rank < link_.count(); ++rank) {
    std::optional<Report>& report = reports_[static_cast<std::size_t>(rank)];
    if (!report || report->isAcknowledged) continue;
    report->isAcknowledged = true;
    if (report->kind != Kind::followed && report->kind != Kind::printed) send(rank, Kind::received);
  }
}

void RankMonitor::poll() {
  receive(nullptr);
  if (failedAt_) throwIfFailed({});
}

void RankMonitor::answerAtWork() noexcept {
  if (isLinkLost_) return;
  try {
    while (const std::optional<RankControl> control = link_.receiveControl())
      handle(*control, nullptr);
  } catch (...) {
    // The program finds the same fault in its next message.
  }
}

void RankMonitor::beginWait() {
  nextLook_ = Clock::now();
  pending_ = 0;
}

void RankMonitor::check(RankTransfers& awaited) {
  receive(&awaited);
  if (failedAt_) throwIfFailed(awaited.pending());
  const Time now = Clock::now();
  if (now < nextLook_) return;
  nextLook_ = now + durationOf(lookSeconds());
  const std::vector<int> ranks = awaited.pending();
  if (ranks.size() != pending_) {
    pending_ = ranks.size();
    ++wait_;
    waits_.restart(now);
  }
  for (const int rank : waits_.ranksToAsk(ranks, now)) send(rank, Kind::ping);
  throwIfSilent(ranks, now);
}

void RankMonitor::throwIfFailed(const std::vector<int>& awaited) {
  if (secondsBetween(*failedAt_, Clock::now()) < settleSeconds) return;
  const auto silent =
      std::ranges::find_if(awaited, [this](int rank) { return !reportOf(rank).has_value(); });
  if (!ownReport()) setOwnReport({Kind::followed, "", silent == awaited.end() ? -1 : *silent});
  throw RankError(chosenText().value_or("another rank has ended the run with an error"));
}

void RankMonitor::throwIfSilent(const std::vector<int>& awaited, Time now) {
  if (const std::optional<int> silent = waits_.silentRank(now)) {
    throwFound({Kind::silence,
                fmt::format("has not answered for {:.3g} s{}: its process has stopped or has no "
                            "processor time, or its host cannot be reached",
                            timeout(), atStep()),
                *silent});
  }
  if (!waits_.areStuck(now)) return;
  throwFound({Kind::lost, fmt::format("{} answers, but has sent no message for {:.3g} s{}: raise "
                                      "'ranks.timeout' if the network is slow",
                                      label(awaited.front()), timeout(), atStep())});
}

void RankMonitor::setOwnReport(Report report) {
  hasFailed_ = true;
  report.text = shortened(report.text);
  reports_[static_cast<std::size_t>(link_.number())] = std::move(report);
}

void RankMonitor::throwFound(const Report& finding) {
  setOwnReport(finding);
  // Not later: abandon() may find that the link must not be used any more.
  sendToAll(finding.kind, messageOf(finding));
  throw RankError(textOf(link_.number()));
}

void RankMonitor::reportLost(const RankLinkError& error) {
  const std::string text = fmt::format("messages to or from {} are lost{}: {}", label(error.rank()),
                                       atStep(), error.what());
  try {
    throwFound({Kind::lost, text});
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
    // The transfers use memory that is freed after this call: the last use of the link.
    if (ownReport()) {
      text_ = failTogether();
      isDecided_ = true;
    } else if (printsAlone()) {
      sendToAll(Kind::printed);
    } else {
      send(0, Kind::followed);
    }
  } catch (...) {
    // The link is lost in any case.
  }
  isLinkLost_ = true;
}

std::optional<std::string> RankMonitor::fail(const std::string& text) noexcept {
  if (isDecided_) return text_;
  isDecided_ = true;
  if (!ownReport()) setOwnReport({Kind::error, text});
  try {
    text_ = isLinkLost_ ? failAlone() : failTogether();
  } catch (...) {
    isLinkLost_ = true;
    text_ = failAlone();
  }
  return text_;
}

std::optional<std::string> RankMonitor::failTogether() {
  const Report& own = *ownReport();
  if (own.kind == Kind::error) sendToAll(own.kind, messageOf(own));
  if (own.kind == Kind::followed && !isFirst()) send(0, own.kind, messageOf(own));
  if (!isFirst()) return awaitLeave();
  if (!receiveUntil([this] { return haveAllReported(); }, expectSeconds)) {
    receiveUntil([this] { return haveAllReported() || haveAllButSilentReported(); },
                 collectSeconds - expectSeconds);
  }
  // A rank that prints its error itself does not wait for the others.
  isTogether_ = haveAllReported() && !hasAnyPrinted();
  return chosenText();
}

bool RankMonitor::leave() {
  // Not before this rank has printed.
  if (hasFailed_ && (isFirst() || text_) && !isLinkLost_)
    sendToAll(Kind::leave, isTogether_ ? "1" : "0");
  return !isLinkLost_ && (!hasFailed_ || isTogether_);
}

std::optional<std::string> RankMonitor::awaitLeave() {
  const bool isFollowing = ownReport()->kind == Kind::followed;
  const auto hasLeave = [this] { return leave_.has_value(); };
  if (receiveUntil([&] { return leave_ || isReceived_ || isFollowing; }, receivedSeconds))
    receiveUntil(hasLeave, leaveSeconds);
  else if (!printsAlone())
    receiveUntil(hasLeave, aloneSeconds);
  isTogether_ = leave_.value_or(false);
  if (leave_ || !printsAlone()) return std::nullopt;
  sendToAll(Kind::printed);
  return textOf(link_.number());
}

bool RankMonitor::printsAlone() const {
  if (isReceived_ || (ownReport() && ownReport()->kind == Kind::followed)) return false;
  // If several ranks find the first one silent, one prints.
  for (int rank = 0; rank < link_.number(); ++rank) {
    if (reportOf(rank) && reportOf(rank)->kind != Kind::followed) return false;
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
  return reportOf(rank) && reportOf(rank)->kind == kind;
}

bool RankMonitor::haveAllReported() const {
  return std::all_of(reports_.begin(), reports_.end(),
                     [](const auto& report) { return report.has_value(); });
}

bool RankMonitor::haveAllButSilentReported() const {
  const auto missing = std::ranges::count_if(reports_, [](const auto& report) { return !report; });
  return missing == 1 && std::ranges::any_of(reports_, [this](const auto& report) {
           return report && report->kind == Kind::silence && !reportOf(silentRank(report->awaited));
         });
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
  for (const Kind kind : {Kind::error, Kind::silence, Kind::lost}) {
    for (int rank = 0; rank < link_.count(); ++rank) {
      if (hasReported(rank, kind)) return textOf(rank);
    }
  }
  return std::nullopt;
}

/// Returns the rank without a report that `rank`, which another one found silent, awaits directly
/// or not; `rank` itself if it has not reported.
int RankMonitor::silentRank(int rank) const {
  std::set<int> reported;
  int silent = rank;
  while (reportOf(silent)) {
    if (reportOf(silent)->awaited < 0 || !reported.insert(silent).second) return rank;
    silent = reportOf(silent)->awaited;
  }
  return silent;
}

std::string RankMonitor::textOf(int rank) const {
  const Report& report = *reportOf(rank);
  switch (report.kind) {
    case Kind::silence:
      return fmt::format("{} {}", label(silentRank(report.awaited)), report.text);
    case Kind::lost:
      return report.text;
    default:
      return fmt::format("{}: {}", label(rank), report.text);
  }
}

}  // namespace mass::detail
