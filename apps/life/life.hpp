#pragma once

#include <mass/mass.hpp>

#include <apps/life/rule.hpp>

namespace life {

/// Cell of the Game of Life or of another two-state rule.
class Life : public mass::Place<2> {
 public:
  bool alive = false;
  using Attributes = mass::Attributes<&Life::alive>;

  /// Computes the next generation.
  MASS_FN void nextGeneration(const mass::Neighborhood<Life>& near, const Rule& rule) {
    const auto living = near.count<&Life::alive>(mass::moore<2>);
    alive = rule.next(alive, living);
  }

  /// Makes the cell alive with probability `density`, independently of other cells.
  MASS_FN void randomise(const mass::Here<2>& here, double density) {
    alive = here.random().bernoulli(density);
  }
};

}  // namespace life
