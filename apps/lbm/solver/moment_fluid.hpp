#pragma once

#include <apps/lbm/boundary/boundaries.hpp>
#include <apps/lbm/collision/regularized_collision.hpp>
#include <apps/lbm/solver/cell.hpp>

#include <mass/mass.hpp>

#include <type_traits>

namespace lbm {

/// Cell that collides by RegularizedCollision and stores the moments after the collision;
/// neighbours compute the populations that stream to them from these. @tparam Storage format of the
/// stress, void for Real. With a binary16 (mass::Half<0>), whose largest number is 65504, the fluid
/// at rest has density 2^20, and the stress of a speed of 0.7 is the largest that fits.
template <class L, class Real, class Storage = void>
class MomentFluid
    : public Cell<MomentFluid<L, Real, Storage>, L, Real, RegularizedCollision<L, Real>> {
 public:
  using Lattice = L;
  using Number = Real;
  using Near = mass::Neighborhood<MomentFluid>;
  using Collide = RegularizedCollision<L, Real>;
  static constexpr int D = L::dimensions;
  static constexpr bool storesMoments = true, isHalf = !std::is_void_v<Storage>;
  static constexpr Real rest = std::is_void_v<Storage> ? 1 : 1 << 20;

  mass::FlowCell kind = mass::FlowCell::interior;  ///< solid in obstacles
  // Stored moments, defined in RegularizedCollision.
  Real flow[static_cast<std::size_t>(1 + D)] = {};
  Real stress[static_cast<std::size_t>(D * (D + 1) / 2)] = {};
  using Attributes = mass::Attributes<mass::mostlyDefault<&MomentFluid::kind>, &MomentFluid::flow,
                                      mass::stored<&MomentFluid::stress, Storage>>;

  /// Rule: one step. Computes the populations that stream in from neighbours or are reflected by
  /// faces and obstacles, then collides them.
  MASS_FN void step(const Near& near, const Collide& collide,
                    const Boundaries<L, Real>& boundaries) {
    if (kind == mass::FlowCell::solid) return;
    Populations<L, Real> f;
    if (kind == mass::FlowCell::interior) {
      unroll<L::size>([&](auto k) { f[k] = arriving<k>(near); });
    } else {
      receive(near, boundaries, collide.momentsAfter(flow, stress), f);
    }
    collide.template collide<Storage>(f, flow, stress);
  }

  // Interface of Cell.
  MASS_FN Moments<D, Real> moments(const Collide& collide) const {
    return collide.momentsAfter(flow, stress);
  }
  MASS_FN double sum() const {
    double trace = 0;
    for (int axis = 0; axis < D; ++axis) trace += static_cast<double>(stress[axis]);
    return 36 * static_cast<double>(flow[0]) + 12 * trace;
  }
  template <int k>
  MASS_FN Real population() const {
    return Collide::template population<k>([&](int i) { return flow[i]; },
                                           [&](int i) { return stress[i]; });
  }
  MASS_FN void setEquilibrium(const Moments<D, Real>& at) {
    Collide::equilibrium(at, flow, stress);
  }

 private:
  /// Returns population k of the cell that it streams from.
  template <int k>
  MASS_FN static Real arriving(const Near& near) {
    return Collide::template population<k>(
        [&](int i) { return near.template get<&MomentFluid::flow>(L::source(k), i); },
        [&](int i) { return near.template get<&MomentFluid::stress>(L::source(k), i); });
  }
  /// Sets `f` to the populations that reach a cell at faces or beside obstacles. @param own moments
  /// of this cell before the step
  MASS_FN void receive(const Near& near, const Boundaries<L, Real>& boundaries,
                       const Moments<D, Real>& own, Populations<L, Real>& f) const {
    const auto touched = boundaries.facesAt(near);
    bool isBack[static_cast<std::size_t>(L::size)];
    unroll<L::size>([&](auto k) { isBack[k] = boundaries.template entersThroughFace<k>(touched); });
    if (kind == mass::FlowCell::nearSolid) {
      unroll<L::size>([&](auto k) {
        isBack[k] |= near.template get<&MomentFluid::kind>(L::source(k)) == mass::FlowCell::solid;
      });
    }
    // Computes both and selects: cheaper than a branch per population.
    unroll<L::size>([&](auto k) {
      const Real back = population<L::opposite(k)>(), other = arriving<k>(near);
      f[k] = isBack[k] ? back : other;
    });
    boundaries.applyFaces(touched, own, f);
  }
};

}  // namespace lbm
