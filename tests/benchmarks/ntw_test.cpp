// Structure of Neuron Time Warp-Multi Thread, beside which the library is measured: the committed
// trajectory must be that of a plain loop on any number of threads.
#include <benchmarks/ntw/engine.hpp>
#include <benchmarks/ntw/reaction.hpp>
#include <benchmarks/ntw/scheduled.hpp>
#include <benchmarks/ntw/sequential.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
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

/// Queue that inserts RB-messages of the second thread late: after their receiver has reported in a
/// round in which the sender has not reported yet. The result of this round is at most the bound of
/// the message, which only the sender knows.
class LateRollbacks : public MultiLevelQueue {
 public:
  explicit LateRollbacks(std::size_t threads) : MultiLevelQueue(threads), reports_(threads) {}

  /// Returns the function that returns the global virtual time.
  static std::function<double()>& globalTime() {
    static std::function<double()> time;
    return time;
  }
  ThreadQueue::Item pop(std::size_t thread, double end, Counters& counters) {
    present() = thread;
    if (thread == 1) {
      EXPECT_LE(globalTime()(), bound_);
      if (reports_[1] >= round_) bound_ = never;
    }
    return MultiLevelQueue::pop(thread, end, counters);
  }
  double leastTime(std::size_t thread) {
    const double least = MultiLevelQueue::leastTime(thread);
    ++reports_[thread];
    return least;
  }
  using MultiLevelQueue::insert;
  void insert(const Rollback& message) {
    const auto receiver = static_cast<std::size_t>(message.channel->owner->thread);
    if (present() == 1 && receiver == 0 && late_ < mostLate) {
      // The first thread begins rounds, in which each thread reports once.
      while (reports_[0] <= reports_[1]) std::this_thread::yield();
      ++late_;
      bound_ = std::min(bound_, message.bound);
      round_ = reports_[1] + 1;
    }
    MultiLevelQueue::insert(message);
  }

 private:
  static constexpr int mostLate = 40;  // late messages take time

  /// Returns the number of the calling thread.
  static std::size_t& present() {
    thread_local std::size_t thread = 0;
    return thread;
  }

  std::vector<std::atomic<int>> reports_;
  // State of the second thread:
  int late_ = 0, round_ = 0;  // late messages, and the number of the report after the last of them
  double bound_ = never;      // least bound of the messages before that report
};

