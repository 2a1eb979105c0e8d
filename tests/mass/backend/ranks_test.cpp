#include <mass/backend/ranks.hpp>

#include <mass/support/hash.hpp>
#include <tests/support/rank_ring.hpp>
#include <tests/support/thread_ranks.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace mass {
namespace {

using detail::RankError;
using detail::RankExchange;
using detail::RankReceive;
using detail::Ranks;
using detail::RankSend;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Optional;
using testing::runOnThreadRanks;
using testing::simulateRing;
using testing::ThreadRankOptions;
using testing::ThreadRankResult;
using testing::ThreadRanks;
using namespace std::chrono_literals;

std::size_t at(int rank) {
  return static_cast<std::size_t>(rank);
}

/// Returns bytes that depend on the seed.
std::vector<char> bytesOf(std::uint64_t seed, std::size_t size) {
  std::vector<char> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(detail::mix(seed + i));
  return bytes;
}

/// Number of ranks, and longest delay of a message in microseconds.
struct Network {
  int count;
  int delay;
};

class RanksTest : public ::testing::TestWithParam<Network> {
 protected:
  static int count() { return GetParam().count; }
  static void run(const std::function<void(Ranks&)>& work) {
    ThreadRankOptions options;
    options.longestDelay = std::chrono::microseconds(GetParam().delay);
    runOnThreadRanks(count(), work, options);
  }
};

INSTANTIATE_TEST_SUITE_P(Networks, RanksTest,
                         ::testing::Values(Network{1, 0}, Network{2, 0}, Network{3, 0},
                                           Network{4, 0}, Network{5, 0}, Network{6, 0},
                                           Network{2, 500}, Network{3, 2000}, Network{6, 1000}),
                         [](const auto& network) {
                           return fmt::format("{}Within{}us", network.param.count,
                                              network.param.delay);
                         });

TEST_P(RanksTest, AreNumberedInOrder) {
  std::array<std::atomic<int>, 6> calls{};
  run([&](Ranks& ranks) {
    ASSERT_EQ(ranks.count(), count());
    ++calls[at(ranks.number())];
    EXPECT_EQ(ranks.isFirst(), ranks.number() == 0);
    EXPECT_EQ(ranks.countOnHost(), count());
    EXPECT_EQ(ranks.numberOnHost(), ranks.number());
  });
  for (int rank = 0; rank < 6; ++rank) EXPECT_EQ(calls[at(rank)], rank < count() ? 1 : 0);
}

TEST_P(RanksTest, SumsModuloTwoToThe64) {
  run([](Ranks& ranks) {
    const auto n = static_cast<std::uint64_t>(ranks.count());
    EXPECT_EQ(ranks.sum(static_cast<std::uint64_t>(ranks.number()) + 1), n * (n + 1) / 2);
    EXPECT_EQ(ranks.sum(~std::uint64_t{0}), ~n + 1);
  });
}

TEST_P(RanksTest, FindAnyRankWithTrue) {
  run([](Ranks& ranks) {
    EXPECT_FALSE(ranks.any(false));
    EXPECT_TRUE(ranks.any(true));
    for (int rank = 0; rank < ranks.count(); ++rank) EXPECT_TRUE(ranks.any(ranks.number() == rank));
  });
}

TEST_P(RanksTest, BroadcastFromEveryRoot) {
  run([](Ranks& ranks) {
    for (int root = 0; root < ranks.count(); ++root) {
      EXPECT_EQ(ranks.broadcast(ranks.number() * 10 + 1, root), root * 10 + 1);
      const std::string text(static_cast<std::size_t>(ranks.number() * 5000), 'x');
      EXPECT_EQ(ranks.broadcast(text, root).size(), at(root * 5000));
      for (const std::size_t size : {0UL, 1UL, 4096UL, 4097UL, 300'000UL}) {
        auto data = bytesOf(at(ranks.number()), size);
        ranks.broadcast(data.data(), size, root);
        EXPECT_EQ(data, bytesOf(at(root), size));
      }
    }
  });
}

TEST_P(RanksTest, GatherTextsByRank) {
  run([](Ranks& ranks) {
    const auto texts = ranks.allGather(std::string(at(ranks.number() % 3) * 3000, 'a'));
    ASSERT_EQ(texts.size(), at(ranks.count()));
    for (int rank = 0; rank < ranks.count(); ++rank)
      EXPECT_EQ(texts[at(rank)], std::string(at(rank % 3) * 3000, 'a'));
  });
}

/// Parts of an array, some of them empty, and the whole of it.
struct Parts {
  std::vector<std::size_t> offsets{0};
  std::vector<char> whole;

  explicit Parts(const Ranks& ranks, std::size_t unit) {
    for (int rank = 0; rank < ranks.count(); ++rank)
      offsets.push_back(offsets.back() + at(rank % 3) * unit);
    whole = bytesOf(7, offsets.back());
  }
  /// Returns the array with the part of one rank only.
  std::vector<char> partOf(int rank) const {
    std::vector<char> data(whole.size());
    for (std::size_t i = offsets[at(rank)]; i < offsets[at(rank) + 1]; ++i) data[i] = whole[i];
    return data;
  }
};

TEST_P(RanksTest, GatherTheirPartsOfAnArray) {
  run([](Ranks& ranks) {
    for (const std::size_t unit : {0UL, 1UL, 3000UL, 100'000UL}) {
      const Parts parts(ranks, unit);
      auto everywhere = parts.partOf(ranks.number());
      ranks.allGatherInPlace(everywhere.data(), parts.offsets);
      EXPECT_EQ(everywhere, parts.whole);

      auto inPlace = parts.partOf(ranks.number());
      ranks.gatherToFirst(inPlace.data(), parts.offsets);
      EXPECT_EQ(inPlace, ranks.isFirst() ? parts.whole : parts.partOf(ranks.number()));

      const auto* const own = parts.whole.data() + parts.offsets[at(ranks.number())];
      std::vector<char> all(ranks.isFirst() ? parts.whole.size() : 0);
      ranks.gatherToFirst(own, all.data(), parts.offsets);
      EXPECT_EQ(all, ranks.isFirst() ? parts.whole : std::vector<char>{});
    }
  });
}

TEST_P(RanksTest, ReceiveTheirPartsOfAnArrayOfTheFirst) {
  run([](Ranks& ranks) {
    for (const std::size_t unit : {0UL, 1UL, 3000UL, 100'000UL}) {
      const Parts parts(ranks, unit);
      const std::size_t begin = parts.offsets[at(ranks.number())];
      std::vector<char> own(parts.offsets[at(ranks.number()) + 1] - begin);
      ranks.scatterFromFirst(ranks.isFirst() ? parts.whole.data() : nullptr, own.data(),
                             parts.offsets);
      EXPECT_TRUE(std::equal(own.begin(), own.end(), parts.whole.begin() + std::ptrdiff_t(begin)));

      auto inPlace = ranks.isFirst() ? parts.whole : std::vector<char>(parts.whole.size());
      ranks.scatterFromFirst(inPlace.data(), inPlace.data() + begin, parts.offsets);
      EXPECT_EQ(inPlace, ranks.isFirst() ? parts.whole : parts.partOf(ranks.number()));
    }
  });
}

TEST_P(RanksTest, HandAValueFromRankToRank) {
  run([](Ranks& ranks) {
    // Neither commutative nor associative.
    double value = 1;
    ranks.chain(&value, sizeof(value), [&] { value = value / 3 + ranks.number(); });
    double expected = 1;
    for (int rank = 0; rank < ranks.count(); ++rank) expected = expected / 3 + rank;
    EXPECT_EQ(value, expected);
  });
}

/// Messages of a rank to all others, of sizes that depend on both.
struct AllToAll {
  std::vector<std::vector<char>> sent, received;
  std::vector<RankSend> sends;
  std::vector<RankReceive> receives;

  AllToAll(const Ranks& ranks, std::size_t most) {
    for (int other = 0; other < ranks.count(); ++other) {
      for (int part = 0; part < 2 && other != ranks.number(); ++part) {
        sent.push_back(
            bytesOf(seed(ranks.number(), other, part), size(ranks.number(), other, most)));
        sends.push_back({other, sent.back().data(), sent.back().size()});
        received.emplace_back(size(other, ranks.number(), most));
        receives.push_back({other, received.back().data(), received.back().size()});
        expected.push_back(bytesOf(seed(other, ranks.number(), part), received.back().size()));
      }
    }
  }
  static std::uint64_t seed(int from, int to, int part) {
    return static_cast<std::uint64_t>(((from * 100) + to) * 100 + part) << 32;
  }
  static std::size_t size(int from, int to, std::size_t most) {
    return from == 0 && to == 1 ? 0 : most / at(from + 1);
  }
  std::vector<std::vector<char>> expected;
};

TEST_P(RanksTest, ExchangeMessagesInTheOrderOfTheLists) {
  run([](Ranks& ranks) {
    for (const std::size_t most : {0UL, 1UL, 4096UL, 50'000UL}) {
      AllToAll once(ranks, most);
      ranks.exchange(once.receives, once.sends);
      EXPECT_EQ(once.received, once.expected);
    }
  });
}

TEST_P(RanksTest, RepeatPreparedExchangesBesideOtherCalls) {
  run([](Ranks& ranks) {
    AllToAll first(ranks, 6000), second(ranks, 30);
    RankExchange one(ranks, first.receives, first.sends);
    RankExchange other(ranks, second.receives, second.sends);
    for (int round = 0; round < 20; ++round) {
      for (auto& bytes : first.received) std::fill(bytes.begin(), bytes.end(), '\0');
      for (auto& bytes : second.received) std::fill(bytes.begin(), bytes.end(), '\0');
      one.start();
      other.start();
      EXPECT_EQ(ranks.sum(1), static_cast<std::uint64_t>(ranks.count()));
      other.finish();
      EXPECT_EQ(second.received, second.expected);
      if (round % 2 == 0) {
        one.finish();
      } else {
        while (!one.tryFinish()) std::this_thread::yield();
      }
      EXPECT_EQ(first.received, first.expected);
    }
  });
}

TEST_P(RanksTest, PassABarrierTogether) {
  std::atomic<int> arrived = 0;
  run([&](Ranks& ranks) {
    for (int round = 1; round <= 20; ++round) {
      ++arrived;
      ranks.barrier();
      EXPECT_GE(arrived, round * ranks.count());
      ranks.barrier();
    }
  });
}

TEST(Ranks, DivideLargeMessages) {
  constexpr std::size_t size = (std::size_t{130} << 20) + 1;
  runOnThreadRanks(2, [](Ranks& ranks) {
    const int other = 1 - ranks.number();
    std::vector<char> sent(size, static_cast<char>(ranks.number() + 1)), received(size);
    sent.back() = 'x';
    ranks.exchange(std::array{RankReceive{other, received.data(), size}},
                   std::array{RankSend{other, sent.data(), size}});
    EXPECT_EQ(received.front(), static_cast<char>(other + 1));
    EXPECT_EQ(received[size / 2], static_cast<char>(other + 1));
    EXPECT_EQ(received.back(), 'x');
  });
}

TEST(Ranks, AreCountedByHost) {
  ThreadRankOptions options;
  options.hosts = {"a", "b", "a", "a"};
  runOnThreadRanks(
      4,
      [](Ranks& ranks) {
        EXPECT_EQ(ranks.host(1), "b");
        EXPECT_EQ(ranks.countOnHost(), ranks.number() == 1 ? 1 : 3);
        EXPECT_EQ(ranks.numberOnHost(), (std::array{0, 0, 1, 2})[at(ranks.number())]);
      },
      options);
}

TEST(Ranks, AloneNeedNoLink) {
  Ranks ranks;
  EXPECT_EQ(ranks.count(), 1);
  EXPECT_TRUE(ranks.isFirst());
  EXPECT_EQ(ranks.host(0), "");
  EXPECT_EQ(ranks.sum(5), 5U);
  EXPECT_EQ(ranks.broadcast(std::string("text")), "text");
  EXPECT_EQ(ranks.allGather("text"), std::vector<std::string>{"text"});
  RankExchange nothing(ranks, {}, {});
  nothing.start();
  nothing.finish();
  EXPECT_TRUE(nothing.tryFinish());
  ranks.setStep(1);
  EXPECT_THAT(ranks.fail("text"), Optional(std::string("text")));
  ranks.disconnect(2);
}

TEST(Ranks, TryToFinishWithoutWaiting) {
  std::atomic<bool> hasTried = false;
  runOnThreadRanks(2, [&](Ranks& ranks) {
    int value = -1;
    const int own = 7;
    if (ranks.isFirst()) {
      RankExchange exchange(ranks, std::array{RankReceive{1, &value, sizeof(value)}}, {});
      exchange.start();
      EXPECT_FALSE(exchange.tryFinish());
      hasTried = true;
      while (!exchange.tryFinish()) std::this_thread::yield();
      EXPECT_EQ(value, 7);
    } else {
      RankExchange exchange(ranks, {}, std::array{RankSend{0, &own, sizeof(own)}});
      while (!hasTried) std::this_thread::yield();
      exchange.start();
      while (!exchange.tryFinish()) std::this_thread::yield();
    }
  });
}

TEST(Ranks, TryToFinishFindsFailedAndSilentRanks) {
  for (const bool fails : {true, false}) {
    ThreadRankOptions options;
    options.timeout = 1;
    ThreadRanks ranks(2, options);
    const auto ends = ranks.run([&](Ranks& rank) {
      if (!rank.isFirst() && fails) throw UsageError("this rank has failed");
      if (!rank.isFirst()) ranks.stop(1);
      char byte = 0;
      RankExchange exchange(rank, std::array{RankReceive{1 - rank.number(), &byte, 1}}, {});
      exchange.start();
      while (!exchange.tryFinish()) std::this_thread::yield();
    });
    EXPECT_NE(ends[0].exitCode, 0);
  }
}

TEST(Ranks, RefuseWrongArguments) {
  EXPECT_THROW(Ranks().setTimeout(0), UsageError);
  runOnThreadRanks(2, [](Ranks& ranks) {
    EXPECT_THROW(ranks.setTimeout(-1), UsageError);
    for (const int rank : {-1, 2, ranks.number()}) {
      char byte = 0;
      EXPECT_THROW(ranks.exchange({}, std::array{RankSend{rank, &byte, 1}}), UsageError);
      EXPECT_THROW(ranks.exchange(std::array{RankReceive{rank, &byte, 1}}, {}), UsageError);
    }
  });
}

/// Network of four ranks on hosts a to d.
ThreadRankOptions fourHosts(double timeout = 60) {
  ThreadRankOptions options;
  options.hosts = {"a", "b", "c", "d"};
  options.timeout = timeout;
  return options;
}

/// Timeout in seconds for tests of silent ranks, and the longest time of a run on a busy machine.
constexpr double shortTimeout = 2;
constexpr double longestRun = 30;

/// Expects that every rank ends with code 2, long before the default timeout, and that one of them
/// prints.
void expectOneMessage(const std::vector<ThreadRankResult>& results,
                      const ::testing::Matcher<std::string>& message, std::size_t printing = 0) {
  for (std::size_t rank = 0; rank < results.size(); ++rank) {
    const ThreadRankResult& result = results[rank];
    if (result.isStopped) continue;
    EXPECT_EQ(result.exitCode, 2) << rank;
    EXPECT_LT(result.seconds, longestRun) << rank;
    if (rank == printing)
      EXPECT_THAT(result.printed, Optional(message)) << rank;
    else
      EXPECT_EQ(result.printed, std::nullopt) << rank;
  }
}

class RankFailureTest : public ::testing::TestWithParam<std::tuple<int, int>> {};

/// Failing rank, and bytes of a message: below and above the size that is sent at once.
INSTANTIATE_TEST_SUITE_P(Ranks, RankFailureTest,
                         ::testing::Combine(::testing::Values(0, 1, 2, 3),
                                            ::testing::Values(8, 100'000)));

TEST_P(RankFailureTest, EndsAllRanksWithOneMessage) {
  const int failing = std::get<0>(GetParam()), bytes = std::get<1>(GetParam());
  const auto results = ThreadRanks(4, fourHosts()).run([&](Ranks& ranks) {
    simulateRing(ranks, at(bytes), [&](int step) {
      if (step == 25 && ranks.number() == failing) throw DeviceError("out of memory");
    });
  });
  const std::string message =
      fmt::format("rank {} on host {}: out of memory", failing, "abcd"[failing]);
  expectOneMessage(results, message);
  for (int rank = 0; rank < 4; ++rank)
    EXPECT_EQ(results[at(rank)].error, rank == failing ? "out of memory" : message);
}

TEST_P(RankFailureTest, IsPrintedByItselfIfTheFirstRankIsBusy) {
  const int failing = std::get<0>(GetParam()), bytes = std::get<1>(GetParam());
  if (failing == 0) return;
  const auto results = ThreadRanks(4, fourHosts()).run([&](Ranks& ranks) {
    simulateRing(ranks, at(bytes), [&](int step) {
      if (step != 5) return;
      if (ranks.number() == failing) throw DeviceError("out of memory");
      if (ranks.isFirst()) std::this_thread::sleep_for(3s);
    });
  });
  expectOneMessage(results,
                   fmt::format("rank {} on host {}: out of memory", failing, "abcd"[failing]),
                   at(failing));
}

TEST(RankFailure, OfAllRanksIsPrintedOnceWithoutARank) {
  const auto results = ThreadRanks(4, fourHosts()).run([](Ranks& ranks) {
    std::this_thread::sleep_for(std::chrono::milliseconds(30 * ranks.number()));
    static_cast<void>(ranks.sum(1));
    if (ranks.isFirst()) std::this_thread::sleep_for(100ms);
    throw UsageError("a rule writes too far");
  });
  expectOneMessage(results, std::string("a rule writes too far"));
}

TEST(RankFailure, OfSomeRanksIsThatOfTheFirstOfThem) {
  const auto results = ThreadRanks(4, fourHosts()).run([](Ranks& ranks) {
    if (ranks.number() == 1 || ranks.number() == 3)
      throw DeviceError("out of memory on {}", ranks.number());
    ranks.barrier();
  });
  expectOneMessage(results, std::string("rank 1 on host b: out of memory on 1"));
}

TEST(RankFailure, AtTheEndOfOneRankEndsAll) {
  const auto results = ThreadRanks(3).run([](Ranks& ranks) {
    if (ranks.number() == 2) throw OutputError("disk full");
  });
  expectOneMessage(results, std::string("rank 2 on host host: disk full"));
}

TEST(RankFailure, OfALongTextIsShortened) {
  const auto results = ThreadRanks(2).run([](Ranks& ranks) {
    if (ranks.number() == 1) throw UsageError(std::string(100'000, 'x'));
  });
  expectOneMessage(results, AllOf(HasSubstr("rank 1 on host host: xxx"), HasSubstr("x...")));
}

TEST(RankFailure, OfAMessageOfWrongSizeNamesTheSender) {
  const auto results = ThreadRanks(2, fourHosts()).run([](Ranks& ranks) {
    std::array<char, 8> data{};
    ranks.setStep(3);
    if (ranks.isFirst())
      ranks.exchange({}, std::array{RankSend{1, data.data(), 8}});
    else
      ranks.exchange(std::array{RankReceive{0, data.data(), 4}}, {});
  });
  expectOneMessage(results,
                   std::string("messages to or from rank 0 on host a are lost (step 3): 8 bytes "
                               "instead of 4"));
}

class SilentRankTest : public ::testing::TestWithParam<std::tuple<int, int>> {};

/// Silent rank, and bytes of a message.
INSTANTIATE_TEST_SUITE_P(Ranks, SilentRankTest,
                         ::testing::Values(std::tuple(0, 8), std::tuple(0, 100'000),
                                           std::tuple(1, 100'000), std::tuple(3, 8)));

/// Returns the beginning of the message on a silent rank.
std::string silenceOf(int rank) {
  return fmt::format("rank {} on host {} has not answered for 2 s (step", rank, "abcd"[rank]);
}

TEST_P(SilentRankTest, IsNamedIfItIsStopped) {
  const int silent = std::get<0>(GetParam()), bytes = std::get<1>(GetParam());
  ThreadRanks threads(4, fourHosts(shortTimeout));
  const auto results = threads.run([&](Ranks& ranks) {
    simulateRing(ranks, at(bytes), [&](int step) {
      if (step == 15 && ranks.number() == silent) threads.stop(silent);
    });
  });
  EXPECT_TRUE(results[at(silent)].isStopped);
  expectOneMessage(results, HasSubstr(silenceOf(silent)), silent == 0 ? 1 : 0);
}

TEST_P(SilentRankTest, IsNamedIfItsNetworkIsCutAndEndsItself) {
  const int silent = std::get<0>(GetParam()), bytes = std::get<1>(GetParam());
  ThreadRanks threads(4, fourHosts(shortTimeout));
  auto results = threads.run([&](Ranks& ranks) {
    simulateRing(ranks, at(bytes), [&](int step) {
      if (step == 15 && ranks.number() == silent) threads.cut(silent);
    });
  });
  ThreadRankResult& cutOff = results[at(silent)];
  EXPECT_EQ(cutOff.exitCode, 2);
  EXPECT_THAT(cutOff.printed, Optional(HasSubstr("has not answered for 2 s (step")));
  cutOff.isStopped = true;  // not one of the others
  expectOneMessage(results, HasSubstr(silenceOf(silent)), silent == 0 ? 1 : 0);
}

TEST(SilentRank, IsNamedByRanksThatWaitForOthers) {
  ThreadRanks threads(4, fourHosts(shortTimeout));
  const auto results = threads.run([&](Ranks& ranks) {
    ranks.setStep(1);
    ranks.barrier();
    if (ranks.number() == 3) threads.stop(3);
    // Ranks 0 and 1 reach the timeout before rank 2.
    if (ranks.number() == 2) std::this_thread::sleep_for(500ms);
    int value = 0;
    const int awaited = (ranks.number() + 1) % 4;
    ranks.exchange(std::array{RankReceive{awaited, &value, sizeof(value)}}, {});
  });
  expectOneMessage(results, HasSubstr("rank 3 on host d has not answered for 2 s (step 1)"));
}

TEST(SilentRank, IsNotOneThatSendsSlowly) {
  runOnThreadRanks(
      3,
      [](Ranks& ranks) {
        for (int step = 0; step < 3; ++step) {
          if (ranks.number() == step) std::this_thread::sleep_for(800ms);
          ranks.barrier();
        }
      },
      fourHosts(shortTimeout));
}

TEST(SilentRank, IsNotOneThatWorksForLongerThanTheTimeout) {
  for (const int busy : {0, 2}) {
    runOnThreadRanks(
        3,
        [&](Ranks& ranks) {
          // Rank 1 waits for rank 0, and so for rank 2 too.
          if (ranks.number() == busy) std::this_thread::sleep_for(2s);
          ranks.barrier();
        },
        fourHosts(0.5));
  }
}

TEST(SilentRank, IsNamedWhileAnotherOneWorks) {
  ThreadRanks threads(4, fourHosts(1));
  const auto results = threads.run([&](Ranks& ranks) {
    ranks.setStep(1);
    ranks.barrier();
    if (ranks.number() == 3) threads.stop(3);
    if (ranks.number() == 2) std::this_thread::sleep_for(4s);
    std::array<int, 2> values{};
    if (ranks.isFirst())
      ranks.exchange(std::array{RankReceive{2, &values[0], 4}, RankReceive{3, &values[1], 4}}, {});
    else
      ranks.exchange({}, std::array{RankSend{0, &values[0], 4}});
  });
  EXPECT_THAT(results[0].printed,
              Optional(HasSubstr("rank 3 on host d has not answered for 1 s (step 1)")));
  EXPECT_LT(results[0].seconds, 4);
}

TEST(SilentRank, IsFoundWhereAllRanksWaitForEachOther) {
  const auto results = ThreadRanks(2, fourHosts(shortTimeout)).run([](Ranks& ranks) {
    int value = 0;
    ranks.exchange(std::array{RankReceive{1 - ranks.number(), &value, sizeof(value)}}, {});
  });
  expectOneMessage(results, HasSubstr("answers, but has sent no message for 2 s"));
}

TEST(SilentRank, IsFoundAtTheStart) {
  for (const int silent : {0, 2}) {
    ThreadRanks threads(3, fourHosts(shortTimeout));
    threads.stop(silent);
    const auto results = threads.run([](Ranks&) {});
    expectOneMessage(results, HasSubstr(fmt::format("rank {} has not answered for 2 s", silent)),
                     silent == 0 ? 1 : 0);
  }
}

}  // namespace
}  // namespace mass
