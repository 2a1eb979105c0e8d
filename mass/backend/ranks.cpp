#include <mass/backend/ranks.hpp>

#include <mass/backend/rank_deputy.hpp>
#include <mass/backend/rank_monitor.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <thread>
#include <type_traits>
#include <utility>

namespace mass::detail {
namespace {

/// Largest message of a RankLink in bytes; larger ones are divided. A piece takes far less than the
/// timeout on any network, and its size fits into the `int` of MPI.
constexpr std::size_t pieceBytes = std::size_t{64} << 20;
/// Number of tests of a transfer between two looks at the clock and the control messages: about
/// 10 us of MPI_Testall.
constexpr unsigned testsPerCheck = 64;
/// Seconds for MPI_Finalize after an error.
constexpr double disconnectSeconds = 0.5;
/// Seconds after an error in which this rank has ended, even if MPI does not return, and its
/// status.
constexpr double endSeconds = 4;
constexpr int failureCode = 2;

std::size_t at(int rank) {
  return static_cast<std::size_t>(rank);
}

/// Returns the messages with those above pieceBytes divided.
template <class Message>
std::vector<Message> pieces(std::span<const Message> messages) {
  std::vector<Message> divided;
  divided.reserve(messages.size());
  for (Message rest : messages) {
    while (rest.bytes > pieceBytes) {
      divided.push_back({rest.rank, rest.data, pieceBytes});
      using Byte = std::conditional_t<std::is_same_v<Message, RankSend>, const char, char>;
      rest.data = static_cast<Byte*>(rest.data) + pieceBytes;
      rest.bytes -= pieceBytes;
    }
    divided.push_back(rest);
  }
  return divided;
}

template <class Message>
void requirePartners(std::span<const Message> messages, const Ranks& ranks) {
  for (const Message& message : messages) {
    if (message.rank < 0 || message.rank >= ranks.count() || message.rank == ranks.number()) {
      throw UsageError("rank {} of {} cannot exchange messages with rank {}", ranks.number(),
                       ranks.count(), message.rank);
    }
  }
}

/// Work of several ranks that no message of a RankLink completes.
class OutsideWork : public RankTransfers {
 public:
  OutsideWork(const std::function<bool()>& isDone, const std::vector<int>& awaited)
      : isDone_(&isDone), awaited_(&awaited) {}

  void start() override {}
  bool test() override { return (*isDone_)(); }
  std::vector<int> pending() override { return *awaited_; }
  void cancelReceives() override {}

