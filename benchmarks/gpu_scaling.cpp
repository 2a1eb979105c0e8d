// Scaling over several GPUs, and the time of a step of a small world on them.

#include <apps/heat2d/heat2d.hpp>
#include <benchmarks/gpu_copy.hpp>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <string>

namespace {

using Heat = heat2d::Heat<float>;

const char* const exchanges[] = {"store", "copy", "host", "nccl"};

/// Heat2D in single precision; arguments: rows, columns, GPUs, method of the halo exchange.
void heat(benchmark::State& state) {
  mass::Settings settings;
  settings.set("backend=cuda");
  settings.set(fmt::format("devices={}", state.range(2)));
  settings.set(fmt::format("exchange={}", exchanges[state.range(3)]));
  const std::int64_t rows = state.range(0), columns = state.range(1);
  try {
    mass::Mass mass{settings};
    auto plate = mass.createPlaces<Heat>({rows, columns});
    const std::int64_t wanted = (std::int64_t{1} << 34) / (rows * columns);
    const std::int64_t steps = wanted < 32 ? 32 : wanted > 8192 ? 8192 : wanted;
    const auto advance = [&] { plate.callAll<&Heat::diffuse>(mass::steps(steps), 0.2F); };
    advance();
    double seconds = 0;
    for (auto _ : state) {
      const auto start = std::chrono::steady_clock::now();
      advance();
      const double took =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      state.SetIterationTime(took);
      seconds += took;
    }
    const auto done = static_cast<double>(state.iterations() * steps);
    state.counters["us/step"] = seconds / done * 1e6;
    state.counters["Gplaces/s"] = done * static_cast<double>(rows * columns) / seconds / 1e9;
  } catch (const mass::Error& error) {
    state.SkipWithError(error.what());
  }
}

void cases(benchmark::internal::Benchmark* benchmark) {
  for (const std::int64_t gpus : {1, 2, 4, 8}) {
    for (std::int64_t exchange = 0; exchange < (gpus == 1 ? 1 : 4); ++exchange) {
      benchmark->Args({256 * gpus, 256, gpus, exchange});
      benchmark->Args({4096, 4096, gpus, exchange});
      benchmark->Args({16384, 16384, gpus, exchange});
    }
    benchmark->Args({32768 * gpus, 32768, gpus, 0});
  }
}

BENCHMARK(benchmarks::copy)->UseManualTime()->Name("copy");
BENCHMARK(heat)->ArgNames({"rows", "columns", "gpus", "exchange"})->Apply(cases)->UseManualTime();

}  // namespace
