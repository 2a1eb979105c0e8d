#pragma once

#include <mass/mass.hpp>

#include <algorithm>
#include <cstdint>

namespace sugarscape {

/// Place on which sugar grows.
class Cell : public mass::Place<2> {
 public:
  static constexpr int reach = 6;  // largest vision of a Forager

  int sugar = 0;
  int maximum = 0;
  double pollution = 0;
  using Attributes =
      mass::Attributes<&Cell::sugar, mass::constant<&Cell::maximum>, &Cell::pollution>;

  /// Grows sugar by `growth`, up to the maximum: rule G of Epstein & Axtell.
  MASS_FN void grow(int growth) { sugar = std::min(sugar + growth, maximum); }

  /// Grows sugar by 1, increases pollution by 1, and then sets it to the mean of the four
  /// neighbours.
  MASS_FN void growAndSpread(const mass::Neighborhood<Cell>& near) {
    grow(1);
    double around = 0;
    for (auto offset : mass::vonNeumann<2>) around += near(offset).pollution;
    pollution = around / 4 + 1;
  }

  /// Returns true if an Ant would move here.
  MASS_FN bool attracts() const { return sugar / (1 + pollution) > 0; }
};

/// Agent by the rules of MASS's Sugarscape: moves to the right, else up, to the first free cell
/// with sugar.
class Ant : public mass::Agent<Cell> {
 public:
  static constexpr std::int64_t capacity = 1;
  static constexpr int travel = 3, reach = 3;

  int wealth = 0;
  int metabolism = 0;
  using Attributes = mass::Attributes<&Ant::wealth, &Ant::metabolism>;

  /// Returns an agent with a wealth of 1 to 10 and a metabolism of 1 to 4.
  MASS_FN static Ant random(mass::Random random) {
    Ant ant;
    ant.wealth = 1 + static_cast<int>(random.below(10));
    ant.metabolism = 1 + static_cast<int>(random.below(4));
    return ant;
  }
  MASS_FN void beginLife(const mass::Here<2>& here) { *this = random(here.random()); }

  /// Moves to the first free cell that attracts, of the three to the right and then the three
  /// above; stays if there is none.
  MASS_FN void seek(const mass::Neighborhood<Cell>& near, const mass::Neighbors<Ant>& others,
                    mass::Intent<Ant>& intent) {
    for (int look = 0; look < 2 * travel; ++look) {
      const int distance = look % travel + 1;
      const mass::Offset<2> offset =
          look < travel ? mass::Offset<2>{0, distance} : mass::Offset<2>{-distance, 0};
      if (!near(offset).attracts() || !others(offset).empty()) continue;
      intent.move(offset);
      return;
    }
  }

  /// Adds `sugar` to the wealth and subtracts the metabolism. Returns false if the wealth is then
  /// below 0.
  MASS_FN bool metabolise(int sugar) {
    wealth += sugar - metabolism;
    return wealth >= 0;
  }
  /// Eats all sugar of the place; dies if that is not enough.
  MASS_FN void eat(const mass::Resource<&Cell::sugar>& sugar, mass::Intent<Ant>& intent) {
    if (!metabolise(sugar.takeAll())) intent.kill();
  }
};

/// Best of the places considered so far: the one with the most sugar; of several, the nearest; of
/// several nearest, one drawn at random.
struct BestPlace {
  int sugar = 0;
  int distance = 0;
  mass::Offset<2> offset{};
  std::uint32_t equals = 1;  ///< number of places as good as this one, including it

  /// Replaces the best place by another one if that is better. If it is as good, replaces it with
  /// probability 1 / `equals`: so each of the equal places is equally likely (reservoir sampling).
  MASS_FN void consider(int newSugar, int newDistance, mass::Offset<2> newOffset,
                        mass::Random& random) {
    if (newSugar < sugar || (newSugar == sugar && newDistance > distance)) return;
    const bool better = newSugar > sugar || newDistance < distance;
    equals = better ? 1 : equals + 1;
    if (better || random.below(equals) == 0) {
      *this = {newSugar, newDistance, newOffset, equals};
    }
  }
};

/// Agent by rule M and, optionally, rule R (replacement of the dead) of Epstein & Axtell (1996,
/// ch. 2).
class Forager : public mass::Agent<Cell> {
 public:
  static constexpr std::int64_t capacity = 1;
  static constexpr int travel = mass::anywhere;  // for newborn agents; others move within `vision`
  static constexpr int reach = 6, offspring = 1;

