#pragma once

#include <apps/seismic/differences.hpp>

#include <mass/mass.hpp>

#include <cmath>
#include <cstdint>

namespace seismic {

/// Indices of the components of Ground::stress.
enum StressComponent : int { xx, yy, zz, xy, xz, yz };

/// Constants of a step. Both rules of a step take them.
template <class Real>
struct Grid {
  Real spacing = 1;          ///< m
  Real timeStep = 1;         ///< s
  bool hasSurface = false;   ///< true: row 0 lies in the free surface
  std::int32_t ruleCount{};  ///< rules of a step
};

/// Point source: moment rates at one place.
template <class Real>
struct Source {
  mass::Coordinates<3> place{};  ///< z, y, x
  Real tensor[6] = {};           ///< components of the moment tensor over its scalar moment

  /// Returns the share of a component's moment rate that is released at the point of that component
  /// in place `at`: a diagonal one at its point in the source's place, others at the four points
  /// around it (Graves 1996, fig. 3).
  MASS_FN Real shareAt(const mass::Coordinates<3>& at, int component) const {
    const bool before[3] = {component >= xz, component == xy || component == yz,
                            component == xy || component == xz};
    Real share = component < xy ? Real{1} : Real{1} / 4;
    for (int axis = 0; axis < 3; ++axis) {
      const bool isNear = at[axis] == place[axis] || (before[axis] && at[axis] + 1 == place[axis]);
      if (!isNear) share = 0;
    }
    return share;
  }
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

  /// Advances the velocity: density dv/dt = div(stress).
  /// @param sponge factors of the sponge: those of all z, then of all y, then of all x
  MASS_FN void move(const Near& near, const Grid<Real>& grid, const Profile& sponge) {
    const Real force[3] = {ahead<&Ground::stress>(near, xx, X) +
                               behind<&Ground::stress>(near, xy, Y) + shearBehind(near, xz, grid),
                           behind<&Ground::stress>(near, xy, X) +
                               ahead<&Ground::stress>(near, yy, Y) + shearBehind(near, yz, grid),
                           behind<&Ground::stress>(near, xz, X) +
                               behind<&Ground::stress>(near, yz, Y) + pressureAhead(near, grid)};
    const Real factor = grid.timeStep / grid.spacing, damping = dampingAt(near, sponge);
    for (int i = 0; i < 3; ++i)
      velocity[i] = damping * (velocity[i] + factor * force[i] / densityAt(near, axisOf(i)));
  }

  /// Advances the stress: dstress/dt = lambda div(v) I + mu (grad(v) + grad(v)^T).
  MASS_FN void strain(const Near& near, const Grid<Real>& grid, const Profile& sponge) {
    const Strain rate = strainRate(near, grid);
    const Real damping = dampingAt(near, sponge);
    const Real change[6] = {
        lambda * rate.trace() + 2 / compliance * rate.of[xx],
        lambda * rate.trace() + 2 / compliance * rate.of[yy],
        lambda * rate.trace() + 2 / compliance * rate.of[zz],
        rate.of[xy] / complianceAt(near, X, Y),
        rate.of[xz] / complianceAt(near, X, Z),
        rate.of[yz] / complianceAt(near, Y, Z),
    };
    for (int k = 0; k < 6; ++k) stress[k] = damping * (stress[k] + grid.timeStep * change[k]);
    if (grid.hasSurface && near.coordinates()[0] == 0) stress[zz] = 0;
  }

  /// Advances the stress, and subtracts what the source releases: as a moment m in a cell of volume
  /// V, it is a stress -m/V that no strain causes.
  /// @param release stress that a unit of the source's tensor releases in each step, Pa
  MASS_FN void strainAtSource(const Near& near, const Grid<Real>& grid, const Profile& sponge,
                              const Source<Real>& source, const Profile& release) {
    strain(near, grid, sponge);
    const auto step = static_cast<std::int64_t>(near.step()) / grid.ruleCount;
    const auto at = near.coordinates();
    for (int k = 0; k < 6; ++k)
      stress[k] -= source.shareAt(at, k) * source.tensor[k] * release[step];
    if (grid.hasSurface && at[0] == 0) stress[zz] = 0;
  }

