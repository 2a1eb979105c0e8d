// Calls of Mass, Places and Agents on ranks: partition, errors, requests and checkpoints.
// random_worlds_test.cpp compares random models; tests of rules compare theirs on ranks too.

#include "../../support/mass_on_ranks.hpp"
#include "../../support/temporary_folder.hpp"

#include <mass/backend/rank_link.hpp>
#include <mass/mass.hpp>
#include <mass/support/hash.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using mass::Mass;
using mass::detail::mix;
using mass::detail::Ranks;
using mass::testing::contains;
using mass::testing::expectSameOnRanks;
using mass::testing::makeMass;
using mass::testing::messageOf;
using mass::testing::onRanks;
using mass::testing::RankSetup;
using mass::testing::Record;
using mass::testing::TemporaryFolder;
using mass::testing::ThreadRankResult;
using mass::testing::ThreadRanks;
using mass::testing::usualRanks;
using Rows = std::vector<std::int64_t>;

class Plot : public mass::Place<2> {
 public:
  std::uint64_t value = 1;
  double level = 0.5;
  std::int32_t soil = 2;
  using Attributes = mass::Attributes<&Plot::value, &Plot::level, mass::constant<&Plot::soil>>;

  MASS_FN void spread(const mass::Neighborhood<Plot>& near) {
    for (const auto offset : mass::moore<2>) value = mix(value ^ near(offset).value);
    level = 0.5 * (near(-1, 0).level + near(1, 0).level) + 0.01 * near(0, 1).soil;
    value += near.random().below(100);
  }
  MASS_FN void failAt(const mass::Neighborhood<Plot>& near, std::int64_t place) {
    value += near(1, 0).value;
#if !defined(__CUDA_ARCH__)
    if (near.index() == place) throw std::runtime_error("a bad place");
#endif
  }
};

class Rabbit : public mass::Agent<Plot> {
 public:
  static constexpr std::int64_t capacity = 3;
  static constexpr int travel = 2, reach = 1, offspring = 1;
  std::uint64_t soul = 1;
  using Attributes = mass::Attributes<&Rabbit::soul>;

  MASS_FN void act(const mass::Neighbors<Rabbit>& near, mass::Intent<Rabbit>& intent) {
    auto random = intent.random();
    for (const Rabbit other : near(0, 1)) soul = mix(soul ^ other.soul);
    intent.move({static_cast<int>(random.below(5)) - 2, static_cast<int>(random.below(5)) - 2});
    if (random.below(4) == 0) intent.spawn(Rabbit{});
    if (random.below(4) == 0) intent.kill();
  }
  MASS_FN void moveOne(mass::Intent<Rabbit>& intent, std::uint64_t id) {
    if (intent.id() == id) intent.move({1, 0});
  }
};

/// Model of these tests: a world of 12 x 5 places with rabbits.
struct Meadow {
  mass::Places<Plot> plots;
  mass::Agents<Rabbit> rabbits;

  explicit Meadow(Mass& mass)
      : plots(mass.createPlaces<Plot>({12, 5})),
        rabbits(mass.createAgents<Rabbit>(plots, 40, "rabbits")) {
    plots.initialise<&Plot::soil>([](const auto& at) { return at[0] * 10 + at[1]; });
  }
  void advance(int steps) const {
    for (int step = 0; step < steps; ++step) {
      plots.callAll<&Plot::spread>(mass::steps(2));
      rabbits.callAll<&Rabbit::act>(rabbits);
      rabbits.manageAll();
    }
  }
};

/// Runs `work` on ranks of which some fail. @return the end of each rank
std::vector<ThreadRankResult> resultsOf(const RankSetup& setup,
                                        const std::function<void(Mass&)>& work) {
  return ThreadRanks(static_cast<int>(setup.devices.size()), setup.network).run([&](Ranks& ranks) {
    Mass mass = makeMass(ranks, setup);
    work(mass);
  });
}

/// Expects that all ranks end with the same message, which rank 0 prints without the name of a
/// rank.
void expectSharedError(const std::vector<ThreadRankResult>& results, const std::string& part) {
  for (const ThreadRankResult& result : results) {
    EXPECT_EQ(result.exitCode, 2);
    EXPECT_TRUE(contains(result.error, part));
    EXPECT_EQ(result.error, results[0].error);
  }
  EXPECT_EQ(results[0].printed, results[0].error);
  for (std::size_t rank = 1; rank < results.size(); ++rank)
    EXPECT_EQ(results[rank].printed, std::nullopt);
}

