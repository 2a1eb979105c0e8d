#pragma once

#include <apps/rdme/analysis/kymograph.hpp>
#include <apps/rdme/lattice/lattice.hpp>
#include <apps/rdme/model/model.hpp>

#include <mass/mass.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

namespace rdme::testing {

/// Time window of a measurement, s.
struct Window {
  int from, to;
};

/// Expects the numbers of MinD and MinE of the Min system, in all their forms.
inline void expectMinProteins(const Lattice& lattice, const Model& model) {
  std::int64_t minD = 0, minE = 0;
  for (int species = 0; species < static_cast<int>(model.species.size()); ++species) {
    const std::string& name = model.species[static_cast<std::size_t>(species)];
    const std::int64_t count = lattice.count(species);
    if (name.starts_with("MinD")) minD += count;
    if (name == "MinE" || name == "MinDE") minE += count;
  }
  EXPECT_EQ(minD, 2 * 1758);
  EXPECT_EQ(minE, 914);
}

/// Simulates the Min system up to `window.to` and measures its period in `window`.
inline Period minPeriod(mass::Mass& mass, const Model& model, Window window) {
  const auto lattice = createLattice(mass, model);
  const auto found = std::find(model.species.begin(), model.species.end(), "MinDm");
  EXPECT_NE(found, model.species.end());
  const auto membraneBound = static_cast<int>(found - model.species.begin());
  const auto stepsOfSecond = std::llround(1 / model.timeStep);
  Kymograph kymograph;
  for (int second = 0; second <= window.to; ++second) {
    kymograph.times.push_back(second);
    const auto layers = lattice->profile(membraneBound);
    kymograph.layers.emplace_back(layers.begin(), layers.end());
    lattice->advance(second * stepsOfSecond, mass::Steps{stepsOfSecond});
  }
  expectMinProteins(*lattice, model);
  return oscillationPeriod(kymograph, window.from);
}

}  // namespace rdme::testing
