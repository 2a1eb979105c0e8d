#include <mass/dispatch/dispatcher.hpp>

#include <mass/dispatch/cpu_executor.hpp>

#include <mass/exchange/local_halo_transport.hpp>

#include "../../support/test_fields.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using mass::Border;
using mass::detail::DeviceConfig;
using mass::detail::Dispatcher;
using mass::detail::Kernel;
using mass::detail::Launch;
using mass::detail::PlaceFields;
using mass::testing::componentOf;
using mass::testing::domainOf;
using State = std::vector<std::int32_t>;

const std::int32_t zero = 0, outside = 3;

/// Number of halo refreshes of each component.
struct Moves {
  std::vector<int> refreshes = std::vector<int>(3);
};

/// Counts the refreshes of each component on device 0.
class CountingTransport : public mass::detail::LocalHaloTransport {
 public:
  CountingTransport(const PlaceFields& fields, Moves& moves) : fields_(fields), moves_(moves) {}
  void prepare(std::vector<std::vector<mass::detail::HaloMessage>> rounds) override {
    components_.assign(rounds.size(), {});
    for (std::size_t round = 0; round < rounds.size(); ++round) {
      for (const auto& message : rounds[round]) {
        if (message.toDevice == 0) components_[round].insert(componentAt(message.to));
      }
    }
    LocalHaloTransport::prepare(std::move(rounds));
  }
  void receive(const mass::detail::Worker& worker, std::size_t round,
               mass::detail::Queue queue) override {
    LocalHaloTransport::receive(worker, round, queue);
    if (worker.device() != 0 || !worker.leads()) return;
    for (const int component : components_[round])
      ++moves_.refreshes[static_cast<std::size_t>(component)];
  }

 private:
  /// Returns the component whose buffer on device 0 contains an address.
  int componentAt(const char* address) const {
    const auto bytes = static_cast<std::size_t>(fields_.layout(0).size) * sizeof(std::int32_t);
    for (int component = 0; component < fields_.components(); ++component) {
      for (const int which : {0, 1}) {
        const auto* const buffer = static_cast<const char*>(fields_.buffer(component, 0, which));
        if (buffer != nullptr && address >= buffer && address < buffer + bytes) return component;
      }
    }
    ADD_FAILURE() << "a message to no buffer";
    return 0;
  }

  const PlaceFields& fields_;
  std::vector<std::set<int>> components_;  // by round
  Moves& moves_;
};

const std::int32_t* source(const Launch& launch, int component) {
  return static_cast<const std::int32_t*>(launch.in[component]);
}
std::int32_t* target(const Launch& launch, int component) {
  return static_cast<std::int32_t*>(launch.out[component]);
}

/// Rule of a 1-D world: component 0 becomes 3 * own + 5 * previous + 7 * next + step, modulo 10007.
void mixNeighbors(const Launch& launch, std::int64_t begin, std::int64_t end) {
  for (std::int64_t row = begin; row < end; ++row) {
    const std::int64_t at = launch.layout.at(row, 0, 0);
    const std::int32_t* const in = source(launch, 0);
    const std::int64_t value =
        3L * in[at] + 5L * in[at - 1] + 7L * in[at + 1] + static_cast<std::int64_t>(launch.step);
    target(launch, 0)[at] = static_cast<std::int32_t>(value % 10007);
  }
}

void increment(const Launch& launch, std::int64_t begin, std::int64_t end) {
  for (std::int64_t row = begin; row < end; ++row) {
    const std::int64_t at = launch.layout.at(row, 0, 0);
    target(launch, 0)[at] = source(launch, 0)[at] + 1;
  }
}

Kernel mixing() {
  Kernel kernel;
  kernel.function = mixNeighbors;
  kernel.traversal = mass::detail::Traversal::stencil;
  kernel.readsNeighbors = true;
  kernel.written = {0};
  return kernel;
}

Kernel incrementing() {
  Kernel kernel;
  kernel.function = increment;
  kernel.traversal = mass::detail::Traversal::pointwise;
  kernel.written = {0};
  return kernel;
}

