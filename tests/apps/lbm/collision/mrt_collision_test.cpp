#include "../trial.hpp"

#include <apps/lbm/collision/mrt_collision.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace {

using namespace lbm;
using lbm::testing::distinctRates;
using lbm::testing::oneRate;

using Numbers = std::array<double, 19>;

/// Column k of the matrix M of d'Humieres et al. 2002: its moments as polynomials of velocity k.
Numbers rowsOf(int k) {
  const auto c = D3Q19::velocity(k);
  const double x = c[2], y = c[1], z = c[0], s = x * x + y * y + z * z;
  return {1,
          19 * s - 30,
          (21 * s * s - 53 * s + 24) / 2,
          x,
          (5 * s - 9) * x,
          y,
          (5 * s - 9) * y,
          z,
          (5 * s - 9) * z,
          3 * x * x - s,
          (3 * s - 5) * (3 * x * x - s),
          y * y - z * z,
          (3 * s - 5) * (y * y - z * z),
          x * y,
          y * z,
          x * z,
          (y * y - z * z) * x,
          (z * z - x * x) * y,
          (x * x - y * y) * z};
}

/// Equilibrium moments (eqs. 4.5 to 4.12), with j^2 divided by the density, not the mean density.
Numbers equilibrium(const Numbers& m, const FreeParameters& free) {
  const double rho = m[0], x = m[3], y = m[5], z = m[7], j2 = x * x + y * y + z * z;
  const double xx = (3 * x * x - j2) / rho, ww = (y * y - z * z) / rho;
  return {rho,
          -11 * rho + 19 * j2 / rho,
          free.rest * rho + free.speed * j2 / rho,
          x,
          -2.0 / 3 * x,
          y,
          -2.0 / 3 * y,
          z,
          -2.0 / 3 * z,
          xx,
          free.pi * xx,
          ww,
          free.pi * ww,
          x * y / rho,
          y * z / rho,
          x * z / rho,
          0,
          0,
          0};
}

/// Guo's force term of a fluid of velocity `u` without its factor of 1 - rate / 2.
double forceTerm(int k, const std::array<double, 3>& u, const double (&force)[3]) {
  const auto c = D3Q19::velocity(k);
  double cu = 0, cF = 0, uF = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    const double along = c[static_cast<int>(a)];
    cu += along * u[a];
    cF += along * force[a];
    uF += u[a] * force[a];
  }
  return D3Q19::weight(k) * (3 * (cF - uF) + 9 * cu * cF);
}

/// Reference collision with the full matrix: f - M^-1 (S (m - m_eq) - (1 - S / 2) M F). The
/// momentum of m_eq includes half of the force F.
Numbers byMatrix(const Numbers& f, const RelaxationRates& r, const FreeParameters& free,
                 const double (&force)[3]) {
  const Numbers rates{0,       r.energy, r.energySquare, 0,       r.flux,  0,    r.flux,
                      0,       r.flux,   r.shear,        r.pi,    r.shear, r.pi, r.shear,
                      r.shear, r.shear,  r.third,        r.third, r.third};
  Numbers moments{}, norms{};
  for (int k = 0; k < 19; ++k) {
    const Numbers row = rowsOf(k);
    for (std::size_t i = 0; i < 19; ++i) {
      moments[i] += row[i] * f[static_cast<std::size_t>(k)];
      norms[i] += row[i] * row[i];
    }
  }
  Numbers withForce = moments;
  std::array<double, 3> u{};
  for (std::size_t a = 0; a < 3; ++a) {
    const std::size_t i = 7 - 2 * a;  // row of the momentum along this axis
    withForce[i] += force[a] / 2;
    u[a] = withForce[i] / moments[0];
  }
  const Numbers wanted = equilibrium(withForce, free);
  Numbers pushed{};
  for (int k = 0; k < 19; ++k) {
    const Numbers row = rowsOf(k);
    for (std::size_t i = 0; i < 19; ++i) pushed[i] += row[i] * forceTerm(k, u, force);
  }
  Numbers after = f;
  for (int k = 0; k < 19; ++k) {
    const Numbers row = rowsOf(k);
    for (std::size_t i = 0; i < 19; ++i) {
      const double change = (1 - rates[i] / 2) * pushed[i] - rates[i] * (moments[i] - wanted[i]);
      after[static_cast<std::size_t>(k)] += change * row[i] / norms[i];
    }
  }
  return after;
}

