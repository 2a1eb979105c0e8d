// Ranks of processors beside ranks of GPUs, which are threads of this process, give the bits of one
// CPU device.

#include "../../support/asymmetric_cells.hpp"
#include "../../support/mass_on_ranks.hpp"
#include "../../support/temporary_folder.hpp"

#include <apps/heat3d/heat3d.hpp>
#include <apps/life3d/life3d.hpp>
#include <mass/backend/gpus.hpp>
#include <mass/mass.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace {

using mass::Border;
using mass::Mass;

/// Kinds and numbers of the devices of each rank, and the settings of all.
struct Mixed {
  std::vector<std::string> backends{};
  std::vector<int> devices{};
  std::vector<std::string> more{};
  std::vector<std::string> hosts{};
};

Mass makeMixed(mass::detail::Ranks& ranks, const Mixed& setup) {
  const auto rank = static_cast<std::size_t>(ranks.number());
  mass::Settings settings;
  settings.set("backend=" + setup.backends[rank]);
  settings.set(fmt::format("devices={}", setup.devices[rank]));
  settings.set(fmt::format("threads={}", setup.devices[rank] + 1));
  settings.set("MAX_PLACE_EXCHANGE=8");
  settings.set("seed=11");
  for (const std::string& assignment : setup.more) settings.set(assignment);
  return {settings, std::shared_ptr<mass::detail::Ranks>(std::shared_ptr<void>(), &ranks)};
}

/// Calls `test` with the Mass of each rank.
void onMixed(const Mixed& setup, const std::function<void(Mass&)>& test) {
  mass::testing::runOnThreadRanks(
      static_cast<int>(setup.backends.size()),
      [&](mass::detail::Ranks& ranks) {
        Mass mass = makeMixed(ranks, setup);
        test(mass);
      },
      {.hosts = setup.hosts, .longestDelay = std::chrono::microseconds(50)});
}

/// Returns the message of the error by which each rank ends; fails the test if they differ.
std::string errorOf(const Mixed& setup, const std::function<void(Mass&)>& test) {
  std::vector<std::string> texts(setup.backends.size());
  mass::testing::runOnThreadRanks(static_cast<int>(setup.backends.size()),
                                  [&](mass::detail::Ranks& ranks) {
                                    try {
                                      Mass mass = makeMixed(ranks, setup);
                                      test(mass);
                                    } catch (const mass::Error& error) {
                                      texts[static_cast<std::size_t>(ranks.number())] =
                                          error.what();
                                    }
                                  },
                                  {.hosts = setup.hosts});
  EXPECT_EQ(std::ranges::count(texts, texts.front()), std::ssize(texts));
  return texts.front();
}

const std::vector<Mixed> setups{{{"cuda", "cpu"}, {1, 1}},
                                {{"cpu", "cuda", "cpu"}, {2, 2, 1}, {"weights=[1, 3, 2, 1, 4]"}},
                                {{"auto", "auto", "auto"}, {1, 1, 7}, {"ranks.cpu=1"}}};

class GpuMixed : public ::testing::Test {
 protected:
  void SetUp() override {
    if (mass::detail::usableGpus() < 2) GTEST_SKIP() << "needs 2 GPUs";
  }
};

void compare(const mass::Shape<2>& shape, Border border) {
  for (const Mixed& setup : setups) {
    SCOPED_TRACE(
        fmt::format("border {}, {} ranks", static_cast<int>(border), setup.backends.size()));
    onMixed(setup, [&](Mass& mass) {
      EXPECT_TRUE(mass.devices().areMixed());
      mass::testing::compareOn<2, 1>(mass, shape, border, {2, 1});
    });
  }
}

// The rows of odd lengths have padding between the parts of a message.
TEST_F(GpuMixed, HasTheBitsOfLoopsOverArrays) {
  compare({33, 41}, Border::fixed);
  compare({36, 7}, Border::periodic);
}

/// Result of a model: its hash, and a reduction.
struct Outcome {
  std::uint64_t hash = 0;
  double sum = 0;
  bool operator==(const Outcome&) const = default;
};

