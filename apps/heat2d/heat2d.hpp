#pragma once

#include <mass/mass.hpp>

#include <cmath>
#include <cstdint>
#include <numbers>

namespace heat2d {

/// Heat source: columns [begin, end) of row 0 are held at a temperature, as in the MASS benchmark.
template <class Real>
struct Source {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  static constexpr bool sameBitsOnGpus = true;
  Real temperature = 0;  ///< K
};

/// Eigenmode of the plate: it decays and keeps its form.
struct Mode {
  double amplitude = 1;
  bool insulated = false;  ///< true: a cosine, flat at the edges; false: a sine, zero at the edges

  /// Returns the initial value at a place. The edge is one spacing beyond the last place if its
  /// temperature is fixed, and half a spacing beyond it if it is insulated (Crank, The Mathematics
  /// of Diffusion, 1975, ch. 8).
  MASS_FN double at(const mass::Coordinates<2>& place, const mass::Shape<2>& shape) const {
    double value = amplitude;
    for (int axis = 0; axis < 2; ++axis) {
      const auto n = static_cast<double>(shape[axis]);
      const auto i = static_cast<double>(place[axis]);
      value *= insulated ? std::cos(std::numbers::pi * (i + 0.5) / n)
                         : std::sin(std::numbers::pi * (i + 1) / (n + 1));
    }
    return value;
  }
};

/// Grid point of a heat-conducting plate.
/// @tparam Real float or double
template <class Real>
class Heat : public mass::Place<2> {
 public:
  Real temperature = 0;  ///< K
  using Attributes = mass::Attributes<&Heat::temperature>;

  /// Makes one explicit step (forward in time, centred in space) of the heat equation (Crank 1975,
  /// eq. 8.31 in two dimensions).
  /// @param r diffusivity dt / spacing^2; stable if at most 1/4
  MASS_FN void diffuse(const mass::Neighborhood<Heat>& near, Real r) {
    Real around = 0;
    for (auto offset : mass::vonNeumann<2>) around += near(offset).temperature;
    temperature += r * (around - 4 * temperature);
  }

  /// Makes one step, and then sets the temperature of the source.
  MASS_FN void diffuseHeated(const mass::Neighborhood<Heat>& near, Real r,
                             const Source<Real>& source) {
    diffuse(near, r);
    const auto [row, column] = near.coordinates().values;
    if (row == 0 && source.begin <= column && column < source.end) temperature = source.temperature;
  }

  /// Returns the distance of the temperature from a mode that has decayed to `share` of its
  /// initial amplitude.
  MASS_FN double errorFrom(const mass::Here<2>& here, const Mode& mode, double share) const {
    return std::abs(static_cast<double>(temperature) -
                    share * mode.at(here.coordinates(), here.shape()));
  }
};

}  // namespace heat2d
