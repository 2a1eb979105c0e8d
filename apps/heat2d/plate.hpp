#pragma once

#include <apps/heat2d/heat.hpp>

#include <cstdint>
#include <utility>

namespace heat2d {

/// The settings of this program besides the library's.
mass::Schema schema();

/// Physical and numerical constants of a run.
struct Plate {
  std::int64_t rows, columns;
  double diffusivity;  ///< m^2/s
  double spacing;      ///< m
  double timeStep;     ///< s
  bool insulated;      ///< edges that no heat passes; otherwise edges of fixed temperature
  double edgeTemperature, sourceTemperature;
  std::int64_t heatTime;  ///< steps during which the source is on
  bool isMode;            ///< starts as a decaying mode instead of being heated

  /// Reads and checks the settings. @throws SettingsError, also for a time step that is not stable:
  /// it names the largest that is.
  explicit Plate(const mass::Settings& settings);

  /// diffusivity timeStep / spacing^2, at most 1/4 (but for rounding).
  double r() const { return diffusivity * timeStep / (spacing * spacing); }
  Mode mode() const { return {1, insulated}; }
  /// What is left of the mode's amplitude after some steps: exp(-k t), by the heat equation.
  double decay(std::int64_t steps) const;
  /// The lowest and highest temperature that there can be: what pictures span.
  std::pair<double, double> span() const;
};

/// Sets the model up for one precision.
template <class Real>
void setUp(mass::Mass& mass, mass::Simulation& run, const Plate& plate);

}  // namespace heat2d
