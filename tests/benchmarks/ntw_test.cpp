// Structure of Neuron Time Warp-Multi Thread, beside which the library is measured: the committed
// trajectory must be that of a plain loop on any number of threads.
#include <benchmarks/ntw/engine.hpp>
#include <benchmarks/ntw/reaction.hpp>
#include <benchmarks/ntw/sequential.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
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