/// Expects that one rank ends with an error, the others with a RankError that names it, and that
/// rank 0 prints the latter.
void expectErrorOf(std::size_t failing, const std::vector<ThreadRankResult>& results,
                   const std::string& part) {
  for (std::size_t rank = 0; rank < results.size(); ++rank) {
    const std::string& error = results[rank].error;
    EXPECT_EQ(results[rank].exitCode, 2) << rank;
    EXPECT_TRUE(contains(error, part)) << rank;
    EXPECT_EQ(error.starts_with(fmt::format("rank {} on host host: ", failing)), rank != failing)
        << rank << ": " << error;
    EXPECT_EQ(results[rank].printed.has_value(), rank == 0) << rank;
  }
  EXPECT_TRUE(contains(results[0].printed.value_or(""), fmt::format("rank {} on host", failing)));
}

TEST(MassOnRanks, NumbersTheDevicesOfAllRanks) {
  onRanks({.devices = {1, 3, 2}, .weights = {1, 1, 2, 2, 1, 5}}, [](Mass& mass) {
    EXPECT_EQ(mass.devices().size(), 6);
    const Meadow meadow(mass);
    EXPECT_EQ(meadow.plots.population().fields->partition().bands(), (Rows{1, 1, 2, 2, 1, 5}));
    EXPECT_EQ(mass.size(), 60);
    EXPECT_EQ(mass.agentCount(), 40);
  });
}

TEST(MassOnRanks, HasOneRowADevice) {
  expectSameOnRanks({{.devices = {4, 4, 4}}, {.devices = {6, 1, 5}, .threads = 6}},
                    [](Mass& mass, Record& record) {
                      const Meadow meadow(mass);
                      meadow.advance(5);
                      record.add("hash", mass.hash());
                      record.add("census", meadow.rabbits.census());
                    });
}

TEST(MassOnRanks, RefusesFewerRowsThanDevices) {
  expectSharedError(
      resultsOf({.devices = {5, 5, 5}}, [](Mass& mass) { const Meadow meadow(mass); }),
      "devices: 'Plot' has only 12 rows, and each of the 15 devices of all ranks needs one");
}

TEST(MassOnRanks, RefusesFewerRowsThanDifferentNumbersOfDevicesWithOneMessage) {
  expectSharedError(
      resultsOf({.devices = {3, 4, 7}}, [](Mass& mass) { const Meadow meadow(mass); }),
      "devices: 'Plot' has only 12 rows, and each of the 14 devices of all ranks needs one");
}

TEST(MassOnRanks, RefusesWeightsOfOneRank) {
  expectSharedError(resultsOf({.devices = {2, 2}, .weights = {1, 2}}, [](Mass&) {}),
                    "one number for each of the 'devices' of all ranks, 4, or none; there are 2");
}

TEST(MassOnRanks, RefusesInvalidCallsOnAllRanksAndContinues) {
  onRanks({.devices = {1, 2}}, [](Mass& mass) {
    const Meadow meadow(mass);
    const auto hash = mass.hash();
    EXPECT_NE(messageOf<mass::UsageError>([&] { mass.repartition(meadow.plots, {5, 7}); }), "");
    EXPECT_NE(messageOf<mass::UsageError>([&] { meadow.plots.upload<&Plot::value>(Rows{1}); }), "");
    EXPECT_NE(messageOf<mass::UsageError>([&] { meadow.plots.setNeighbors({{0, 2}}); }), "");
    EXPECT_NE(messageOf<mass::UsageError>([&] {
                (void)meadow.plots.download({0, 0}, {13, 1});
              }),
              "");
    EXPECT_NE(messageOf<mass::UsageError>(
                  [&] { (void)mass.createAgents<Rabbit>(meadow.plots, 181, "too many"); }),
              "");
    EXPECT_NE(messageOf<mass::UsageError>([&] {
                (void)mass.createAgents<Rabbit>(
                    meadow.plots, [](const auto& at) { return at[0] == 11 ? 4 : 0; }, "crowd");
              }),
              "");
    EXPECT_EQ(mass.hash(), hash);
    meadow.advance(1);
  });
}

