#pragma once

#include <mass/mass.hpp>

#include <apps/life/rule.hpp>

#include <cstdint>
#include <type_traits>

namespace life {

/// Attributes of a cell with the state `State`, stored as a byte or as a bit.
template <auto State, bool isBit>
using AttributesOf = std::conditional_t<isBit, mass::Attributes<mass::stored<State, mass::Bits>>,
                                        mass::Attributes<State>>;

/// Cell of the Game of Life or of another two-state rule that counts living neighbours.
template <bool isBit>
class LifeCell : public mass::Place<2> {
 public:
  bool alive = false;
  using Attributes = AttributesOf<&LifeCell::alive, isBit>;

  /// Computes the next generation.
  MASS_FN void nextGeneration(const mass::Neighborhood<LifeCell>& near, const Rule& rule) {
    const auto living = near.template count<&LifeCell::alive>(mass::moore<2>);
    alive = rule.next(alive, living);
  }

  /// Makes the cell alive with probability `density`, independently of other cells.
  MASS_FN void randomise(const mass::Here<2>& here, double density) {
    alive = here.random().bernoulli(density);
  }
};

using Life = LifeCell<false>;
using BitLife = LifeCell<true>;

/// Returns the bit mask of the living cells among the eight nearest, in the order of hensel.hpp.
template <class Cell>
MASS_FN std::uint32_t arrangementOf(const mass::Neighborhood<Cell>& near) {
  const auto bit = [&](int dy, int dx) { return near(dy, dx).isAlive() ? 1U : 0U; };
  return bit(-1, 0) | bit(-1, 1) << 1U | bit(0, 1) << 2U | bit(1, 1) << 3U | bit(1, 0) << 4U |
         bit(1, -1) << 5U | bit(0, -1) << 6U | bit(-1, -1) << 7U;
}

/// Cell of a two-state rule that depends on the arrangement of living neighbours.
template <bool isBit>
class NonTotalisticCell : public mass::Place<2> {
 public:
  bool alive = false;
  using Attributes = AttributesOf<&NonTotalisticCell::alive, isBit>;

  /// Computes the next generation.
  /// @param outcomes RuleTable::outcomes
  MASS_FN void nextGeneration(const mass::Neighborhood<NonTotalisticCell>& near,
                              const mass::Shared<std::uint8_t>& outcomes) {
    const auto outcome = static_cast<std::uint32_t>(outcomes[arrangementOf(near)]);
    alive = (outcome >> (alive ? 1U : 0U) & 1U) != 0;
  }

  /// Makes the cell alive with probability `density`, independently of other cells.
  MASS_FN void randomise(const mass::Here<2>& here, double density) {
    alive = here.random().bernoulli(density);
  }

  MASS_FN bool isAlive() const { return alive; }
};

using NonTotalistic = NonTotalisticCell<false>;
using BitNonTotalistic = NonTotalisticCell<true>;

/// Cell of a rule of three or more states, in which cells die in several generations.
class Generations : public mass::Place<2> {
 public:
  std::uint8_t state = 0;  ///< 0: dead, 1: alive, above: dying
  using Attributes = mass::Attributes<&Generations::state>;

  /// Computes the next generation.
  /// @param outcomes RuleTable::outcomes
  /// @param states number of states, 3 to 256
  MASS_FN void nextGeneration(const mass::Neighborhood<Generations>& near,
                              const mass::Shared<std::uint8_t>& outcomes, int states) {
    const auto outcome = static_cast<std::uint32_t>(outcomes[arrangementOf(near)]);
    const int older = state + 1 < states ? state + 1 : 0;
    const int born = static_cast<int>(outcome & 1U);
    const bool stays = state == 1 && (outcome & 2U) != 0;
    state = static_cast<std::uint8_t>(state == 0 ? born : stays ? 1 : older);
  }

  /// Makes the cell alive with probability `density`, independently of other cells.
  MASS_FN void randomise(const mass::Here<2>& here, double density) {
    state = here.random().bernoulli(density) ? 1 : 0;
  }

  MASS_FN bool isAlive() const { return state == 1; }
  MASS_FN bool isDying() const { return state > 1; }
};

}  // namespace life
