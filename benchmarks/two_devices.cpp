// Overhead of two CPU devices over one device with as many threads.

#include <apps/heat2d/heat2d.hpp>
#include <apps/life/life.hpp>
#include <benchmarks/worlds.hpp>

namespace {

constexpr std::int64_t side = 4096;

void heat(benchmark::State& state) {
  mass::Mass mass = benchmarks::massOf(state.range(0), 2);
  auto world = mass.createPlaces<heat2d::Heat<float>>({side, side});
  world.callAll<&heat2d::Heat<float>::diffuse>(0.2F);
  for (auto _ : state) world.callAll<&heat2d::Heat<float>::diffuse>(mass::steps(10), 0.2F);
  benchmarks::report(state, side * side, 10, 2 * sizeof(float));
}

void cells(benchmark::State& state) {
  mass::Mass mass = benchmarks::massOf(state.range(0), 2);
  auto world = mass.createPlaces<life::Life>({side, side});
  world.callAll<&life::Life::randomise>(0.3);
  world.callAll<&life::Life::nextGeneration>(life::Rule{});
  for (auto _ : state) world.callAll<&life::Life::nextGeneration>(mass::steps(10), life::Rule{});
  benchmarks::report(state, side * side, 10, 2);
}

}  // namespace

BENCHMARK(heat)->Arg(1)->Arg(2)->UseRealTime();
BENCHMARK(cells)->Arg(1)->Arg(2)->UseRealTime();
