// Structure of Neuron Time Warp-Multi Thread, beside which the library is measured: the committed
// trajectory must be that of a plain loop on any number of threads.
#include <benchmarks/ntw/engine.hpp>
#include <benchmarks/ntw/reaction.hpp>
#include <benchmarks/ntw/sequential.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace ntw {
namespace {

Trajectory<Reaction> reactionsIn(std::int32_t depth, std::int32_t height, std::int32_t width,
                                 std::int32_t each, std::uint64_t seed) {
  Network network = boxOf(depth, height, width);
  std::vector<Reaction::State> initial(network.size(), {each, each, each});
  initial.front() = {3 * each, 0, 5 * each};  // no equilibrium
  initial.back() = {};
  return {{0.5}, std::move(network), initial, seed};
}

template <class Queue>
Outcome outcomeOf(const Trajectory<Reaction>& trajectory, std::size_t threads, std::int64_t ahead,
                  double end) {
  return Engine<Reaction, Queue>(trajectory, threads, ahead).run(end);
}

void expectSame(const Outcome& outcome, const Outcome& plain, const std::string& form) {
  EXPECT_EQ(outcome.events, plain.events) << form;
  EXPECT_EQ(outcome.hash, plain.hash) << form;
  EXPECT_GT(outcome.counters.executed - outcome.counters.undone, plain.events) << form;
  EXPECT_EQ(outcome.counters.beforeGlobal, 0) << form;
}

TEST(NeuronTimeWarp, HasTheTrajectoryOfAPlainLoop) {
  std::int64_t stragglers = 0, friendly = 0, aggressive = 0;
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    const auto trajectory = reactionsIn(3, 2, 3 + static_cast<std::int32_t>(seed), 1, seed);
    const Outcome plain = runInOrder(trajectory, 2);
    for (const std::size_t threads : {1U, 2U, 3U, 7U}) {
      for (const std::int64_t ahead : {0, 100}) {
        const std::string form =
            std::to_string(threads) + " threads, " + std::to_string(ahead) + " ahead";
        const Outcome multi = outcomeOf<MultiLevelQueue>(trajectory, threads, ahead, 2);
        expectSame(multi, plain, form + ", multi-level queue");
        expectSame(outcomeOf<SingleQueue>(trajectory, threads, ahead, 2), plain,
                   form + ", single queue");
        stragglers += multi.counters.stragglers;
        friendly += multi.counters.friendly, aggressive += multi.counters.aggressive;
      }
    }
  }
  EXPECT_GT(stragglers, 0);
  EXPECT_GT(friendly, 0);
  EXPECT_GT(aggressive, 0);
}

/// Queue whose threads wait after they have decided not to report, before they take an event.
struct WaitingQueue : MultiLevelQueue {
  using MultiLevelQueue::MultiLevelQueue;
  ThreadQueue::Item pop(std::size_t thread, double end, Counters& counters) {
    if (thread != 0) std::this_thread::yield();
    return MultiLevelQueue::pop(thread, end, counters);
  }
};

// Rounds without a pause meet messages on their way, which a wrong global virtual time leaves out.
TEST(NeuronTimeWarp, ExecutesNothingBeforeTheGlobalVirtualTime) {
  const auto trajectory = reactionsIn(2, 2, 4, 1, 7);
  const Outcome plain = runInOrder(trajectory, 1);
  for (int repeat = 0; repeat < 8 && !HasFailure(); ++repeat) {
    Engine<Reaction, WaitingQueue> engine(trajectory, 4, 0, 1);
    expectSame(engine.run(1), plain, "rounds without a pause");
  }
}

TEST(NeuronTimeWarp, RunsSitesWithoutNeighbours) {
  const auto trajectory = reactionsIn(1, 1, 1, 5, 1);
  const Outcome plain = runInOrder(trajectory, 2);
  EXPECT_EQ(outcomeOf<MultiLevelQueue>(trajectory, 1, 0, 2).hash, plain.hash);
  EXPECT_EQ(outcomeOf<SingleQueue>(trajectory, 1, 0, 2).hash, plain.hash);
}

TEST(NeuronTimeWarp, OneThreadNeverRollsBack) {
  const auto trajectory = reactionsIn(2, 3, 4, 2, 3);
  const Counters counters = outcomeOf<MultiLevelQueue>(trajectory, 1, 0, 1).counters;
  EXPECT_EQ(counters.undone + counters.stragglers + counters.friendly + counters.aggressive, 0);
}

TEST(VirtualTime, IsTheLeastOfReportsAndOfMessagesInTheRound) {
  VirtualTime time(3);
  EXPECT_FALSE(time.wants(0));
  time.sent(1, 0.5);  // between rounds: in the queue of its receiver, which has not reported
  time.start();
  time.report(1, 6);
  time.sent(1, 4);  // after the report of the sender, perhaps after that of the receiver
  EXPECT_FALSE(time.wants(1));
  EXPECT_TRUE(time.wants(2));
  time.report(0, 5);
  time.start();  // a round is under way
  EXPECT_EQ(time.rounds(), 0);
  EXPECT_LT(time.now(), 0);
  time.report(2, 7);
  EXPECT_EQ(time.now(), 4);
  EXPECT_EQ(time.rounds(), 1);
  time.start();
  for (const std::size_t thread : {2U, 0U, 1U})
    time.report(thread, 9 - static_cast<double>(thread));
  EXPECT_EQ(time.now(), 7);  // without those of the round before
}

TEST(VirtualTime, HasTheTimesOfRollBackMessages) {
  Event event;
  Process process;
  event.process = &process;
  event.key.time = 3;
  ThreadQueue queue;
  queue.insert(&event);
  EXPECT_EQ(queue.leastTime(), 3);
  queue.insert(Rollback{nullptr, 1, 2, 0});
  EXPECT_EQ(queue.leastTime(), 2);
}

TEST(EventQueue, IsSorted) {
  std::vector<Event> events(50);
  EventQueue queue;
  for (std::size_t i = 0; i < events.size(); ++i) {
    events[i].key.time = static_cast<double>(i * 17 % 50);
    queue.insert(&events[i]);
  }
  queue.erase(&events[7]);
  queue.removeIf([](const Event& event) { return event.key.time < 10; }, [](const Event*) {});
  double last = 9;
  for (; !queue.empty(); queue.popFront()) {
    EXPECT_GT(queue.front()->key.time, last);
    last = queue.front()->key.time;
  }
  EXPECT_EQ(last, 49);
}

}  // namespace
}  // namespace ntw
