#pragma once

#include <apps/sugarscape/sugarscape.hpp>

#include <cstdint>
#include <vector>

namespace sugarscape {

/// The settings of this program besides the library's.
mass::Schema schema();

/// The most sugar that a cell of a square world holds: two hills, 4 high, that fall to 0 in four
/// equal steps over half of the world's size.
int maximumAt(const mass::Coordinates<2>& place, std::int64_t size);

/// What numbers, none negative, have on average too little or too much of each other: 0 when all
/// are equal, (n - 1) / n when one of n has everything. 0 for no numbers, or nothing but zeros.
double gini(std::vector<int> values);
/// The middle one, the lower of the two in the middle of an even number; 0 for no numbers.
int median(std::vector<int> values);
/// How many numbers, none negative, are in each of some bins: from 0 on, from `width` on, from
/// twice that on, ...; the last bin has no end.
std::vector<std::int64_t> histogram(const std::vector<int>& values, int width, int bins);

/// What happened to agents in a step. `blocked` are those that stayed where they were because
/// others got the places that they wanted.
struct Events {
  std::int64_t moved = 0, blocked = 0, died = 0, born = 0;
};

/// How a world of Foragers goes on.
struct Rules {
  int growth = 1;           ///< of sugar a step
  bool replacement = true;  ///< whether they die of age too, and who dies is replaced
  int tries = 8;            ///< how often in a step they look for a place that no other gets
};

/// A world with agents of class A, Ant or Forager.
template <class A>
class World {
 public:
  /// A square world; agents on places drawn at random.
  World(mass::Mass& mass, std::int64_t size, std::int64_t agents, const Rules& rules = {});

  Events step() const;
  /// Sugar, and above all of it the agents.
  mass::Picture picture() const;

  const mass::Places<Cell>& land() const { return land_; }
  const mass::Agents<A>& agents() const { return agents_; }

 private:
  void grow() const;
  mass::Census move() const;
  void eat() const;

  mass::Places<Cell> land_;
  mass::Agents<A> agents_;
  Rules rules_;
};

/// Sets the model up as the settings say.
void setUp(mass::Mass& mass, mass::Simulation& run);

}  // namespace sugarscape
