#pragma once

#include <apps/lbm/boundary/boundaries.hpp>
#include <apps/lbm/collision/regularized_collision.hpp>
#include <apps/lbm/solver/cell.hpp>

#include <mass/mass.hpp>

#include <type_traits>

namespace lbm {

/// A cell of a fluid whose collision is RegularizedCollision: what it keeps of its populations are
/// their moments, from which its neighbours compute those that come to them. `Form` is how the
/// stress is stored; where that is as a binary16, the density of the fluid at rest is 2^20: the
/// largest, of 65504, is a speed of 0.7 then.
template <class L, class Real, class Form = void>
class MomentFluid
    : public Cell<MomentFluid<L, Real, Form>, L, Real, RegularizedCollision<L, Real>> {
 public:
  using Lattice = L;
  using Number = Real;
  using Near = mass::Neighborhood<MomentFluid>;
  using Collide = RegularizedCollision<L, Real>;
  static constexpr int D = L::dimensions;
  static constexpr bool storesMoments = true, isHalf = !std::is_void_v<Form>;
  static constexpr Real rest = std::is_void_v<Form> ? 1 : 1 << 20;

  mass::Passage kind = mass::Passage::open;  ///< obstacles are blocked
  Real flow[static_cast<std::size_t>(1 + D)] = {};
  Real stress[static_cast<std::size_t>(D * (D + 1) / 2)] = {};
  using Attributes = mass::Attributes<mass::mostly<&MomentFluid::kind>, &MomentFluid::flow,
                                      mass::stored<&MomentFluid::stress, Form>>;

  /// One step: populations come from where their velocities lead back to, or back from walls and
  /// obstacles, and collide.
  MASS_FN void step(const Near& near, const Collide& collide,
                    const Boundaries<L, Real>& boundaries) {
    if (kind == mass::Passage::blocked) return;
    Populations<L, Real> f;
    if (kind == mass::Passage::open) {
      unroll<L::size>([&](auto k) { f[k] = arriving<k>(near); });
    } else {
      receive(near, boundaries, collide.momentsAfter(flow, stress), f);
    }
    collide.template collide<Form>(f, flow, stress);
  }

  // For Cell.
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
  /// Population k of the place that it comes from.
  template <int k>
  MASS_FN static Real arriving(const Near& near) {
    return Collide::template population<k>(
        [&](int i) { return near.template get<&MomentFluid::flow>(L::source(k), i); },
        [&](int i) { return near.template get<&MomentFluid::stress>(L::source(k), i); });
  }
  /// All that arrive at a place that may lie at faces and beside obstacles; `own` are its moments
  /// before.
  MASS_FN void receive(const Near& near, const Boundaries<L, Real>& boundaries,
                       const Moments<D, Real>& own, Populations<L, Real>& f) const {
    const auto touched = boundaries.facesAt(near);
    bool isBack[static_cast<std::size_t>(L::size)];
    unroll<L::size>([&](auto k) { isBack[k] = boundaries.template entersThroughFace<k>(touched); });
    if (kind == mass::Passage::obstructed) {
      unroll<L::size>([&](auto k) {
        isBack[k] |= near.template get<&MomentFluid::kind>(L::source(k)) == mass::Passage::blocked;
      });
    }
    // Both are computed: a choice of numbers takes less than a branch for each.
    unroll<L::size>([&](auto k) {
      const Real back = population<L::opposite(k)>(), other = arriving<k>(near);
      f[k] = isBack[k] ? back : other;
    });
    boundaries.applyFaces(touched, own, f);
  }
};

}  // namespace lbm
