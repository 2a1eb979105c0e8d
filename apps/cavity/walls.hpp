#pragma once

#include <apps/cavity/collision.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace cavity {

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
struct Face {
  FaceKind kind = FaceKind::periodic;
  Vector<D, Real> velocity = {};  ///< of a lid or inlet, places a step
  Real density = 1;               ///< of an outlet, if that of the fluid at rest is 1
};

/// The faces of the box: below and above along every axis.
template <class L, class Real>
struct Walls {
  static constexpr int D = L::dimensions;

  Vector<2 * D, Face<D, Real>> faces;
  Real rest = 1;  ///< density of the fluid at rest

  /// At which faces a place lies; none of those that are periodic.
  struct Touched {
    Vector<2 * D, bool> faces;
  };
  MASS_FN Touched touchedBy(const mass::Here<D>& here) const {
    Touched touched;
    for (int axis = 0; axis < D; ++axis) {
      for (int end = 0; end < 2; ++end)
        touched.faces[2 * axis + end] = here.isAtFixedEnd(axis, end);
    }
    return touched;
  }
  /// Whether population k of a place at a face comes from beyond it.
  MASS_FN static constexpr bool isBeyond(int face, int k) {
    return L::source(k)[face / 2] == (face % 2 == 0 ? -1 : 1);
  }
  /// Whether population k comes from beyond a face.
  template <int k>
  MASS_FN bool isFromBeyond(const Touched& touched) const {
    bool is = false;
    unroll<2 * D>([&](auto face) {
      if constexpr (isBeyond(face, k)) is |= touched.faces[face];
    });
    return is;
  }
  /// Whether `face`, beyond which population k comes from, decides on it, and no other one does.
  template <int face, int k>
  MASS_FN bool decides(const Touched& touched) const {
    bool decides = true;
    unroll<2 * D>([&](auto other) {
      if constexpr (other != face && isBeyond(other, k)) {
        const bool isFirst = other < face ? faces[other].kind <= faces[face].kind
                                          : faces[other].kind < faces[face].kind;
        decides &= !(touched.faces[other] & isFirst);
      }
    });
    return decides;
  }

  /// Population k, which comes from beyond a face half a place away, as the opposite one left for
  /// there. Walls: bounce-back with the wall's momentum (Ladd, J. Fluid Mech. 271 (1994) 285), at
  /// the mean density, so that a lid gives and takes no mass; inlets at the place's own. Outlets:
  /// anti-bounce-back (Ginzburg, Verhaeghe & d'Humieres, Commun. Comput. Phys. 3 (2008) 427).
  template <int number, int k>
  MASS_FN Real returned(Real left, const Moments<D, Real>& here) const {
    const Face<D, Real>& face = faces[number];
    constexpr Real weight = static_cast<Real>(L::weight(k));
    if (face.kind == FaceKind::outlet) {
      const Real u = along<L, k>(here.velocity);
      const Real speeds = Real(4.5) * u * u - Real(1.5) * here.squared;
      return 2 * weight * rest * (face.density - 1 + face.density * speeds) - left;
    }
    const Real density = face.kind == FaceKind::inlet ? here.density : rest;
    return left + momentum<number, k>(density);
  }
  /// Makes of populations that came back from faces, as from walls at rest, what comes from these;
  /// `own` are the place's moments before.
  MASS_FN void bringBack(const Touched& touched, const Moments<D, Real>& own,
                         Populations<L, Real>& f) const {
    unroll<2 * D>([&](auto face) {
      if (!touched.faces[face] || faces[face].kind == FaceKind::wall) return;
      unroll<L::size>([&](auto k) {
        if constexpr (isBeyond(face, k)) {
          if (decides<face, k>(touched)) f[k] = returned<face, k>(f[k], own);
        }
      });
    });
  }
  /// Adds to what has come back to a place, as if from walls at rest, what lids that it touches
  /// have given. In a box without openings.
  MASS_FN void give(Populations<L, Real>& f, const mass::Here<D>& here) const {
    const Touched touched = touchedBy(here);
    if constexpr (mass::onGpu) {  // where nearly all places touch nothing, or no lid
      bool any = false;
      for (const bool one : touched.faces) any |= one;
      if (!any) return;
      unroll<2 * D>([&](auto face) {
        if (!touched.faces[face] || faces[face].kind != FaceKind::lid) return;
        unroll<L::size>([&](auto k) {
          if constexpr (isBeyond(face, k)) {
            if (decides<face, k>(touched)) f[k] += momentum<face, k>(rest);
          }
        });
      });
    } else {
      unroll<L::size>([&](auto k) { f[k] += gained<k>(touched); });
    }
  }
  /// Whether there are inlets and outlets: what these return depends on the place's moments.
  bool haveOpenings() const {
    return std::any_of(std::begin(faces), std::end(faces), [](const auto& face) {
      return face.kind == FaceKind::inlet || face.kind == FaceKind::outlet;
    });
  }

 private:
  /// What population k gains. No branches, nor anything to compute that another choice would not
  /// need: compilers make vectors of it.
  template <int k>
  MASS_FN Real gained(const Touched& touched) const {
    Real gain = 0;
    unroll<2 * D>([&](auto face) {
      if constexpr (isBeyond(face, k)) {
        const Real own = momentum<face, k>(rest);
        bool is = touched.faces[face];
        is &= decides<face, k>(touched);
        gain += is ? own : Real(0);
      }
    });
    return gain;
  }
  /// What a face, if it moves, gives to population k.
  template <int number, int k>
  MASS_FN Real momentum(Real density) const {
    constexpr Real weight = static_cast<Real>(L::weight(k));
    return 6 * weight * density * along<L, k>(faces[number].velocity);
  }
};

}  // namespace cavity
