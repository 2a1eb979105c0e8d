#pragma once

#include <mass/mass.hpp>

#include <apps/life/rule.hpp>

namespace life {

/// A cell of Conway's Game of Life and its kin.
class Life : public mass::Place<2> {
 public:
  bool alive = false;
  using Attributes = mass::Attributes<&Life::alive>;

  /// The next generation by a B/S rule.
  MASS_FN void nextGeneration(const mass::Neighborhood<Life>& near, const Rule& rule) {
    const auto living = near.count<&Life::alive>(mass::moore<2>);
    alive = rule.next(alive, living);
  }

  /// Alive with a probability, every cell by itself.
  MASS_FN void scatter(const mass::Here<2>& here, double density) {
    alive = here.random().bernoulli(density);
  }
};

}  // namespace life
