// Time of a step of agents on GPUs: rules that read neighbours, then manageAll.

#include <apps/boids/setup.hpp>
#include <apps/circles/setup.hpp>
#include <apps/schelling/setup.hpp>
#include <mass/backend/gpus.hpp>
#include <mass/support/hash.hpp>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdint>

namespace {

mass::Mass massOn(std::int64_t gpus) {
  mass::Settings settings;
  settings.set("backend=cuda");
  settings.set(fmt::format("devices={}", gpus));
  return mass::Mass(settings);
}

/// Times `steps` steps of a new world by the host's clock, after three warm-up steps, and reports
/// milliseconds a step. `advance` is synchronous: manageAll returns the number of agents.
template <class Advance>
void measure(benchmark::State& state, std::int64_t agents, std::int64_t steps,
             const Advance& advance) {
  for (int step = 0; step < 3; ++step) advance();
  double seconds = 0;
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    for (std::int64_t step = 0; step < steps; ++step) advance();
    const double took =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    state.SetIterationTime(took);
    seconds += took;
  }
  const auto done = static_cast<double>(state.iterations() * steps);
  state.counters["ms/step"] = seconds / done * 1e3;
  state.counters["Magents/s"] = done * static_cast<double>(agents) / seconds / 1e6;
}

/// Circles at density 1 with radius 2; arguments: agents, GPUs.
void runCircles(benchmark::State& state) {
  if (mass::detail::usableGpus() < state.range(1))
    return state.SkipWithError("there are not so many GPUs");
  mass::Mass mass = massOn(state.range(1));
  const std::int64_t count = state.range(0);
  const auto width = static_cast<float>(std::cbrt(static_cast<double>(count)));
  const circles::World world = circles::createWorld(mass, count, width, 2);
  measure(state, count, 200, [&] { world.step(2, 0.05F); });
}

/// Boids at density 0.5 over the first 100 steps, a published comparison of FLAME GPU 2 with other
/// frameworks; arguments: agents, GPUs.
void runBoids(benchmark::State& state) {
  mass::Mass mass = massOn(state.range(1));
  const std::int64_t count = state.range(0);
  const boids::World world(mass, count, static_cast<float>(boids::widthFor(count, 0.5, 5)));
  measure(state, count, 100, [&] { world.step(); });
}

/// Place whose sugar grows by 1 a step.
class Field : public mass::Place<2> {
 public:
  int sugar = 0, most = 0;
  using Attributes = mass::Attributes<&Field::sugar, mass::constant<&Field::most>>;

  MASS_FN void grow() { sugar = sugar < most ? sugar + 1 : most; }
  template <class A>
  MASS_FN void feed(const mass::Residents<A>& here) {
    if (!here.empty()) sugar = 0;
  }
};

/// Agent with the rules of FLAME GPU 2's example: it moves to the best free place of its Moore
/// neighbourhood, and tries again while other agents win its target.
class Eater : public mass::Agent<Field> {
 public:
  static constexpr std::int64_t capacity = 1;
  int wealth = 50, metabolism = 6;
  std::int64_t wants = -1;  ///< index of the place to leave
  using Attributes = mass::Attributes<&Eater::wealth, &Eater::metabolism, &Eater::wants>;

  MASS_FN void eat(const mass::Neighborhood<Field>& near, mass::Intent<Eater>& intent) {
    wealth += near(0, 0).sugar - metabolism;
    wants = near.index();
    if (wealth < 0) intent.kill();
  }
  MASS_FN void seek(const mass::Neighborhood<Field>& near, const mass::Neighbors<Eater>& others,
                    mass::Intent<Eater>& intent) {
    if (near.index() != wants) return;  // the agent has moved
    int best = near(0, 0).sugar;
    wants = -1;
    mass::Offset<2> way{};
    for (auto offset : mass::moore<2>) {
      const int sugar = near(offset).sugar;
      if (sugar <= best || !others(offset).empty()) continue;
      best = sugar;
      way = offset;
      wants = near.index();
    }
    if (wants >= 0) intent.move(way);
  }
};

