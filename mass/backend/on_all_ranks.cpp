#include <mass/backend/on_all_ranks.hpp>

#include <mass/support/error.hpp>

#include <algorithm>
#include <exception>
#include <string>
#include <vector>

namespace mass::detail {
namespace {

/// Returns the message of an exception.
std::string messageOf(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

}  // namespace

void onAllRanks(Ranks& ranks, const std::function<void()>& work) {
  if (ranks.count() == 1) return work();
  std::exception_ptr failure;
  try {
    work();
  } catch (...) {
    failure = std::current_exception();
  }
  if (!ranks.any(failure != nullptr)) return;
  // An empty message would read as success.
  const std::vector<std::string> messages =
      ranks.allGather(failure ? messageOf(failure) + " " : std::string());
  if (failure) std::rethrow_exception(failure);
  const auto failed =
      std::ranges::find_if(messages, [](const std::string& text) { return !text.empty(); });
  const auto rank = static_cast<int>(failed - messages.begin());
  throw DeviceError("rank {} on host {}: {}", rank, ranks.host(rank),
                    failed->substr(0, failed->size() - 1));
}

}  // namespace mass::detail
