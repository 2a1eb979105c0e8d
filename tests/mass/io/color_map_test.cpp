#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <mass/io/color_map.hpp>
#include <mass/support/error.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../support/temporary_folder.hpp"

namespace mass {
namespace {

using testing::contains;
using testing::messageOf;

double distance(const detail::Oklab& x, const detail::Oklab& y) {
  return std::hypot(x.lightness - y.lightness, x.a - y.a, x.b - y.b);
}

TEST(Oklab, HasThePublishedValues) {
  // Values of Ottosson (2020), to three digits.
  const detail::Oklab white = toOklab({255, 255, 255});
  EXPECT_NEAR(white.lightness, 1, 1e-6);
  EXPECT_NEAR(white.a, 0, 1e-6);
  EXPECT_NEAR(white.b, 0, 1e-6);
  const detail::Oklab red = toOklab({255, 0, 0});
  EXPECT_NEAR(red.lightness, 0.628, 1e-3);
  EXPECT_NEAR(red.a, 0.225, 1e-3);
  EXPECT_NEAR(red.b, 0.126, 1e-3);
  const detail::Oklab blue = toOklab({0, 0, 255});
  EXPECT_NEAR(blue.lightness, 0.452, 1e-3);
  EXPECT_NEAR(blue.a, -0.032, 1e-3);
  EXPECT_NEAR(blue.b, -0.312, 1e-3);
  EXPECT_NEAR(toOklab({0, 0, 0}).lightness, 0, 1e-12);
}

TEST(Oklab, ComesBackToTheSameColour) {
  for (int red = 0; red < 256; red += 15) {
    for (int green = 0; green < 256; green += 15) {
      for (int blue = 0; blue < 256; blue += 15) {
        const Rgb color{static_cast<std::uint8_t>(red), static_cast<std::uint8_t>(green),
                        static_cast<std::uint8_t>(blue)};
        ASSERT_TRUE(inGamut(toOklab(color)));
        ASSERT_EQ(toRgb(toOklab(color)), color);
      }
    }
  }
}

TEST(Oklab, KnowsTheGamut) {
  EXPECT_FALSE(inGamut({0.5, 0.4, 0}));
  EXPECT_FALSE(inGamut({1.01, 0, 0}));
  EXPECT_FALSE(inGamut({-0.01, 0, 0}));
  EXPECT_EQ(toRgb({2, 0, 0}), (Rgb{255, 255, 255}));
}

class EveryMap : public ::testing::TestWithParam<std::string_view> {};

TEST_P(EveryMap, StaysInGamut) {
  for (const detail::Oklab& color : colorPath(GetParam())) EXPECT_TRUE(inGamut(color));
}

class RisingMap : public ::testing::TestWithParam<std::string_view> {};

TEST_P(RisingMap, GrowsStrictlyLighterAlsoIn8Bits) {
  const ColorMap map = ColorMap::named(GetParam());
  for (int i = 1; i < ColorMap::size; ++i) {
    const auto at = static_cast<std::uint8_t>(i);
    EXPECT_GT(toOklab(map[at]).lightness, toOklab(map[static_cast<std::uint8_t>(i - 1)]).lightness)
        << "entry " << i;
  }
}

TEST_P(EveryMap, IsThePathRoundedTo8Bits) {
  const auto path = colorPath(GetParam());
  const ColorMap map = ColorMap::named(GetParam());
  for (std::size_t i = 0; i < path.size(); ++i) {
    EXPECT_LT(distance(toOklab(map.entries()[i]), path[i]), 0.02) << "entry " << i;
  }
}

TEST_P(RisingMap, UsesMostOfTheLightness) {
  const auto path = colorPath(GetParam());
  EXPECT_LT(path.front().lightness, 0.25);
  EXPECT_GT(path.back().lightness, 0.9);
}

INSTANTIATE_TEST_SUITE_P(ColorMap, EveryMap, ::testing::ValuesIn(ColorMap::names()),
                         [](const auto& instance) { return std::string(instance.param); });

INSTANTIATE_TEST_SUITE_P(ColorMap, RisingMap, ::testing::Values("heat", "ice", "gray", "life"),
                         [](const auto& instance) { return std::string(instance.param); });

class EvenMap : public ::testing::TestWithParam<std::string_view> {};

TEST_P(EvenMap, HasStepsThatDifferByLessThanAFifthFromTheirMean) {
  const auto path = colorPath(GetParam());
  double length = 0;
  for (std::size_t i = 1; i < path.size(); ++i) length += distance(path[i - 1], path[i]);
  const double mean = length / 255;
  for (std::size_t i = 1; i < path.size(); ++i) {
    EXPECT_NEAR(distance(path[i - 1], path[i]), mean, 0.2 * mean) << "entry " << i;
  }
}

TEST_P(EvenMap, HasNoKinks) {
  const auto path = colorPath(GetParam());
  for (std::size_t i = 1; i + 1 < path.size(); ++i) {
    const detail::Oklab middle{(path[i - 1].lightness + path[i + 1].lightness) / 2,
                               (path[i - 1].a + path[i + 1].a) / 2,
                               (path[i - 1].b + path[i + 1].b) / 2};
    // At most a tenth of a step; a path along the boundary of the gamut turns by several tenths at
    // the corners.
    EXPECT_LT(distance(path[i], middle), 0.1 * distance(path[i - 1], path[i])) << "entry " << i;
  }
}

TEST_P(EvenMap, HasLinearLightness) {
  const auto path = colorPath(GetParam());
  for (std::size_t i = 0; i < path.size(); ++i) {
    const double expected =
        std::lerp(path.front().lightness, path.back().lightness, static_cast<double>(i) / 255);
    EXPECT_NEAR(path[i].lightness, expected, 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(ColorMap, EvenMap, ::testing::Values("heat", "ice", "life"),
                         [](const auto& instance) { return std::string(instance.param); });

TEST(ColorMap, GrayIsTheGraysOfSrgb) {
  const ColorMap gray = ColorMap::named("gray");
  for (int i = 0; i < 256; ++i) {
    const auto level = static_cast<std::uint8_t>(i);
    EXPECT_EQ(gray[level], (Rgb{level, level, level}));
  }
}

TEST(ColorMap, HeatGoesFromVioletOverOrangeToPaleYellow) {
  const auto path = colorPath("heat");
  EXPECT_LT(path[10].b, 0);  // bluish
  EXPECT_GT(path[10].a, 0);  // and reddish
  EXPECT_GT(path[180].a, 0.05);
  EXPECT_GT(path[180].b, 0.1);
  const Rgb last = ColorMap::named("heat")[255];
  EXPECT_GT(last.red, 240);
  EXPECT_GT(last.green, 240);
  EXPECT_LT(last.blue, 200);
}

TEST(ColorMap, PublishedMapsHaveThePublishedColours) {
  // matplotlib 3.11, rounded to 8 bits; for coolwarm also the ends and the middle of Moreland
  // (2009).
  const std::vector<std::pair<std::string, std::vector<Rgb>>> published = {
      {"viridis", {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}}},
      {"cividis", {{0, 34, 78}, {67, 78, 108}, {125, 124, 120}, {188, 174, 108}, {254, 232, 56}}},
      {"coolwarm",
       {{59, 76, 192}, {141, 176, 254}, {221, 220, 220}, {244, 153, 122}, {180, 4, 38}}}};
  constexpr std::array<std::uint8_t, 5> indices{0, 64, 128, 192, 255};
  for (const auto& [name, colors] : published) {
    const ColorMap map = ColorMap::named(name);
    for (std::size_t i = 0; i < indices.size(); ++i) {
      EXPECT_EQ(map[indices[i]], colors[i]) << name << " " << int{indices[i]};
    }
  }
}

TEST(ColorMap, ViridisAndCividisGrowLighterAndCoolwarmIsLightestInTheMiddle) {
  const auto lightness = [](const char* name, int index) {
    return colorPath(name)[static_cast<std::size_t>(index)].lightness;
  };
  for (int i = 8; i < 256; i += 8) {
    EXPECT_GT(lightness("viridis", i), lightness("viridis", i - 8)) << i;
    EXPECT_GT(lightness("cividis", i), lightness("cividis", i - 8)) << i;
    EXPECT_EQ(lightness("coolwarm", i) > lightness("coolwarm", i - 8), i <= 128) << i;
  }
}

TEST(QualitativeColors, BeginWithThoseOfOkabeAndItoAndDifferClearly) {
  const auto few = detail::qualitativeColors(3);
  EXPECT_EQ(few, (std::vector<Rgb>{{0, 0, 0}, {230, 159, 0}, {86, 180, 233}}));
  const auto many = detail::qualitativeColors(254);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
  // The smallest distance of two neighbours in "heat" is below 0.004.
  const auto closest = [&](std::size_t count) {
    double smallest = 1;
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < i; ++j)
        smallest = std::min(smallest, distance(toOklab(many[i]), toOklab(many[j])));
    }
    return smallest;
  };
  EXPECT_GT(closest(8), 0.15);
  EXPECT_GT(closest(24), 0.13);
  EXPECT_GT(closest(254), 0.045);
}

TEST(Blend, IsHalfWayInOklab) {
  const Rgb from{0, 0, 0}, to{255, 255, 255};
  EXPECT_EQ(detail::blend(from, to, 0), from);
  EXPECT_EQ(detail::blend(from, to, 1), to);
  EXPECT_NEAR(toOklab(detail::blend(from, to, 0.5)).lightness, 0.5, 0.003);
}

TEST(ColorMap, AnUnknownNameListsTheKnownOnes) {
  const std::string message = messageOf<SettingsError>([] { ColorMap::named("jet"); });
  EXPECT_TRUE(contains(message, "'jet'"));
  EXPECT_TRUE(contains(message, "heat, ice, gray, life, viridis, cividis, coolwarm"));
}

}  // namespace
}  // namespace mass
