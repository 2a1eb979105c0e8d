#pragma once

#include <mass/mass.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>

namespace benchmarks {

/// Returns a Mass on CPU devices. @param devices, threads numbers of devices and host threads
inline mass::Mass massOf(std::int64_t devices, std::int64_t threads) {
  mass::Settings settings;
  settings.set("backend=cpu");
  settings.set(fmt::format("devices={}", devices));
  settings.set(fmt::format("threads={}", threads));
  return mass::Mass(settings);
}

/// Reports places and bytes a second. @param bytes bytes that a step has to read and write, each
/// once
inline void report(benchmark::State& state, std::int64_t places, std::int64_t steps,
                   std::int64_t bytes) {
  const auto updates = static_cast<double>(state.iterations() * places * steps);
  state.counters["places/s"] = benchmark::Counter(updates, benchmark::Counter::kIsRate);
  state.counters["bytes/s"] =
      benchmark::Counter(updates * static_cast<double>(bytes), benchmark::Counter::kIsRate);
}

}  // namespace benchmarks
