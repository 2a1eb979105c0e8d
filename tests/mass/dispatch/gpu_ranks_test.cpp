// GPUs of several ranks, which are threads of this process, give the bits of one GPU.

#include "../../support/mass_on_ranks.hpp"

#include <mass/backend/gpus.hpp>
#include <mass/mass.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace {

using mass::Mass;
using mass::detail::mix;
using mass::testing::expectSameOnRanks;
using mass::testing::RankSetup;
using mass::testing::Record;

/// Ranks with one GPU each, and with several; those with more than the machine has are left out.
std::vector<RankSetup> gpuRanks() {
  std::vector<RankSetup> setups{{.devices = {1, 1}},
                                {.devices = {1, 2}},
                                {.devices = {1, 1, 1}},
                                {.devices = {2, 1}, .weights = {1, 4, 2}}};
  setups[1].network.longestDelay = std::chrono::microseconds(200);
  return setups;
}

class GpuRanks : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(setenv("MASS_TEST_BACKEND", "cuda", 1), 0);
    if (mass::detail::usableGpus() < 2) GTEST_SKIP() << "needs 2 GPUs";
  }
};

template <int dimensions, int distance>
class Cell : public mass::Place<dimensions> {
 public:
  static constexpr int reach = distance;
  std::uint64_t value = 1;
  float warmth = 0.5F;
  std::int16_t soil = 2;
  using Attributes = mass::Attributes<&Cell::value, &Cell::warmth, mass::constant<&Cell::soil>>;

  MASS_FN void spread(const mass::Neighborhood<Cell>& near) {
    for (const auto& offset : mass::moore<dimensions>) value = mix(value ^ near(offset).value);
    mass::Offset<dimensions> far{};
    far[0] = distance;
    warmth = 0.5F * (near(far).warmth + warmth) + 0.01F * near(far).soil;
    value += near.random().below(100);
  }
  MASS_FN void cool(const mass::Here<dimensions>&) { warmth *= 0.5F; }
  MASS_FN float warmthOf(const mass::Here<dimensions>&) const { return warmth; }
};

template <int dimensions, int distance>
void runCells(Mass& mass, Record& record, mass::Shape<dimensions> extents, mass::Border border) {
  using C = Cell<dimensions, distance>;
  auto cells = mass.createPlaces<C>(extents, mass::borders<C>(border));
  cells.template initialise<&C::soil>(
      [](const auto& at) { return static_cast<std::int16_t>(at[0] % 100); });
  for (const int steps : {1, 2, 5, 40}) {
    cells.template callAll<&C::spread>(mass::steps(steps));
    record.add("sum", cells.template reduce<&C::warmthOf>(mass::sum));
    record.add("warmth", cells.template map<&C::warmthOf>());
  }
  record.add("value", cells.template download<&C::value>());
  record.add("hash", mass.hash());
}

TEST_F(GpuRanks, GiveTheBitsOfOneGpu) {
  const std::vector<std::pair<mass::Border, std::string>> cases{
      {mass::Border::periodic, "exchange=auto"}, {mass::Border::fixed, "exchange=host"}};
  for (const auto& [border, exchange] : cases) {
    std::vector<RankSetup> setups = gpuRanks();
    for (RankSetup& setup : setups) setup.more = {exchange};
    expectSameOnRanks(setups, [&, border = border](Mass& mass, Record& record) {
      runCells<1, 3>(mass, record, {97}, border);
      runCells<2, 1>(mass, record, {3, 41}, border);
      runCells<2, 2>(mass, record, {31, 67}, border);
      runCells<3, 1>(mass, record, {11, 6, 20}, border);
    });
  }
}

