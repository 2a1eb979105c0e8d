#pragma once

#include <apps/lbm/boundary/boundaries.hpp>
#include <apps/lbm/collision/mrt_collision.hpp>
#include <apps/lbm/solver/cell.hpp>

#include <mass/mass.hpp>

#include <type_traits>

namespace lbm {

/// A cell of a fluid in the lattice Boltzmann method: populations that travel with the velocities
/// of lattice L and collide. Between steps they are those after the collision, less their weights;
/// `Form` is how they are stored. A binary16 holds numbers up to 65504 and down to 2^-24: there,
/// the density of the fluid at rest is 2^15.
template <class L, class Real, class Form = void>
class Fluid : public Cell<Fluid<L, Real, Form>, L, Real, MrtCollision<L, Real, true>> {
 public:
  using Lattice = L;
  using Number = Real;
  using Near = mass::Neighborhood<Fluid>;
  using Streaming = mass::Streaming<Fluid>;
  using General = MrtCollision<L, Real, true>;
  static constexpr int D = L::dimensions;
  static constexpr bool storesMoments = false, isHalf = !std::is_void_v<Form>;
  static constexpr Real rest = std::is_void_v<Form> ? 1 : 32768;

  mass::Passage kind = mass::Passage::open;  ///< obstacles are blocked
  Populations<L, Real> f = {};
  using Attributes = mass::Attributes<mass::mostly<&Fluid::kind>,
                                      mass::streamed<mass::stored<&Fluid::f, Form>, L>>;

  MASS_FN mass::Passage passage() const { return kind; }

  /// One step: populations have come from where their velocities lead back to, or back from walls;
  /// now they collide. In a box without openings.
  MASS_FN void step(const Streaming& near, const MrtCollision<L, Real, false>& collide,
                    const Boundaries<L, Real>& boundaries) {
    if (kind != mass::Passage::open) boundaries.addWallMomentum(f, near);
    collide(f);
  }
  /// The same with a force, or other free parameters.
  MASS_FN void stepGeneral(const Streaming& near, const General& collide,
                           const Boundaries<L, Real>& boundaries) {
    if (kind != mass::Passage::open) boundaries.addWallMomentum(f, near);
    collide(f);
  }
  /// The same in a box that has inlets or outlets.
  MASS_FN void stepOpen(const Streaming& stream, const Near& near, const General& collide,
                        const Boundaries<L, Real>& boundaries) {
    if (kind != mass::Passage::open) {
      Populations<L, Real> before;
      unroll<L::size>(
          [&](auto k) { before[k] = near.template get<&Fluid::f>(mass::Offset<D>{}, k); });
      boundaries.applyFaces(boundaries.facesAt(stream), collide.momentsAfter(before), f);
    }
    collide(f);
  }

  // For Cell.
  MASS_FN Moments<D, Real> moments(const General& collide) const { return collide.momentsAfter(f); }
  MASS_FN double sum() const {
    double sum = 0;
    for (int k = 0; k < L::size; ++k) sum += static_cast<double>(f[k]);
    return sum;
  }
  template <int k>
  MASS_FN Real population() const {
    return f[k];
  }
  MASS_FN void setEquilibrium(const Moments<D, Real>& at) { General::equilibrium(at, f); }
};

}  // namespace lbm
