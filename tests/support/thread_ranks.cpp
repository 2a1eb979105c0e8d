#include <tests/support/thread_ranks.hpp>

#include <mass/support/hash.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <span>
#include <string_view>
#include <thread>
#include <utility>

namespace mass::testing {
namespace {

using Clock = std::chrono::steady_clock;

std::size_t at(int rank) {
  return static_cast<std::size_t>(rank);
}

/// Thrown on the thread of a stopped rank when all other ranks have ended.
struct StoppedRank {};

/// Message on its way.
struct Message {
  std::vector<char> bytes;
  Clock::time_point arrival;
  std::shared_ptr<std::atomic<bool>> isTaken;
};

/// Messages from one rank to another, in order.
class Queue {
 public:
  void push(Message message, Clock::duration delay) {
    const std::scoped_lock lock(mutex_);
    last_ = std::max(last_, Clock::now() + delay);
    message.arrival = last_;
    messages_.push_back(std::move(message));
  }
  /// Removes the first message if it has arrived.
  std::optional<Message> pop() {
    const std::scoped_lock lock(mutex_);
    if (messages_.empty() || messages_.front().arrival > Clock::now()) return std::nullopt;
    Message message = std::move(messages_.front());
    messages_.pop_front();
    return message;
  }

 private:
  std::mutex mutex_;
  Clock::time_point last_;
  std::deque<Message> messages_;
};

}  // namespace

/// Queues between all ranks, and their faults.
class ThreadNetwork {
 public:
  ThreadNetwork(int count, const ThreadRankOptions& options)
      : count_(count),
        options_(options),
        data_(at(count * count)),
        control_(at(count * count)),
        isCut_(at(count)),
        isStopped_(at(count)),
        isIdle_(at(count)) {}

  int count() const { return count_; }
  const ThreadRankOptions& options() const { return options_; }

  /// Sends a message. @return flag that is set when it has been received
  std::shared_ptr<std::atomic<bool>> sendData(int from, int to, const void* data,
                                              std::size_t size) {
    const auto* const bytes = static_cast<const char*>(data);
    return send(data_, from, to, {bytes, bytes + size});
  }
  void sendControl(int from, int to, std::string_view text) {
    send(control_, from, to, {text.begin(), text.end()});
  }
  std::optional<Message> receiveData(int from, int to) { return receive(data_, from, to); }
  std::optional<Message> receiveControl(int from, int to) { return receive(control_, from, to); }

  void cut(int rank) { isCut_[at(rank)] = true; }
  void stop(int rank) { isStopped_[at(rank)] = true; }

  /// Waits for the end of the run if a rank is stopped. @throws StoppedRank then
  void pauseIfStopped(int rank) {
    if (!isStopped_[at(rank)]) return;
    finish(rank);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return isOver_; });
    throw StoppedRank();
  }
  /// Records that a rank has ended or is stopped.
  void finish(int rank) {
    const std::scoped_lock lock(mutex_);
    isIdle_[at(rank)] = true;
    changed_.notify_all();
  }
  /// Waits until every rank has finished or is stopped, and lets the stopped ones end.
  void waitForRanks() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return std::ranges::find(isIdle_, false) == isIdle_.end(); });
    isOver_ = true;
    changed_.notify_all();
  }

 private:
  std::shared_ptr<std::atomic<bool>> send(std::vector<Queue>& queues, int from, int to,
                                          std::vector<char> bytes) {
    auto isTaken = std::make_shared<std::atomic<bool>>(false);
    if (isLost(from, to)) return isTaken;
    queues[at(from * count_ + to)].push({std::move(bytes), {}, isTaken}, delay());
    return isTaken;
  }
  std::optional<Message> receive(std::vector<Queue>& queues, int from, int to) {
    if (isLost(from, to)) return std::nullopt;
    std::optional<Message> message = queues[at(from * count_ + to)].pop();
    if (message) *message->isTaken = true;
    return message;
  }
  bool isLost(int from, int to) const { return isCut_[at(from)] || isCut_[at(to)]; }
  Clock::duration delay() {
    const auto least = options_.shortestDelay;
    const auto range = static_cast<std::uint64_t>(
        std::max<std::int64_t>((options_.longestDelay - least).count(), 0));
    return least + std::chrono::microseconds(detail::mix(options_.seed ^ detail::mix(sent_++)) %
                                             (range + 1));
  }

  int count_;
  ThreadRankOptions options_;
  std::vector<Queue> data_, control_;  ///< by sender, then receiver
  std::atomic<std::uint64_t> sent_ = 0;
  std::vector<std::atomic<bool>> isCut_, isStopped_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<bool> isIdle_;  ///< the rank has finished or is stopped
  bool isOver_ = false;
};

