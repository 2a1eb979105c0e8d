#include <mass/dispatch/schedule/block_map.hpp>
#include <mass/dispatch/schedule/event_queue.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <tuple>
#include <vector>

namespace {

using mass::detail::EventPool;
using mass::detail::EventQueue;
using mass::detail::EventState;
using mass::detail::ScheduledEvent;

/// Returns a number from 0 to `bound` - 1.
std::uint32_t below(std::mt19937& random, std::uint32_t bound) {
  return static_cast<std::uint32_t>(random()) % bound;
}

using Key = std::tuple<double, std::uint32_t, std::uint32_t>;  // time, place, number

/// Pending events in a queue, and in a sorted set.
class Pending {
 public:
  std::uint32_t push(double time, std::uint32_t place) {
    const Event scheduled{{.time = time, .place = place, .origin = place, .number = number_}, {}};
    const std::uint32_t event = pool_.take(scheduled.event);
    queue_.push(event);
    expected_.insert({time, place, number_++});
    return event;
  }
  void cancel(std::uint32_t event) {
    const ScheduledEvent& cancelled = pool_[event];
    expected_.erase({cancelled.time, cancelled.place, cancelled.number});
    pool_.setState(event, EventState::cancelled);
  }
  /// Removes the first event, compares it, and returns its time.
  double pop() {
    const std::uint32_t event = queue_.first();
    const ScheduledEvent first = pool_[event];
    EXPECT_EQ((Key{first.time, first.place, first.number}), *expected_.begin());
    expected_.erase(expected_.begin());
    queue_.removeFirst();
    pool_.free(event);
    return first.time;
  }
  std::size_t size() const { return expected_.size(); }
  std::size_t bytes() const { return queue_.bytes(); }
  bool isEmpty() { return queue_.first() == ScheduledEvent::none; }

 private:
  struct Event {
    ScheduledEvent event;
    std::uint64_t values[2];
  };
  EventPool pool_{sizeof(Event)};
  EventQueue queue_{pool_};
  std::set<Key> expected_;
  std::uint32_t number_ = 0;
};

/// Holds `size` events; each one that happens schedules another after `delay(random)`.
template <class Delay>
void expectOrder(std::size_t size, int steps, Delay&& delay) {
  std::mt19937 random(7);
  Pending pending;
  for (std::size_t i = 0; i < size; ++i) pending.push(delay(random), below(random, 50));
  for (int step = 0; step < steps; ++step) {
    const double now = pending.pop();
    const std::uint32_t event = pending.push(now + delay(random), below(random, 50));
    if (below(random, 16) == 0) {
      pending.cancel(event);
      pending.push(now, below(random, 50));
    }
  }
  while (pending.size() > 0) pending.pop();
  EXPECT_TRUE(pending.isEmpty());
}

TEST(EventQueue, HasTheOrderOfASortedSet) {
  std::exponential_distribution<double> exponential(1);
  for (const std::size_t size : {1U, 2U, 33U, 5000U}) {
    expectOrder(size, 20'000, [&](std::mt19937& random) { return exponential(random); });
    expectOrder(size, 20'000, [](std::mt19937& random) { return below(random, 4) * 0.5; });
    expectOrder(size, 20'000,
                [](std::mt19937& random) { return below(random, 64) == 0 ? 1e9 : 1e-9; });
  }
}

TEST(EventQueue, MayBecomeEmpty) {
  Pending pending;
  EXPECT_TRUE(pending.isEmpty());
  for (const double time : {3.0, 1.0, 0.0}) {
    pending.push(time, 0);
    pending.push(time + 1, 0);
    pending.pop();
    pending.pop();
    EXPECT_TRUE(pending.isEmpty());
  }
}

// Half of the events of a period happen at one moment, which falls into another bucket each time.
TEST(EventQueue, KeepsNoMemoryOfTheFullestBuckets) {
  constexpr std::size_t size = 10'000;
  std::mt19937 random(3);
  Pending pending;
  const auto after = [&](double time) {
    const double period = std::floor(time) + 1;
    const double moment = std::fmod(0.618034 * period, 1);
    return period + (below(random, 2) == 0 ? moment : below(random, 1000) * 0.001);
  };
  for (std::size_t i = 0; i < size; ++i) pending.push(after(0), 0);
  for (std::size_t step = 0; step < 100 * size; ++step) pending.push(after(pending.pop()), 0);
  // An entry has 16 bytes, and each of 312 buckets keeps up to 256.
  EXPECT_LT(pending.bytes(), 16 * (4 * size + 400 * 256) + 100'000);
}

TEST(BlockMap, DividesTheWorkOfEachRankAnew) {
  mass::detail::BlockMap map(1 << 12, std::vector<std::size_t>{2, 3}, 1);
  const auto before = map.firstBlocks;
  std::vector<double> work(map.blocks, 1.0);
  EXPECT_FALSE(map.balance(work));
  for (std::uint32_t block = 0; block < before[1]; ++block) work[block] = 4;
  EXPECT_TRUE(map.balance(work));
  EXPECT_LT(map.firstBlocks[1], before[1]);
  for (const std::size_t worker : {0U, 2U, 3U, 4U, 5U})  // other ranks are as before
    EXPECT_EQ(map.firstBlocks[worker], before[worker]);
  double first = 0, second = 0;
  for (std::uint32_t block = 0; block < before[2]; ++block)
    (map.workerOf[block] == 0 ? first : second) += work[block];
  EXPECT_NEAR(first, second, 4);
  EXPECT_FALSE(map.balance(work));
}

}  // namespace
