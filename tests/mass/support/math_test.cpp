#include <mass/support/math.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace mass {
namespace {

double unitInTheLastPlace(double value) {
  const auto size = static_cast<float>(std::fabs(value));
  return std::nextafter(size, std::numeric_limits<float>::infinity()) - size;
}

TEST(SinPi, IsWithinFourUnitsInTheLastPlace) {
  for (int i = -300000; i <= 300000; ++i) {
    const float x = static_cast<float>(i) * 1e-5F;
    const double expected =
        std::sin(std::numbers::pi * (static_cast<double>(x) - std::nearbyint(x))) *
        (std::fmod(std::nearbyint(x), 2.0) == 0 ? 1 : -1);
    ASSERT_NEAR(sinPi(x), expected, 4 * unitInTheLastPlace(expected)) << x;
  }
}

TEST(Logarithm, IsWithinTwoUnitsInTheLastPlace) {
  for (int i = 0; i < 200000; ++i) {
    const double x = std::exp((i - 100000) * 1e-3);
    const double expected = std::log(x);
    const double unit = std::nextafter(std::fabs(expected), 1e9) - std::fabs(expected);
    ASSERT_NEAR(logarithm(x), expected, std::max(2 * unit, 3e-16)) << x;
  }
  for (int k = 1; k <= 53; ++k) {
    const double x = 1 - std::ldexp(1.0, -k);
    ASSERT_NEAR(logarithm(x), std::log(x), 4.5e-16 * std::fabs(std::log(x))) << x;
  }
  EXPECT_EQ(logarithm(1.0), 0);
}

TEST(SinPi, IsExactWhereTheSineIs) {
  for (const float x : {0.0F, 1.0F, -1.0F, 2.0F, 4194303.0F, -4194303.0F})
    EXPECT_EQ(sinPi(x), 0) << x;
  EXPECT_NEAR(sinPi(4194302.5F), 1, 1e-6);
  EXPECT_NEAR(sinPi(4194303.5F), -1, 1e-6);
  EXPECT_NEAR(sinPi(-0.5F), -1, 1e-6);
}

TEST(SinPi, IsNotANumberWhereItIsNotKnown) {
  for (const float x : {4194304.0F, -4194304.0F, std::numeric_limits<float>::infinity(),
                        std::numeric_limits<float>::quiet_NaN()}) {
    EXPECT_TRUE(std::isnan(sinPi(x))) << x;
  }
}

TEST(InverseSqrt, IsWithinTwoUnitsInTheLastPlace) {
  for (float x = 1e-30F; x < 1e30F; x *= 1.7F) {
    const double expected = 1 / std::sqrt(static_cast<double>(x));
    EXPECT_NEAR(inverseSqrt(x), expected, 2 * unitInTheLastPlace(expected)) << x;
  }
}

}  // namespace
}  // namespace mass
