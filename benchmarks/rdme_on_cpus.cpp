// Time of a step of the Min system on CPUs, with its particles and with an empty lattice.

#include <apps/rdme/lattice/lattice.hpp>
#include <benchmarks/worlds.hpp>

#include <cstdint>

namespace {

constexpr std::int64_t threads = 2;

/// Times settings/min.yaml with its particles (1) or without particles (0).
void min(benchmark::State& state) {
  rdme::Model model = rdme::Model::load(MASS_SOURCE_DIR "/settings/min.yaml");
  if (state.range(0) == 0) model.initial.clear();
  mass::Mass mass = benchmarks::massOf(1, threads);
  const auto lattice = rdme::createLattice(mass, model);
  constexpr std::int64_t steps = 200;
  std::int64_t done = 0;
  for (auto _ : state) {
    lattice->advance(done, mass::Steps{steps});
    done += steps;
  }
  state.counters["us/step"] = benchmark::Counter(
      steps * 1e-6, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

}  // namespace

BENCHMARK(min)->ArgName("particles")->Arg(0)->Arg(1)->UseRealTime();
