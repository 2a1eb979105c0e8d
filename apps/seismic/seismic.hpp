#pragma once

#include <apps/seismic/differences.hpp>

#include <mass/mass.hpp>

#include <cmath>
#include <cstdint>
#include <limits>

namespace seismic {

/// Indices of the components of Ground::stress.
enum StressComponent : int { xx, yy, zz, xy, xz, yz };

/// Constants of a step. Both rules of a step take them.
template <class Real>
struct Grid {
  Real spacing = 1;            ///< m
  Real perSpacing = 1;         ///< 1/m, inverse of the spacing
  Real timeStep = 1;           ///< s
  std::int64_t ruleCount = 2;  ///< rules of a step
};

/// Components of the moment tensor of a source over its scalar moment, by StressComponent.
template <class Real>
struct MomentTensor {
  Real of[6] = {};
};

/// Cell of an elastic, isotropic ground on a standard staggered grid (Virieux, Geophysics 51, 889,
/// 1986; Levander, Geophysics 53, 1425, 1988; Graves, Bull. Seism. Soc. Am. 86, 1091, 1996): fourth
/// order in space, second in time. The axes of the world are z (down), y, x.
///
/// The diagonal stresses are at the cell's point; a component of the velocity is half a spacing
/// beyond it along its axis, a shear stress half a spacing beyond it along both of its axes. A step
/// is move(), which takes velocities from half a step before the stresses to half a step after
/// them, and strain(), which takes stresses to half a step after the velocities.
/// @tparam Real float or double
template <class Real>
class Ground : public mass::Place<3> {
 public:
  static constexpr int reach = 2;
  static constexpr bool sameBitsOnGpus = true;

  Real velocity[3] = {};      ///< m/s, along x, y, z
  Real stress[6] = {};        ///< Pa, by StressComponent
  Real displacement[3] = {};  ///< m, along x, y, z, if record() is called
  Real peak = 0;              ///< m/s, largest magnitude of the velocity so far, if so
  Real density = 1;           ///< kg/m^3
  Real lambda = 0;            ///< Pa, Lame's first parameter
  Real compliance = 1;        ///< 1/Pa, inverse of the shear modulus; infinite in a fluid
  using Attributes =
      mass::Attributes<&Ground::velocity, &Ground::stress, &Ground::displacement, &Ground::peak,
                       mass::constant<&Ground::density>, mass::constant<&Ground::lambda>,
                       mass::constant<&Ground::compliance>>;
  using Near = mass::Neighborhood<Ground>;
  using Profile = mass::Shared<Real>;

  // The rules have no loops over components: g++ would not vectorise the loop over cells. They
  // divide 1 only: a GPU has a slow case of other quotients for a numerator of 0.

  /// Advances the velocity: density dv/dt = div(stress).
  /// @param profiles factors of the sponge for all z, then for all y, then for all x; then for all
  /// z 1 in the row of the free surface, else 0; then for all z 1 in the row below it, else 0
  MASS_FN void move(const Near& near, const Grid<Real>& grid, const Profile& profiles) {
    constexpr auto s = &Ground::stress;
    const Surface surface(near, profiles);
    const Real forceX =
        ahead<s>(near, xx, X) + behind<s>(near, xy, Y) + shearBehind(near, xz, surface);
    const Real forceY =
        behind<s>(near, xy, X) + ahead<s>(near, yy, Y) + shearBehind(near, yz, surface);
    const Real forceZ =
        behind<s>(near, xz, X) + behind<s>(near, yz, Y) + pressureAhead(near, surface);
    const Real factor = grid.timeStep * grid.perSpacing, damping = dampingAt(near, profiles);
    velocity[0] = damping * (velocity[0] + factor * forceX * buoyancyAt(near, X));
    velocity[1] = damping * (velocity[1] + factor * forceY * buoyancyAt(near, Y));
    velocity[2] = damping * (velocity[2] + factor * forceZ * buoyancyAt(near, Z));
  }