// A global virtual time without the RB-messages on their way would be above their bounds.
TEST(NeuronTimeWarp, TheGlobalVirtualTimeHasRollBacksOnTheirWay) {
  const auto trajectory = reactionsIn(1, 1, 2, 2, 5);
  const Outcome plain = runInOrder(trajectory, 8);
  for (int repeat = 0; repeat < 2 && !HasFailure(); ++repeat) {
    Engine<Reaction, LateRollbacks> engine(trajectory, 2, 0, 16);
    LateRollbacks::globalTime() = [&] { return engine.globalTime(); };
    expectSame(engine.run(8), plain, "late RB-messages");
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

// A thread that has reported sees the begin of the next round at any moment.
TEST(VirtualTime, EndsTheRoundsOfThreadsThatReportAtOnce) {
  constexpr std::size_t count = 4;
  VirtualTime time(count);
  std::vector<std::thread> threads;
  for (std::size_t number = 0; number < count; ++number) {
    threads.emplace_back([&time, number] {
      while (time.rounds() < 500) {
        if (number == 0) time.start();
        if (time.wants(number))
          time.report(number, static_cast<double>(time.rounds()));
        else
          std::this_thread::yield();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(time.now(), 499);
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

/// Moments of the number of molecules C: of all, and of those in a site.
struct Moments {
  std::array<double, 4> of{};  ///< mean and mean square of all, mean and mean square of a site
  std::array<double, 4> errors{};
};

constexpr std::int64_t side = 3, sites = side * side * side;
constexpr std::int32_t each = 3;

/// Returns the exact moments in the equilibrium of A + B <-> C: with n molecules A and B, bound or
/// not, the number c of C has the probability (k / sites)^c / ((n - c)!^2 c!), from detailed
/// balance, and each C is in any site with equal probability.
Moments exactMoments(double k) {
  constexpr int most = 2 * each * sites;
  double all = 0, mean = 0, square = 0;
  for (int c = 0; c <= most; ++c) {
    const double logarithm = c * std::log(k / sites) - 2 * std::lgamma(most - c + 1.0) -
                             std::lgamma(c + 1.0) + 2 * std::lgamma(most + 1.0);
    const double weight = std::exp(logarithm);
    all += weight, mean += c * weight, square += static_cast<double>(c) * c * weight;
  }
  mean /= all, square /= all;
  constexpr double perSite = 1.0 / sites;
  return {{mean, square, mean * perSite, (square - mean) * perSite * perSite + mean * perSite}, {}};
}

/// Returns the moments of a run, with the standard errors from batches of samples.
/// @param advance runs the model for a time in s
/// @param download returns the number of C of each site
Moments momentsOf(const std::function<void(double)>& advance,
                  const std::function<std::vector<std::int32_t>()>& download) {
  constexpr int batches = 20, samples = 15;
  advance(3);  // to the equilibrium
  Moments sums, squares;
  for (int batch = 0; batch < batches; ++batch) {
    std::array<double, 4> means{};
    for (int sample = 0; sample < samples; ++sample) {
      advance(0.5);
      double all = 0, square = 0;
      for (const std::int32_t c : download()) all += c, square += static_cast<double>(c) * c;
      const std::array<double, 4> values{all, all * all, all / sites, square / sites};
      for (std::size_t i = 0; i < means.size(); ++i) means[i] += values[i] / samples;
    }
    for (std::size_t i = 0; i < means.size(); ++i)
      sums.of[i] += means[i] / batches, squares.of[i] += means[i] * means[i] / batches;
  }
  for (std::size_t i = 0; i < sums.of.size(); ++i)
    sums.errors[i] = std::sqrt((squares.of[i] - sums.of[i] * sums.of[i]) / (batches - 1));
  return sums;
}

/// A + B <-> C by rates.
class RateSite : public mass::Place<3> {
 public:
  std::int32_t a = each, b = each, c = each;
  using Attributes = mass::Attributes<&RateSite::a, &RateSite::b, &RateSite::c>;
  double binding(double k) const { return k * a * b; }
  void bind() { --a, --b, ++c; }
  double unbinding() const { return c; }
  void unbind() { ++a, ++b, --c; }
  using Events =
      mass::Events<mass::event<&RateSite::binding, &RateSite::bind>,
                   mass::event<&RateSite::unbinding, &RateSite::unbind>, mass::hop<&RateSite::a>,
                   mass::hop<&RateSite::b>, mass::hop<&RateSite::c>>;
};

mass::Mass massOf(const std::string& engine) {
  mass::Settings settings;
  for (const char* const word : {"backend=cpu", "devices=1", "threads=1"}) settings.set(word);
  settings.set("events.engine=" + engine);
  return mass::Mass{settings};
}

/// Expects moments within four standard errors of the exact ones.
void expectMoments(const Moments& found, const std::string& form) {
  const Moments exact = exactMoments(1.0 / each);
  for (std::size_t i = 0; i < exact.of.size(); ++i) {
    EXPECT_NEAR(found.of[i], exact.of[i], 4 * found.errors[i]) << form << ", moment " << i;
    EXPECT_LT(found.errors[i], 0.03 * exact.of[i]) << form << ", moment " << i;
  }
}

// The next subvolume method as scheduled events, and windows, beside the master equation.
TEST(NextSubvolume, HasTheMomentsOfTheMasterEquationByTimeWarpAndInWindows) {
  {
    mass::Mass mass = massOf("time_warp");
    const auto places = mass.createPlaces<Subvolume>({side, side, side},
                                                     mass::borders<Subvolume>(mass::Border::fixed));
    const auto initial = [](const auto& /*at*/) { return each; };
    places.initialise<&Subvolume::a>(initial);
    places.initialise<&Subvolume::b>(initial);
    places.initialise<&Subvolume::c>(initial);
    places.scheduleAll<&Subvolume::begin>(mass::seconds(0));
    const Reaction reaction{1.0 / each};
    expectMoments(momentsOf([&](double time) { places.runEvents(mass::seconds(time), reaction); },
                            [&] { return places.download<&Subvolume::c>(); }),
                  "time_warp");
  }
  for (const std::string engine : {"windows", "time_warp"}) {
    mass::Mass mass = massOf(engine);
    const auto places = mass.createPlaces<RateSite>({side, side, side},
                                                    mass::borders<RateSite>(mass::Border::fixed));
    places.hopRate<&RateSite::a>(1.0);
    places.hopRate<&RateSite::b>(1.0);
    places.hopRate<&RateSite::c>(1.0);
    expectMoments(momentsOf([&](double time) { places.runEvents(mass::seconds(time), 1.0 / each); },
                            [&] { return places.download<&RateSite::c>(); }),
                  engine + ", rates");
  }
}

}  // namespace
}  // namespace ntw
