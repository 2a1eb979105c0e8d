#include <mass/backend/rank_waits.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <utility>

namespace mass::detail {
namespace {

/// Parts of the timeout: before the first question, without an answer, and from an answer to the
/// next question. A rank that stops just after an answer is found within the timeout.
constexpr double quietPart = 0.25, silentPart = 0.75, answeredPart = 0.125;
/// Seconds after the timeout in which a silent rank is found before ranks are called stuck.
constexpr double stuckSeconds = 0.5;
/// Largest number of ranks that an answer lists.
constexpr std::size_t mostListed = 64;

double secondsBetween(RankWaits::Time begin, RankWaits::Time end) {
  return std::chrono::duration<double>(end - begin).count();
}

/// Returns the ranks that an answer lists after the number of the wait.
std::vector<int> ranksIn(const std::string& answer) {
  std::istringstream stream(answer);
  std::uint64_t wait = 0;
  std::vector<int> ranks;
  stream >> wait;
  for (int rank = 0; stream >> rank;) ranks.push_back(rank);
  return ranks;
}

}  // namespace

std::string RankWaits::answerOf(std::uint64_t wait, std::vector<int> awaited) {
  std::sort(awaited.begin(), awaited.end());
  awaited.erase(std::unique(awaited.begin(), awaited.end()), awaited.end());
  if (awaited.size() > mostListed) awaited.resize(mostListed);
  return fmt::format("{} {}", wait, fmt::join(awaited, " "));
}

void RankWaits::restart(Time now) {
  begin_ = changed_ = now;
  others_.clear();
}

/// Adds ranks to `reached`, with what is known of them, and the ranks that they await.
void RankWaits::addAwaited(const std::vector<int>& ranks, std::map<int, Other>& reached) {
  for (const int rank : ranks) {
    if (rank == own_ || reached.contains(rank)) continue;
    const Other& other = reached.emplace(rank, others_[rank]).first->second;
    if (other.answer) addAwaited(ranksIn(*other.answer), reached);
  }
}

std::vector<int> RankWaits::ranksToAsk(const std::vector<int>& awaited, Time now) {
  if (secondsBetween(begin_, now) < quietPart * timeout_) return {};
  std::map<int, Other> reached;
  addAwaited(awaited, reached);
  others_ = std::move(reached);
  std::vector<int> ranks;
  for (auto& [rank, other] : others_) {
    if (other.asked) continue;
    if (other.answer && secondsBetween(other.answered, now) < answeredPart * timeout_) continue;
    other.asked = now;
    ranks.push_back(rank);
  }
  return ranks;
}

void RankWaits::answer(int rank, std::string_view answer, Time now) {
  const auto found = others_.find(rank);
  if (found == others_.end()) return;
  Other& other = found->second;
  if (answer.empty() || (other.answer && *other.answer != answer)) changed_ = now;
  other = {std::nullopt, std::string(answer), now};
}

std::optional<int> RankWaits::silentRank(Time now) const {
  for (const auto& [rank, other] : others_) {
    if (other.asked && secondsBetween(*other.asked, now) >= silentPart * timeout_) return rank;
  }
  return std::nullopt;
}

bool RankWaits::areStuck(Time now) const {
  return !others_.empty() && secondsBetween(changed_, now) > timeout_ + stuckSeconds &&
         std::ranges::all_of(others_,
                             [](const auto& entry) { return entry.second.answer.has_value(); });
}

}  // namespace mass::detail