template <int order>
Outcome runHeat(Mass& mass) {
  using P = heat3d::Heat<float, order>;
  const auto block = mass.createPlaces<P>({41, 6, 7}, mass::borders<P>(Border::mirrored));
  block.template callAll<&P::heatBall>(2.5, 400.F);
  const float r = static_cast<float>(0.9 * heat3d::largestRate(order));
  for (int look = 0; look < 4; ++look) {
    block.template callAll<&P::diffuse>(mass::steps(3), r);
    (void)mass.rebalance(mass::Balance::time, 0);
  }
  return {mass.hash(), block.template reduce<&P::temperature>(mass::sum)};
}

Outcome runLife(Mass& mass) {
  using P = life3d::Cell;
  const auto world = mass.createPlaces<P>({32, 9, 20}, mass::borders<P>(Border::periodic));
  world.callAll<&P::randomise>(0.3, 100.0);
  world.callAll<&P::nextGeneration>(mass::steps(9), life3d::Rule{1U << 6, 7U << 5});
  std::vector<std::int64_t> rows(static_cast<std::size_t>(mass.devices().size()), 2);
  rows.front() += 32 - 2 * std::ssize(rows);
  mass.repartition(world, rows);
  world.callAll<&P::nextGeneration>(mass::steps(2), life3d::Rule{1U << 6, 7U << 5});
  return {mass.hash(), static_cast<double>(world.reduce<&P::alive>(mass::sum))};
}

/// Moves all rows of the places to the GPUs, if there are processors beside these.
void makeProcessorsIdle(Mass& mass) {
  if (!mass.devices().areMixed()) return;
  mass::detail::PlaceFields& fields = *mass.places().front().population().fields;
  fields.repartition(mass::detail::onGpus(fields.partition(), mass.devices()));
}

/// Runs `step()`, and again while processors are idle, and when they have rows again.
template <class P, auto summed, class Step>
Outcome runIdle(Mass& mass, const mass::Places<P>& world, const Step& step) {
  step();
  const std::vector<std::int64_t> before =
      mass.places().front().population().fields->partition().bands();
  makeProcessorsIdle(mass);
  step();
  static const mass::testing::TemporaryFolder folder;
  const auto file = folder.path() / "idle.h5";
  auto sum = static_cast<double>(world.template reduce<summed>(mass::sum));
  for (const auto value : world.template download<summed>()) sum += static_cast<double>(value);
  mass.saveCheckpoint(file, "idle", {});
  step();
  (void)mass.restoreCheckpoint(file, "idle");
  step();
  mass.repartition(world, before);
  step();
  return {mass.hash(), sum};
}

template <Border border>
Outcome runIdleHeat(Mass& mass) {
  using P = heat3d::Heat<float, 2>;
  const auto block = mass.createPlaces<P>({33, 18, 32}, mass::borders<P>(border));
  block.template callAll<&P::heatBall>(2.5, 400.F);
  return runIdle<P, &P::temperature>(
      mass, block, [&] { block.template callAll<&P::diffuse>(mass::steps(13), 0.125F); });
}

template <Border border>
Outcome runIdleCells(Mass& mass) {
  using P = mass::testing::Cell<2, 1>;
  const auto world = mass.createPlaces<P>({41, 64}, mass::borders<P>(border));
  return runIdle<P, &P::value>(mass, world, [&] {
    world.template callAll<&P::change>(mass::steps(11), std::uint64_t{3});
    world.template callAll<mass::inTurn<&P::age, &P::change>>(mass::steps(5), std::uint64_t{4});
  });
}

void expectSame(Outcome (*model)(Mass&)) {
  mass::Settings settings;
  settings.set("backend=cpu");
  settings.set("seed=11");
  settings.set("MAX_PLACE_EXCHANGE=8");
  Mass alone(settings);
  const Outcome expected = model(alone);
  for (const Mixed& setup : setups)
    onMixed(setup, [&](Mass& mass) { EXPECT_EQ(model(mass), expected); });
}

TEST_F(GpuMixed, HasTheBitsOfOneCpuDevice) {
  expectSame(runHeat<4>);
  expectSame(runLife);
}

TEST_F(GpuMixed, HasTheSameBitsWhileProcessorsAreIdle) {
  expectSame(runIdleHeat<Border::periodic>);
  expectSame(runIdleHeat<Border::mirrored>);
  expectSame(runIdleCells<Border::fixed>);
  expectSame(runIdleCells<Border::periodic>);
}

