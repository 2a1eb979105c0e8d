#pragma once

#include "../python/tests/models/life.hpp"

#include <chrono>
#include <cstdint>

/// Returns the seconds of `calls` calls of a rule on 64 x 64 cells in C++, `steps` steps each.
extern "C" [[gnu::visibility("default")]] double secondsOfCalls(std::int64_t calls,
                                                                std::int64_t steps) {
  mass::Settings settings;
  settings.set("threads=1");
  settings.set("backend=cpu");
  mass::Mass mass(settings);
  const auto cells = mass.createPlaces<Life>({64, 64});
  cells.callAll<&Life::randomise>(0.3);
  const auto start = std::chrono::steady_clock::now();
  for (std::int64_t call = 0; call < calls; ++call)
    cells.callAll<&Life::nextGeneration>(mass::steps(steps));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}