namespace {

/// Receive that has been posted.
struct Posted {
  detail::RankReceive receive;
  bool isComplete = false;
};

class ThreadLink : public detail::RankLink {
 public:
  ThreadLink(ThreadNetwork& network, int number)
      : network_(network), number_(number), posted_(at(network.count())) {}

  int number() const override { return number_; }
  int count() const override { return network_.count(); }
  std::string host() const override {
    const auto& hosts = network_.options().hosts;
    return hosts.empty() ? "host" : hosts[at(number_)];
  }
  std::unique_ptr<detail::RankTransfers> prepare(std::span<const detail::RankReceive> receives,
                                                 std::span<const detail::RankSend> sends) override;
  void sendControl(int rank, std::string_view message) override {
    network_.pauseIfStopped(number_);
    ASSERT_LE(message.size(), longestControl);
    network_.sendControl(number_, rank, message);
  }
  std::optional<detail::RankControl> receiveControl() override {
    network_.pauseIfStopped(number_);
    for (int rank = 0; rank < count(); ++rank) {
      if (const auto message = network_.receiveControl(rank, number_))
        return detail::RankControl{rank, {message->bytes.begin(), message->bytes.end()}};
    }
    return std::nullopt;
  }
  void discardMessages() override {
    network_.pauseIfStopped(number_);
    for (int rank = 0; rank < count(); ++rank) {
      receiveFrom(rank);
      while (posted_[at(rank)].empty() && network_.receiveData(rank, number_)) {
      }
    }
  }
  void disconnect(int, double) override {
    for (const auto& receives : posted_) EXPECT_TRUE(receives.empty()) << "messages are under way";
  }

  void leave(int) override {}
  void endWithin(double, int) override {}

  ThreadNetwork& network() { return network_; }
  std::shared_ptr<Posted> post(const detail::RankReceive& receive) {
    posted_[at(receive.rank)].push_back(std::make_shared<Posted>(Posted{receive}));
    return posted_[at(receive.rank)].back();
  }
  void withdraw(const std::shared_ptr<Posted>& posted) {
    std::erase(posted_[at(posted->receive.rank)], posted);
  }
  /// Receives the messages of a rank that have arrived, in the order of the posted receives.
  void receiveFrom(int rank) {
    auto& waiting = posted_[at(rank)];
    while (!waiting.empty()) {
      const std::optional<Message> message = network_.receiveData(rank, number_);
      if (!message) return;
      Posted& first = *waiting.front();
      if (message->bytes.size() != first.receive.bytes) {
        throw detail::RankLinkError(rank, fmt::format("{} bytes instead of {}",
                                                      message->bytes.size(), first.receive.bytes));
      }
      std::copy(message->bytes.begin(), message->bytes.end(),
                static_cast<char*>(first.receive.data));
      first.isComplete = true;
      waiting.pop_front();
    }
  }

 private:
  ThreadNetwork& network_;
  int number_;
  std::vector<std::deque<std::shared_ptr<Posted>>> posted_;  ///< by sender, in order
};

class ThreadTransfers : public detail::RankTransfers {
 public:
  ThreadTransfers(ThreadLink& link, std::span<const detail::RankReceive> receives,
                  std::span<const detail::RankSend> sends)
      : link_(link),
        receives_(receives.begin(), receives.end()),
        sends_(sends.begin(), sends.end()) {}
  ~ThreadTransfers() override { cancelReceives(); }

