#pragma once

#include <apps/cavity/collision.hpp>
#include <apps/cavity/walls.hpp>

#include <mass/mass.hpp>

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace cavity {

/// Density and velocity of a place, in units of the lattice; no velocity in what is solid.
template <int D>
struct Observed {
  double density = 1;
  Vector<D, double> velocity = {};  ///< in the order of the axes
};

/// Four numbers that are added up together.
struct Sums {
  double of[4] = {0, 0, 0, 0};
};
/// The operation for Places::reduce.
struct AddSums {
  template <class T>
  using Result = Sums;
  template <class R>
  MASS_FN static constexpr R identity() {
    return {};
  }
  MASS_FN constexpr Sums operator()(Sums a, const Sums& b) const {
    for (int i = 0; i < 4; ++i) a.of[i] += b.of[i];
    return a;
  }
};

/// A cell of a fluid in the lattice Boltzmann method: populations that travel with the velocities
/// of lattice L and collide. Between steps they are those after the collision, less their weights;
/// `Form` is how they are stored. A binary16 holds numbers up to 65504 and down to 2^-24: there,
/// the density of the fluid at rest is 2^15.
template <class L, class Real, class Form = void>
class Fluid : public mass::Place<L::dimensions> {
 public:
  using Near = mass::Neighborhood<Fluid>;
  using Streaming = mass::Streaming<Fluid>;
  using General = Collision<L, Real, true>;
  static constexpr int D = L::dimensions;
  static constexpr Real rest = std::is_void_v<Form> ? 1 : 32768;

  mass::Passage kind = mass::Passage::open;  ///< obstacles are blocked
  Populations<L, Real> f = {};
  using Attributes = mass::Attributes<mass::mostly<&Fluid::kind>,
                                      mass::streamed<mass::stored<&Fluid::f, Form>, L>>;

  MASS_FN mass::Passage passage() const { return kind; }

  /// One step: populations have come from where their velocities lead back to, or back from walls;
  /// now they collide. In a box without openings.
  MASS_FN void flow(const Streaming& near, const Collision<L, Real, false>& collide,
                    const Walls<L, Real>& walls) {
    if (kind != mass::Passage::open) walls.give(f, near);
    collide(f);
  }
  /// The same with a force, or other free parameters.
  MASS_FN void flowInGeneral(const Streaming& near, const General& collide,
                             const Walls<L, Real>& walls) {
    if (kind != mass::Passage::open) walls.give(f, near);
    collide(f);
  }
  /// The same in a box that has inlets or outlets.
  MASS_FN void flowThrough(const Streaming& stream, const Near& near, const General& collide,
                           const Walls<L, Real>& walls) {
    if (kind != mass::Passage::open) {
      Populations<L, Real> before;
      unroll<L::size>(
          [&](auto k) { before[k] = near.template get<&Fluid::f>(mass::Offset<D>{}, k); });
      bringBack(stream, walls, collide.momentsAfter(before));
    }
    collide(f);
  }

  /// Gives the places from number `first` on a density and a velocity.
  MASS_FN void set(const mass::Here<D>& here, std::int64_t first,
                   const mass::Shared<Observed<D>>& wanted) {
    const std::int64_t number = here.index() - first;
    if (number < 0 || number >= wanted.size()) return;
    const Observed<D>& all = wanted[number];
    Moments<D, Real> at{};
    at.excess = rest * static_cast<Real>(all.density - 1);
    at.density = rest * static_cast<Real>(all.density);
    for (int axis = 0; axis < D; ++axis) {
      at.velocity[axis] = static_cast<Real>(all.velocity[axis]);
      at.squared += at.velocity[axis] * at.velocity[axis];
    }
    General::equilibrium(at, f);
  }

  /// Density and velocity, with half of the force's momentum.
  MASS_FN Observed<D> observed(const General& collide) const {
    Observed<D> result;
    if (kind == mass::Passage::blocked) return result;
    const Moments<D, Real> at = collide.momentsAfter(f);
    result.density = static_cast<double>(at.excess / rest) + 1;
    for (int axis = 0; axis < D; ++axis)
      result.velocity[axis] = static_cast<double>(at.velocity[axis]);
    return result;
  }
  /// The density less 1.
  MASS_FN double excess() const {
    double sum = 0;
    if (kind == mass::Passage::blocked) return sum;
    for (int k = 0; k < L::size; ++k) sum += static_cast<double>(f[k]);
    return sum / static_cast<double>(rest);
  }
  /// Half of density times speed squared.
  MASS_FN double energy(const General& collide) const {
    if (kind == mass::Passage::blocked) return 0;
    const Moments<D, Real> at = collide.momentsAfter(f);
    return 0.5 * static_cast<double>(at.density / rest) * static_cast<double>(at.squared);
  }
  /// Whether this is no flow: what are no numbers, or faster than populations are.
  MASS_FN bool isUnsound(const General& collide) const {
    const Moments<D, Real> at = collide.momentsAfter(f);
    return kind != mass::Passage::blocked && !(at.density > 0 && at.squared < 1);
  }
  /// The density less 1 and the velocity of the place of that number; nothing of others.
  MASS_FN Sums probed(const mass::Here<D>& here, const General& collide,
                      std::int64_t number) const {
    Sums sums;
    if (here.index() != number) return sums;
    const Observed<D> at = observed(collide);
    sums.of[0] = at.density - 1;
    for (int axis = 0; axis < D; ++axis) sums.of[1 + axis] = at.velocity[axis];
    return sums;
  }
  /// The momentum along each axis that obstacles take from this place in a step (Ladd 1994).
  MASS_FN Sums push(const Near& near, const Walls<L, Real>& walls) const {
    Sums push;
    if (kind != mass::Passage::obstructed) return push;
    const auto touched = walls.touchedBy(near);
    unroll<L::size>([&](auto k) {
      const auto source = L::source(k);
      if (walls.template isFromBeyond<k>(touched) ||
          near.template get<&Fluid::kind>(source) != mass::Passage::blocked)
        return;
      for (int axis = 0; axis < D; ++axis)
        push.of[axis] += 2 * source[axis] * static_cast<double>(f[L::opposite(k)] / rest);
    });
    return push;
  }

 private:
  /// Makes of populations that came back from faces, as from walls at rest, what comes from these.
  MASS_FN void bringBack(const mass::Here<D>& here, const Walls<L, Real>& walls,
                         const Moments<D, Real>& moments) {
    const auto touched = walls.touchedBy(here);
    unroll<2 * D>([&](auto face) {
      if (!touched.faces[face] || walls.faces[face].kind == FaceKind::wall) return;
      unroll<L::size>([&](auto k) {
        if constexpr (Walls<L, Real>::isBeyond(face, k)) {
          if (walls.template decides<face, k>(touched))
            f[k] = walls.template returned<face, k>(f[k], moments);
        }
      });
    });
  }
};

}  // namespace cavity