/// Reference of mixing(): returns the state after `steps` steps, by loops over the whole world.
State mixed(State state, std::int64_t steps, Border border) {
  const auto length = static_cast<std::int64_t>(state.size());
  for (std::int64_t step = 0; step < steps; ++step) {
    const auto at = [&](std::int64_t row) {
      const std::int64_t from = sourceOf(row, length, border);
      return from < 0 ? outside : state[static_cast<std::size_t>(from)];
    };
    State next(state.size());
    for (std::int64_t row = 0; row < length; ++row) {
      next[static_cast<std::size_t>(row)] = static_cast<std::int32_t>(
          (3L * at(row) + 5L * at(row - 1) + 7L * at(row + 1) + step) % 10007);
    }
    state = next;
  }
  return state;
}

/// 1-D world with numbers 0, 1, 2... in each of two components.
struct World {
  DeviceConfig config;
  PlaceFields fields;
  Moves moves;
  Dispatcher dispatcher;

  World(std::int64_t rows, int devices, int threads, Border border = Border::periodic,
        int stepsPerPass = 1)
      : config(DeviceConfig::cpu(devices, threads)),
        fields(config, domainOf({rows}, {border}, 1),
               {componentOf(zero, outside), componentOf(zero, outside)}),
        dispatcher(std::make_unique<mass::detail::CpuExecutor>(
            std::make_unique<CountingTransport>(fields, moves),
            mass::detail::StepCounts{stepsPerPass, 0})) {
    mass::testing::setNumbers(fields, 0);
    mass::testing::setNumbers(fields, 1);
  }
  void run(const Kernel& kernel, std::int64_t steps) {
    dispatcher.run(fields, mass::detail::Turn(&kernel, 1), steps, 0, 0);
  }
  State state() const { return mass::testing::stateOf(fields); }
};

State numbers(std::int64_t rows) {
  State state(static_cast<std::size_t>(rows));
  std::iota(state.begin(), state.end(), 0);
  return state;
}

TEST(Dispatcher, AnyNumberOfStepsAtOnceOrOneByOneIsRightOnAnySplit) {
  for (const Border border : {Border::periodic, Border::fixed, Border::mirrored}) {
    for (const int devices : {1, 2, 3, 13}) {
      for (std::int64_t steps = 0; steps <= 5; ++steps) {
        World atOnce(13, devices, 4, border);
        atOnce.run(mixing(), steps);
        EXPECT_EQ(atOnce.state(), mixed(numbers(13), steps, border)) << devices << ' ' << steps;
        EXPECT_EQ(atOnce.fields.step, static_cast<std::uint64_t>(steps));
        World oneByOne(13, devices, 4, border);
        for (std::int64_t step = 0; step < steps; ++step) oneByOne.run(mixing(), 1);
        EXPECT_EQ(oneByOne.state(), atOnce.state());
      }
    }
  }
}

TEST(Dispatcher, RunsARuleInPlaceWithoutABackBuffer) {
  World world(9, 3, 3);
  const std::size_t bytes = world.fields.bytes();
  world.run(incrementing(), 4);
  EXPECT_EQ(world.fields.bytes(), bytes);
  EXPECT_EQ(world.moves.refreshes, (std::vector<int>{0, 0, 0})) << "no rule has read a neighbour";
  State expected = numbers(9);
  for (auto& value : expected) value += 4;
  EXPECT_EQ(world.state(), expected);

  world.fields.step = 0;
  world.run(mixing(), 3);
  EXPECT_EQ(world.state(), mixed(expected, 3, Border::periodic));
}

TEST(Dispatcher, ExchangesOnlyWrittenComponents) {
  World world(12, 3, 3);
  world.run(mixing(), 5);
  EXPECT_EQ(world.moves.refreshes, (std::vector<int>{5, 1, 0}));
  world.run(mixing(), 2);
  EXPECT_EQ(world.moves.refreshes, (std::vector<int>{7, 1, 0}));
}

