#pragma once

#include <apps/schelling/schelling.hpp>

#include <cstdint>

namespace schelling {

/// The settings of this program besides the library's.
mass::Schema schema();

/// Households of two kinds in a square town that goes round.
class Town {
 public:
  /// @param occupied the share of lots that have a household, drawn at random
  /// @param wanted of a household's neighbours, more than this share must be like itself
  Town(mass::Mass& mass, std::int64_t size, double occupied, double wanted);

  /// Lets all that are not content move, until each has a lot. Returns how many moved.
  std::int64_t step() const;
  std::int64_t discontented() const;
  /// How much like their neighbours households are on average.
  double likeness() const;
  /// Free lots, and households by kind.
  mass::Picture picture() const;

  const mass::Agents<Household>& households() const { return households_; }

 private:
  mass::Places<Lot> lots_;
  mass::Agents<Household> households_;
  float wanted_;
};

/// Sets the model up as the settings say.
void setUp(mass::Mass& mass, mass::Simulation& run);

}  // namespace schelling
