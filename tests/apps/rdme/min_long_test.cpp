// Oscillation periods of the Min system, which an independent program gave as 29.4 +- 1.1 s at 32
// nm and 43.2 +- 1.4 s at 16 nm. At 16 nm the oscillation develops slowly, and its period decreases
// as it does, so the time window is part of the comparison. MASS_TEST_BACKEND=cuda runs it on a GPU
// (minutes; hours on CPUs).

#include "min_period.hpp"

#include <tests/support/make_mass.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>

namespace {

using rdme::testing::Window;

/// Simulates the model of a settings file up to `window.to` and measures its period in `window`.
rdme::Period periodOf(const std::string& settings, Window window, int seed) {
  const auto model =
      rdme::Model::load(std::filesystem::path(MASS_SOURCE_DIR) / "settings" / settings);
  auto mass = mass::testing::makeMass(1, 0, {}, {"threads=0", fmt::format("seed={}", seed)});
  return rdme::testing::minPeriod(mass, model, window);
}

/// Returns the mean period over all cycles of four runs. Expects the mean periods of the table in
/// apps/rdme/README.md, since equal seeds give equal runs.
double meanPeriod(const std::string& settings, Window window,
                  const std::array<double, 4>& expected) {
  double seconds = 0, cycles = 0;
  for (int seed = 1; seed <= 4; ++seed) {
    const rdme::Period period = periodOf(settings, window, seed);
    EXPECT_GE(period.cycles, 1U) << settings << ", seed " << seed;
    EXPECT_NEAR(period.mean, expected[static_cast<std::size_t>(seed - 1)], 0.051)
        << settings << ", seed " << seed;
    fmt::print("{} seed {}: {:.1f} s, spread {:.1f} s, {} cycles\n", settings, seed, period.mean,
               period.spread, period.cycles);
    seconds += period.mean * static_cast<double>(period.cycles);
    cycles += static_cast<double>(period.cycles);
  }
  return seconds / cycles;
}

TEST(Min, OscillatesAt32Nanometres) {
  EXPECT_NEAR(meanPeriod("rdme.yaml", {100, 400}, {29.9, 29.9, 31.0, 29.7}), 29.4, 2.9);
}

TEST(Min, OscillatesAt16Nanometres) {
  EXPECT_NEAR(meanPeriod("min.yaml", {40, 200}, {44.4, 42.2, 48.5, 44.8}), 43.2, 4.3);
}

}  // namespace