TEST_F(GpuRanks, MakeSeveralStepsPerExchange) {
  using mass::Border;
  const std::vector<RankSetup> ranks = gpuRanks();
  const RankSetup three{.devices = {3}, .weights = {2, 1, 2}};
  const std::vector<std::pair<Border, std::vector<RankSetup>>> cases{
      {Border::periodic, {ranks[0], three}},
      {Border::fixed, {ranks[1], {.devices = {2}, .more = {"exchange=host"}}}},
      {Border::mirrored, {ranks[3], three}}};
  for (auto [border, setups] : cases) {
    for (RankSetup& setup : setups) setup.more.emplace_back("exchange_every=3");
    expectSameOnRanks(setups, [&, border = border](Mass& mass, Record& record) {
      runCells<1, 3>(mass, record, {97}, border);
      runCells<2, 1>(mass, record, {29, 41}, border);
      runCells<2, 2>(mass, record, {43, 67}, border);
      runCells<3, 1>(mass, record, {23, 6, 20}, border);
      for (const mass::ExchangeReport& report : mass.exchangeReports()) {
        EXPECT_EQ(report.stepsPerExchange, 3);
        EXPECT_EQ(report.steps, 1 + 2 + 5 + 40);
      }
    });
  }
}

TEST_F(GpuRanks, ExchangeAlikeWithStoresIntoHalos) {
  using C = Cell<2, 1>;
  const RankSetup stores{.devices = {2}, .more = {"exchange=store", "exchange_every=3"}};
  expectSameOnRanks({stores}, [](Mass& mass, Record& record) {
    const auto cells = mass.createPlaces<C>({24, 20});
    cells.callAll<mass::inTurn<&C::spread, &C::cool>>(mass::steps(5));
    record.add("hash", mass.hash());
  });
}

TEST_F(GpuRanks, MeasureStepsPerExchangeInSeveralCalls) {
  using C = Cell<2, 1>;
  // Calls end after measurements of deep ghosts, and the next ones begin with shallow ghosts.
  expectSameOnRanks({{.devices = {1, 1}}}, [](Mass& mass, Record& record) {
    const auto cells = mass.createPlaces<C>({16, 20});
    for (int call = 0; call < 3; ++call) {
      cells.callAll<&C::spread>(mass::steps(64));
      record.add("hash", mass.hash());
    }
  });
}

/// A rule that marches through space.
class Stone : public mass::Place<3> {
 public:
  static constexpr int reach = 1;
  static constexpr auto reads = mass::alongAxes;
  float warmth = 1;
  using Attributes = mass::Attributes<&Stone::warmth>;

  MASS_FN void conduct(const mass::Neighborhood<Stone>& near) {
    float sum = static_cast<float>(near.index() % 5);
    float weight = 0.1F;
    for (const auto& offset : mass::vonNeumann<3>) sum += (weight += 0.02F) * near(offset).warmth;
    warmth = sum;
  }
};

TEST_F(GpuRanks, MarchThroughSpace) {
  using mass::Border;
  const std::vector<RankSetup> ranks = gpuRanks();
  const std::vector<std::pair<Border, std::vector<RankSetup>>> cases{
      {Border::periodic, {ranks[0], {.devices = {3}, .weights = {2, 1, 2}}}},
      {Border::fixed, {ranks[2], {.devices = {2}, .more = {"exchange=host"}}}},
      {Border::mirrored, {ranks[3], {.devices = {3}, .more = {"exchange=copy"}}}}};
  for (auto [border, setups] : cases) {
    for (RankSetup& setup : setups) setup.more.emplace_back("steps_per_pass=4");
    expectSameOnRanks(setups, [&, border = border](Mass& mass, Record& record) {
      const auto stones = mass.createPlaces<Stone>({25, 17, 18}, mass::borders<Stone>(border));
      stones.callAll<&Stone::conduct>(mass::steps(9));
      record.add("warmth", stones.download<&Stone::warmth>());
      for (const mass::ExchangeReport& report : mass.exchangeReports())
        EXPECT_GT(report.stepsPerExchange, 1);
    });
  }
}

