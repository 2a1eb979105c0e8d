#pragma once

#include <apps/seismic/earth_model.hpp>

#include <mass/mass.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace seismic {

/// Place whose velocity is recorded.
struct Receiver {
  std::string name;
  mass::Coordinates<3> place{};  ///< z, y, x
};

/// Point source with a Ricker wavelet as its moment rate.
struct SourceParameters {
  mass::Coordinates<3> place{};  ///< z, y, x
  std::vector<double> tensor;    ///< xx, yy, zz, xy, xz, yz
  double momentRate = 0;         ///< N m/s, largest rate of a component 1 of the tensor
  double frequency = 0;          ///< Hz, of the largest amplitude of the wavelet
  double delay = 0;              ///< s, time of the largest rate

  /// True if the tensor is a multiple of the unit tensor: the source radiates no S waves.
  bool isExplosion() const;
  /// Returns the moment rate at a time in N m/s: a Ricker wavelet (Ricker, Geophysics 18, 10,
  /// 1953).
  double rateAt(double time) const;
  /// Returns the frequency in Hz above which the wavelet has hardly any amplitude: 2.5 times that
  /// of its largest one, where it is 2.7 % of that.
  double highestFrequency() const { return 2.5 * frequency; }
  /// Returns the time in s after which the rate is below 1e-8 of the largest one.
  double end() const;
};

/// Physical and numerical parameters of a run.
struct Parameters {
  mass::Shape<3> shape{};  ///< cells along z, y, x
  double spacing = 0;      ///< m
  EarthModel ground;
  double timeStep = 0;  ///< s
  std::string top;      ///< free, absorbing or periodic
  std::string sides;    ///< absorbing or periodic
  std::int64_t spongeWidth = 0;
  double spongeDamping = 1;
  SourceParameters source;
  std::vector<Receiver> receivers;
  bool keepsMotion = false;

  /// Reads the settings.
  /// @throws mass::SettingsError if the time step is unstable (the message names the largest stable
  /// one), a source or receiver is outside of the world, or the sponges leave no cell
  explicit Parameters(const mass::Settings& settings);

  /// Returns vp dt / h of the fastest material.
  double courant() const { return ground.fastest() * timeStep / spacing; }
  /// Returns the cells that the shortest wavelength of the source spans.
  double cellsPerWavelength() const {
    return ground.slowest() / source.highestFrequency() / spacing;
  }
  /// True if both ends of an axis (z, y, x) are periodic.
  bool isPeriodic(int axis) const { return (axis == 0 ? top : sides) == "periodic"; }
  /// Returns the factors by which the sponge reduces velocities and stresses in a step: those of
  /// all z, then of all y, then of all x (Cerjan et al., Geophysics 50, 705, 1985). At n cells from
  /// an absorbing face, n below the width w, it is damping^((w - n)^2 / w^2).
  std::vector<double> sponge() const;
  /// Returns lines that describe the run.
  std::string report() const;
};

}  // namespace seismic
