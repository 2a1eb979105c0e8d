#pragma once

#include <apps/calcium/parameters.hpp>

#include <mass/mass.hpp>

#include <cstdint>
#include <string>

namespace calcium {

/// Parameters of calcium and IP3 in the sites of a neuron.
struct NeuronParameters : DendriteParameters {
  mass::Morphology::Cubes cubes;           ///< sites, along z, y, x
  mass::Morphology::Point stimulusCenter;  ///< middle of the stimulated sphere in um: x, y, z
  double stimulusRadius;                   ///< um

  /// Reads the settings and the file of the neuron.
  /// @throws mass::SettingsError as DendriteParameters; if no file or a wrong point is given, no
  /// site is stimulated, or for finite differences
  /// @throws mass::InputError if the file is invalid or fills no site
  explicit NeuronParameters(const mass::Settings& settings);

  /// True if the injection reaches a site: its middle is in the sphere.
  bool isStimulated(const mass::Coordinates<3>& site) const;
  /// Returns a text of the sites, the parts of the neuron that are left out, and the stimulus.
  std::string text() const;

 private:
  NeuronParameters(const mass::Settings& settings, const mass::Morphology& neuron);
  /// Returns the distance of the middle of a site from that of the stimulated sphere in um.
  double distance(const mass::Coordinates<3>& site) const;
  void requireStimulated(const mass::Settings& settings) const;
};

}  // namespace calcium
