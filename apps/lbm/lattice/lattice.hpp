#pragma once

#include <mass/mass.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace lbm {

/// Calls f(std::integral_constant<int, i>{}) for 0 <= i < Count: each index is a constant
/// expression.
template <int Count, class F>
MASS_FN constexpr void unroll(F&& f) {
  [&]<int... number>(std::integer_sequence<int, number...>) {
    (f(std::integral_constant<int, number>{}), ...);
  }
  (std::make_integer_sequence<int, Count>{});
}

/// Base of D2Q9 and D3Q19: properties that follow from the velocities. Velocity 0 is rest;
/// velocities 2p + 1 and 2p + 2 are opposite. Vectors are in the order of the axes, (z,) y, x.
template <class Velocities, int D, int Size>
struct Lattice {
  static constexpr int dimensions = D, size = Size, pairs = Size / 2;

  /// Returns velocity k in cells per step.
  MASS_FN static constexpr mass::Offset<D> velocity(int k) { return Velocities::of(k); }
  /// Returns the offset of the cell from which population k streams: minus velocity k.
  MASS_FN static constexpr mass::Offset<D> source(int k) {
    mass::Offset<D> offset = velocity(k);
    for (int axis = 0; axis < D; ++axis) offset[axis] = -offset[axis];
    return offset;
  }
  /// Returns the index of the velocity opposite to velocity k.
  MASS_FN static constexpr int opposite(int k) { return k == 0 ? 0 : k % 2 == 1 ? k + 1 : k - 1; }
  /// Returns the squared speed of velocity k: 0, 1 or 2.
  MASS_FN static constexpr int square(int k) {
    int sum = 0;
    for (int axis = 0; axis < D; ++axis) sum += velocity(k)[axis] * velocity(k)[axis];
    return sum;
  }
  /// Returns the bit mask of the axes along which velocity k has a component.
  MASS_FN static constexpr int axes(int k) {
    int bits = 0;
    for (int axis = 0; axis < D; ++axis) bits |= velocity(k)[axis] != 0 ? 1 << axis : 0;
    return bits;
  }
  /// Returns the first velocity whose axes() are `bits`, or 0 if there is none.
  MASS_FN static constexpr int first(int bits) {
    for (int k = 1; k < Size; ++k) {
      if (axes(k) == bits) return k;
    }
    return 0;
  }
};

/// One number per axis.
template <int D, class Real>
using Vector = Real[static_cast<std::size_t>(D)];
/// One number per velocity of lattice L.
template <class L, class Real>
using Populations = Real[static_cast<std::size_t>(L::size)];

/// Initial value of sums. -0.0 + x is x for every x, so compilers remove the first addition;
/// 0.0 + -0.0 is 0.0, so they must keep one to 0.0.
template <class Real>
inline constexpr Real negativeZero = -Real(0);

/// Sets all elements to -0.0, the initial value of sums.
template <std::size_t Size, class Real>
MASS_FN inline void fillNegativeZero(Real (&sums)[Size]) {
  for (Real& sum : sums) sum = negativeZero<Real>;
}

/// Returns the dot product of velocity k and `vector`.
template <class L, int k, class Real>
MASS_FN inline Real along(const Vector<L::dimensions, Real>& vector) {
  Real sum = negativeZero<Real>;
  unroll<L::dimensions>([&](auto axis) {
    constexpr int c = L::velocity(k)[axis];
    if constexpr (c == 1) sum += vector[axis];
    if constexpr (c == -1) sum -= vector[axis];
  });
  return sum;
}

/// Velocities of D2Q9: rest, then pairs of opposites.
struct D2Q9Velocities {
  MASS_FN static constexpr mass::Offset<2> of(int k) {
    constexpr mass::Offset<2> all[] = {{0, 0}, {0, 1},   {0, -1}, {1, 0}, {-1, 0},
                                       {1, 1}, {-1, -1}, {1, -1}, {-1, 1}};
    return all[k];
  }
};

