#pragma once

#include <mass/mass.hpp>

#include <cstdint>

namespace schelling {

/// Where a household can live.
class Lot : public mass::Place<2> {
 public:
  using Attributes = mass::Attributes<>;
};

/// A household of one of two kinds, which moves away when too few of its neighbours are of its own
/// (Schelling, "Dynamic models of segregation", Journal of Mathematical Sociology 1, 1971).
class Household : public mass::Agent<Lot> {
 public:
  static constexpr std::int64_t capacity = 1;
  static constexpr int travel = mass::anywhere;
  static constexpr bool seeksFreePlaces = true;

  bool isRed = false;
  std::int64_t leaves = -1;  ///< the number of the lot that it wanted to leave last; -1: none
  using Attributes = mass::Attributes<&Household::isRed, &Household::leaves>;

  MASS_FN void beginLife(const mass::Here<2>& here) { isRed = here.random().bernoulli(0.5); }

  /// Leaves for any free lot unless more than a share `wanted` of its neighbours are like itself.
  MASS_FN void choose(const mass::Neighbors<Household>& others, mass::Intent<Household>& intent,
                      float wanted) {
    leaves = isContent(others, wanted) ? -1 : intent.index();
    if (leaves >= 0) intent.moveToFree();
  }
  /// The same for those that found none, as free lots were too few: others have left theirs since.
  MASS_FN void chooseAgain(mass::Intent<Household>& intent) {
    if (intent.index() == leaves) intent.moveToFree();
  }
  MASS_FN bool isContent(const mass::Neighbors<Household>& others, float wanted) const {
    const Around around = look(others);
    return around.all == 0 ||
           static_cast<float>(around.alike) > wanted * static_cast<float>(around.all);
  }
  /// The share of its neighbours that are like itself; 1 where there are none.
  MASS_FN double likeness(const mass::Neighbors<Household>& others) const {
    const Around around = look(others);
    return around.all == 0 ? 1.0 : static_cast<double>(around.alike) / around.all;
  }

 private:
  struct Around {
    int all = 0, alike = 0;
  };
  MASS_FN Around look(const mass::Neighbors<Household>& others) const {
    Around around;
    for (auto offset : mass::moore<2>) {
      for (const Household other : others(offset)) {
        ++around.all;
        around.alike += other.isRed == isRed ? 1 : 0;
      }
    }
    return around;
  }
};

}  // namespace schelling
