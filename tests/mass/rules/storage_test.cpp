#include <mass/rules/storage.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace {

using Plain = mass::Half<0>;
using Scaled = mass::Half<15>;

/// Value of a binary16 number by the definition of IEEE 754.
double valueOf(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double size =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

TEST(Half, DecodesEachNumberExactly) {
  for (int sign : {0, 0x8000}) {
    for (int size = 0; size <= 0x7bff; ++size) {
      const auto bits = static_cast<std::uint16_t>(sign | size);
      EXPECT_EQ(static_cast<double>(Plain::decode(bits)), valueOf(bits));
      EXPECT_EQ(static_cast<double>(Scaled::decode(bits)), std::ldexp(valueOf(bits), -15));
      EXPECT_EQ(Plain::encode(Plain::decode(bits)), bits);
      EXPECT_EQ(Scaled::encode(Scaled::decode(bits)), bits);
    }
  }
}

template <int Exponent>
void expectExact() {
  using Form = mass::Half<Exponent>;
  for (int size = 0; size <= 0x7bff; ++size) {
    const auto bits = static_cast<std::uint16_t>(size);
    EXPECT_EQ(static_cast<double>(Form::decode(bits)), std::ldexp(valueOf(bits), -Exponent))
        << Exponent << " " << bits;
    EXPECT_EQ(Form::encode(Form::decode(bits)), bits) << Exponent;
  }
  EXPECT_TRUE(std::isnan(Form::decode(Form::encode(std::nanf(""))))) << Exponent;
}

TEST(Half, DecodesExactlyWithEveryKindOfExponent) {
  expectExact<-99>();
  expectExact<-16>();
  expectExact<-15>();
  expectExact<1>();
  expectExact<99>();
}

TEST(Half, RoundsToTheNearestAndTiesToEven) {
  for (int size = 0; size < 0x7bff; ++size) {
    const auto low = static_cast<std::uint16_t>(size), high = static_cast<std::uint16_t>(size + 1);
    const auto middle = static_cast<float>((valueOf(low) + valueOf(high)) / 2);  // exact
    const std::uint16_t even = size % 2 == 0 ? low : high;
    EXPECT_EQ(Plain::encode(middle), even);
    EXPECT_EQ(Plain::encode(std::nextafter(middle, 0.0F)), low);
    EXPECT_EQ(Plain::encode(std::nextafter(middle, 1e6F)), high);
    EXPECT_EQ(Plain::encode(-middle), even | 0x8000);
  }
}

TEST(Half, ClampsToItsRange) {
  EXPECT_EQ(Plain::decode(Plain::encode(1e6F)), 65504);
  EXPECT_EQ(Plain::decode(Plain::encode(-std::numeric_limits<float>::infinity())), -65504);
  EXPECT_EQ(Scaled::decode(Scaled::encode(3)), std::ldexp(65504.0F, -15));
  EXPECT_TRUE(std::isnan(Scaled::decode(Scaled::encode(std::nanf("")))));
  EXPECT_EQ(Scaled::encode(1e-30F), 0);
}

TEST(Half, RoundsToElevenBits) {
  std::mt19937 generator(1);
  std::uniform_real_distribution<float> exponents(-28, 0.9F);
  for (int i = 0; i < 100'000; ++i) {
    const float value = std::exp2(exponents(generator));
    EXPECT_NEAR(Scaled::decode(Scaled::encode(value)), value, std::ldexp(value, -11));
  }
}

}  // namespace
