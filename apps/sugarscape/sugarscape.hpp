#pragma once

#include <mass/mass.hpp>

#include <algorithm>
#include <cstdint>

namespace sugarscape {

/// Land on which sugar grows.
class Cell : public mass::Place<2> {
 public:
  static constexpr int reach = 6;  // as far as a Forager sees

  int sugar = 0;
  int maximum = 0;
  double pollution = 0;
  using Attributes =
      mass::Attributes<&Cell::sugar, mass::constant<&Cell::maximum>, &Cell::pollution>;

  /// What one step grows.
  MASS_FN void grow(int growth) { sugar = std::min(sugar + growth, maximum); }

  /// The same by 1, where pollution rises by 1 everywhere and then becomes the mean of the four
  /// neighbours'.
  MASS_FN void growAndSpread(const mass::Neighborhood<Cell>& near) {
    grow(1);
    double around = 0;
    for (auto offset : mass::vonNeumann<2>) around += near(offset).pollution;
    pollution = around / 4 + 1;
  }

  /// What agents of class A leave when they have eaten.
  template <class A>
  MASS_FN void beEatenBy(const mass::Residents<A>& here) {
    if (!here.empty()) sugar = 0;
  }
  template <class A>
  MASS_FN void beEatenAndPollutedBy(const mass::Residents<A>& here) {
    beEatenBy(here);
    for (const A agent : here) pollution += agent.metabolism;
  }

  MASS_FN bool attracts() const { return sugar / (1 + pollution) > 0; }
};

/// An agent by the rules of MASS's program: to the right, or else up, to the first cell that will
/// do.
class Ant : public mass::Agent<Cell> {
 public:
  static constexpr std::int64_t capacity = 1;
  static constexpr int travel = 3, reach = 3;

  int wealth = 0;
  int metabolism = 0;
  using Attributes = mass::Attributes<&Ant::wealth, &Ant::metabolism>;

  MASS_FN static Ant random(mass::Random random) {
    Ant ant;
    ant.wealth = 1 + static_cast<int>(random.below(10));
    ant.metabolism = 1 + static_cast<int>(random.below(4));
    return ant;
  }
  MASS_FN void beginLife(const mass::Here<2>& here) { *this = random(here.random()); }

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

  /// Eats all sugar of the place and burns some. Returns whether there was enough.
  MASS_FN bool metabolise(int sugar) {
    wealth += sugar - metabolism;
    return wealth >= 0;
  }
  MASS_FN void eat(const mass::Neighborhood<Cell>& near, mass::Intent<Ant>& intent) {
    if (!metabolise(near(0, 0).sugar)) intent.kill();
  }
};

/// The best place that a forager has seen so far: the one with the most sugar; the nearest of
/// those; one drawn at random of those.
struct Choice {
  int sugar = 0;
  int distance = 0;
  mass::Offset<2> offset{};
  std::uint32_t equals = 1;  ///< places as good as this one, which is one of them

  MASS_FN void consider(int itsSugar, int itsDistance, mass::Offset<2> where,
                        mass::Random& random) {
    if (itsSugar < sugar || (itsSugar == sugar && itsDistance > distance)) return;
    const bool better = itsSugar > sugar || itsDistance < distance;
    equals = better ? 1 : equals + 1;
    if (better || random.below(equals) == 0) {
      *this = {itsSugar, itsDistance, where, equals};
    }
  }
};

/// An agent by the rules M and, if who dies is replaced, R of Epstein & Axtell (1996, ch. 2).
class Forager : public mass::Agent<Cell> {
 public:
  static constexpr std::int64_t capacity = 1;
  static constexpr int travel = mass::anywhere;  // those just born; others as far as they see
  static constexpr int reach = 6, offspring = 1;

  int wealth = 0;
  int metabolism = 0;
  int vision = 0;
  int age = 0;
  int lifespan = 0;
  bool isNew = false;        ///< looks not for sugar, but for a place to begin
  std::int64_t leaves = -1;  ///< the number of the place that it wanted to leave last; -1: none
  using Attributes =
      mass::Attributes<&Forager::wealth, &Forager::metabolism, &Forager::vision, &Forager::age,
                       &Forager::lifespan, &Forager::isNew, &Forager::leaves>;

  MASS_FN static Forager random(mass::Random random) {
    Forager forager;
    forager.wealth = 5 + static_cast<int>(random.below(21));
    forager.metabolism = 1 + static_cast<int>(random.below(4));
    forager.vision = 1 + static_cast<int>(random.below(reach));
    forager.lifespan = 60 + static_cast<int>(random.below(41));
    return forager;
  }
  MASS_FN void beginLife(const mass::Here<2>& here) { *this = random(here.random()); }

  /// Rule M, but for eating.
  MASS_FN void seek(const mass::Neighborhood<Cell>& near, const mass::Neighbors<Forager>& others,
                    mass::Intent<Forager>& intent) {
    auto random = intent.random();
    leaves = near.index();
    if (isNew) {
      intent.moveTo(anyPlace(near.shape(), random));
    } else if (const Choice best = look(near, others, random); best.distance > 0) {
      intent.move(best.offset);
    } else {
      leaves = -1;
    }
  }
  /// The same for those that another has kept from moving.
  MASS_FN void seekAgain(const mass::Neighborhood<Cell>& near,
                         const mass::Neighbors<Forager>& others, mass::Intent<Forager>& intent) {
    if (near.index() == leaves) seek(near, others, intent);
  }

  /// Eats all sugar of the place, burns some, and grows older. Returns whether it can live on.
  MASS_FN bool metabolise(int sugar, bool isMortal) {
    wealth += sugar - metabolism;
    ++age;
    isNew = false;
    return wealth >= 0 && !(isMortal && age >= lifespan);
  }
  /// Rule R: who dies leaves a child, which has nothing of its parent but, until its first move,
  /// the place.
  MASS_FN void eat(const mass::Neighborhood<Cell>& near, mass::Intent<Forager>& intent,
                   bool isReplaced) {
    if (metabolise(near(0, 0).sugar, isReplaced)) return;
    intent.kill();
    if (!isReplaced) return;
    Forager child = random(intent.random());
    child.isNew = true;
    intent.spawn(child);
  }

 private:
  /// The best free place in sight. Its own counts: where none is better, it stays.
  MASS_FN Choice look(const mass::Neighborhood<Cell>& near, const mass::Neighbors<Forager>& others,
                      mass::Random& random) const {
    Choice best{.sugar = near(0, 0).sugar};
    for (int distance = 1; distance <= vision; ++distance) {
      for (const auto direction : mass::vonNeumann<2>) {
        const mass::Offset<2> offset{direction[0] * distance, direction[1] * distance};
        if (!others(offset).empty()) continue;
        best.consider(near(offset).sugar, distance, offset, random);
      }
    }
    return best;
  }
  MASS_FN static mass::Coordinates<2> anyPlace(const mass::Shape<2>& shape, mass::Random& random) {
    mass::Coordinates<2> place{};
    for (int axis = 0; axis < 2; ++axis) {
      place[axis] = random.below(static_cast<std::uint32_t>(shape[axis]));
    }
    return place;
  }
};

}  // namespace sugarscape