/// Lattice D2Q9 (Qian, d'Humieres & Lallemand, Europhys. Lett. 17 (1992) 479) with the moments e
/// and epsilon of Lallemand & Luo, Phys. Rev. E 61 (2000) 6546.
struct D2Q9 : Lattice<D2Q9Velocities, 2, 9> {
  /// Returns the weight of velocity k in the equilibrium.
  MASS_FN static constexpr double weight(int k) {
    return square(k) == 0 ? 4.0 / 9 : square(k) == 1 ? 1.0 / 9 : 1.0 / 36;
  }
  /// Returns column k of the row of e in the moment matrix.
  MASS_FN static constexpr int energy(int k) { return 3 * square(k) - 4; }
  /// Returns column k of the row of epsilon.
  MASS_FN static constexpr int energySquare(int k) {
    return (9 * square(k) * square(k) - 21 * square(k) + 8) / 2;
  }
  /// Squared norms of the two rows.
  static constexpr int energyNorm = 36, energySquareNorm = 36;
  /// Coefficients of the equilibrium moments: ...OfRest times the density, less that at rest, plus
  /// ...OfFlow times density times speed^2.
  static constexpr double energyOfRest = -2, energyOfFlow = 3;
  static constexpr double energySquareOfRest = 1, energySquareOfFlow = -3;
};

/// Velocities of D3Q19: rest, then pairs of opposites.
struct D3Q19Velocities {
  MASS_FN static constexpr mass::Offset<3> of(int k) {
    constexpr mass::Offset<3> all[] = {
        {0, 0, 0},  {0, 0, 1},   {0, 0, -1},  {0, 1, 0},  {0, -1, 0}, {1, 0, 0},   {-1, 0, 0},
        {0, 1, 1},  {0, -1, -1}, {0, 1, -1},  {0, -1, 1}, {1, 0, 1},  {-1, 0, -1}, {1, 0, -1},
        {-1, 0, 1}, {1, 1, 0},   {-1, -1, 0}, {1, -1, 0}, {-1, 1, 0}};
    return all[k];
  }
};

/// Lattice D3Q19 (Qian, d'Humieres & Lallemand 1992) with moments of d'Humieres et al., Phil.
/// Trans. R. Soc. Lond. A 360 (2002) 437. Members not documented here are as in D2Q9.
struct D3Q19 : Lattice<D3Q19Velocities, 3, 19> {
  MASS_FN static constexpr double weight(int k) {
    return square(k) == 0 ? 1.0 / 3 : square(k) == 1 ? 1.0 / 18 : 1.0 / 36;
  }
  MASS_FN static constexpr int energy(int k) { return 19 * square(k) - 30; }
  MASS_FN static constexpr int energySquare(int k) {
    return (21 * square(k) * square(k) - 53 * square(k) + 24) / 2;
  }
  static constexpr int energyNorm = 2394, energySquareNorm = 252;
  static constexpr double energyOfRest = -11, energyOfFlow = 19;
  static constexpr double energySquareOfRest = 3, energySquareOfFlow = -5.5;
  /// Returns column k of the row of 3 pi_xx (number 0) or pi_ww (number 1): the rows of the
  /// stresses 3 p_xx and p_ww times 3 c^2 - 5.
  MASS_FN static constexpr int pi(int number, int k) {
    const auto c = velocity(k);
    const int order = 3 * square(k) - 5;
    return number == 0 ? order * (3 * c[2] * c[2] - square(k))
                       : order * (c[1] * c[1] - c[0] * c[0]);
  }
  /// Returns the squared norm of the row.
  static constexpr int piNorm(int number) { return number == 0 ? 72 : 24; }
  /// Returns column k of the row of -m_z, -m_y or -m_x (number 0, 1, 2), such as (c_z^2 - c_y^2)
  /// c_x. The sign has no effect, since a collision projects onto the row and back.
  MASS_FN static constexpr int third(int number, int k) {
    const auto c = velocity(k);
    const int one = c[(number + 1) % 3], other = c[(number + 2) % 3];
    return (one * one - other * other) * c[number];
  }
  /// Squared norm of each of the three rows.
  static constexpr int thirdNorm = 8;
};

}  // namespace lbm