/// Torus with 17 % of the places occupied; arguments: places along an edge, GPUs.
void runSugarscape(benchmark::State& state) {
  mass::Mass mass = massOn(state.range(1));
  const std::int64_t size = state.range(0);
  auto land = mass.createPlaces<Field>({size, size});
  land.initialise<&Field::most>([](mass::Coordinates<2> at) {
    return static_cast<int>(mass::detail::mix(static_cast<std::uint64_t>(at[0] * 1000003 + at[1])) %
                            5);
  });
  const std::int64_t count = size * size * 17 / 100;
  auto agents = mass.createAgents<Eater>(land, count);
  agents.initialise<&Eater::wealth>([](std::uint64_t) { return 1 << 20; });  // none starves
  std::int64_t rounds = 0, steps = 0;
  measure(state, count, 100, [&] {
    land.callAll<&Field::grow>();
    agents.callAll<&Eater::eat>();
    agents.manageAll();
    land.callAll<&Field::feed<Eater>>(agents);
    mass::Census census{.blocked = 1};
    while (census.blocked > 0) {
      agents.callAll<&Eater::seek>(agents);
      agents.manageAll();
      census = agents.census();
      ++rounds;
    }
    ++steps;
  });
  state.counters["rounds/step"] = static_cast<double>(rounds) / static_cast<double>(steps);
}

/// Schelling's model with 80 % of the lots occupied: agents that are not content move until each
/// has a lot; arguments: lots along an edge, GPUs.
void runSchelling(benchmark::State& state) {
  mass::Mass mass = massOn(state.range(1));
  const schelling::World world(mass, state.range(0), 0.8, 0.375);
  measure(state, world.households().size(), 100, [&] { world.step(); });
}

class Plain : public mass::Place<2> {
 public:
  using Attributes = mass::Attributes<>;
};
/// Agent with a random walk.
class Wanderer : public mass::Agent<Plain> {
 public:
  std::int32_t steps = 0;
  using Attributes = mass::Attributes<&Wanderer::steps>;

  MASS_FN void walk(mass::Intent<Wanderer>& intent) {
    constexpr mass::Offset<2> ways[] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    if (intent.move(ways[intent.random().below(4)])) ++steps;
  }
};

/// Largest population of a GPU: initially 64 agents on each place; arguments: places along an edge,
/// GPUs.
void runWanderers(benchmark::State& state) {
  mass::Mass mass = massOn(state.range(1));
  const std::int64_t size = state.range(0);
  const auto plain = mass.createPlaces<Plain>({size, size});
  const auto wanderers =
      mass.createAgents<Wanderer>(plain, [](mass::Coordinates<2>) { return 64; });
  measure(state, wanderers.size(), 10, [&] {
    wanderers.callAll<&Wanderer::walk>();
    wanderers.manageAll();
  });
  const auto bytes = static_cast<double>(wanderers.bytes());
  state.counters["GB"] = bytes / 1e9;
  state.counters["bytes/agent"] = bytes / static_cast<double>(wanderers.size());
  if (wanderers.size() != 64 * size * size) state.SkipWithError("some are lost");
}

/// Sets one iteration in each repetition, since each needs a new world.
void once(benchmark::internal::Benchmark* benchmark) {
  benchmark->Iterations(1)->UseManualTime();
}

BENCHMARK(runCircles)->Name("circles")->Args({1000000, 1})->Args({8000000, 1})->Apply(once);
BENCHMARK(runBoids)->Name("boids")->Args({80000, 1})->Args({1000000, 1})->Apply(once);
BENCHMARK(runSugarscape)->Name("sugarscape")->Args({2048, 1})->Args({4096, 1})->Apply(once);
BENCHMARK(runSchelling)->Name("schelling")->Args({500, 1})->Args({2048, 1})->Apply(once);
BENCHMARK(runWanderers)->Name("wanderers")->Args({1024, 1})->Args({4096, 1})->Apply(once);
// 8 10^6 particles on each GPU (weak scaling), and in total (strong scaling).
BENCHMARK(runCircles)->Name("circles")->ArgsProduct({{16000000, 8000000}, {2}})->Apply(once);
BENCHMARK(runCircles)->Name("circles")->ArgsProduct({{32000000, 8000000}, {4}})->Apply(once);
BENCHMARK(runCircles)->Name("circles")->ArgsProduct({{64000000, 8000000}, {8}})->Apply(once);

}  // namespace