  void start() override {
    link_.network().pauseIfStopped(link_.number());
    EXPECT_TRUE(isComplete()) << "started twice";
    posted_.clear();
    sent_.clear();
    for (const auto& receive : receives_) posted_.push_back(link_.post(receive));
    for (const auto& send : sends_) {
      auto isTaken = link_.network().sendData(link_.number(), send.rank, send.data, send.bytes);
      if (send.bytes > link_.network().options().eagerBytes)
        sent_.push_back({send.rank, std::move(isTaken)});
    }
  }
  bool test() override {
    link_.network().pauseIfStopped(link_.number());
    for (const auto& receive : receives_) link_.receiveFrom(receive.rank);
    return isComplete();
  }
  std::vector<int> pending() override {
    std::vector<int> ranks;
    for (const auto& posted : posted_) {
      if (!posted->isComplete) ranks.push_back(posted->receive.rank);
    }
    for (const auto& [rank, isTaken] : sent_) {
      if (!*isTaken) ranks.push_back(rank);
    }
    return ranks;
  }
  void cancelReceives() override {
    for (const auto& posted : posted_) {
      if (posted->isComplete) continue;
      link_.withdraw(posted);
      posted->isComplete = true;
    }
  }

 private:
  bool isComplete() const {
    return std::all_of(posted_.begin(), posted_.end(),
                       [](const auto& posted) { return posted->isComplete; }) &&
           std::all_of(sent_.begin(), sent_.end(),
                       [](const auto& sent) { return sent.second->load(); });
  }

  ThreadLink& link_;
  std::vector<detail::RankReceive> receives_;
  std::vector<detail::RankSend> sends_;
  std::vector<std::shared_ptr<Posted>> posted_;
  std::vector<std::pair<int, std::shared_ptr<std::atomic<bool>>>> sent_;
};

std::unique_ptr<detail::RankTransfers> ThreadLink::prepare(
    std::span<const detail::RankReceive> receives, std::span<const detail::RankSend> sends) {
  return std::make_unique<ThreadTransfers>(*this, receives, sends);
}

}  // namespace

ThreadRanks::ThreadRanks(int count, const ThreadRankOptions& options)
    : count_(count), options_(options), network_(std::make_unique<ThreadNetwork>(count, options)) {}

ThreadRanks::~ThreadRanks() = default;

void ThreadRanks::stop(int rank) {
  network_->stop(rank);
}

void ThreadRanks::cut(int rank) {
  network_->cut(rank);
}

ThreadRankResult ThreadRanks::runRank(int rank, const std::function<void(detail::Ranks&)>& work) {
  ThreadRankResult result;
  try {
    detail::Ranks ranks(std::make_unique<ThreadLink>(*network_, rank), options_.timeout);
    try {
      ranks.introduce();
      work(ranks);
      ranks.barrier();
    } catch (const std::exception& error) {
      result.exitCode = 2;
      result.error = error.what();
      result.printed = ranks.fail(error.what());
    }
    ranks.disconnect(result.exitCode);
  } catch (const StoppedRank&) {
    result.isStopped = true;
  }
  if (!result.isStopped) network_->finish(rank);
  return result;
}

std::vector<ThreadRankResult> ThreadRanks::run(const std::function<void(detail::Ranks&)>& work) {
  std::vector<ThreadRankResult> results(at(count_));
  const Clock::time_point begin = Clock::now();
  std::vector<std::thread> threads;
  for (int rank = 0; rank < count_; ++rank) {
    threads.emplace_back([&, rank] {
      results[at(rank)] = runRank(rank, work);
      results[at(rank)].seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    });
  }
  network_->waitForRanks();
  for (std::thread& thread : threads) thread.join();
  network_ = std::make_unique<ThreadNetwork>(count_, options_);  // without the faults
  return results;
}

void runOnThreadRanks(int count, const std::function<void(detail::Ranks&)>& work,
                      const ThreadRankOptions& options) {
  const auto results = ThreadRanks(count, options).run(work);
  for (int rank = 0; rank < count; ++rank) {
    const ThreadRankResult& result = results[at(rank)];
    EXPECT_EQ(result.error, "") << "rank " << rank << " of " << count;
    EXPECT_FALSE(result.isStopped) << "rank " << rank << " of " << count;
  }
}

}  // namespace mass::testing
