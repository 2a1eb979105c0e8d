#pragma once

#include <mass/mass.hpp>

#include <cstdint>

namespace forest_fire {

enum class State : std::uint8_t { empty, tree, burning };

/// A site of the forest-fire model of Drossel & Schwabl (1992).
class Site : public mass::Place<2> {
 public:
  State state = State::empty;
  using Attributes = mass::Attributes<&Site::state>;

  MASS_FN bool is(State which) const { return state == which; }

  /// What one step makes of a site: fire leaves it empty; a tree burns when a neighbour does, or
  /// when lightning strikes; an empty site grows a tree. `chance` is a random number in [0, 1).
  MASS_FN void advance(bool fireBeside, double chance, double growth, double lightning) {
    if (is(State::burning)) {
      state = State::empty;
    } else if (is(State::tree)) {
      if (fireBeside || chance < lightning) state = State::burning;
    } else if (chance < growth) {
      state = State::tree;
    }
  }

  /// One step, all sites at once.
  MASS_FN void burn(const mass::Neighborhood<Site>& near, double growth, double lightning) {
    bool fireBeside = false;
    for (auto offset : mass::vonNeumann<2>) fireBeside |= near(offset).is(State::burning);
    advance(fireBeside, near.random().uniform(), growth, lightning);
  }

  /// Grows a tree with a probability, every site by itself.
  MASS_FN void plant(const mass::Here<2>& here, double density) {
    if (here.random().bernoulli(density)) state = State::tree;
  }
};

/// The settings of this program besides the library's.
inline mass::Schema schema() {
  auto schema = mass::Schema::library();
  schema.add("rows", 256, "sites", "height of the forest").atLeast(1);
  schema.add("columns", 256, "sites", "width of the forest").atLeast(1);
  schema.add("growth", 0.005, "1/step", "probability p that an empty site grows a tree")
      .between(0, 1);
  schema.add("lightning", 5.0e-6, "1/step", "probability f that lightning strikes a tree")
      .between(0, 1);
  schema.add("density", 0.3, "", "share of sites with a tree at the start").between(0, 1);
  return schema;
}

}  // namespace forest_fire