/// Runs looks of the balance by time up to the end of the trial without processors.
Outcome runTrial(Mass& mass) {
  using P = heat3d::Heat<float, 2>;
  const auto block = mass.createPlaces<P>({48, 18, 32}, mass::borders<P>(Border::mirrored));
  block.callAll<&P::heatBall>(2.5, 400.F);
  std::vector<std::vector<std::int64_t>> bands;
  for (int look = 0; look < 8; ++look) {
    block.callAll<&P::diffuse>(mass::steps(8), 0.125F);
    const auto results = mass.rebalance(mass::Balance::time, 0);
    if (!results.empty()) bands.push_back(results.front().after);
  }
  if (mass.devices().areMixed()) {
    const auto idle = [](const auto& rows) { return std::ranges::count(rows, 0) > 0; };
    EXPECT_EQ(std::ranges::count_if(bands, idle) >= 2, true) << "no trial";
    EXPECT_FALSE(idle(bands.front()));
  }
  return {mass.hash(), block.reduce<&P::temperature>(mass::sum)};
}

TEST_F(GpuMixed, TriesTheGpusAlone) {
  expectSame(runTrial);
}

class Wind : public mass::Place<2> {
 public:
  double speed = 0;
  using Attributes = mass::Attributes<&Wind::speed>;
};

class Bird : public mass::Agent<life3d::Cell> {
 public:
  static constexpr std::int64_t capacity = 1;
  int age = 0;
  using Attributes = mass::Attributes<&Bird::age>;
};

class Cloud : public mass::Place<3> {
 public:
  mass::Multiset<4, 3> drops;
  using Attributes = mass::Attributes<&Cloud::drops>;
};

void expectError(
    const Mixed& setup, const std::string& part,
    const std::function<void(Mass&)>& test = [](Mass&) {}) {
  const std::string text = errorOf(setup, test);
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' in: " << text;
}

TEST_F(GpuMixed, RefusesModelsThatMayDiffer) {
  const Mixed& setup = setups.front();
  expectError(setup, "'Wind' cannot have places on processors and on GPUs: their class has",
              [](Mass& mass) {
                (void)mass.createPlaces<Wind>({8, 8});
              });
  expectError(setup, "a Multiset", [](Mass& mass) { (void)mass.createPlaces<Cloud>({8, 8, 8}); });
  expectError(setup, "agents 'Bird': agents move", [](Mass& mass) {
    auto world = mass.createPlaces<life3d::Cell>({8, 8, 8});
    (void)mass.createAgents<Bird>(world, 3);
  });
}

TEST_F(GpuMixed, RefusesSettingsThatOneKindCannotFollow) {
  Mixed setup = setups.front();
  setup.more = {"exchange=nccl"};
  expectError(setup, "must be host or auto");
  setup.more = {"steps_per_pass=4"};
  expectError(setup, "must be 1 or auto");
  setup.more = {"partition=1x2"};
  expectError(setup, "need bands of rows", [](Mass& mass) {
    (void)mass.createPlaces<life3d::Cell>({8, 8, 8});
  });
  setup.more = {"ranks.cpu=2"};
  expectError(setup, "leaves no rank for the GPUs of host host, which has 2 in all");
  mass::Settings alone;
  alone.set("ranks.cpu=1");
  try {
    const Mass mass(alone);
    ADD_FAILURE() << "no error";
  } catch (const mass::SettingsError& error) {
    EXPECT_NE(std::string(error.what()).find("this run has one rank"), std::string::npos);
  }
}

TEST_F(GpuMixed, TheLastRanksOfEachHostHaveProcessors) {
  const Mixed setup{
      {"auto", "auto", "auto", "auto"}, {1, 1, 1, 1}, {"ranks.cpu=1"}, {"a", "a", "b", "b"}};
  onMixed(setup, [](Mass& mass) {
    const auto& devices = mass.devices();
    EXPECT_TRUE(devices.isGpu(0) && !devices.isGpu(1) && devices.isGpu(2) && !devices.isGpu(3));
    EXPECT_LT(devices.weights()[1], 0.1 * devices.weights()[0]);
    EXPECT_EQ(devices.areGpus(), devices.ranks().numberOnHost() == 0);
  });
}

}  // namespace
