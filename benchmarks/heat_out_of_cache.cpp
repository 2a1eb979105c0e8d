// Throughput of Heat2D in worlds larger than the caches, beside a loop that copies as many bytes.

#include <apps/heat2d/heat2d.hpp>
#include <benchmarks/worlds.hpp>

#include <vector>

namespace {

constexpr std::int64_t side = 8192;

template <class Real>
void heat(benchmark::State& state) {
  mass::Mass mass = benchmarks::massOf(1, state.range(0));
  auto world = mass.createPlaces<heat2d::Heat<Real>>({side, side});
  const auto rate = static_cast<Real>(0.2);
  world.template callAll<&heat2d::Heat<Real>::diffuse>(rate);  // allocates the back buffer
  for (auto _ : state) world.template callAll<&heat2d::Heat<Real>::diffuse>(rate);
  benchmarks::report(state, side * side, 1, 2 * sizeof(Real));
}

/// Copies by a loop: memcpy would use non-temporal stores.
template <class Real>
__attribute__((noinline, optimize("no-tree-loop-distribute-patterns"))) void copyLoop(
    const Real* __restrict from, Real* __restrict to) {
  for (std::int64_t i = 0; i < side * side; ++i) to[i] = from[i];
}

template <class Real>
void copy(benchmark::State& state) {
  const std::vector<Real> from(side * side, Real{1});
  std::vector<Real> to(side * side);
  for (auto _ : state) {
    copyLoop(from.data(), to.data());
    benchmark::ClobberMemory();
  }
  benchmarks::report(state, side * side, 1, 2 * sizeof(Real));
}

}  // namespace

BENCHMARK(copy<float>)->UseRealTime();
BENCHMARK(heat<float>)->Arg(1)->UseRealTime();
BENCHMARK(copy<double>)->UseRealTime();
BENCHMARK(heat<double>)->Arg(1)->UseRealTime();
