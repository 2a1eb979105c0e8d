#pragma once

#include <apps/lbm/collision/mrt_collision.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace lbm {

/// What lies beyond a face of the box. Where a population comes from beyond two faces, the one
/// named first here decides.
enum class FaceKind : std::uint8_t {
  wall,      ///< at rest
  lid,       ///< a wall that moves along itself
  inlet,     ///< fluid of that velocity
  outlet,    ///< fluid of that density
  periodic,  ///< the opposite face
};

template <int D, class Real>
struct BoundaryFace {
  FaceKind kind = FaceKind::periodic;
  Vector<D, Real> velocity = {};  ///< of a lid or inlet, places a step
  Real density = 1;               ///< of an outlet, if that of the fluid at rest is 1
};

/// The faces of the box: below and above along every axis.
template <class L, class Real>
struct Boundaries {
  static constexpr int D = L::dimensions;

  Vector<2 * D, BoundaryFace<D, Real>> faces;
  Real rest = 1;  ///< density of the fluid at rest

  /// At which faces a place lies; none of those that are periodic.
  struct TouchedFaces {
    Vector<2 * D, bool> faces;
  };
  MASS_FN TouchedFaces facesAt(const mass::Here<D>& here) const {
    TouchedFaces touched;
    for (int axis = 0; axis < D; ++axis) {
      for (int end = 0; end < 2; ++end)
        touched.faces[2 * axis + end] = here.isAtFixedEnd(axis, end);
    }
    return touched;
  }
  /// Whether population k of a place at a face comes from beyond it.
  MASS_FN static constexpr bool crossesFace(int face, int k) {
    return L::source(k)[face / 2] == (face % 2 == 0 ? -1 : 1);
  }
  /// Whether population k comes from beyond a face.
  template <int k>
  MASS_FN bool entersThroughFace(const TouchedFaces& touched) const {
    bool is = false;
    unroll<2 * D>([&](auto face) {
      if constexpr (crossesFace(face, k)) is |= touched.faces[face];
    });
    return is;
  }
  /// Whether `face`, beyond which population k comes from, decides on it, and no other one does.
  template <int face, int k>
  MASS_FN bool hasPriority(const TouchedFaces& touched) const {
    bool hasPriority = true;
    unroll<2 * D>([&](auto other) {
      if constexpr (other != face && crossesFace(other, k)) {
        const bool isFirst = other < face ? faces[other].kind <= faces[face].kind
                                          : faces[other].kind < faces[face].kind;
        hasPriority &= !(touched.faces[other] & isFirst);
      }
    });
    return hasPriority;
  }

  /// Population k, which comes from beyond a face half a place away, as the opposite one left for
  /// there. Boundaries: bounce-back with the wall's momentum (Ladd, J. Fluid Mech. 271 (1994) 285),
  /// at the mean density, so that a lid gives and takes no mass; inlets at the place's own.
  /// Outlets: anti-bounce-back (Ginzburg, Verhaeghe & d'Humieres, Commun. Comput. Phys. 3 (2008)
  /// 427).
  template <int number, int k>
  MASS_FN Real reflected(Real left, const Moments<D, Real>& here) const {
    const BoundaryFace<D, Real>& face = faces[number];
    constexpr Real weight = static_cast<Real>(L::weight(k));
    if (face.kind == FaceKind::outlet) {
      const Real u = along<L, k>(here.velocity);
      const Real speeds = Real(4.5) * u * u - Real(1.5) * here.squared;
      return 2 * weight * rest * (face.density - 1 + face.density * speeds) - left;
    }
    const Real density = face.kind == FaceKind::inlet ? here.density : rest;
    return left + faceMomentum<number, k>(density);
  }
  /// Makes of populations that came back from faces, as from walls at rest, what comes from these;
  /// `own` are the place's moments before.
  MASS_FN void applyFaces(const TouchedFaces& touched, const Moments<D, Real>& own,
                          Populations<L, Real>& f) const {
    unroll<2 * D>([&](auto face) {
      if (!touched.faces[face] || faces[face].kind == FaceKind::wall) return;
      unroll<L::size>([&](auto k) {
        if constexpr (crossesFace(face, k)) {
          if (hasPriority<face, k>(touched)) f[k] = reflected<face, k>(f[k], own);
        }
      });
    });
  }
  /// Adds to what has come back to a place, as if from walls at rest, what lids that it touches
  /// have given. In a box without openings.
  MASS_FN void addWallMomentum(Populations<L, Real>& f, const mass::Here<D>& here) const {
    const TouchedFaces touched = facesAt(here);
    if constexpr (mass::onGpu) {  // where nearly all places touch nothing, or no lid
      bool any = false;
      for (const bool one : touched.faces) any |= one;
      if (!any) return;
      unroll<2 * D>([&](auto face) {
        if (!touched.faces[face] || faces[face].kind != FaceKind::lid) return;
        unroll<L::size>([&](auto k) {
          if constexpr (crossesFace(face, k)) {
            if (hasPriority<face, k>(touched)) f[k] += faceMomentum<face, k>(rest);
          }
        });
      });
    } else {
      unroll<L::size>([&](auto k) { f[k] += wallMomentum<k>(touched); });
    }
  }
  /// Whether there are inlets and outlets: what these return depends on the place's moments.
  bool hasOpenings() const {
    return std::any_of(std::begin(faces), std::end(faces), [](const auto& face) {
      return face.kind == FaceKind::inlet || face.kind == FaceKind::outlet;
    });
  }

 private:
  /// What population k gains. No branches, nor anything to compute that another choice would not
  /// need: compilers make vectors of it.
  template <int k>
  MASS_FN Real wallMomentum(const TouchedFaces& touched) const {
    Real gain = 0;
    unroll<2 * D>([&](auto face) {
      if constexpr (crossesFace(face, k)) {
        const Real own = faceMomentum<face, k>(rest);
        bool is = touched.faces[face];
        is &= hasPriority<face, k>(touched);
        gain += is ? own : Real(0);
      }
    });
    return gain;
  }
  /// What a face, if it moves, gives to population k.
  template <int number, int k>
  MASS_FN Real faceMomentum(Real density) const {
    constexpr Real weight = static_cast<Real>(L::weight(k));
    return 6 * weight * density * along<L, k>(faces[number].velocity);
  }
};

}  // namespace lbm
