// Gray-Scott patterns beside a plain program in double precision. Their states differ after some
// thousand steps, the measures of a pattern do not.

#include <mass/mass.hpp>
#include <tests/support/long_test.hpp>
#include <tests/support/make_mass.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

using mass::testing::fullOr;
using mass::testing::makeMass;

/// Substrate u and pattern v, as in examples/gray_scott.cpp.
class Chemical : public mass::Place<2> {
 public:
  float u = 1, v = 0;
  using Attributes = mass::Attributes<&Chemical::u, &Chemical::v>;

  MASS_FN void react(const mass::Neighborhood<Chemical>& near, float feed, float kill) {
    const float flowU = near.sum<&Chemical::u>(mass::vonNeumann<2>) - 4 * u;
    const float flowV = near.sum<&Chemical::v>(mass::vonNeumann<2>) - 4 * v;
    const float reaction = u * v * v;
    u += 0.2F * flowU - reaction + feed * (1 - u);
    v += 0.1F * flowV + reaction - (feed + kill) * v;
  }
};

struct Pattern {
  std::int64_t edge;
  std::vector<double> v;

  /// Returns the share of places with much of v.
  double share() const {
    double count = 0;
    for (const double value : v) count += value > 0.15 ? 1 : 0;
    return count / static_cast<double>(v.size());
  }
  /// Returns the mean wavelength in places, each wave weighed by its power.
  double wavelength() const {
    const std::vector<std::complex<double>> waves = transformed();
    double power = 0, moment = 0;
    for (std::int64_t i = 0; i < edge; ++i) {
      for (std::int64_t j = 0; j < edge; ++j) {
        if (i == 0 && j == 0) continue;
        const double wave = std::hypot(std::min(i, edge - i), std::min(j, edge - j));
        const double own = std::norm(waves[at(i, j)]);
        power += own;
        moment += own * wave;
      }
    }
    return static_cast<double>(edge) * power / moment;
  }

 private:
  std::size_t at(std::int64_t i, std::int64_t j) const {
    return static_cast<std::size_t>(i * edge + j);
  }
  /// Returns the discrete Fourier transform, one axis after the other.
  std::vector<std::complex<double>> transformed() const {
    std::vector<std::complex<double>> values(v.begin(), v.end());
    std::vector<std::complex<double>> phases;
    for (std::int64_t k = 0; k < edge; ++k)
      phases.push_back(
          std::polar(1.0, -6.283185307179586 * static_cast<double>(k) / static_cast<double>(edge)));
    for (int axis = 0; axis < 2; ++axis) {
      std::vector<std::complex<double>> turned(values.size());
      for (std::int64_t i = 0; i < edge; ++i)
        for (std::int64_t k = 0; k < edge; ++k)
          for (std::int64_t j = 0; j < edge; ++j)
            turned[at(k, i)] += values[at(i, j)] * phases[static_cast<std::size_t>(j * k % edge)];
      values = turned;
    }
    return values;
  }
};

float seed(std::int64_t row, std::int64_t column) {
  return (5 * (row / 8) + 3 * (column / 8)) % 11 == 0 ? 0.25F : 0.0F;
}

Pattern ofMass(std::int64_t edge, int steps, double feed, double kill) {
  mass::Mass mass = makeMass(2);
  const auto chemical = mass.createPlaces<Chemical>({edge, edge});
  chemical.initialise<&Chemical::v>([](const auto& at) { return seed(at[0], at[1]); });
  chemical.callAll<&Chemical::react>(mass::steps(steps), static_cast<float>(feed),
                                     static_cast<float>(kill));
  const auto v = chemical.download<&Chemical::v>();
  return {edge, {v.begin(), v.end()}};
}

Pattern ofPlainProgram(std::int64_t edge, int steps, double feed, double kill) {
  const auto n = static_cast<std::size_t>(edge);
  std::vector<double> u(n * n, 1), v(n * n), nextU(n * n), nextV(n * n);
  for (std::size_t i = 0; i < n * n; ++i)
    v[i] = seed(static_cast<std::int64_t>(i / n), static_cast<std::int64_t>(i % n));
  for (int step = 0; step < steps; ++step) {
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t above = (i + n - 1) % n * n, row = i * n, below = (i + 1) % n * n;
      for (std::size_t j = 0; j < n; ++j) {
        const std::size_t left = row + (j == 0 ? n : j) - 1, right = row + (j + 1 == n ? 0 : j + 1);
        const std::size_t at = row + j;
        const double reaction = u[at] * v[at] * v[at];
        const auto flow = [&](const std::vector<double>& c) {
          return c[above + j] + c[below + j] + c[left] + c[right] - 4 * c[at];
        };
        nextU[at] = u[at] + 0.2 * flow(u) - reaction + feed * (1 - u[at]);
        nextV[at] = v[at] + 0.1 * flow(v) + reaction - (feed + kill) * v[at];
      }
    }
    u.swap(nextU);
    v.swap(nextV);
  }
  return {edge, v};
}

/// Compares the patterns of one of the classes of Pearson, Science 261, 189 (1993).
/// @return that of MASS
Pattern compare(double feed, double kill) {
  const std::int64_t edge = fullOr(128, 56);
  const int steps = fullOr(8000, 3000);
  const Pattern pattern = ofMass(edge, steps, feed, kill);
  const Pattern plain = ofPlainProgram(edge, steps, feed, kill);
  EXPECT_NEAR(pattern.share(), plain.share(), 0.1 * plain.share());
  EXPECT_NEAR(pattern.wavelength(), plain.wavelength(), 0.1 * plain.wavelength());
  return pattern;
}

TEST(Patterns, AreThoseOfPearsonsClasses) {
  const Pattern spots = compare(0.026, 0.061);
  const Pattern stripes = compare(0.037, 0.060);
  const Pattern holes = compare(0.039, 0.058);
  EXPECT_GT(spots.share(), 0.05);
  EXPECT_GT(stripes.share(), 1.2 * spots.share());
  EXPECT_GT(holes.share(), 1.2 * stripes.share());
  EXPECT_LT(stripes.wavelength(), 20);
}

}  // namespace
