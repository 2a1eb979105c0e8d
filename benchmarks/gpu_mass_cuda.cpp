// Time and memory of the two benchmarks of multi-GPU MASS CUDA (Ogden, "Multi-GPU MASS CUDA", 2025,
// appendix C): Heat2D over 3000 steps and Life over 10 generations, from the start of the library
// to its end.

#include <apps/heat2d/heat2d.hpp>
#include <apps/life/life.hpp>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdint>

namespace {

mass::Mass massOn(std::int64_t gpus) {
  mass::Settings settings;
  settings.set("backend=cuda");
  settings.set(fmt::format("devices={}", gpus));
  return mass::Mass(settings);
}

/// Times program(side, gpus, bytes), which stores the bytes of its places in `bytes`.
template <class Program>
void whole(benchmark::State& state, const Program& program) {
  try {
    double bytes = 0;
    program(state.range(0), state.range(1), bytes);  // autotunes launch shapes
    for (auto _ : state) {
      const auto start = std::chrono::steady_clock::now();
      program(state.range(0), state.range(1), bytes);
      state.SetIterationTime(
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    const auto places = static_cast<double>(state.range(0) * state.range(0));
    state.counters["Mplaces/GB"] = places / bytes * 1e3;
  } catch (const mass::Error& error) {
    state.SkipWithError(error.what());
  }
}

void heat2d(benchmark::State& state) {
  whole(state, [](std::int64_t side, std::int64_t gpus, double& bytes) {
    using Heat = heat2d::Heat<double>;
    mass::Mass mass = massOn(gpus);
    auto plate = mass.createPlaces<Heat>({side, side});
    const heat2d::Source<double> source{side / 3, 2 * side / 3, 19.0};
    plate.callAll<&Heat::diffuseHeated>(mass::steps(2700), 0.25, source);
    plate.callAll<&Heat::diffuse>(mass::steps(300), 0.25);
    benchmark::DoNotOptimize(plate.download<&Heat::temperature>());
    bytes = static_cast<double>(plate.bytes());
  });
}

void life(benchmark::State& state) {
  whole(state, [](std::int64_t side, std::int64_t gpus, double& bytes) {
    mass::Mass mass = massOn(gpus);
    auto world = mass.createPlaces<life::Life>({side, side});
    world.callAll<&life::Life::randomise>(0.3);
    world.callAll<&life::Life::nextGeneration>(mass::steps(10), life::Rule{});
    benchmark::DoNotOptimize(world.download<&life::Life::alive>());
    bytes = static_cast<double>(world.bytes());
  });
}

/// Published sizes; two of them exceeded the memory there.
void cases(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"side", "gpus"})->UseManualTime();
  for (const std::int64_t gpus : {1, 2}) {
    for (const std::int64_t side : {100, 1000, 2000, 3000, 4000, 5000}) {
      benchmark->Args({side, gpus});
    }
  }
}

BENCHMARK(heat2d)->Apply(cases);
BENCHMARK(life)->Apply(cases)->Args({16384, 1})->Args({16384, 2});

}  // namespace
