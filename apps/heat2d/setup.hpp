#pragma once

#include <apps/heat2d/heat2d.hpp>

#include <cstdint>
#include <utility>

namespace heat2d {

/// Returns the settings of this program and the library's.
mass::Schema schema();

/// Physical and numerical parameters of a run.
struct Parameters {
  std::int64_t rows, columns;
  double diffusivity;        ///< m^2/s
  double spacing;            ///< m
  double timeStep;           ///< s
  bool insulated;            ///< true: no heat crosses the edges; false: their temperature is fixed
  double edgeTemperature;    ///< K, of fixed edges
  double sourceTemperature;  ///< K
  std::int64_t heatTime;     ///< steps during which the source is on
  bool isMode;               ///< true: the start is a decaying mode, and there is no source

  /// Reads the settings.
  /// @throws mass::SettingsError if the time step is unstable (the message names the largest stable
  /// one), or if the edges are not at 0 for a sine mode.
  explicit Parameters(const mass::Settings& settings);

  /// Returns diffusivity timeStep / spacing^2: at most 1/4, but for rounding.
  double r() const { return diffusivity * timeStep / (spacing * spacing); }
  Mode mode() const { return {1, insulated}; }
  /// Returns exp(-k t), the amplitude of the mode after some steps relative to the initial one;
  /// k = diffusivity pi^2 (1/height^2 + 1/width^2).
  double decay(std::int64_t steps) const;
  /// Returns the lowest and the highest temperature that can occur: the range of pictures.
  std::pair<double, double> temperatureRange() const;
};

/// Creates the plate of the settings, and declares steps and outputs.
/// @throws mass::SettingsError as Parameters does.
void setUp(mass::Mass& mass, mass::Simulation& run);

/// Returns the program, for mass::runProgram and mass::Run.
mass::Program program();

}  // namespace heat2d
