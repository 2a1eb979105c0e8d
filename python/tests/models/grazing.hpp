#pragma once

#include "species.hpp"

#include <mass/mass.hpp>

#include <cstdint>

namespace grazing {

class Sheep;

/// Meadow whose grass sheep eat.
class Meadow : public mass::Place<2> {
 public:
  enum class Soil : std::uint8_t { clay, sand };

  int grass = 3;
  float light[2] = {1, 0.5F};
  Soil soil = Soil::clay;
  using Attributes = mass::Attributes<&Meadow::grass, &Meadow::light, &Meadow::soil>;

  MASS_FN int total() const { return grass; }
  MASS_FN double weighted(double weight) const { return weight * grass; }
  MASS_FN bool hasMore(int than) const { return grass > than; }
  MASS_FN void grow(std::int8_t by, bool twice) { grass += twice ? 2 * by : by; }
  MASS_FN void become(Soil other) { soil = other; }
  /// Sets the grass to a value by row.
  MASS_FN void growBy(const mass::Here<2>& here, const mass::Shared<double>& byRow) {
    grass = static_cast<int>(byRow[here.coordinates()[0]]);
  }
  MASS_FN void crop(const mass::Residents<Sheep>& sheep);
  MASS_FN void sow(const Species& species) { grass = species.gain; }
  void overloaded(int by) { grass += by; }
  void overloaded(float by) { grass += static_cast<int>(by); }
  MASS_FN int shape() const { return grass; }

 private:
  void hidden() {}
};

/// Sheep that walks, eats and lambs.
class Sheep : public mass::Agent<Meadow> {
 public:
  static constexpr int offspring = 1;
  int energy = 10;
  using Attributes = mass::Attributes<&Sheep::energy>;
  MASS_FN void walk(mass::Intent<Sheep>& intent);
  MASS_FN void lamb(mass::Intent<Sheep>& intent) { intent.spawn(Sheep{}); }
  MASS_FN int doubled() const { return 2 * energy; }
  MASS_FN void graze(const mass::Neighborhood<Meadow>& near) { energy += near(0, 0).grass; }
  using Rules = mass::Rules<&Sheep::walk, &Sheep::lamb, &Sheep::doubled, &Sheep::graze>;
  MASS_FN void notListed() { energy = 0; }
};

MASS_FN inline void Meadow::crop(const mass::Residents<Sheep>& sheep) {
  for (const Sheep one : sheep) grass -= one.energy > 0 ? 1 : 0;
}

MASS_FN inline void Sheep::walk(mass::Intent<Sheep>& intent) {
  intent.move({0, 1});
}

/// Burrow of a warren, with tunnels to others.
class Burrow : public mass::Node {
 public:
  int rabbits = 1;
  using Attributes = mass::Attributes<&Burrow::rabbits>;
  MASS_FN void count(const mass::Links<Burrow>& tunnels) {
    rabbits = 0;
    for (const auto tunnel : tunnels) rabbits += tunnel.node().rabbits;
  }
  MASS_FN void dig(const mass::Here<1>& here, const mass::Edges<Burrow>& tunnels, int to) {
    if (here.index() == 0) tunnels.add(to);
  }
};

/// Rabbit that goes through the first tunnel of its burrow.
class Rabbit : public mass::Agent<Burrow> {
 public:
  int age = 0;
  using Attributes = mass::Attributes<&Rabbit::age>;
  MASS_FN void run(mass::Intent<Rabbit>& intent) { intent.moveAlong(0); }
};

}  // namespace grazing