  int wealth = 0;
  int metabolism = 0;        ///< sugar burnt per step
  int vision = 0;            ///< places, at most `reach`
  int age = 0;               ///< steps
  int lifespan = 0;          ///< steps
  bool isNew = false;        ///< moves to a random place in its first step, not to sugar
  std::int64_t leaves = -1;  ///< index of the place left or to be left in this step; -1 = stays
  using Attributes =
      mass::Attributes<&Forager::wealth, &Forager::metabolism, &Forager::vision, &Forager::age,
                       &Forager::lifespan, &Forager::isNew, &Forager::leaves>;

  /// Returns an agent with a wealth of 5 to 25, a metabolism of 1 to 4, a vision of 1 to 6 and a
  /// lifespan of 60 to 100 steps.
  MASS_FN static Forager random(mass::Random random) {
    Forager forager;
    forager.wealth = 5 + static_cast<int>(random.below(21));
    forager.metabolism = 1 + static_cast<int>(random.below(4));
    forager.vision = 1 + static_cast<int>(random.below(reach));
    forager.lifespan = 60 + static_cast<int>(random.below(41));
    return forager;
  }
  MASS_FN void beginLife(const mass::Here<2>& here) { *this = random(here.random()); }

  /// Moves by rule M to the best free place in sight; a newborn agent moves to a random place.
  MASS_FN void seek(const mass::Neighborhood<Cell>& near, const mass::Neighbors<Forager>& others,
                    mass::Intent<Forager>& intent) {
    auto random = intent.random();
    leaves = near.index();
    if (isNew) {
      intent.moveTo(anyPlace(near.shape(), random));
    } else if (const BestPlace best = look(near, others, random); best.distance > 0) {
      intent.move(best.offset);
    } else {
      leaves = -1;
    }
  }
  /// Moves as seek() does if the agent is still on the place that it tried to leave: another agent
  /// was admitted to the place that it chose.
  MASS_FN void seekAgain(const mass::Neighborhood<Cell>& near,
                         const mass::Neighbors<Forager>& others, mass::Intent<Forager>& intent) {
    if (near.index() == leaves) seek(near, others, intent);
  }

  /// Adds `sugar` to the wealth, subtracts the metabolism, and increases the age. Returns false if
  /// the wealth is then below 0, or if the agent is mortal and reaches its lifespan.
  MASS_FN bool metabolise(int sugar, bool isMortal) {
    wealth += sugar - metabolism;
    ++age;
    isNew = false;
    return wealth >= 0 && !(isMortal && age >= lifespan);
  }
  /// Eats all sugar of the place. An agent that dies is replaced by a new random one if
  /// `isReplaced` (rule R): a child on the same place, which shares no property with it.
  MASS_FN void eat(const mass::Resource<&Cell::sugar>& sugar, mass::Intent<Forager>& intent,
                   bool isReplaced) {
    if (metabolise(sugar.takeAll(), isReplaced)) return;
    intent.kill();
    if (!isReplaced) return;
    Forager child = random(intent.random());
    child.isNew = true;
    intent.spawn(child);
  }

 private:
  /// Returns the best free place in sight along the row and the column: the own one, at distance 0,
  /// if no other has more sugar.
  MASS_FN BestPlace look(const mass::Neighborhood<Cell>& near,
                         const mass::Neighbors<Forager>& others, mass::Random& random) const {
    BestPlace best{.sugar = near(0, 0).sugar};
    for (int distance = 1; distance <= vision; ++distance) {
      for (const auto direction : mass::vonNeumann<2>) {
        const mass::Offset<2> offset{direction[0] * distance, direction[1] * distance};
        if (!others(offset).empty()) continue;
        best.consider(near(offset).sugar, distance, offset, random);
      }
    }
    return best;
  }
  /// Returns a place of the world drawn at random.
  MASS_FN static mass::Coordinates<2> anyPlace(const mass::Shape<2>& shape, mass::Random& random) {
    mass::Coordinates<2> place{};
    for (int axis = 0; axis < 2; ++axis) {
      place[axis] = random.below(static_cast<std::uint32_t>(shape[axis]));
    }
    return place;
  }
};

}  // namespace sugarscape
