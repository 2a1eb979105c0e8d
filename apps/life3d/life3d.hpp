#pragma once

#include <mass/mass.hpp>

#include <apps/life3d/rule.hpp>

#include <cstdint>

namespace life3d {

/// Cell of a Game of Life in three dimensions (Bays, Complex Systems 1, 373, 1987).
class Cell : public mass::Place<3> {
 public:
  bool alive = false;
  using Attributes = mass::Attributes<&Cell::alive>;

  /// Computes the next generation.
  MASS_FN void nextGeneration(const mass::Neighborhood<Cell>& near, const Rule& rule) {
    const auto living = near.count<&Cell::alive>(mass::moore<3>);
    alive = rule.next(alive, living);
  }

  /// Makes the cell alive with probability `density`, independently of other cells, unless it is
  /// farther than `radius` cells from the centre of the world.
  MASS_FN void randomise(const mass::Here<3>& here, double density, double radius) {
    double squared = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const double middle = 0.5 * static_cast<double>(here.shape()[axis] - 1);
      const double along = static_cast<double>(here.coordinates()[axis]) - middle;
      squared += along * along;
    }
    alive = squared <= radius * radius && here.random().bernoulli(density);
  }
};

}  // namespace life3d