/// Random populations near those of a moving fluid.
template <class L>
std::array<double, L::size> populations(unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> any(-0.1, 0.1);
  std::array<double, L::size> f{};
  for (int k = 0; k < L::size; ++k)
    f[static_cast<std::size_t>(k)] = L::weight(k) * (1 + any(generator) + any(generator));
  return f;
}

template <class L, class Real, bool isGeneral>
std::array<double, L::size> collide(const std::array<double, L::size>& f,
                                    const MrtCollision<L, Real, isGeneral>& collision) {
  Real less[static_cast<std::size_t>(L::size)];
  for (int k = 0; k < L::size; ++k)
    less[k] = static_cast<Real>(f[static_cast<std::size_t>(k)] - L::weight(k));
  collision(less);
  auto after = f;
  for (int k = 0; k < L::size; ++k)
    after[static_cast<std::size_t>(k)] = static_cast<double>(less[k]) + L::weight(k);
  return after;
}

constexpr double none[3] = {0, 0, 0};

TEST(MrtCollision, WithManyRatesIsThatOfThePublishedMatrix) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const RelaxationRates rates = distinctRates(0.01 + 0.02 * seed);
    const auto f = populations<D3Q19>(seed);
    const auto expected = byMatrix(f, rates, {}, none);
    const auto plain = collide(f, MrtCollision<D3Q19, double, false>(rates, {}, none));
    const auto general = collide(f, MrtCollision<D3Q19, double, true>(rates, {}, none));
    for (std::size_t k = 0; k < 19; ++k) {
      EXPECT_NEAR(plain[k], expected[k], 1e-15);
      EXPECT_NEAR(general[k], expected[k], 1e-15);
    }
  }
}

TEST(MrtCollision, WithManyRatesHasTheForceOfThePublishedMatrix) {
  constexpr double force[3] = {1e-3, -2e-3, 3e-3};
  for (unsigned seed = 0; seed < 20; ++seed) {
    const RelaxationRates rates = distinctRates(0.01 + 0.02 * seed);
    const auto f = populations<D3Q19>(seed);
    const auto expected = byMatrix(f, rates, {}, force);
    const auto found = collide(f, MrtCollision<D3Q19, double, true>(rates, {}, force));
    for (std::size_t k = 0; k < 19; ++k) EXPECT_NEAR(found[k], expected[k], 1e-15);
  }
}

TEST(MrtCollision, TakesTheFreeParametersOfThePaper) {
  const RelaxationRates rates = distinctRates(0.02);
  const auto f = populations<D3Q19>(7);
  const auto ofBgk = byMatrix(f, rates, {}, none);
  for (const FreeParameters& free : {FreeParameters{0, -475.0 / 63, 0},  // the optimal ones
                                     FreeParameters{2.5, -5.5, -0.5}, FreeParameters{3, -6.5, -0.5},
                                     FreeParameters{3, -5.5, -0.3}}) {
    const auto expected = byMatrix(f, rates, free, none);
    const auto found = collide(f, MrtCollision<D3Q19, double, true>(rates, free, none));
    double largest = 0;
    for (std::size_t k = 0; k < 19; ++k) {
      EXPECT_NEAR(found[k], expected[k], 1e-15);
      largest = std::max(largest, std::abs(ofBgk[k] - expected[k]));
    }
    EXPECT_GT(largest, 1e-6) << "the parameters matter";
  }
}

/// Reference BGK collision: f + (f_eq - f) rate + (1 - rate / 2) F, with Guo's force.
template <class L>
std::array<double, L::size> byOneRate(const std::array<double, L::size>& f, double rate,
                                      const double (&force)[3]) {
  double rho = 0;
  std::array<double, 3> j{};
  const auto c = [](int k, std::size_t axis) {
    return static_cast<double>(L::velocity(k)[static_cast<int>(axis)]);
  };
  const std::size_t D = static_cast<std::size_t>(L::dimensions), skipped = 3 - D;
  for (int k = 0; k < L::size; ++k) {
    rho += f[static_cast<std::size_t>(k)];
    for (std::size_t a = 0; a < D; ++a) j[a] += c(k, a) * f[static_cast<std::size_t>(k)];
  }
  auto after = f;
  for (int k = 0; k < L::size; ++k) {
    double cu = 0, u2 = 0, cF = 0, uF = 0;
    for (std::size_t a = 0; a < D; ++a) {
      const double u = (j[a] + force[a + skipped] / 2) / rho;
      cu += c(k, a) * u;
      u2 += u * u;
      cF += c(k, a) * force[a + skipped];
      uF += u * force[a + skipped];
    }
    const double equilibrium = L::weight(k) * rho * (1 + 3 * cu + 4.5 * cu * cu - 1.5 * u2);
    const double push = L::weight(k) * (3 * (cF - uF) + 9 * cu * cF);
    double& population = after[static_cast<std::size_t>(k)];
    population += rate * (equilibrium - population) + (1 - rate / 2) * push;
  }
  return after;
}