  /// Integrates the displacement, and keeps the peak velocity.
  MASS_FN void record(Real timeStep) {
    for (int i = 0; i < 3; ++i) displacement[i] += timeStep * velocity[i];
    const Real now = speed();
    if (now > peak) peak = now;
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
  MASS_FN double energy(const Near& near, const Grid<Real>& grid) const {
    const Strain rate = strainRate(near, grid);
    const bool isSurface = grid.hasSurface && near.coordinates()[0] == 0;
    const double half = isSurface ? 0.5 : 1;  // the part of a cell below the free surface
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
      const double v = velocity[i];
      sum += (i == 2 ? 1 : half) * densityAt(near, axisOf(i)) * v * v;
    }
    const double step = grid.timeStep;
    const double trace = double{stress[xx]} + stress[yy] + stress[zz];
    const double bulk = lambda + 2.0 / 3 / compliance;
    sum += half * trace * trace / 9 / bulk;
    for (int k = xx; k <= zz; ++k) {
      const double deviator = stress[k] - trace / 3;
      if (std::isfinite(compliance)) sum += half * deviator * deviator * compliance / 2;
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
    MASS_FN Real trace() const { return of[xx] + of[yy] + of[zz]; }
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

  /// Returns the row, or a number far from the surface if it is not free.
  MASS_FN static std::int64_t rowBelowSurface(const Near& near, const Grid<Real>& grid) {
    return grid.hasSurface ? near.coordinates()[0] : 4;
  }

  /// Returns behind() along z of a shear stress, which is odd about the free surface.
  MASS_FN static Real shearBehind(const Near& near, int k, const Grid<Real>& grid) {
    const auto row = rowBelowSurface(near, grid);
    const Real own = at<&Ground::stress>(near, k, Z, 0), next = at<&Ground::stress>(near, k, Z, 1);
    const Real above = row == 0 ? -own : at<&Ground::stress>(near, k, Z, -1);
    const Real top = row == 0 ? -next : row == 1 ? -above : at<&Ground::stress>(near, k, Z, -2);
    return difference(own, above, next, top);
  }
  /// Returns ahead() along z of the vertical stress, which is odd about the free surface.
  MASS_FN static Real pressureAhead(const Near& near, const Grid<Real>& grid) {
    const Real next = at<&Ground::stress>(near, zz, Z, 1);
    const Real above =
        rowBelowSurface(near, grid) == 0 ? -next : at<&Ground::stress>(near, zz, Z, -1);
    return difference(next, at<&Ground::stress>(near, zz, Z, 0),
                      at<&Ground::stress>(near, zz, Z, 2), above);
  }
  /// Returns ahead() along z of a horizontal velocity; in the row of the free surface the
  /// difference of second order, which needs no point above it.
  MASS_FN static Real velocityAhead(const Near& near, int i, const Grid<Real>& grid) {
    const Real second = at<&Ground::velocity>(near, i, Z, 1) - at<&Ground::velocity>(near, i, Z, 0);
    return rowBelowSurface(near, grid) == 0 ? second : ahead<&Ground::velocity>(near, i, Z);
  }

  /// Returns the strain rate. In the free surface the vertical one is that of a vertical stress of
  /// 0, in the row below it that of second order (Levander 1988).
  MASS_FN Strain strainRate(const Near& near, const Grid<Real>& grid) const {
    constexpr auto v = &Ground::velocity;
    const auto row = rowBelowSurface(near, grid);
    const Real alongX = behind<v>(near, 0, X), alongY = behind<v>(near, 1, Y);
    const Real second = at<v>(near, 2, Z, 0) - at<v>(near, 2, Z, -1);
    const Real alongZ = row == 0   ? -lambda / (lambda + 2 / compliance) * (alongX + alongY)
                        : row == 1 ? second
                                   : behind<v>(near, 2, Z);
    Strain rate{{alongX, alongY, alongZ, ahead<v>(near, 0, Y) + ahead<v>(near, 1, X),
                 velocityAhead(near, 0, grid) + ahead<v>(near, 2, X),
                 velocityAhead(near, 1, grid) + ahead<v>(near, 2, Y)}};
    for (Real& component : rate.of) component /= grid.spacing;
    return rate;
  }

  /// Returns the mean density of the two cells beside the point of a velocity (Graves 1996, eq. 5).
  MASS_FN Real densityAt(const Near& near, int axis) const {
    return (density + at<&Ground::density>(near, 0, axis, 1)) / 2;
  }
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
  /// Returns the factor by which the sponge reduces velocities and stresses in a step.
  MASS_FN static Real dampingAt(const Near& near, const Profile& sponge) {
    const auto [z, y, x] = near.coordinates().values;
    const auto shape = near.shape();
    return sponge[z] * sponge[shape[0] + y] * sponge[shape[0] + shape[1] + x];
  }
};

}  // namespace seismic
