// Time of a step of stochastic reaction-diffusion on GPUs.

#include <apps/rdme/lattice/lattice.hpp>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <string>

namespace {

/// Returns a test system of Hallock et al. 2014, table 1: A <-> B at 1 /s and B + C <-> D at 10^-11
/// /M/s and 1 /s, D = 10^-12 m^2/s, half of the particles A and half C.
rdme::Model testSystem(std::int64_t z, std::int64_t y, std::int64_t x, std::int64_t particles) {
  rdme::Model model;
  model.species = {"A", "B", "C", "D"};
  model.siteTypes = {"outside", "cytoplasm"};
  model.sites = {z, y, x};
  model.spacing = 16e-9;
  model.timeStep = 50e-6;
  model.periodic = {true, true, true};
  const double hop = 1e-12 * model.timeStep / (model.spacing * model.spacing);
  model.hop.assign(2 * 2 * 4, 0);
  for (int species = 0; species < 4; ++species)
    model.hop[model.transitionIndex(1, 1, species)] = hop;
  const double first = model.timeStep;
  const double second = 1e-11 / (6.02214076e23 * model.siteVolume() * 1000) * model.timeStep;
  model.channels = {{1, {0}, {1}, first, "A -> B", "1 /s"},
                    {1, {1}, {0}, first, "B -> A", "1 /s"},
                    {1, {1, 2}, {3}, second, "B + C -> D", "1e-11 /M/s"},
                    {1, {3}, {1, 2}, first, "D -> B + C", "1 /s"}};
  model.initial = {{0, particles / 2, {1}}, {2, particles / 2, {1}}};
  model.capacity = 32;
  return model;
}

void run(benchmark::State& state, const rdme::Model& model, int gpus) {
  mass::Settings settings;
  settings.set("backend=cuda");
  settings.set(fmt::format("devices={}", gpus));
  try {
    mass::Mass mass{settings};
    const auto lattice = rdme::createLattice(mass, model);
    const std::int64_t wanted = (std::int64_t{1} << 31) / model.siteCount();
    const std::int64_t steps = wanted < 200 ? 200 : wanted > 4000 ? 4000 : wanted;
    std::int64_t done = 0;
    const auto advance = [&] {
      lattice->advance(done, mass::Steps{steps});
      done += steps;
    };
    advance();
    for (auto _ : state) {
      const auto start = std::chrono::steady_clock::now();
      advance();
      const double took =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      state.SetIterationTime(took);
      state.counters["us/step"] = took / static_cast<double>(steps) * 1e6;
    }
    std::int64_t particles = 0;
    for (int s = 0; s < static_cast<int>(model.species.size()); ++s) particles += lattice->count(s);
    state.counters["particles"] = static_cast<double>(particles);
    state.counters["spilled/step"] =
        static_cast<double>(lattice->overflowedWords()) / static_cast<double>(done);
    state.SetLabel(fmt::format("hash {:016x}", lattice->hash()));
  } catch (const mass::Error& error) {
    state.SkipWithError(error.what());
  }
}

/// Times a test system; arguments are the sites along z, y and x, the particles, and the GPUs.
void system(benchmark::State& state) {
  run(state, testSystem(state.range(0), state.range(1), state.range(2), state.range(3)),
      static_cast<int>(state.range(4)));
}

/// Times 100,000 particles in 64x64x128 sites, with a number of first-order reactions of A (table 3
/// of the paper).
void firstOrderReactions(benchmark::State& state) {
  rdme::Model model = testSystem(128, 64, 64, 100'000);
  model.channels.clear();
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    model.channels.push_back({1, {0}, {1}, model.timeStep * 1e-3, "A -> B", "0.001 /s"});
  }
  run(state, model, 1);
}

/// Times firstOrderReactions() with rates of 1 /s, each from one of the species to the next in
/// turn.
void reactionsOfAll(benchmark::State& state) {
  rdme::Model model = testSystem(128, 64, 64, 100'000);
  model.channels.clear();
  for (int i = 0; i < static_cast<int>(state.range(0)); ++i) {
    model.channels.push_back(
        {1, {i % 4}, {(i + 1) % 4}, model.timeStep, "one to the next", "1 /s"});
  }
  run(state, model, 1);
}

/// Times the Min system of settings/min.yaml.
void min(benchmark::State& state) {
  run(state, rdme::Model::load(MASS_SOURCE_DIR "/settings/min.yaml"),
      static_cast<int>(state.range(0)));
}

void cases(benchmark::internal::Benchmark* benchmark) {
  for (const std::int64_t gpus : {1, 2, 4, 8}) {
    benchmark->Args({128, 64, 64, 40'000, gpus});
    benchmark->Args({256, 128, 128, 320'000, gpus});
    benchmark->Args({256, 64, 64, 80'000, gpus});
    benchmark->Args({256, 256, 256, 1'280'000, gpus});
    benchmark->Args({512, 512, 512, 10'240'000, gpus});
  }
  for (const std::int64_t gpus : {2, 4, 8}) {
    benchmark->Args({1024, 1024, 1024, 81'920'000, gpus});
    // Weak scaling: each GPU has the work of 512^3 sites on one.
    if (gpus < 8) benchmark->Args({512 * gpus, 512, 512, 10'240'000 * gpus, gpus});
  }
  // Half of 256^3 on one GPU.
  benchmark->Args({128, 256, 256, 640'000, 1});
  // More and more particles, until sites overflow (figure 6 of the paper).
  for (const std::int64_t particles :
       {1'000, 10'000, 100'000, 200'000, 400'000, 800'000, 1'600'000, 3'200'000}) {
    benchmark->Args({128, 64, 64, particles, 1});
    benchmark->Args({256, 128, 128, 8 * particles, 1});
  }
}

BENCHMARK(system)
    ->ArgNames({"z", "y", "x", "particles", "gpus"})
    ->Apply(cases)
    ->UseManualTime()
    ->Iterations(1);
BENCHMARK(firstOrderReactions)
    ->ArgName("reactions")
    ->Arg(0)
    ->Arg(1)
    ->Arg(10)
    ->UseManualTime()
    ->Iterations(1);
BENCHMARK(reactionsOfAll)->ArgName("reactions")->DenseRange(4, 8)->UseManualTime()->Iterations(1);
BENCHMARK(min)->ArgName("gpus")->RangeMultiplier(2)->Range(1, 8)->UseManualTime()->Iterations(1);

}  // namespace