TEST(MassOnRanks, EndsWithTheErrorOfTheRankWhoseRuleThrows) {
  for (const auto& [place, rank] :
       std::vector<std::pair<std::int64_t, std::size_t>>{{0, 0}, {31, 1}, {59, 2}}) {
    const auto results =
        resultsOf({.devices = {1, 2, 1}, .threads = 3}, [place = place](Mass& mass) {
          const Meadow meadow(mass);
          meadow.plots.callAll<&Plot::failAt>(mass::steps(4), place);
        });
    expectErrorOf(rank, results, "a bad place");
  }
}

TEST(MassOnRanks, SharesRanksWithAnotherMass) {
  mass::testing::runOnThreadRanks(3, [](Ranks& ranks) {
    const RankSetup setup{.devices = {1, 1, 2}};
    Mass first = makeMass(ranks, setup), second = makeMass(ranks, setup);
    const Meadow one(first), other(second);
    one.advance(2);
    other.advance(1);
    one.advance(1);
    other.advance(2);
    EXPECT_EQ(first.hash(), second.hash());
  });
}

TEST(PlacesOnRanks, CountTheBytesOfAllRanks) {
  std::size_t expected = 0;
  onRanks({.devices = {4}}, [&](Mass& mass) { expected = Meadow(mass).plots.bytes(); });
  // By default there are further ghost rows for several steps per exchange.
  onRanks({.devices = {1, 2, 1}, .more = {"exchange_every=1"}}, [&](Mass& mass) {
    const Meadow meadow(mass);
    EXPECT_EQ(meadow.plots.bytes(), expected);
    EXPECT_LT(meadow.plots.population().fields->bytes(), expected);
    EXPECT_GE(meadow.plots.bytes(), 60 * (sizeof(std::uint64_t) + sizeof(double) + 4));
  });
}

TEST(PlacesOnRanks, AreSetByOneFunctionForAllPlaces) {
  onRanks({.devices = {2, 1, 1}}, [](Mass& mass) {
    auto plots = mass.createPlaces<Plot>({9, 3});
    std::uint64_t calls = 0;
    plots.initialise<&Plot::value>([&](const auto& at) {
      EXPECT_EQ(static_cast<std::uint64_t>(at[0] * 3 + at[1]), calls);
      return calls++;
    });
    EXPECT_EQ(calls, 27U);
    const std::vector<Plot> box = plots.download({2, 1}, {8, 2});
    ASSERT_EQ(box.size(), 6U);
    for (std::size_t i = 0; i < box.size(); ++i) EXPECT_EQ(box[i].value, 3 * i + 7);
    EXPECT_TRUE(plots.download({4, 1}, {4, 3}).empty());
  });
}

TEST(AgentsOnRanks, KeepRequestsWhileRowsChangeRanks) {
  expectSameOnRanks(usualRanks(), [](Mass& mass, Record& record) {
    const Meadow meadow(mass);
    for (int step = 0; step < 6; ++step) {
      meadow.rabbits.callAll<&Rabbit::act>(meadow.rabbits);
      Rows rows(static_cast<std::size_t>(mass.devices().size()), 1);
      rows[static_cast<std::size_t>(step) % rows.size()] += 12 - mass.devices().size();
      mass.repartition(meadow.plots, rows);
      meadow.rabbits.manageAll();
      record.add("census", meadow.rabbits.census());
      record.add("identities", meadow.rabbits.ids());
      record.add("hash", mass.hash());
    }
  });
}

/// The request is on one rank only.
TEST(AgentsOnRanks, HaveRequestsOnAllRanksIfOneHas) {
  const TemporaryFolder folder;
  onRanks({.devices = {1, 1, 1}}, [&](Mass& mass) {
    const Meadow meadow(mass);
    EXPECT_TRUE(mass.pendingAgents().empty());
    meadow.rabbits.callAll<&Rabbit::moveOne>(std::uint64_t{7});
    EXPECT_EQ(mass.pendingAgents(), std::vector<std::string>{"rabbits"});
    EXPECT_TRUE(contains(
        messageOf<mass::UsageError>([&] { mass.saveCheckpoint(folder / "state.h5", "meadow"); }),
        "'rabbits' have intents"));
    meadow.rabbits.manageAll();
    EXPECT_EQ(meadow.rabbits.census().moved, 1);
    EXPECT_TRUE(mass.pendingAgents().empty());
  });
  EXPECT_TRUE(folder.names().empty());
}

