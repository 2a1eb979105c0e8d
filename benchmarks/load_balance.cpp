// Load balancing: the imbalance that new partitions remove, how soon, and the cost of a partition.

#include <benchmarks/worlds.hpp>

#include <thread>

namespace {

constexpr std::int64_t rows = 512, columns = 256;

class Cell : public mass::Place<2> {
 public:
  float value = 1;
  using Attributes = mass::Attributes<&Cell::value>;

  /// Takes much longer on one thread.
  void work(std::thread::id slow) {
    const int rounds = std::this_thread::get_id() == slow ? 80 : 20;
    for (int round = 0; round < rounds; ++round) value = value * 0.999F + 0.001F;
  }
  void spread(const mass::Neighborhood<Cell>& near) {
    value = 0.25F * (near(-1, 0).value + near(1, 0).value + near(0, -1).value + near(0, 1).value);
  }
};

class Crowd : public mass::Agent<Cell> {
 public:
  float mood = 1;
  using Attributes = mass::Attributes<&Crowd::mood>;

  void act(const mass::Residents<Crowd>& here, mass::Intent<Crowd>& intent) {
    for (const auto& other : here) mood = mood * 0.5F + 0.25F * other.mood;
    intent.move({0, static_cast<int>(intent.random().below(3)) - 1});
  }
};

/// Device 0 of two, driven by the calling thread, is slow; argument: calls of rebalance.
void slowDevice(benchmark::State& state) {
  mass::Mass mass = benchmarks::massOf(2, 2);
  auto world = mass.createPlaces<Cell>({rows, columns});
  const auto step = [&] {
    world.callAll<&Cell::work>(mass::steps(20), std::this_thread::get_id());
  };
  (void)mass.rebalance(mass::Balance::time);  // starts the measurement
  for (std::int64_t look = 0; look < state.range(0); ++look) {
    step();
    (void)mass.rebalance(mass::Balance::time, 0.05);
  }
  for (auto _ : state) step();
  state.counters["imbalance"] = mass.rebalance(mass::Balance::time, 1e9)[0].imbalance;
  benchmarks::report(state, rows * columns, 20, 2 * sizeof(float));
}

/// All agents live in an eighth of the rows: not balanced, balanced by agents, balanced by time.
void crowd(benchmark::State& state) {
  mass::Mass mass = benchmarks::massOf(2, 2);
  auto world = mass.createPlaces<Cell>({rows, columns});
  auto agents = mass.createAgents<Crowd>(
      world, [](const mass::Coordinates<2>& at) { return at[0] < rows / 8 ? 16 : 0; });
  const auto step = [&] {
    agents.callAll<&Crowd::act>(agents);
    agents.manageAll();
  };
  if (state.range(0) == 1) (void)mass.rebalance(mass::Balance::agents);
  for (int look = 0; look < 8 && state.range(0) == 2; ++look) {
    (void)mass.rebalance(mass::Balance::time);
    step();
  }
  (void)mass.rebalance(mass::Balance::time, 1e9);
  for (auto _ : state) step();
  state.counters["imbalance"] = mass.rebalance(mass::Balance::time, 1e9)[0].imbalance;
}

/// Moves a part of 64 MiB of places to the other device and back.
void move(benchmark::State& state) {
  constexpr std::int64_t side = 4096;
  mass::Mass mass = benchmarks::massOf(2, 2);
  auto world = mass.createPlaces<Cell>({side, side});
  const std::int64_t moved = side * state.range(0) / 100;
  for (auto _ : state) {
    mass.repartition(world, {side / 2 - moved, side / 2 + moved});
    mass.repartition(world, {side / 2, side / 2});
  }
}

/// Cost of the measurement: steps of a small world without and with it.
void measuring(benchmark::State& state) {
  mass::Mass mass = benchmarks::massOf(2, 2);
  auto world = mass.createPlaces<Cell>({64, 64});
  if (state.range(0) == 1) (void)mass.rebalance(mass::Balance::time);
  for (auto _ : state) world.callAll<&Cell::spread>(mass::steps(1000));
  benchmarks::report(state, 64 * 64, 1000, 2 * sizeof(float));
}

}  // namespace

BENCHMARK(slowDevice)->DenseRange(0, 6)->UseRealTime();
BENCHMARK(crowd)->DenseRange(0, 2)->UseRealTime();
BENCHMARK(move)->Arg(1)->Arg(10)->Arg(40)->UseRealTime();
BENCHMARK(measuring)->Arg(0)->Arg(1)->UseRealTime();
