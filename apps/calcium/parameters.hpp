#pragma once

#include <apps/calcium/buffer.hpp>
#include <apps/calcium/dendrite_field.hpp>
#include <apps/calcium/kinetics.hpp>

#include <mass/mass.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace calcium {

/// Rejects the keys that are given and that the model does not use.
/// @param names keys, or sections with '.' at their end
/// @throws mass::SettingsError if one of them is given
void refuse(const mass::Settings& settings, const std::vector<std::string>& names,
            const std::string& why);

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
  /// Returns the number of steps of the run.
  std::int64_t steps(const mass::Settings& settings) const;
  /// Returns the number of time steps of finite differences in a step.
  std::int64_t timeSteps() const;
  /// Returns the length of a time step in s.
  double timeStep() const { return step / static_cast<double>(timeSteps()); }
};

/// Parameters of calcium and IP3 in a dendrite or a neuron.
struct DendriteParameters {
  Form form;
  Clock clock;
  double calciumDiffusion, ip3Diffusion;  ///< um^2/ms
  Kinetics kinetics;
  Initial initial;
  Stimulus stimulus;
  std::int64_t stimulusStep;  ///< number of steps before the injection

  /// Reads the settings.
  /// @throws mass::SettingsError if the injection is no whole number of steps after the start or
  /// not before the end, a site would have too many molecules, or a key is given that this form of
  /// the model does not use
  explicit DendriteParameters(const mass::Settings& settings);
};

/// Parameters of a wave in a dendrite.
struct WaveParameters : DendriteParameters {
  std::int64_t sites;
  double stimulusWidth;  ///< length of the stretch in the middle that is stimulated, in sites
  double level;          ///< concentration in uM that the front of a wave exceeds
  double meanOver;       ///< length in um over which concentrations are averaged for the front

  /// Reads the settings.
  /// @throws mass::SettingsError as DendriteParameters; if the length is no whole number of sites,
  /// the injection is wider than the dendrite, or finite differences are unstable
  explicit WaveParameters(const mass::Settings& settings);

  /// True if the injection reaches a site.
  bool isStimulated(const mass::Coordinates<1>& site) const;
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