  /// Advances the stress: dstress/dt = lambda div(v) I + mu (grad(v) + grad(v)^T).
  MASS_FN void strain(const Near& near, const Grid<Real>& grid, const Profile& profiles) {
    const Strain rate = strainRate(near, grid, profiles);
    const Real damping = dampingAt(near, profiles), step = grid.timeStep;
    const Real pressure = lambda * (rate.of[xx] + rate.of[yy] + rate.of[zz]);
    const Real twiceMu = 2 * (1 / compliance);
    stress[xx] = damping * (stress[xx] + step * (pressure + twiceMu * rate.of[xx]));
    stress[yy] = damping * (stress[yy] + step * (pressure + twiceMu * rate.of[yy]));
    stress[zz] = Surface(near, profiles).below * damping *
                 (stress[zz] + step * (pressure + twiceMu * rate.of[zz]));
    stress[xy] = damping * (stress[xy] + step * rate.of[xy] * rigidityAt(near, X, Y));
    stress[xz] = damping * (stress[xz] + step * rate.of[xz] * rigidityAt(near, X, Z));
    stress[yz] = damping * (stress[yz] + step * rate.of[yz] * rigidityAt(near, Y, Z));
  }

  /// Advances the stress, and subtracts the release of the source: a moment m in a cell of volume V
  /// is a stress -m/V that no strain causes.
  /// @param place 1 in the place of the source, else 0, for all z, then for all y, then for all x;
  /// then as many numbers that are 1/2 there and in the place before it, else 0: a component off
  /// the diagonal is spread over the four points around the source (Graves 1996, fig. 3)
  /// @param firstStep step of the first number of `release`
  /// @param release stress that a unit of the tensor releases in each step, Pa
  MASS_FN void strainAtSource(const Near& near, const Grid<Real>& grid, const Profile& profiles,
                              const MomentTensor<Real>& tensor, const Profile& place,
                              std::int64_t firstStep, const Profile& release) {
    strain(near, grid, profiles);
    const std::int64_t step = static_cast<std::int64_t>(near.step()) / grid.ruleCount;
    const Real unit = release[step - firstStep];
    const auto [z, y, x] = near.coordinates().values;
    const std::int64_t rows = near.shape()[0], lines = near.shape()[1], columns = near.shape()[2];
    const std::int64_t first = rows + lines, all = first + columns;
    const Real atZ = place[z], atY = place[rows + y], atX = place[first + x];
    const Real byZ = place[all + z], byY = place[all + rows + y], byX = place[all + first + x];
    const Real own = atZ * atY * atX * unit;
    stress[xx] -= own * tensor.of[xx];
    stress[yy] -= own * tensor.of[yy];
    stress[zz] -= Surface(near, profiles).below * own * tensor.of[zz];
    stress[xy] -= atZ * byY * byX * unit * tensor.of[xy];
    stress[xz] -= byZ * atY * byX * unit * tensor.of[xz];
    stress[yz] -= byZ * byY * atX * unit * tensor.of[yz];
  }

  /// Integrates the displacement, and keeps the peak velocity.
  MASS_FN void record(Real timeStep) {
    displacement[0] += timeStep * velocity[0];
    displacement[1] += timeStep * velocity[1];
    displacement[2] += timeStep * velocity[2];
    const Real now = speed();
    peak = now > peak ? now : peak;
  }

  /// Returns the magnitude of the velocity, as if its components were at one point.
  MASS_FN Real speed() const {
    return std::sqrt(velocity[0] * velocity[0] + velocity[1] * velocity[1] +
                     velocity[2] * velocity[2]);
  }