template <class L>
void expectOneRate() {
  constexpr double force[3] = {1e-3, -2e-3, 3e-3};
  for (unsigned seed = 0; seed < 20; ++seed) {
    const double viscosity = 0.005 + 0.02 * seed;
    const RelaxationRates rates = oneRate(viscosity);
    const auto f = populations<L>(seed);
    const auto plain = collide(f, MrtCollision<L, double, false>(rates, {}, none));
    const auto forced = collide(f, MrtCollision<L, double, true>(rates, {}, force));
    const auto single = collide(f, MrtCollision<L, float, false>(rates, {}, none));
    const auto expected = byOneRate<L>(f, rates.shear, none);
    const auto expectedForced = byOneRate<L>(f, rates.shear, force);
    for (std::size_t k = 0; k < f.size(); ++k) {
      EXPECT_NEAR(plain[k], expected[k], 1e-15);
      EXPECT_NEAR(forced[k], expectedForced[k], 1e-15);
      EXPECT_NEAR(single[k], expected[k], 1e-7);
    }
  }
}

TEST(MrtCollision, WithEqualRatesIsBgkInThreeDimensions) {
  expectOneRate<D3Q19>();
}
TEST(MrtCollision, WithEqualRatesIsBgkInTwoDimensions) {
  expectOneRate<D2Q9>();
}

template <class L>
void expectConserved(const RelaxationRates& rates) {
  constexpr double force[3] = {1e-3, -2e-3, 3e-3};
  const auto before = populations<L>(3);
  const auto after = collide(before, MrtCollision<L, double, true>(rates, {}, force));
  double mass = 0;
  std::array<double, 3> momentum{};
  for (int k = 0; k < L::size; ++k) {
    const double change = after[static_cast<std::size_t>(k)] - before[static_cast<std::size_t>(k)];
    mass += change;
    for (int a = 0; a < L::dimensions; ++a)
      momentum[static_cast<std::size_t>(a + 3 - L::dimensions)] += L::velocity(k)[a] * change;
  }
  EXPECT_NEAR(mass, 0, 1e-15);
  for (std::size_t a = 3 - static_cast<std::size_t>(L::dimensions); a < 3; ++a)
    EXPECT_NEAR(momentum[a], force[a], 1e-15);
}

TEST(MrtCollision, KeepsMassAndGivesTheForceAsMomentum) {
  expectConserved<D2Q9>(distinctRates(0.05));
  expectConserved<D3Q19>(distinctRates(0.05));
  expectConserved<D3Q19>(oneRate(0.05));
}

TEST(MrtCollision, LeavesAFluidAtRestAllZeros) {
  float f[19] = {};
  MrtCollision<D3Q19, float, false>(distinctRates(0.05), {}, none)(f);
  for (const float population : f) EXPECT_EQ(population, 0);
}

template <class L>
void expectLattice() {
  double weights = 0;
  for (int k = 0; k < L::size; ++k) {
    weights += L::weight(k);
    for (int a = 0; a < L::dimensions; ++a)
      EXPECT_EQ(L::velocity(L::opposite(k))[a], -L::velocity(k)[a]);
  }
  EXPECT_NEAR(weights, 1, 1e-15);
  for (int a = 0; a < L::dimensions; ++a) {
    for (int b = 0; b < L::dimensions; ++b) {
      double second = 0;
      for (int k = 0; k < L::size; ++k)
        second += L::weight(k) * L::velocity(k)[a] * L::velocity(k)[b];
      EXPECT_NEAR(second, a == b ? 1.0 / 3 : 0, 1e-15);
    }
  }
}

TEST(Lattice, HasTheWeightsOfAnIsotropicFluid) {
  expectLattice<D2Q9>();
  expectLattice<D3Q19>();
}

}  // namespace