 private:
  const std::function<bool()>* isDone_;
  const std::vector<int>* awaited_;
};

}  // namespace

Ranks::Ranks() = default;

Ranks::Ranks(std::unique_ptr<RankLink> link, double timeoutSeconds)
    : number_(link->number()), count_(link->count()), link_(std::move(link)) {
  if (count_ == 1) return;
  monitor_ = std::make_unique<RankMonitor>(*link_, timeoutSeconds);
  setTimeout(timeoutSeconds);
  deputy_ = std::make_unique<RankDeputy>(*monitor_, mutex_);
}

Ranks::~Ranks() = default;

void Ranks::introduce() {
  if (count_ == 1) return;
  std::vector<std::string> hosts = allGather(link_->host());
  const auto locked = lock();
  monitor_->setHosts(std::move(hosts));
  countRanksOfHost();
}

void Ranks::countRanksOfHost() {
  const std::vector<std::string>& hosts = monitor_->hosts();
  const std::string& own = hosts[at(number_)];
  countOnHost_ = static_cast<int>(std::count(hosts.begin(), hosts.end(), own));
  numberOnHost_ = static_cast<int>(std::count(hosts.begin(), hosts.begin() + number_, own));
}

std::string Ranks::host(int rank) const {
  return monitor_ == nullptr ? "" : monitor_->hosts()[at(rank)];
}

void Ranks::setTimeout(double seconds) {
  if (!(seconds > 0)) throw UsageError("the timeout of ranks must be above 0 s, got {}", seconds);
  if (monitor_ == nullptr) return;
  const auto locked = lock();
  monitor_->setTimeout(seconds);
}

void Ranks::setStep(std::int64_t step) {
  if (monitor_ == nullptr) return;
  const auto locked = lock();
  monitor_->setStep(step);
}

/// Advances transfers, and checks now and then that the awaited ranks are alive.
/// @param isWatched true once the time of this wait is measured; false at its begin
/// @return true if all are complete
bool Ranks::advance(RankTransfers& transfers, bool& isWatched) {
  try {
    const bool isDone = transfers.test();
    // After complete transfers too: a rank that never has to wait must learn of an error.
    if ((isDone && isWatched) || ++tests_ % testsPerCheck != 0) return isDone;
    if (isDone) {
      monitor_->poll();
    } else {
      if (!isWatched) monitor_->beginWait();
      isWatched = true;
      monitor_->check(transfers);
    }
    return isDone;
  } catch (const RankLinkError& error) {
    monitor_->reportLost(error);
  }
}

void Ranks::wait(RankTransfers& transfers) {
  bool isWatched = false;
  while (!advance(transfers, isWatched))
    if (tests_ % testsPerCheck == 0) std::this_thread::yield();
}

void Ranks::waitUntil(const std::function<bool()>& isDone, const std::vector<int>& awaited) {
  OutsideWork work(isDone, awaited);
  const auto locked = lock();
  wait(work);
}

void Ranks::exchange(std::span<const RankReceive> receives, std::span<const RankSend> sends) {
  RankExchange exchange(*this, receives, sends);
  exchange.start();
  exchange.finish();
}

// Binomial tree: a rank receives from the rank without its lowest bit, and sends to the ranks with
// one bit more below that one. Ranks are counted from `root`.
void Ranks::broadcast(void* data, std::size_t bytes, int root) {
  if (count_ == 1) return;
  const int relative = (number_ - root + count_) % count_;
  const auto rankOf = [&](int other) { return (other + root) % count_; };
  int bit = 1;
  while (bit < count_ && (relative & bit) == 0) bit <<= 1;
  if (relative != 0) exchange(std::array{RankReceive{rankOf(relative - bit), data, bytes}}, {});
  std::vector<RankSend> sends;
  for (bit >>= 1; bit > 0; bit >>= 1) {
    if (relative + bit < count_) sends.push_back({rankOf(relative + bit), data, bytes});
  }
  exchange({}, sends);
}

std::string Ranks::broadcast(std::string text, int root) {
  text.resize(broadcast(text.size(), root));
  broadcast(text.data(), text.size(), root);
  return text;
}

std::vector<std::string> Ranks::allGather(const std::string& text) {
  std::vector<std::size_t> offsets(at(count_) + 1), sizes(at(count_));
  for (std::size_t rank = 0; rank < offsets.size(); ++rank) offsets[rank] = rank * sizeof(sizes[0]);
  sizes[at(number_)] = text.size();
  allGatherInPlace(sizes.data(), offsets);
  for (std::size_t rank = 0; rank < sizes.size(); ++rank)
    offsets[rank + 1] = offsets[rank] + sizes[rank];
  std::string all(offsets.back(), ' ');
  std::copy(text.begin(), text.end(),
            all.begin() + static_cast<std::ptrdiff_t>(offsets[at(number_)]));
  allGatherInPlace(all.data(), offsets);
  std::vector<std::string> texts;
  for (std::size_t rank = 0; rank < sizes.size(); ++rank)
    texts.push_back(all.substr(offsets[rank], sizes[rank]));
  return texts;
}

// Ring: each rank sends to the next one the part that it has received last, at first its own. Every
// part crosses each connection once.
void Ranks::allGatherInPlace(void* data, std::span<const std::size_t> offsets) {
  auto* const bytes = static_cast<char*>(data);
  const int next = (number_ + 1) % count_, previous = (number_ + count_ - 1) % count_;
  for (int round = 0; round + 1 < count_; ++round) {
    const auto sent = at((number_ - round + count_) % count_);
    const auto received = at((previous - round + count_) % count_);
    exchange(std::array{RankReceive{previous, bytes + offsets[received],
                                    offsets[received + 1] - offsets[received]}},
             std::array{RankSend{next, bytes + offsets[sent], offsets[sent + 1] - offsets[sent]}});
  }
}

void Ranks::gatherToFirst(const void* own, void* all, std::span<const std::size_t> offsets) {
  if (!isFirst()) {
    exchange({}, std::array{RankSend{0, own, offsets[at(number_) + 1] - offsets[at(number_)]}});
    return;
  }
  auto* const bytes = static_cast<char*>(all);
  if (own != bytes + offsets[0] && offsets[1] > offsets[0])
    std::memcpy(bytes + offsets[0], own, offsets[1] - offsets[0]);
  std::vector<RankReceive> receives;
  for (int rank = 1; rank < count_; ++rank) {
    receives.push_back(
        {rank, bytes + offsets[at(rank)], offsets[at(rank) + 1] - offsets[at(rank)]});
  }
  exchange(receives, {});
}

void Ranks::gatherToFirst(void* data, std::span<const std::size_t> offsets) {
  gatherToFirst(static_cast<char*>(data) + offsets[at(number_)], data, offsets);
}

void Ranks::scatterFromFirst(const void* all, void* own, std::span<const std::size_t> offsets) {
  const auto bytesOf = [&](int rank) { return offsets[at(rank) + 1] - offsets[at(rank)]; };
  if (!isFirst()) {
    if (bytesOf(number_) > 0) exchange(std::array{RankReceive{0, own, bytesOf(number_)}}, {});
    return;
  }
  const auto* const bytes = static_cast<const char*>(all);
  if (own != bytes + offsets[0] && bytesOf(0) > 0) std::memcpy(own, bytes + offsets[0], bytesOf(0));
  std::vector<RankSend> sends;
  for (int rank = 1; rank < count_; ++rank) {
    if (bytesOf(rank) > 0) sends.push_back({rank, bytes + offsets[at(rank)], bytesOf(rank)});
  }
  exchange({}, sends);
}

// Sums along the tree of broadcast(), from the leaves to rank 0.
std::uint64_t Ranks::sum(std::uint64_t value) {
  for (int bit = 1; bit < count_; bit <<= 1) {
    if ((number_ & bit) != 0) {
      exchange({}, std::array{RankSend{number_ - bit, &value, sizeof(value)}});
      break;
    }
    if (number_ + bit >= count_) continue;
    std::uint64_t other = 0;
    exchange(std::array{RankReceive{number_ + bit, &other, sizeof(other)}}, {});
    value += other;
  }
  return broadcast(value);
}

void Ranks::chain(void* value, std::size_t bytes, const std::function<void()>& work) {
  if (number_ > 0) exchange(std::array{RankReceive{number_ - 1, value, bytes}}, {});
  work();
  if (number_ + 1 < count_) exchange({}, std::array{RankSend{number_ + 1, value, bytes}});
  broadcast(value, bytes, count_ - 1);
}

std::optional<std::string> Ranks::fail(const std::string& text) noexcept {
  if (monitor_ == nullptr) return text;
  const auto locked = lock();
  link_->endWithin(endSeconds, failureCode);
  return monitor_->fail(text);
}

void Ranks::disconnect(int exitCode) {
  if (link_ == nullptr) return;
  if (monitor_ == nullptr) return link_->disconnect(exitCode, defaultTimeout);
  deputy_.reset();
  if (!monitor_->leave()) return link_->leave(exitCode);
  link_->disconnect(exitCode, monitor_->hasFailed() ? disconnectSeconds : monitor_->timeout());
}

RankExchange::RankExchange(Ranks& ranks, std::span<const RankReceive> receives,
                           std::span<const RankSend> sends)
    : ranks_(ranks) {
  requirePartners(receives, ranks);
  requirePartners(sends, ranks);
  if (receives.empty() && sends.empty()) return;
  const auto locked = ranks.lock();
  transfers_ = ranks.link_->prepare(pieces(receives), pieces(sends));
}

RankExchange::~RankExchange() {
  if (transfers_ == nullptr) return;
  const auto locked = ranks_.lock();
  if (isStarted_) ranks_.monitor_->abandon(*transfers_);
  transfers_.reset();
}

void RankExchange::start() {
  if (transfers_ == nullptr) return;
  isStarted_ = true;
  const auto locked = ranks_.lock();
  try {
    transfers_->start();
  } catch (const RankLinkError& error) {
    ranks_.monitor_->reportLost(error);
  }
}

void RankExchange::finish() {
  if (transfers_ == nullptr) return;
  const auto locked = ranks_.lock();
  ranks_.wait(*transfers_);
  isStarted_ = isWatched_ = false;
}

bool RankExchange::tryFinish() {
  if (transfers_ == nullptr) return true;
  const auto locked = ranks_.lock();
  if (!ranks_.advance(*transfers_, isWatched_)) return false;
  isStarted_ = isWatched_ = false;
  return true;
}

}  // namespace mass::detail
