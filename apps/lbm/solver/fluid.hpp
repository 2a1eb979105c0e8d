#pragma once

#include <apps/lbm/boundary/boundaries.hpp>
#include <apps/lbm/collision/mrt_collision.hpp>
#include <apps/lbm/solver/cell.hpp>

#include <mass/mass.hpp>

#include <type_traits>

namespace lbm {

/// Cell that stores its populations after the collision, minus their weights, and collides them by
/// MrtCollision. @tparam Storage format that populations are stored in, void for Real. A binary16
/// (mass::Half<0>) has magnitudes from 2^-24 to 65504; with it, the fluid at rest has density 2^15.
template <class L, class Real, class Storage = void>
class Fluid : public Cell<Fluid<L, Real, Storage>, L, Real, MrtCollision<L, Real, true>> {
 public:
  using Lattice = L;
  using Number = Real;
  using Near = mass::Neighborhood<Fluid>;
  using Streaming = mass::Streaming<Fluid>;
  using General = MrtCollision<L, Real, true>;
  static constexpr int D = L::dimensions;
  static constexpr bool storesMoments = false, isHalf = !std::is_void_v<Storage>;
  static constexpr Real rest = std::is_void_v<Storage> ? 1 : 32768;

  mass::FlowCell kind = mass::FlowCell::interior;  ///< solid in obstacles
  Populations<L, Real> f = {};
  using Attributes = mass::Attributes<mass::mostlyDefault<&Fluid::kind>,
                                      mass::streamed<mass::stored<&Fluid::f, Storage>, L>>;

  MASS_FN mass::FlowCell flowCell() const { return kind; }

  /// Rule: one step without a force, with the equilibrium of BGK. Populations have been streamed or
  /// bounced back; adds the momentum of lids, then collides. @pre no inlets and outlets
  MASS_FN void step(const Streaming& near, const MrtCollision<L, Real, false>& collide,
                    const Boundaries<L, Real>& boundaries) {
    if (kind != mass::FlowCell::interior) boundaries.addWallMomentum(f, near);
    collide(f);
  }
  /// Rule: one step with a force or other FreeParameters. @pre no inlets and outlets
  MASS_FN void stepGeneral(const Streaming& near, const General& collide,
                           const Boundaries<L, Real>& boundaries) {
    if (kind != mass::FlowCell::interior) boundaries.addWallMomentum(f, near);
    collide(f);
  }
  /// Rule: one step in a box with inlets or outlets, which depend on the moments before the step.
  MASS_FN void stepOpen(const Streaming& stream, const Near& near, const General& collide,
                        const Boundaries<L, Real>& boundaries) {
    if (kind != mass::FlowCell::interior) {
      Populations<L, Real> before;
      unroll<L::size>(
          [&](auto k) { before[k] = near.template get<&Fluid::f>(mass::Offset<D>{}, k); });
      boundaries.applyFaces(boundaries.facesAt(stream), collide.momentsAfter(before), f);
    }
    collide(f);
  }

  // Interface of Cell.
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
