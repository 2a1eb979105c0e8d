// Cell updates per second of the lattice Boltzmann app on GPUs.

#include <apps/lbm/output/partition_report.hpp>
#include <apps/lbm/solver/solver.hpp>
#include <benchmarks/gpu_copy.hpp>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <vector>

namespace {

enum Storage { floats, halves, doubles };
/// `openings`: a channel with an inlet face and an opposite outlet face. All cells run the rule
/// with openings; its cost is the difference to `walled`.
enum Box { open, walled, spheres, openings };

/// d'Humieres et al. 2002, with the viscosity of the cavity of Obrecht et al. 2013.
lbm::RelaxationRates manyRates(double shear) {
  return {shear, 1.19, 1.4, 1.2, 1.4, 1.98};
}

lbm::LatticeCase caseOf(std::array<std::int64_t, 3> cells, Storage storage, bool many, Box box) {
  lbm::LatticeCase lattice;
  lattice.cells = cells;
  lattice.isDouble = storage == doubles;
  lattice.isHalf = storage == halves;
  const double shear = 1.8;
  lattice.rates =
      many ? manyRates(shear) : lbm::RelaxationRates{shear, shear, shear, shear, shear, shear};
  lattice.start = [cells](const std::array<std::int64_t, 3>& cell) {
    lbm::Macroscopic<3> at;
    at.velocity[2] = cell[1] < cells[1] / 2 ? 0.05 : -0.05;
    return at;
  };
  if (box == open) return lattice;
  for (auto& face : lattice.faces) face.kind = lbm::FaceKind::wall;
  if (box == openings) {  // along x: every line ends at both faces
    lattice.faces[4].kind = lbm::FaceKind::inlet;
    lattice.faces[4].velocity[2] = 0.05;
    lattice.faces[5].kind = lbm::FaceKind::outlet;
    lattice.start = [](const std::array<std::int64_t, 3>&) {
      return lbm::Macroscopic<3>{1, {0, 0, 0.05}};
    };
    return lattice;
  }
  lattice.faces[3].kind = lbm::FaceKind::lid;
  lattice.faces[3].velocity[2] = 0.05;
  if (box == walled) return lattice;
  // Spheres of 24 cells on a cubic lattice of 64: 1 cell of 36 is solid.
  for (std::int64_t i = 0; i < lattice.cellCount(); ++i) {
    const std::int64_t at[3] = {i / (cells[1] * cells[2]), i / cells[2] % cells[1], i % cells[2]};
    std::int64_t squares = 0;
    for (const std::int64_t x : at) squares += (x % 64 - 32) * (x % 64 - 32);
    lattice.solid.push_back(squares < 12 * 12 ? 1 : 0);
  }
  return lattice;
}

void run(benchmark::State& state, const lbm::LatticeCase& lattice, int gpus,
         const char* streaming) {
  mass::Settings settings;
  settings.set("backend=cuda");
  settings.set(fmt::format("streaming={}", streaming));
  settings.set(fmt::format("devices={}", gpus));
  try {
    mass::Mass mass{settings};
    const auto solver = lbm::createSolver(mass, lattice);
    const std::int64_t perGpu = lattice.cellCount() / gpus;
    const std::int64_t wanted = (std::int64_t{1} << 34) / perGpu;
    const std::int64_t steps = wanted < 40 ? 40 : wanted > 2000 ? 2000 : wanted;
    solver->advance(mass::steps(steps));
    // Several repetitions with one fluid: the set-up takes longer than a measurement.
    std::vector<double> rates;
    for (auto _ : state) {
      const auto start = std::chrono::steady_clock::now();
      solver->advance(mass::steps(steps));
      const double took =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      state.SetIterationTime(took);
      rates.push_back(static_cast<double>(lattice.cellCount() * steps) / took * 1e-6);
    }
    std::sort(rates.begin(), rates.end());
    const double median = rates[rates.size() / 2];
    state.counters["MLUPS"] = median;
    state.counters["spread"] = (rates.back() - rates.front()) / median;
    state.counters["GB/s"] = median * static_cast<double>(lbm::bytesPerCell(lattice)) * 1e-3;
    state.counters["bytes"] = static_cast<double>(solver->bytes());
    if (!std::isfinite(solver->maxSpeed())) state.SkipWithError("the flow has left all bounds");
    state.SetLabel(fmt::format("hash {:016x}", solver->hash()));
  } catch (const mass::Error& error) {
    state.SkipWithError(error.what());
  }
}

/// Arguments: cells along z, y and x, Storage, 1 for many relaxation rates, Box, GPUs.
void flowBy(benchmark::State& state, const char* streaming) {
  run(state,
      caseOf({state.range(0), state.range(1), state.range(2)}, static_cast<Storage>(state.range(3)),
             state.range(4) != 0, static_cast<Box>(state.range(5))),
      static_cast<int>(state.range(6)), streaming);
}
void flow(benchmark::State& state) {
  flowBy(state, "two_buffers");
}
void flowInPlace(benchmark::State& state) {
  flowBy(state, "in_place");
}
/// Arguments: cells along z, y and x, Storage, Box, GPUs.
void moments(benchmark::State& state) {
  auto lattice =
      caseOf({state.range(0), state.range(1), state.range(2)}, static_cast<Storage>(state.range(3)),
             false, static_cast<Box>(state.range(4)));
  lattice.storesMoments = true;
  run(state, lattice, static_cast<int>(state.range(5)), "two_buffers");
}

void cases(benchmark::internal::Benchmark* benchmark) {
  constexpr std::int64_t n = 512;
  for (const std::int64_t many : {0, 1}) {
    for (const Storage storage : {floats, halves, doubles})
      benchmark->Args({n, n, n, storage, many, open, 1});
  }
  for (const Box box : {walled, spheres, openings}) {
    benchmark->Args({n, n, n, floats, 1, box, 1});
    benchmark->Args({n, n, n, halves, 1, box, 1});
  }
  for (const std::int64_t gpus : {2, 4, 8}) {
    benchmark->Args({gpus * n, n, n, floats, 1, open, gpus});
    benchmark->Args({gpus * n, n, n, halves, 1, open, gpus});
    benchmark->Args({n, n, n, floats, 1, open, gpus});
    benchmark->Args({n, n, n, floats, 1, walled, gpus});
  }
}

void casesInPlace(benchmark::internal::Benchmark* benchmark) {
  constexpr std::int64_t n = 512;
  // Nearly all memory of one H200, including the buffers of the set-up.
  benchmark->Args({1216, 1216, 1214, floats, 1, open, 1});
  for (const Box box : {open, walled, spheres}) {
    for (const Storage storage : {floats, halves}) benchmark->Args({n, n, n, storage, 1, box, 1});
  }
  for (const std::int64_t gpus : {2, 4, 8}) {
    benchmark->Args({gpus * n, n, n, floats, 1, open, gpus});
    benchmark->Args({n, n, n, floats, 1, open, gpus});
  }
}

void casesOfMoments(benchmark::internal::Benchmark* benchmark) {
  constexpr std::int64_t n = 512;
  for (const Box box : {open, walled, spheres, openings}) {
    for (const Storage storage : {floats, halves}) benchmark->Args({n, n, n, storage, box, 1});
  }
  benchmark->Args({n, n, n, doubles, open, 1});
  for (const std::int64_t gpus : {2, 4, 8}) {
    benchmark->Args({gpus * n, n, n, floats, open, gpus});
    benchmark->Args({gpus * n, n, n, halves, open, gpus});
    benchmark->Args({n, n, n, floats, open, gpus});
    benchmark->Args({n, n, n, floats, walled, gpus});
  }
}

BENCHMARK(benchmarks::copy)->UseManualTime()->Name("copy");
BENCHMARK(flow)
    ->ArgNames({"z", "y", "x", "storage", "many", "box", "gpus"})
    ->Apply(cases)
    ->UseManualTime()
    ->Iterations(5);  // the counters report the median
BENCHMARK(flowInPlace)
    ->ArgNames({"z", "y", "x", "storage", "many", "box", "gpus"})
    ->Apply(casesInPlace)
    ->UseManualTime()
    ->Iterations(5);
BENCHMARK(moments)
    ->ArgNames({"z", "y", "x", "storage", "box", "gpus"})
    ->Apply(casesOfMoments)
    ->UseManualTime()
    ->Iterations(5);

}  // namespace
