#pragma once

#include <mass/mass.hpp>

#include <cstdint>

namespace forest_fire {

/// State of a site.
enum class State : std::uint8_t { empty, tree, burning };

/// Site of the forest-fire model (Drossel & Schwabl, Phys. Rev. Lett. 69, 1629, 1992).
class Site : public mass::Place<2> {
 public:
  State state = State::empty;
  using Attributes = mass::Attributes<&Site::state>;

  MASS_FN bool is(State other) const { return state == other; }

  /// Computes the next state: a burning site becomes empty; a tree burns if a neighbour does or if
  /// lightning strikes it; an empty site may grow a tree.
  /// @param fireBeside true if one of the four neighbours burns
  /// @param chance random number in [0, 1)
  /// @param growth, lightning probabilities
  MASS_FN void advance(bool fireBeside, double chance, double growth, double lightning) {
    if (is(State::burning)) {
      state = State::empty;
    } else if (is(State::tree)) {
      if (fireBeside || chance < lightning) state = State::burning;
    } else if (chance < growth) {
      state = State::tree;
    }
  }

  /// Makes one step: reads the states of the neighbours before it.
  MASS_FN void burn(const mass::Neighborhood<Site>& near, double growth, double lightning) {
    bool fireBeside = false;
    for (auto offset : mass::vonNeumann<2>) fireBeside |= near(offset).is(State::burning);
    advance(fireBeside, near.random().uniform(), growth, lightning);
  }

  /// Grows a tree with probability `density`, independently of other sites.
  MASS_FN void plant(const mass::Here<2>& here, double density) {
    if (here.random().bernoulli(density)) state = State::tree;
  }
};

}  // namespace forest_fire
