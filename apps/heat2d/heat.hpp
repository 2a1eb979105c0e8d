#pragma once

#include <mass/mass.hpp>

#include <cmath>
#include <cstdint>
#include <numbers>

namespace heat2d {

/// Columns [begin, end) of row 0 that are held at a temperature: the source of heat of the MASS
/// benchmark.
template <class Real>
struct Source {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  Real temperature = 0;
};

/// A mode of the plate that decays without changing its form.
struct Mode {
  double amplitude = 1;
  bool insulated = false;  ///< a cosine, flat at the edges; otherwise a sine, zero at the edges

  /// The mode's value at a place, before it decays. With edges of fixed temperature the wall lies
  /// one spacing beyond the last place, with insulated ones half a spacing (Crank, The Mathematics
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

/// A piece of a plate that conducts heat, temperatures in single or double precision.
template <class Real>
class Heat : public mass::Place<2> {
 public:
  Real temperature = 0;
  using Attributes = mass::Attributes<&Heat::temperature>;

  /// One explicit step (forward in time, centred in space) of the heat equation, r = diffusivity dt
  /// / spacing^2 (Crank 1975, eq. 8.31 in two dimensions); stable for r <= 1/4.
  MASS_FN void diffuse(const mass::Neighborhood<Heat>& near, Real r) {
    Real around = 0;
    for (auto offset : mass::vonNeumann<2>) around += near(offset).temperature;
    temperature += r * (around - 4 * temperature);
  }

  /// The same while the source is on.
  MASS_FN void diffuseHeated(const mass::Neighborhood<Heat>& near, Real r,
                             const Source<Real>& source) {
    diffuse(near, r);
    const auto [row, column] = near.coordinates().values;
    if (row == 0 && source.begin <= column && column < source.end) temperature = source.temperature;
  }

  /// How far the state is from a mode that has decayed to a share of its amplitude.
  MASS_FN double errorFrom(const mass::Here<2>& here, const Mode& mode, double share) const {
    return std::abs(static_cast<double>(temperature) -
                    share * mode.at(here.coordinates(), here.shape()));
  }
};

}  // namespace heat2d