class CheckpointsOnRanks : public ::testing::Test {
 protected:
  /// Continues the checkpoint, if there is one, for two steps and writes the next one.
  /// @return hash at the end
  std::uint64_t runOn(const RankSetup& setup) {
    std::atomic<std::uint64_t> hash = 0;
    const bool isRestart = std::filesystem::exists(file);
    onRanks(setup, [&](Mass& mass) {
      const Meadow meadow(mass);
      if (isRestart) {
        meadow.advance(1);  // the restart replaces this state
        EXPECT_EQ(mass.restoreCheckpoint(file, "meadow").at("turn"), 5U);
      }
      meadow.advance(2);
      mass.saveCheckpoint(file, "meadow", {{"turn", 5}});
      const std::uint64_t here = mass.hash();
      if (mass.devices().ranks().isFirst()) hash = here;
    });
    return hash;
  }
  /// Restores a checkpoint on three ranks. @param model name of the model
  std::vector<ThreadRankResult> restore(const std::string& model = "meadow", int soil = 0) {
    return resultsOf({.devices = {1, 2, 1}}, [&](Mass& mass) {
      const Meadow meadow(mass);
      if (soil > 0)
        meadow.plots.initialise<&Plot::soil>([&](const auto& at) { return at[0] + soil; });
      (void)mass.restoreCheckpoint(file, model);
    });
  }

  TemporaryFolder folder;
  std::filesystem::path file = folder / "state.h5";
};

TEST_F(CheckpointsOnRanks, ContinueOnAnyNumberOfRanks) {
  std::uint64_t expected = 0;
  {
    Mass mass = makeMass(1);
    const Meadow meadow(mass);
    meadow.advance(8);
    expected = mass.hash();
  }
  runOn({.devices = {1, 2, 1, 1}});
  runOn({.devices = {2, 1, 3}, .threads = 4});
  runOn({.devices = {1}});
  EXPECT_EQ(runOn({.devices = {3, 2}}), expected);
  EXPECT_EQ(folder.names(), std::set<std::string>{"state.h5"});
}

TEST_F(CheckpointsOnRanks, HaveTheBytesOfOneRank) {
  const auto bytesOn = [&](const RankSetup& setup) {
    std::filesystem::remove(file);
    onRanks(setup, [&](Mass& mass) {
      const Meadow meadow(mass);
      meadow.advance(2);
      // Settings such as the number of devices are in the file.
      mass.saveCheckpoint(file, "meadow");
    });
    return std::filesystem::file_size(file);
  };
  EXPECT_EQ(bytesOn({.devices = {1, 1}}), bytesOn({.devices = {1}}));
}

TEST_F(CheckpointsOnRanks, WithAnotherConstantAttributeAreOneError) {
  runOn({.devices = {1, 1}});
  expectErrorOf(0, restore("meadow", 3), "was written with another 'Plot.soil'");
}

TEST_F(CheckpointsOnRanks, OfAnotherModelAreOneError) {
  runOn({.devices = {1, 1}});
  expectSharedError(restore("moor"), "is a checkpoint of the model 'meadow', not of 'moor'");
}

TEST_F(CheckpointsOnRanks, ThatAreDamagedOrMissingAreOneError) {
  expectErrorOf(0, restore(), "no such file");
  runOn({.devices = {1, 1}});
  const std::string bytes = mass::testing::readBytes(file);
  for (const std::size_t at : {bytes.size() / 5, bytes.size() / 2, bytes.size() - 9}) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
    mass::testing::writeBytes(file, damaged);
    expectErrorOf(0, restore(), file.string());
  }
  mass::testing::writeBytes(file, bytes.substr(0, bytes.size() / 2));
  expectErrorOf(0, restore(), file.string());
}

TEST_F(CheckpointsOnRanks, ThatCannotBeWrittenAreOneError) {
  const auto results = resultsOf({.devices = {1, 2}}, [&](Mass& mass) {
    const Meadow meadow(mass);
    mass.saveCheckpoint(folder / "missing" / "state.h5", "meadow");
  });
  expectErrorOf(0, results, "missing");
}

}  // namespace
