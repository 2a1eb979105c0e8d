#pragma once

#include <mass/mass.hpp>

/// Cell of the README.
class Life : public mass::Place<2> {
 public:
  bool alive = false;
  using Attributes = mass::Attributes<&Life::alive>;

  /// Computes the next generation.
  MASS_FN void nextGeneration(const mass::Neighborhood<Life>& near) {
    int living = 0;
    for (auto offset : mass::moore<2>) living += near(offset).alive;
    alive = living == 3 || (alive && living == 2);
  }

  /// Makes the cell alive with probability `density`.
  MASS_FN void randomise(const mass::Here<2>& here, double density) {
    alive = here.random().bernoulli(density);
  }
};
