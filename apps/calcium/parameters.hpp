#pragma once

#include <apps/calcium/buffer.hpp>
#include <apps/calcium/dendrite_field.hpp>
#include <apps/calcium/kinetics.hpp>

#include <mass/mass.hpp>

#include <cstdint>
#include <string>

namespace calcium {

/// Form of the model.
enum class Form : std::uint8_t {
  states,     ///< receptors with eight states
  threshold,  ///< a receptor with thresholds in each site
  field       ///< concentrations, by finite differences
};

/// Length and time of a run in steps, and the speed of diffusion.
struct Clock {
  double step;      ///< length of a step in s
  double duration;  ///< s
  double spacing;   ///< edge of a site in um
  double longest;   ///< longest time step of finite differences in s

  /// Reads the settings.
  /// @throws mass::SettingsError if a step is no whole number of windows of the settings
  explicit Clock(const mass::Settings& settings);

  /// Returns the rate in 1/s at which a molecule hops to each adjacent site: D / h^2.
  /// @param diffusion um^2/ms
  double hopRate(double diffusion) const { return diffusion * 1e3 / (spacing * spacing); }
  /// Returns the number of time steps of finite differences in a step.
  std::int64_t timeSteps() const;
  /// Returns the length of a time step in s.
  double timeStep() const { return step / static_cast<double>(timeSteps()); }
};

/// Parameters of a wave in a dendrite.
struct WaveParameters {
  Form form;
  Clock clock;
  std::int64_t sites;
  double calciumDiffusion, ip3Diffusion;  ///< um^2/ms
  Kinetics kinetics;
  Initial initial;
  Stimulus stimulus;
  std::int64_t stimulusStep;  ///< number of steps before the injection
  double level;               ///< concentration in uM that the front of a wave exceeds
  double meanOver;            ///< length in um over which concentrations are averaged for the front

  /// Reads the settings.
  /// @throws mass::SettingsError if the length is no whole number of sites, the injection is no
  /// whole number of steps after the start or after the end, it is wider than the dendrite, finite
  /// differences are unstable, or a key is given that this form of the model does not use
  explicit WaveParameters(const mass::Settings& settings);

  /// Returns the time step of finite differences.
  TimeStep fieldStep() const;
  /// Returns the number of sites on each side of a site over which means are taken.
  std::int64_t meanReach() const;
};

/// Parameters of a buffer in a Y-shaped cell.
struct BufferParameters {
  Clock clock;
  bool isField;                              ///< true: concentrations, by finite differences
  double armLength, armDiameter;             ///< um
  double calciumDiffusion, bufferDiffusion;  ///< um^2/ms
  BufferRates rates;
  std::int64_t calciumHigh, calciumLow, buffer;  ///< molecules in a site at the start

  /// Reads the settings.
  /// @throws mass::SettingsError if finite differences are unstable, or a key is given that the
  /// model does not use
  explicit BufferParameters(const mass::Settings& settings);
};

}  // namespace calcium