class Cloud : public mass::Place<3> {
 public:
  static constexpr int reach = 1;
  mass::Multiset<4, 3> drops;
  using Attributes = mass::Attributes<&Cloud::drops>;

  MASS_FN void rain(const mass::Here<3>& here) {
    auto random = here.random();
    if (drops.size() < 4) drops.add(1 + random.below(15));
  }
  MASS_FN void blow(const mass::Neighborhood<Cloud>& near, const mass::Scatter<Cloud>& out) const {
    for (int i = 0; i < drops.size(); ++i) {
      auto random = near.random(near.step(), static_cast<std::uint32_t>(i));
      if (random.below(9) == 0) continue;
      out.send({static_cast<int>(random.below(3)) - 1, static_cast<int>(random.below(3)) - 1,
                static_cast<int>(random.below(3)) - 1},
               drops.element(i));
    }
  }
};

TEST_F(GpuRanks, ScatterElementsAsOneGpuDoes) {
  for (const mass::Border border : {mass::Border::periodic, mass::Border::fixed}) {
    expectSameOnRanks(gpuRanks(), [&](Mass& mass, Record& record) {
      auto clouds = mass.createPlaces<Cloud>({7, 5, 9}, mass::borders<Cloud>(border));
      for (int round = 0; round < 4; ++round) {
        clouds.callAll<&Cloud::rain>();
        clouds.callAll<&Cloud::blow>(mass::steps(3));
        record.add("hash", mass.hash());
      }
    });
  }
}

class Plot : public mass::Place<2> {
 public:
  std::uint64_t value = 1;
  using Attributes = mass::Attributes<&Plot::value>;

  MASS_FN void grow(const mass::Neighborhood<Plot>& near) {
    for (const auto offset : mass::moore<2>) value = mix(value ^ near(offset).value);
  }
};

template <std::int64_t most>
class Rabbit : public mass::Agent<Plot> {
 public:
  static constexpr std::int64_t capacity = most;
  static constexpr int travel = 2, reach = 1, offspring = 1;
  std::uint64_t soul = 1;
  std::uint8_t age = 0;
  using Attributes = mass::Attributes<&Rabbit::soul, &Rabbit::age>;

  MASS_FN void act(const mass::Neighbors<Rabbit>& near, mass::Intent<Rabbit>& intent) {
    auto random = intent.random();
    for (const Rabbit other : near(0, 1)) soul = mix(soul ^ other.soul);
    ++age;
    intent.move({static_cast<int>(random.below(5)) - 2, static_cast<int>(random.below(5)) - 2});
    if (random.below(4) == 0) intent.spawn(Rabbit{});
    if (random.below(4) == 0) intent.kill();
  }
  MASS_FN std::uint64_t read(const mass::Neighbors<Rabbit>& near) const {
    return mix(soul ^ static_cast<std::uint64_t>(near(0, 1).size()));
  }
};

template <std::int64_t capacity>
void runRabbits(Mass& mass, Record& record) {
  using R = Rabbit<capacity>;
  auto plots = mass.createPlaces<Plot>({13, 7});
  auto rabbits = mass.createAgents<R>(plots, 60, "rabbits");
  for (int step = 0; step < 12; ++step) {
    plots.callAll<&Plot::grow>(mass::steps(2));
    rabbits.template callAll<&R::act>(rabbits);
    rabbits.manageAll();
    if (step % 3 == 2) (void)mass.rebalance(mass::Balance::agents, 0.05);
    record.add("count", rabbits.size());
    record.add("read", rabbits.template map<&R::read>(rabbits));
  }
  record.add("souls", rabbits.template download<&R::soul>());
  record.add("hash", mass.hash());
}

TEST_F(GpuRanks, MoveAgentsAsOneGpuDoes) {
  expectSameOnRanks(gpuRanks(), runRabbits<3>);
  expectSameOnRanks(gpuRanks(), runRabbits<0>);
}

}  // namespace
