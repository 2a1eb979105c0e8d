#pragma once

#include <mass/mass.hpp>

#include <cstdint>

namespace schelling {

/// Lot of a town: at most one household lives on it.
class Lot : public mass::Place<2> {
 public:
  using Attributes = mass::Attributes<>;
};

/// Household of one of two kinds. It moves if too few of its neighbours are of its own kind
/// (Schelling, "Dynamic models of segregation", Journal of Mathematical Sociology 1, 1971).
class Household : public mass::Agent<Lot> {
 public:
  static constexpr std::int64_t capacity = 1;
  static constexpr int travel = mass::anywhere;
  static constexpr bool seeksFreePlaces = true;

  bool isRed = false;
  std::int64_t leaves = -1;  ///< index of the lot left or to be left in this step; -1 = content
  using Attributes = mass::Attributes<&Household::isRed, &Household::leaves>;

  MASS_FN void beginLife(const mass::Here<2>& here) { isRed = here.random().bernoulli(0.5); }

  /// Moves to a random free lot if the household is not content.
  MASS_FN void choose(const mass::Neighbors<Household>& others, mass::Intent<Household>& intent,
                      float wanted) {
    leaves = isContent(others, wanted) ? -1 : intent.index();
    if (leaves >= 0) intent.moveToFree();
  }
  /// Moves to a random free lot if the household tried to leave its lot and found no free one:
  /// other households have left lots since.
  MASS_FN void chooseAgain(mass::Intent<Household>& intent) {
    if (intent.index() == leaves) intent.moveToFree();
  }
  /// Returns true if more than a share `wanted` of the neighbours are of the own kind, or if there
  /// are no neighbours.
  MASS_FN bool isContent(const mass::Neighbors<Household>& others, float wanted) const {
    const NeighborCounts around = countNeighbors(others);
    return around.all == 0 ||
           static_cast<float>(around.alike) > wanted * static_cast<float>(around.all);
  }
  /// Returns the share of the neighbours that are of the own kind; 1 if there are none.
  MASS_FN double likeness(const mass::Neighbors<Household>& others) const {
    const NeighborCounts around = countNeighbors(others);
    return around.all == 0 ? 1.0 : static_cast<double>(around.alike) / around.all;
  }

 private:
  struct NeighborCounts {
    int all = 0, alike = 0;
  };
  /// Counts the households on the 8 lots around.
  MASS_FN NeighborCounts countNeighbors(const mass::Neighbors<Household>& others) const {
    NeighborCounts around;
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
