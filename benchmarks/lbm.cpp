// Rate of the lattice Boltzmann app beside a plain copy on the same threads.

#include <apps/lbm/output/partition_report.hpp>
#include <apps/lbm/solver/solver.hpp>
#include <benchmarks/worlds.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace {

constexpr std::int64_t threads = 2;

double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double medianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Copies in a loop; memcpy would use stores that bypass the caches.
__attribute__((noinline, optimize("no-tree-loop-distribute-patterns"))) void copyLoop(
    const float* __restrict from, float* __restrict to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
}

/// Arrays far larger than the caches. Each thread first writes its own part (first touch).
class Copy {
 public:
  Copy() : from_(new float[size]), to_(new float[size]) {
    onThreads([this](std::size_t begin) {
      std::fill_n(from_.get() + begin, share, 1.0F);
      std::fill_n(to_.get() + begin, share, 0.0F);
    });
  }
  /// Returns bytes read and written per second.
  double rate() {
    const auto start = std::chrono::steady_clock::now();
    onThreads([this](std::size_t begin) {
      for (int i = 0; i < times; ++i) {
        copyLoop(from_.get() + begin, to_.get() + begin, share);
        benchmark::ClobberMemory();
      }
    });
    return 2.0 * times * size * sizeof(float) / secondsSince(start);
  }

 private:
  static constexpr std::size_t share = std::size_t{1} << 26, size = share * threads;
  static constexpr int times = 4;

  template <class Work>
  static void onThreads(const Work& work) {
    std::vector<std::jthread> team;
    for (std::size_t thread = 0; thread < threads; ++thread)
      team.emplace_back([&work, thread] { work(thread * share); });
  }

  std::unique_ptr<float[]> from_, to_;
};

lbm::LatticeCase caseOf(std::int64_t side, bool many, bool walled) {
  lbm::LatticeCase lattice;
  lattice.cells = {side, side, side};
  lattice.rates = many ? lbm::RelaxationRates{1.8, 1.19, 1.4, 1.2, 1.4, 1.98}
                       // equal to gpu_lbm.cpp
                       : lbm::RelaxationRates{1.8, 1.8, 1.8, 1.8, 1.8, 1.8};
  lattice.start = [side](const std::array<std::int64_t, 3>& cell) {
    lbm::Macroscopic<3> at;
    at.velocity[2] = cell[1] < side / 2 ? 0.05 : -0.05;
    return at;
  };
  if (!walled) return lattice;
  for (auto& face : lattice.faces) face.kind = lbm::FaceKind::wall;
  lattice.faces[3].kind = lbm::FaceKind::lid;
  lattice.faces[3].velocity[2] = 0.05;
  return lattice;
}

/// Interleaves steps and copies, so that both see the same noise.
void run(benchmark::State& state, const lbm::LatticeCase& lattice) {
  const auto bytesPerCell = static_cast<double>(lbm::bytesPerCell(lattice));
  mass::Mass mass = benchmarks::massOf(1, threads);
  const auto solver = lbm::createSolver(mass, lattice);
  const std::int64_t steps =
      std::max<std::int64_t>((std::int64_t{1} << 27) / lattice.cellCount(), 4);
  solver->advance(mass::steps(4));
  Copy copy;
  copy.rate();
  std::vector<double> rates, copies;
  for (auto _ : state) {
    copies.push_back(copy.rate());
    const auto start = std::chrono::steady_clock::now();
    solver->advance(mass::steps(steps));
    const double took = secondsSince(start);
    state.SetIterationTime(took);
    rates.push_back(static_cast<double>(lattice.cellCount() * steps) / took);
  }
  if (!std::isfinite(solver->maxSpeed())) state.SkipWithError("the flow has left all bounds");
  state.counters["MLUPS"] = medianOf(rates) * 1e-6;
  state.counters["GB/s"] = medianOf(rates) * bytesPerCell * 1e-9;
  state.counters["copy GB/s"] = medianOf(copies) * 1e-9;
  state.counters["of the copy"] = medianOf(rates) * bytesPerCell / medianOf(copies);
}

/// Open box, or walls and a lid; FP32; one relaxation rate or many.
void flow(benchmark::State& state) {
  run(state, caseOf(state.range(0), state.range(1) != 0, state.range(2) != 0));
}
/// Stores moments in place of populations.
void moments(benchmark::State& state) {
  auto lattice = caseOf(state.range(0), false, state.range(1) != 0);
  lattice.storesMoments = true;
  run(state, lattice);
}

}  // namespace

BENCHMARK(flow)
    ->ArgNames({"side", "many", "walls"})
    ->ArgsProduct({{128, 192}, {0, 1}, {0, 1}})
    ->Iterations(5)
    ->UseManualTime();
BENCHMARK(moments)
    ->ArgNames({"side", "walls"})
    ->ArgsProduct({{128, 192}, {0, 1}})
    ->Iterations(5)
    ->UseManualTime();