  /// Returns the energy density in J/m^3, whose sum a step conserves but for rounding, sources,
  /// sponges and the free surface: rho v^2 / 2 + s(t - dt) : S s(t) / 2, with the velocity at
  /// t - dt/2, the stress s and the compliance S. As ds/dt is S^-1 : rate, the second term is
  /// (s(t) : S s(t) - dt s(t) : rate) / 2.
  MASS_FN double energy(const Near& near, const Grid<Real>& grid, const Profile& profiles) const {
    const Strain rate = strainRate(near, grid, profiles);
    const double half = 1 - Surface(near, profiles).at / 2;  // part of a cell below the surface
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
      const double v = velocity[i];
      sum += (i == 2 ? 1 : half) * densityAt(near, axisOf(i)) * v * v;
    }
    const double step = grid.timeStep;
    const double trace = double{stress[xx]} + stress[yy] + stress[zz];
    const double bulk = lambda + 2.0 / 3 / compliance;
    const bool isSolid = compliance <= std::numeric_limits<Real>::max();
    sum += half * trace * trace / 9 / bulk;
    for (int k = xx; k <= zz; ++k) {
      const double deviator = stress[k] - trace / 3;
      if (isSolid) sum += half * deviator * deviator * compliance / 2;
      sum -= half * step * stress[k] * rate.of[k];
    }
    const int axes[3][2] = {{X, Y}, {X, Z}, {Y, Z}};
    for (int k = xy; k <= yz; ++k) {
      const double shear = stress[k],
                   compliant = complianceAt(near, axes[k - xy][0], axes[k - xy][1]);
      const double weight = k == xy ? half : 1;
      if (shear != 0) sum += weight * shear * (shear * compliant - step * rate.of[k]);
    }
    return sum / 2;
  }

 private:
  enum Axis : int { Z, Y, X };
  /// Returns the axis of the world along which component i of a vector points.
  MASS_FN static constexpr int axisOf(int i) { return 2 - i; }

  /// Strain rate in 1/s, by StressComponent; twice its components off the diagonal.
  struct Strain {
    Real of[6];
  };

  /// Returns element k of an attribute `distance` places on along an axis.
  template <auto Member>
  MASS_FN static Real at(const Near& near, int k, int axis, int distance) {
    mass::Offset<3> offset{};
    offset[axis] = distance;
    return near.template get<Member>(offset, k);
  }
  /// Returns the derivative times the spacing half a spacing beyond the points of element k.
  template <auto Member>
  MASS_FN static Real ahead(const Near& near, int k, int axis) {
    return difference(at<Member>(near, k, axis, 1), at<Member>(near, k, axis, 0),
                      at<Member>(near, k, axis, 2), at<Member>(near, k, axis, -1));
  }
  /// Returns the derivative times the spacing half a spacing before the points of element k.
  template <auto Member>
  MASS_FN static Real behind(const Near& near, int k, int axis) {
    return difference(at<Member>(near, k, axis, 0), at<Member>(near, k, axis, -1),
                      at<Member>(near, k, axis, 1), at<Member>(near, k, axis, -2));
  }

  /// Position relative to the free surface, as factors: compilers vectorise no choice between
  /// loads.
  struct Surface {
    Real at;     ///< 1 in the row of the free surface, else 0
    Real next;   ///< 1 in the row below it, else 0
    Real below;  ///< 1 - at
    Real deep;   ///< 1 - at - next

    MASS_FN Surface(const Near& near, const Profile& profiles) {
      const std::int64_t row = near.coordinates()[0], rows = near.shape()[0];
      const std::int64_t first = rows + near.shape()[1] + near.shape()[2];
      at = profiles[first + row];
      next = profiles[first + rows + row];
      below = 1 - at;
      deep = below - next;
    }
  };

