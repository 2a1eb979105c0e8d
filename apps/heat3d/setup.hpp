#pragma once

#include <apps/heat3d/heat3d.hpp>

#include <cstdint>
#include <utility>

namespace heat3d {

/// Returns the settings of this program and the library's.
mass::Schema schema();

/// Physical and numerical parameters of a run.
struct Parameters {
  mass::Shape<3> shape;  ///< planes, rows and columns
  int order;             ///< order of accuracy in space: 2, 4, 6 or 8
  bool isFloat;          ///< temperatures are float, otherwise double
  double diffusivity;    ///< m^2/s
  double spacing;        ///< m
  double timeStep;       ///< s
  Faces faces;
  double faceTemperature;  ///< K, of fixed faces
  bool isMode;             ///< true: the start is a decaying mode; false: a hot ball
  double ballTemperature;  ///< K
  double ballRadius;       ///< m

  /// Reads the settings.
  /// @throws mass::SettingsError if the order is odd, if the time step is unstable (the message has
  /// the largest stable one), or if a mode has fixed faces that are not at 0, or an axis of one
  /// place.
  explicit Parameters(const mass::Settings& settings);

  /// Returns diffusivity timeStep / spacing^2: at most largestRate(order), but for rounding.
  double r() const { return diffusivity * timeStep / (spacing * spacing); }
  Mode mode() const { return {faces}; }
  /// Returns exp(-k t), the amplitude of the mode after some steps relative to the initial one;
  /// k = diffusivity |wave vector|^2.
  double decay(std::int64_t steps) const;
  /// Returns the lowest and the highest temperature of the start and the faces: the range of
  /// pictures.
  std::pair<double, double> temperatureRange() const;
};

/// Creates the block of the settings, and declares steps and outputs.
/// @throws mass::SettingsError as Parameters does.
void setUp(mass::Mass& mass, mass::Simulation& run);

/// Returns the program, for mass::runProgram and mass::Run.
mass::Program program();

}  // namespace heat3d
