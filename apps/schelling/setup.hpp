#pragma once

#include <apps/schelling/schelling.hpp>

#include <cstdint>

namespace schelling {

/// Returns the settings of this program and the library's.
mass::Schema schema();

/// Households of two kinds in a periodic square town.
class World {
 public:
  /// @param size edge of the town in lots
  /// @param occupied share of the lots that have a household, 0 to 1; they are drawn at random
  /// @param wanted more than this share of a household's neighbours must be of its kind, 0 to 1
  World(mass::Mass& mass, std::int64_t size, double occupied, double wanted);

  /// Sets the share of neighbours that households want in the next steps.
  void setWanted(double wanted) { wanted_ = static_cast<float>(wanted); }
  /// Moves all households that are not content, each of them once.
  /// @return the number of households that moved: 0 in a town without a free lot
  std::int64_t step() const;
  /// Returns the number of households that are not content.
  std::int64_t discontented() const;
  /// Returns the mean share of neighbours that are of the own kind, over all households.
  double likeness() const;
  /// Draws free lots and the two kinds of households.
  mass::Picture picture() const;

  const mass::Agents<Household>& households() const { return households_; }

 private:
  mass::Places<Lot> lots_;
  mass::Agents<Household> households_;
  float wanted_;
};

/// Creates the town of the settings, and declares steps and outputs.
void setUp(mass::Mass& mass, mass::Simulation& run);

/// Returns the program, for mass::runProgram and mass::Run.
mass::Program program();

}  // namespace schelling
