#pragma once

#include <apps/lbm/collision/mrt_collision.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace lbm {

/// Boundary condition on a face of the box, in order of priority: if a population enters through
/// two faces, at an edge or corner, the kind declared first applies to it.
enum class FaceKind : std::uint8_t {
  wall,      ///< no-slip wall at rest: half-way bounce-back
  lid,       ///< wall that moves in its own plane: bounce-back with its momentum
  inlet,     ///< prescribed velocity: bounce-back with its momentum
  outlet,    ///< prescribed density: anti-bounce-back
  periodic,  ///< joined to the opposite face
};

/// One face of the box.
template <int D, class Real>
struct BoundaryFace {
  FaceKind kind = FaceKind::periodic;
  Vector<D, Real> velocity = {};  ///< velocity of a lid or inlet, cells per step
  Real density = 1;               ///< density of an outlet, relative to the fluid at rest
};

/// Boundary conditions on the faces of the box, and the populations that they reflect.
template <class L, class Real>
struct Boundaries {
  static constexpr int D = L::dimensions;

  Vector<2 * D, BoundaryFace<D, Real>> faces;  ///< low and high face of each axis
  Real rest = 1;                               ///< density of the fluid at rest

  /// One flag per face: true if a cell lies at it and it is not periodic.
  struct TouchedFaces {
    Vector<2 * D, bool> faces;
  };
  /// Returns the faces that the cell of `here` lies at.
  MASS_FN TouchedFaces facesAt(const mass::Here<D>& here) const {
    TouchedFaces touched;
    for (int axis = 0; axis < D; ++axis) {
      for (int end = 0; end < 2; ++end)
        touched.faces[2 * axis + end] = here.isAtFixedEnd(axis, end);
    }
    return touched;
  }
  /// True if population k of a cell at `face` enters through that face.
  MASS_FN static constexpr bool crossesFace(int face, int k) {
    return L::source(k)[face / 2] == (face % 2 == 0 ? -1 : 1);
  }
  /// True if population k enters through one of the touched faces.
  template <int k>
  MASS_FN bool entersThroughFace(const TouchedFaces& touched) const {
    bool is = false;
    unroll<2 * D>([&](auto face) {
      if constexpr (crossesFace(face, k)) is |= touched.faces[face];
    });
    return is;
  }
  /// True if, of the touched faces that population k enters through, `face` has priority: the kind
  /// declared first in FaceKind, among equal kinds the face of lowest index.
  template <int face, int k>
  MASS_FN bool hasPriority(const TouchedFaces& touched) const {
    bool isFirstOfAll = true;
    unroll<2 * D>([&](auto other) {
      if constexpr (other != face && crossesFace(other, k)) {
        const bool isFirst = other < face ? faces[other].kind <= faces[face].kind
                                          : faces[other].kind < faces[face].kind;
        isFirstOfAll &= !(touched.faces[other] & isFirst);
      }
    });
    return isFirstOfAll;
  }

  /// Returns population k of a cell at face `number`, given the opposite population `left` that
  /// left through this face, half a cell away. Walls, lids and inlets: bounce-back with the
  /// momentum of the face (Ladd, J. Fluid Mech. 271 (1994) 285), for walls and lids at the mean
  /// density, so that a lid conserves mass; for inlets at the density of the cell. Outlets:
  /// anti-bounce-back (Ginzburg, Verhaeghe & d'Humieres, Commun. Comput. Phys. 3 (2008) 427).
  /// @param here moments of the cell before the step
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
  /// Applies the conditions of lids, inlets and outlets to `f`, whose populations at the touched
  /// faces have been bounced back as from walls at rest. @param own moments of the cell before the
  /// step
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
  /// Adds the momentum of the lids at the cell of `here` to the populations that were bounced back
  /// as from walls at rest. @pre !hasOpenings()
  MASS_FN void addWallMomentum(Populations<L, Real>& f, const mass::Here<D>& here) const {
    const TouchedFaces touched = facesAt(here);
    if constexpr (mass::onGpu) {  // few cells touch a face, and fewer a lid
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
  /// True if there are inlets or outlets, whose reflected populations depend on the moments of the
  /// cell.
  bool hasOpenings() const {
    return std::any_of(std::begin(faces), std::end(faces), [](const auto& face) {
      return face.kind == FaceKind::inlet || face.kind == FaceKind::outlet;
    });
  }

 private:
  /// Returns the momentum that the touched faces add to population k. Branch-free, and computes
  /// only terms that are needed in all cases: compilers vectorize it.
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
  /// Returns the momentum that face `number`, moving in a fluid of `density`, adds to population k.
  template <int number, int k>
  MASS_FN Real faceMomentum(Real density) const {
    constexpr Real weight = static_cast<Real>(L::weight(k));
    return 6 * weight * density * along<L, k>(faces[number].velocity);
  }
};

}  // namespace lbm