TEST(Dispatcher, ExchangesStaleGhostsOnceForReadingRules) {
  World world(12, 2, 2);
  world.run(mixing(), 1);
  Kernel reading;
  reading.function = [](const Launch&, std::int64_t, std::int64_t) {};
  reading.readsNeighbors = true;
  const auto before = world.moves.refreshes;
  world.run(reading, 7);
  EXPECT_EQ(world.moves.refreshes[0], before[0] + 1);
  world.run(reading, 1);
  EXPECT_EQ(world.moves.refreshes[0], before[0] + 1) << "nothing is stale any more";
  EXPECT_EQ(world.fields.step, 1U);
  world.run(mixing(), 1);
  EXPECT_EQ(world.moves.refreshes[0], before[0] + 1);
  EXPECT_EQ(world.state(), mixed(numbers(12), 2, Border::periodic));
}

TEST(Dispatcher, ExchangesUploadedValuesBeforeTheNextReader) {
  World world(12, 3, 3);
  world.run(mixing(), 1);
  mass::testing::setNumbers(world.fields);
  world.fields.step = 0;
  world.run(mixing(), 2);
  EXPECT_EQ(world.state(), mixed(numbers(12), 2, Border::periodic));
}

TEST(Dispatcher, ExchangesHalosOnceAPass) {
  World world(12, 3, 3, Border::periodic, 4);
  world.run(mixing(), 10);
  EXPECT_EQ(world.moves.refreshes, (std::vector<int>{3, 1, 0}));
  EXPECT_EQ(world.state(), mixed(numbers(12), 10, Border::periodic));
}

TEST(Dispatcher, EveryUnitRunsExactlyOnceAStepHoweverManyThreads) {
  for (const int threads : {1, 2, 3, 7, 40}) {
    World world(11, 3, threads);
    world.run(incrementing(), 3);
    State expected = numbers(11);
    for (auto& value : expected) value += 3;
    EXPECT_EQ(world.state(), expected) << threads << " threads";
  }
}

/// Throws at step 2 at every place from number 4 on; the message is the number.
void failing(const Launch& launch, std::int64_t begin, std::int64_t end) {
  for (std::int64_t row = begin; row < end; ++row) {
    const std::int64_t number = launch.firstRow + row;
    if (launch.step == 2 && number >= 4) throw std::runtime_error(std::to_string(number));
    mixNeighbors(launch, row, row + 1);
  }
}

TEST(Dispatcher, TheFirstFailureOfARuleIsRethrownAndTheStateIsThatBeforeItsStep) {
  for (const int devices : {1, 2, 5}) {
    for (const int threads : {1, 2, 9}) {
      for (const int stepsPerPass : {0, 1, 4}) {
        const bool once = stepsPerPass > 0;
        World world(13, devices, threads, Border::periodic, stepsPerPass);
        Kernel kernel = mixing();
        kernel.function = failing;
        try {
          if (once) {
            world.run(kernel, 10);
          } else {
            for (int step = 0; step < 10; ++step) world.run(kernel, 1);
          }
          ADD_FAILURE() << "nothing was thrown";
        } catch (const std::runtime_error& error) {
          EXPECT_STREQ(error.what(), "4") << devices << " devices, " << threads << " threads";
        }
        EXPECT_EQ(world.fields.step, 2U);
        EXPECT_EQ(world.state(), mixed(numbers(13), 2, Border::periodic));
        // The world remains usable.
        world.run(mixing(), 3);
        EXPECT_EQ(world.state(), mixed(numbers(13), 5, Border::periodic));
      }
    }
  }
}

TEST(Dispatcher, TwoRunsOfDifferentWorldsAtOnceDoNotDisturbEachOther) {
  World a(17, 2, 2), b(19, 3, 3);
  std::thread other([&] { b.run(mixing(), 300); });
  a.run(mixing(), 200);
  other.join();
  EXPECT_EQ(a.state(), mixed(numbers(17), 200, Border::periodic));
  EXPECT_EQ(b.state(), mixed(numbers(19), 300, Border::periodic));
}

}  // namespace
