#pragma once

#include <mass/mass.hpp>

#include <apps/heat3d/stencil.hpp>

#include <cmath>
#include <cstdint>
#include <numbers>

namespace heat3d {

/// Condition at the faces of the block.
enum class Faces : std::uint8_t {
  insulated,  ///< no heat flux: the block is mirrored
  fixed,      ///< a temperature is given one spacing beyond the last place, and farther outside
  periodic    ///< the block repeats
};

/// Eigenmode of the block: it decays and keeps its form.
struct Mode {
  Faces faces = Faces::insulated;

  /// Returns the wave number along an axis of `places` places, in radians per spacing: a period
  /// between periodic faces, and half a period between others. Fixed faces are one spacing beyond
  /// the last places, insulated ones half a spacing.
  MASS_FN double waveNumber(std::int64_t places) const {
    const double half = std::numbers::pi / static_cast<double>(places);
    if (faces == Faces::periodic) return 2 * half;
    return faces == Faces::insulated ? half : std::numbers::pi / static_cast<double>(places + 1);
  }

  /// Returns the initial temperature of a place in K: the product over the axes of cos(2 pi i / n)
  /// (periodic), cos(pi (i + 1/2) / n) (insulated) or sin(pi (i + 1) / (n + 1)) (fixed).
  MASS_FN double at(const mass::Coordinates<3>& place, const mass::Shape<3>& shape) const {
    double value = 1;
    for (int axis = 0; axis < 3; ++axis) {
      const auto i = static_cast<double>(place[axis]);
      const double wave = waveNumber(shape[axis]);
      value *= faces == Faces::periodic    ? std::cos(wave * i)
               : faces == Faces::insulated ? std::cos(wave * (i + 0.5))
                                           : std::sin(wave * (i + 1));
    }
    return value;
  }
};

/// Grid point of a heat-conducting block.
/// @tparam Real float or double
/// @tparam order order of accuracy in space: 2, 4, 6 or 8
template <class Real, int order>
class Heat : public mass::Place<3> {
 public:
  static constexpr int reach = order / 2;
  static constexpr auto reads = mass::alongAxes;
  static constexpr bool sameBitsOnGpus = true;
  Real temperature = 0;  ///< K
  using Attributes = mass::Attributes<&Heat::temperature>;

  /// Makes one explicit step (forward in time, centred in space) of the heat equation.
  /// @param r diffusivity dt / spacing^2; stable if at most largestRate(order)
  MASS_FN void diffuse(const mass::Neighborhood<Heat>& near, Real r) {
    temperature += r * laplacian(near);
  }

  /// Sets the temperature of the places within `radius` spacings of the centre of the block.
  MASS_FN void heatBall(const mass::Here<3>& here, double radius, Real hot) {
    double squared = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const double middle = 0.5 * static_cast<double>(here.shape()[axis] - 1);
      const double along = static_cast<double>(here.coordinates()[axis]) - middle;
      squared += along * along;
    }
    if (squared <= radius * radius) temperature = hot;
  }

  /// Returns the distance of the temperature from a mode that has decayed to `share` of its
  /// initial amplitude.
  MASS_FN double errorFrom(const mass::Here<3>& here, const Mode& mode, double share) const {
    return std::abs(static_cast<double>(temperature) -
                    share * mode.at(here.coordinates(), here.shape()));
  }

 private:
  /// Returns spacing^2 times the Laplacian of the temperature. The two places at equal distances
  /// are added first, so that mirror images of a world have the same bits.
  MASS_FN Real laplacian(const mass::Neighborhood<Heat>& near) const {
    const auto at = [&](int z, int y, int x) {
      return near.template get<&Heat::temperature>({z, y, x});
    };
    Real sum = static_cast<Real>(3 * weight(order, 0)) * temperature;
    for (int d = 1; d <= reach; ++d) {
      sum += static_cast<Real>(weight(order, d)) *
             ((at(-d, 0, 0) + at(d, 0, 0)) + (at(0, -d, 0) + at(0, d, 0)) +
              (at(0, 0, -d) + at(0, 0, d)));
    }
    return sum;
  }
};

}  // namespace heat3d