  /// Returns behind() along z of a shear stress, which is odd about the free surface.
  MASS_FN static Real shearBehind(const Near& near, int k, const Surface& surface) {
    constexpr auto s = &Ground::stress;
    const Real own = at<s>(near, k, Z, 0), last = at<s>(near, k, Z, -1);
    const Real next = at<s>(near, k, Z, 1), far = at<s>(near, k, Z, -2);
    return difference(own, surface.below * last - surface.at * own, next,
                      surface.deep * far - surface.next * last - surface.at * next);
  }
  /// Returns ahead() along z of the vertical stress, which is odd about the free surface.
  MASS_FN static Real pressureAhead(const Near& near, const Surface& surface) {
    constexpr auto s = &Ground::stress;
    const Real next = at<s>(near, zz, Z, 1), last = at<s>(near, zz, Z, -1);
    return difference(next, at<s>(near, zz, Z, 0), at<s>(near, zz, Z, 2),
                      surface.below * last - surface.at * next);
  }
  /// Returns ahead() along z of a horizontal velocity; in the row of the free surface the
  /// difference of second order, which needs no point above it.
  MASS_FN static Real velocityAhead(const Near& near, int i, const Surface& surface) {
    constexpr auto v = &Ground::velocity;
    return surface.below * ahead<v>(near, i, Z) +
           surface.at * (at<v>(near, i, Z, 1) - at<v>(near, i, Z, 0));
  }

  /// Returns the strain rate. In the free surface the vertical one is that of a vertical stress of
  /// 0, in the row below it that of second order (Levander 1988).
  MASS_FN Strain strainRate(const Near& near, const Grid<Real>& grid,
                            const Profile& profiles) const {
    constexpr auto v = &Ground::velocity;
    const Surface surface(near, profiles);
    const Real alongX = behind<v>(near, 0, X), alongY = behind<v>(near, 1, Y);
    const Real free = -lambda * (1 / (lambda + 2 * (1 / compliance))) * (alongX + alongY);
    const Real second = at<v>(near, 2, Z, 0) - at<v>(near, 2, Z, -1);
    const Real alongZ =
        surface.deep * behind<v>(near, 2, Z) + surface.next * second + surface.at * free;
    const Real perSpacing = grid.perSpacing;
    return {{perSpacing * alongX, perSpacing * alongY, perSpacing * alongZ,
             perSpacing * (ahead<v>(near, 0, Y) + ahead<v>(near, 1, X)),
             perSpacing * (velocityAhead(near, 0, surface) + ahead<v>(near, 2, X)),
             perSpacing * (velocityAhead(near, 1, surface) + ahead<v>(near, 2, Y))}};
  }

  /// Returns the mean density of the two cells beside the point of a velocity (Graves 1996, eq. 5).
  MASS_FN Real densityAt(const Near& near, int axis) const {
    return (density + at<&Ground::density>(near, 0, axis, 1)) / 2;
  }
  /// Returns the inverse of densityAt().
  MASS_FN Real buoyancyAt(const Near& near, int axis) const { return 1 / densityAt(near, axis); }
  /// Returns the inverse of the harmonic mean of the shear moduli of the four cells around the
  /// point of a shear stress (Graves 1996, eq. 6).
  MASS_FN Real complianceAt(const Near& near, int first, int second) const {
    mass::Offset<3> both{};
    both[first] = both[second] = 1;
    return ((compliance + near.template get<&Ground::compliance>(both)) +
            (at<&Ground::compliance>(near, 0, first, 1) +
             at<&Ground::compliance>(near, 0, second, 1))) /
           4;
  }
  /// Returns the inverse of complianceAt().
  MASS_FN Real rigidityAt(const Near& near, int first, int second) const {
    return 1 / complianceAt(near, first, second);
  }
  /// Returns the factor by which the sponge reduces velocities and stresses in a step.
  MASS_FN static Real dampingAt(const Near& near, const Profile& profiles) {
    const auto [z, y, x] = near.coordinates().values;
    const std::int64_t rows = near.shape()[0], lines = near.shape()[1];
    return profiles[z] * profiles[rows + y] * profiles[rows + lines + x];
  }
};

}  // namespace seismic
