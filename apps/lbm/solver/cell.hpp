#pragma once

#include <apps/lbm/boundary/boundaries.hpp>
#include <apps/lbm/collision/relaxation_rates.hpp>
#include <apps/lbm/lattice/macroscopic.hpp>

#include <mass/mass.hpp>

#include <cstdint>
#include <limits>

namespace lbm {

/// Base of the cell classes Fluid and MomentFluid (CRTP): initialization, observables and the force
/// on obstacles. The derived class P has
///
///     static constexpr Real rest;                        // density of the fluid at rest
///     mass::FlowCell kind;                                // solid in obstacles
///     Moments<D, Real> moments(const Collide&) const;    // after a collision
///     double sum() const;                                // of all populations
///     template <int k> Real population() const;          // after a collision
///     void setEquilibrium(const Moments<D, Real>&);
///
/// All results are in lattice units, densities relative to the fluid at rest.
template <class P, class L, class Real, class Collide>
class Cell : public mass::Place<L::dimensions> {
 public:
  static constexpr int D = L::dimensions;

  /// Rule: sets the cells of index `first` and following to the equilibrium of the states `wanted`.
  MASS_FN void initialize(const mass::Here<D>& here, std::int64_t first,
                          const mass::Shared<Macroscopic<D>>& wanted) {
    const std::int64_t number = here.index() - first;
    if (number < 0 || number >= wanted.size()) return;
    const Macroscopic<D>& all = wanted[number];
    Moments<D, Real> at{};
    at.excess = P::rest * static_cast<Real>(all.density - 1);
    at.density = P::rest * static_cast<Real>(all.density);
    for (int axis = 0; axis < D; ++axis) {
      at.velocity[axis] = static_cast<Real>(all.velocity[axis]);
      at.squared += at.velocity[axis] * at.velocity[axis];
    }
    static_cast<P&>(*this).setEquilibrium(at);
  }

  /// Returns density and velocity; the latter includes half of the force's momentum.
  MASS_FN Macroscopic<D> macroscopic(const Collide& collide) const {
    Macroscopic<D> result;
    if (isSolid()) return result;
    const Moments<D, Real> at = self().moments(collide);
    result.density = static_cast<double>(at.excess / P::rest) + 1;
    for (int axis = 0; axis < D; ++axis)
      result.velocity[axis] = static_cast<double>(at.velocity[axis]);
    return result;
  }
  /// Returns density - 1; 0 in obstacles.
  MASS_FN double excess() const {
    return isSolid() ? 0 : self().sum() / static_cast<double>(P::rest);
  }
  /// Returns the kinetic energy, density times speed^2 / 2; 0 in obstacles.
  MASS_FN double energy(const Collide& collide) const {
    if (isSolid()) return 0;
    const Moments<D, Real> at = self().moments(collide);
    return 0.5 * static_cast<double>(at.density / P::rest) * static_cast<double>(at.squared);
  }
  /// Returns speed^2; infinity if the cell has diverged.
  MASS_FN double squaredSpeed(const Collide& collide) const {
    if (isSolid()) return 0;
    const Moments<D, Real> at = self().moments(collide);
    return isFlow(at) ? static_cast<double>(at.squared) : std::numeric_limits<double>::infinity();
  }
  /// True if density or speed is NaN or out of bounds: density - 1 beyond maxExcess, or a speed of
  /// at least that of sound.
  MASS_FN bool isDiverged(const Collide& collide) const {
    return !isSolid() && !isFlow(self().moments(collide));
  }
  /// Returns the momentum that this cell gives to adjacent obstacles in a step, by momentum
  /// exchange (Ladd, J. Fluid Mech. 271 (1994) 285).
  MASS_FN MomentumSum momentumExchange(const mass::Neighborhood<P>& near,
                                       const Boundaries<L, Real>& boundaries) const {
    MomentumSum push;
    if (self().kind != mass::FlowCell::nearSolid) return push;
    const auto touched = boundaries.facesAt(near);
    unroll<L::size>([&](auto k) {
      const auto source = L::source(k);
      if (boundaries.template entersThroughFace<k>(touched) ||
          near.template get<&P::kind>(source) != mass::FlowCell::solid)
        return;
      const Real left = self().template population<L::opposite(k)>();
      for (int axis = 0; axis < D; ++axis)
        push.of[axis] += 2 * source[axis] * static_cast<double>(left / P::rest);
    });
    return push;
  }

 private:
  MASS_FN const P& self() const { return static_cast<const P&>(*this); }
  /// True if density and speed are within the bounds of isDiverged(); false for NaN.
  MASS_FN static bool isFlow(const Moments<D, Real>& at) {
    constexpr Real least = P::rest * static_cast<Real>(1 - maxExcess),
                   most = P::rest * static_cast<Real>(1 + maxExcess);
    return at.density >= least && at.density <= most && 3 * at.squared < 1;
  }
  MASS_FN bool isSolid() const { return self().kind == mass::FlowCell::solid; }
};

}  // namespace lbm
