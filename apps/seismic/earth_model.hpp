#pragma once

#include <mass/mass.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace seismic {

/// Elastic, isotropic material.
struct Material {
  double vp = 0;       ///< m/s, speed of P waves
  double vs = 0;       ///< m/s, speed of S waves; 0 in a fluid
  double density = 0;  ///< kg/m^3

  /// Returns Lame's first parameter in Pa.
  double lambda() const { return density * (vp * vp - 2 * vs * vs); }
  /// Returns the shear modulus in Pa.
  double mu() const { return density * vs * vs; }
  /// Returns the reason for which no ground has these numbers, with the remedy; empty if some has.
  std::string objection() const;
};

/// Material at each point of the ground: flat layers and a basin, or arrays from files.
class EarthModel {
 public:
  /// Reads the settings `vp`, `vs`, `density`, `layers`, `basin` and `model`.
  /// @param shape cells along z, y, x
  /// @param spacing m
  /// @throws mass::SettingsError if a material is impossible, or a layer or the basin is not in the
  /// world
  /// @throws mass::InputError if a file cannot be read, or has another number of cells
  EarthModel(const mass::Settings& settings, const mass::Shape<3>& shape, double spacing);

  /// Returns the material at a point of the grid.
  Material at(const mass::Coordinates<3>& place) const;
  /// Returns the largest speed of P waves in m/s.
  double fastest() const { return fastest_; }
  /// Returns the smallest speed of a wave in m/s: of S waves, in a fluid of P waves.
  double slowest() const { return slowest_; }
  /// Returns the largest density in kg/m^3.
  double densest() const { return densest_; }
  /// Returns the smallest shear modulus in Pa.
  double softest() const { return softest_; }
  /// Returns lines that describe the model.
  std::string report() const;

 private:
  struct Layer {
    std::string name;
    double top;  ///< m, depth
    Material material;
  };
  /// Half-ellipsoid below the surface.
  struct Basin {
    double center[2];  ///< m, x and y
    double radii[3];   ///< m, along x, y and z
    Material material;
    bool contains(double x, double y, double z) const;
  };

  void readLayers(const mass::Settings& settings);
  void readBasin(const mass::Settings& settings);
  void readArrays(const mass::Settings& settings);
  void include(const Material& material);
  double extent(int axis) const;

  mass::Shape<3> shape_;
  double spacing_;
  std::vector<Layer> layers_;             ///< from the top; the last one has no bottom
  std::vector<Basin> basins_;             ///< none or one
  std::vector<float> vp_, vs_, density_;  ///< by cell; empty without arrays
  double fastest_ = 0, slowest_ = 0, densest_ = 0, softest_ = 0;
};

}  // namespace seismic
