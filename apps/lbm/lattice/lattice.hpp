#pragma once

#include <mass/mass.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace lbm {

/// Calls f(number) for 0 <= number < Count, each a constant to the compiler.
template <int Count, class F>
MASS_FN constexpr void unroll(F&& f) {
  [&]<int... number>(std::integer_sequence<int, number...>) {
    (f(std::integral_constant<int, number>{}), ...);
  }
  (std::make_integer_sequence<int, Count>{});
}

/// What D2Q9 and D3Q19 have in common: velocity 0 is rest, 2p + 1 and 2p + 2 are opposite.
/// Components of vectors are in the order of the axes, so that the last one is along x.
template <class Velocities, int D, int Size>
struct Lattice {
  static constexpr int dimensions = D, size = Size, pairs = Size / 2;

  MASS_FN static constexpr mass::Offset<D> velocity(int k) { return Velocities::of(k); }
  /// Where population k comes from.
  MASS_FN static constexpr mass::Offset<D> source(int k) {
    mass::Offset<D> offset = velocity(k);
    for (int axis = 0; axis < D; ++axis) offset[axis] = -offset[axis];
    return offset;
  }
  MASS_FN static constexpr int opposite(int k) { return k == 0 ? 0 : k % 2 == 1 ? k + 1 : k - 1; }
  MASS_FN static constexpr int square(int k) {
    int sum = 0;
    for (int axis = 0; axis < D; ++axis) sum += velocity(k)[axis] * velocity(k)[axis];
    return sum;
  }
  /// The axes along which velocity k goes: a bit for each.
  MASS_FN static constexpr int axes(int k) {
    int bits = 0;
    for (int axis = 0; axis < D; ++axis) bits |= velocity(k)[axis] != 0 ? 1 << axis : 0;
    return bits;
  }
  /// The first velocity along these axes, or 0.
  MASS_FN static constexpr int first(int bits) {
    for (int k = 1; k < Size; ++k) {
      if (axes(k) == bits) return k;
    }
    return 0;
  }
};

/// A number for each axis.
template <int D, class Real>
using Vector = Real[static_cast<std::size_t>(D)];
/// A number for each velocity of lattice L.
template <class L, class Real>
using Populations = Real[static_cast<std::size_t>(L::size)];

/// What sums begin with: to add -0 changes no number, so compilers leave it out; to add 0 makes 0
/// of -0, so they must not.
template <class Real>
inline constexpr Real negativeZero = -Real(0);

template <std::size_t Size, class Real>
MASS_FN inline void fillNegativeZero(Real (&sums)[Size]) {
  for (Real& sum : sums) sum = negativeZero<Real>;
}

/// The product of velocity k with a vector.
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

struct D2Q9Velocities {
  MASS_FN static constexpr mass::Offset<2> of(int k) {
    constexpr mass::Offset<2> all[] = {{0, 0}, {0, 1},   {0, -1}, {1, 0}, {-1, 0},
                                       {1, 1}, {-1, -1}, {1, -1}, {-1, 1}};
    return all[k];
  }
};

/// Qian, d'Humieres & Lallemand, Europhys. Lett. 17 (1992) 479. Moments e and epsilon as in
/// Lallemand & Luo, Phys. Rev. E 61 (2000) 6546.
struct D2Q9 : Lattice<D2Q9Velocities, 2, 9> {
  MASS_FN static constexpr double weight(int k) {
    return square(k) == 0 ? 4.0 / 9 : square(k) == 1 ? 1.0 / 9 : 1.0 / 36;
  }
  MASS_FN static constexpr int energy(int k) { return 3 * square(k) - 4; }
  MASS_FN static constexpr int energySquare(int k) {
    return (9 * square(k) * square(k) - 21 * square(k) + 8) / 2;
  }
  static constexpr int energyNorm = 36, energySquareNorm = 36;
  /// Those moments of an equilibrium: so much for the density, so much for density times speed^2.
  static constexpr double energyOfRest = -2, energyOfFlow = 3;
  static constexpr double energySquareOfRest = 1, energySquareOfFlow = -3;
};

struct D3Q19Velocities {
  MASS_FN static constexpr mass::Offset<3> of(int k) {
    constexpr mass::Offset<3> all[] = {
        {0, 0, 0},  {0, 0, 1},   {0, 0, -1},  {0, 1, 0},  {0, -1, 0}, {1, 0, 0},   {-1, 0, 0},
        {0, 1, 1},  {0, -1, -1}, {0, 1, -1},  {0, -1, 1}, {1, 0, 1},  {-1, 0, -1}, {1, 0, -1},
        {-1, 0, 1}, {1, 1, 0},   {-1, -1, 0}, {1, -1, 0}, {-1, 1, 0}};
    return all[k];
  }
};

/// The same paper. Moments as in d'Humieres et al., Phil. Trans. R. Soc. Lond. A 360 (2002) 437.
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
  /// 3 pi_xx and pi_ww: two of the moments that differ from the pressure's only in order.
  MASS_FN static constexpr int pi(int number, int k) {
    const auto c = velocity(k);
    const int order = 3 * square(k) - 5;
    return number == 0 ? order * (3 * c[2] * c[2] - square(k))
                       : order * (c[1] * c[1] - c[0] * c[0]);
  }
  static constexpr int piNorm(int number) { return number == 0 ? 72 : 24; }
  /// m_x, m_y, m_z: (c_y^2 - c_z^2) c_x and so on.
  MASS_FN static constexpr int third(int number, int k) {
    const auto c = velocity(k);
    const int one = c[(number + 1) % 3], other = c[(number + 2) % 3];
    return (one * one - other * other) * c[number];
  }
  static constexpr int thirdNorm = 8;
};

}  // namespace lbm
