#include <mass/io/picture.hpp>

#include "../../support/temporary_folder.hpp"

#include <mass/io/bitmap_font.hpp>
#include <mass/io/category_palette.hpp>
#include <mass/support/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace mass::detail {
namespace {

using mass::testing::contains;
using mass::testing::messageOf;

constexpr Rgb white{255, 255, 255}, black{0, 0, 0};

Picture gradient(std::int64_t rows, std::int64_t columns) {
  Picture picture{{}, rows, columns, 0, static_cast<float>(columns - 1)};
  for (std::int64_t i = 0; i < rows * columns; ++i)
    picture.values.push_back(static_cast<float>(i % columns));
  picture.name = "temperature";
  picture.unit = "K";
  return picture;
}

Picture kinds(std::int64_t rows, std::int64_t columns) {
  Picture picture{{}, rows, columns};
  for (std::int64_t i = 0; i < rows * columns; ++i)
    picture.values.push_back(static_cast<float>(i % 3));
  picture.categories = {"none", "tree", "fire"};
  return picture;
}

/// Returns the colour at a pixel.
Rgb at(const PalettePicture& picture, std::int64_t x, std::int64_t y) {
  return picture
      .colorMap[picture.image.pixels.at(static_cast<std::size_t>(y * picture.image.width + x))];
}

/// True if a text in black on white, as legends have, begins somewhere in the rows from `top` on.
bool shows(const PalettePicture& picture, const std::string& text, std::int64_t top) {
  const BitmapFont font(2);
  const std::int64_t width = font.widthOf(text), height = font.lineHeight();
  std::vector<bool> wanted(static_cast<std::size_t>(width * height));
  font.draw(text, [&](std::int64_t x, std::int64_t y) {
    wanted[static_cast<std::size_t>(y * width + x)] = true;
  });
  const auto isAt = [&](std::int64_t left, std::int64_t first) {
    for (std::int64_t i = 0; i < width * height; ++i) {
      const Rgb color = at(picture, left + i % width, first + i / width);
      if (color != (wanted[static_cast<std::size_t>(i)] ? black : white)) return false;
    }
    return true;
  };
  for (std::int64_t y = top; y + height <= picture.image.height; ++y) {
    for (std::int64_t x = 0; x + width <= picture.image.width; ++x)
      if (isAt(x, y)) return true;
  }
  return false;
}

TEST(DrawPicture, WithoutALegendIsTheFieldInAllColours) {
  const Picture picture = gradient(32, 48);
  const auto drawn = drawPicture(picture, {"viridis", true, false}, "step 3");
  EXPECT_EQ(drawn.image, render(picture.values, 32, 48, 0, 47));
  EXPECT_EQ(drawn.colorMap, ColorMap::named("viridis"));
}

TEST(DrawPicture, HasTheFieldAboveTheLegendInTheColoursOfThePalette) {
  const auto drawn = drawPicture(gradient(32, 48), {"viridis"}, "step 3");
  EXPECT_EQ(drawn.image.width, 480);
  EXPECT_GT(drawn.image.height, 320 + 40);
  EXPECT_LT(drawn.image.height, 320 + 90);
  const ColorMap map = ColorMap::named("viridis");
  for (std::int64_t column = 0; column < 48; ++column) {
    const Oklab found = toOklab(at(drawn, 10 * column + 5, 160));
    const Oklab exact = colorPath("viridis")[static_cast<std::size_t>(column * 255 / 47)];
    EXPECT_NEAR(found.lightness, exact.lightness, 0.012) << column;
  }
  EXPECT_EQ(at(drawn, 0, 0), map[0]);
  EXPECT_EQ(at(drawn, 479, 319), map[255]);
}

TEST(DrawPicture, HasTheColourOfThePaperWherePlacesAreAbsent) {
  Picture picture = gradient(32, 48);
  for (std::size_t i = 0; i < picture.values.size(); ++i) picture.absent.push_back(i % 48 == 0);
  for (const bool hasLegend : {true, false}) {
    const auto drawn = drawPicture(picture, {"viridis", true, hasLegend}, "");
    EXPECT_EQ(at(drawn, 9, 160), white);
    EXPECT_NE(at(drawn, 10, 160), white);
    EXPECT_EQ(at(drawn, 479, 160), ColorMap::named("viridis")[255]);
  }
}

TEST(DrawPicture, AveragesThePresentPlacesOfAPixel) {
  Picture picture{{}, 2, 2048, -1, 1};  // a pixel is the mean of 2 x 2 places
  for (int i = 0; i < 2 * 2048; ++i) {
    picture.absent.push_back(i % 2048 < 2 || i % 2 == 0);
    picture.values.push_back(picture.absent.back() ? 0.0F : 1.0F);
  }
  const auto drawn = drawPicture(picture, {"viridis"}, "");
  EXPECT_EQ(drawn.image.width, 1024);
  EXPECT_EQ(at(drawn, 0, 0), white);
  for (std::int64_t x = 1; x < 1024; ++x)
    EXPECT_EQ(at(drawn, x, 0), ColorMap::named("viridis")[255]);
}

TEST(DrawPicture, RejectsAnotherNumberOfMarksOfAbsentPlaces) {
  Picture picture = gradient(32, 48);
  picture.absent = {true, false};
  EXPECT_THROW(drawPicture(picture, {}, ""), UsageError);
}

TEST(DrawPicture, NamesTheQuantityItsUnitAndItsScale) {
  Picture picture = gradient(32, 48);
  picture.low = -1.25e-7F;
  picture.high = 300;
  const auto drawn = drawPicture(picture, {"coolwarm"}, "step 3");
  for (const char* const text : {"temperature (K)", "step 3", "-1.25e-07", "150", "300"})
    EXPECT_TRUE(shows(drawn, text, 320)) << text;
  EXPECT_FALSE(shows(drawn, "pressure", 320));
  picture.unit = "";
  EXPECT_TRUE(shows(drawPicture(picture, {}, ""), "temperature", 320));
  EXPECT_FALSE(shows(drawPicture(picture, {}, ""), "temperature (", 320));
}

TEST(DrawPicture, HasABarFromTheFirstColourToTheLast) {
  const auto drawn = drawPicture(gradient(32, 48), {"cividis"}, "");
  const std::int64_t bar = 320 + 8 + 16 + 6 + 7;  // its middle row
  EXPECT_EQ(at(drawn, 8, bar), black);            // outline
  EXPECT_EQ(at(drawn, 9, bar), ColorMap::named("cividis")[0]);
  EXPECT_EQ(at(drawn, 470, bar), ColorMap::named("cividis")[255]);
  EXPECT_EQ(at(drawn, 471, bar), black);
  double before = -1;
  for (std::int64_t x = 9; x < 471; x += 20) {
    const double lightness = toOklab(at(drawn, x, bar)).lightness;
    EXPECT_GT(lightness, before) << x;
    before = lightness;
  }
}

TEST(DrawPicture, HasOneSizeForAllSteps) {
  for (const auto& picture : {gradient(300, 3), gradient(3, 300), kinds(300, 3), kinds(64, 64)}) {
    const auto first = drawPicture(picture, {}, "step 0").image;
    const auto last = drawPicture(picture, {}, "step 1000000000, 1.234e+10 s").image;
    EXPECT_EQ(first.width, last.width);
    EXPECT_EQ(first.height, last.height);
  }
  Picture other = gradient(300, 3);
  other.low = -1.2345e-30F;
  other.high = 9.8765e30F;
  EXPECT_EQ(drawPicture(other, {}, "").image.width,
            drawPicture(gradient(300, 3), {}, "").image.width);
}

TEST(DrawPicture, ANarrowFieldIsCentredAndANoteWithoutRoomLeftOut) {
  const auto drawn = drawPicture(gradient(400, 1), {"viridis"}, std::string(60, 'x'));
  EXPECT_EQ(drawn.image.width, 400);
  EXPECT_EQ(at(drawn, 0, 100), white);
  EXPECT_NE(at(drawn, 200, 100), white);
  EXPECT_TRUE(shows(drawn, "temperature (K)", 400));
  EXPECT_FALSE(shows(drawn, "xxx", 400));
}

TEST(DrawPicture, CategoriesHaveColoursOfTheirOwnAndNames) {
  const auto drawn = drawPicture(kinds(30, 30), {"heat"}, "step 5");
  const auto colors = qualitativeColors(3);
  for (std::int64_t i = 0; i < 3; ++i)
    EXPECT_EQ(at(drawn, 16 * i + 8, 8), colors[static_cast<std::size_t>(i)]);
  for (const char* const text : {"none", "tree", "fire", "step 5"})
    EXPECT_TRUE(shows(drawn, text, 480)) << text;
  const std::int64_t row = 480 + 8 + 16 + 6 + 7;  // middle of the squares
  EXPECT_EQ(at(drawn, 8 + 7, row), colors[0]);
  EXPECT_EQ(at(drawn, 8 + 14 + 6 + 4 * 12 - 2 + 18 + 7, row), colors[1]);
}

TEST(DrawPicture, CategoriesTakeTheColoursOfTheModelOrOfTheSettings) {
  Picture picture = kinds(30, 30);
  picture.colors = {{1, 2, 3}, {40, 50, 60}, {7, 8, 9}};
  EXPECT_EQ(at(drawPicture(picture, {"heat"}, ""), 24, 8), (Rgb{40, 50, 60}));
  const auto chosen = drawPicture(picture, {"viridis", false}, "");
  EXPECT_EQ(at(chosen, 8, 8), ColorMap::named("viridis")[0]);
  EXPECT_EQ(at(chosen, 24, 8), ColorMap::named("viridis")[128]);
  EXPECT_EQ(at(chosen, 40, 8), ColorMap::named("viridis")[255]);
}

TEST(DrawPicture, ManyCategoriesTakeSeveralLines) {
  Picture picture{std::vector<float>(64, 253), 8, 8};
  for (int i = 0; i < 254; ++i) picture.categories.push_back("kind " + std::to_string(i));
  const auto drawn = drawPicture(picture, {}, "");
  EXPECT_TRUE(shows(drawn, "kind 0", 480));
  EXPECT_TRUE(shows(drawn, "kind 253", 480));
  EXPECT_EQ(at(drawn, 240, 240), qualitativeColors(254).back());
}

TEST(DrawPicture, RefusesValuesThatAreNoCategories) {
  for (const float value :
       {-1.0F, 0.5F, 3.0F, std::nanf(""), std::numeric_limits<float>::infinity()}) {
    Picture picture = kinds(2, 2);
    picture.values[2] = value;
    const std::string message = messageOf<UsageError>([&] { (void)drawPicture(picture, {}, ""); });
    EXPECT_TRUE(contains(message, "whole numbers from 0 to 2")) << value;
  }
  Picture picture = kinds(2, 2);
  picture.colors = {black};
  EXPECT_TRUE(contains(messageOf<UsageError>([&] { (void)drawPicture(picture, {}, ""); }),
                       "3 categories and 1 colours"));
  picture.colors = {};
  picture.categories.assign(CategoryPalette::most + 1, "many");
  EXPECT_TRUE(contains(messageOf<UsageError>([&] { (void)drawPicture(picture, {}, ""); }),
                       "254 categories, not 255"));
}

TEST(DrawPicture, ShowsMarksOverTheFieldWithTheirNames) {
  const Rgb red{200, 0, 0}, blue{0, 0, 200};
  const std::vector<PictureMarks> marks{{"ants", red, {{0.5F, 0.25F}, {1.5F, 0.5F}, {0, 0}}},
                                        {"bees", blue, {{0.99F, 0.99F}}}};
  for (Picture picture : {gradient(30, 30), kinds(30, 30)}) {
    const auto before = drawPicture(picture, {"viridis"}, "");
    picture.marks = marks;
    const auto drawn = drawPicture(picture, {"viridis"}, "");  // a place is 16 x 16 pixels
    for (const std::int64_t offset : {-8, 7}) {
      EXPECT_EQ(at(drawn, 120 + offset, 240 + offset), red);
      EXPECT_NE(at(drawn, 120 + offset, 240 + offset + (offset < 0 ? -1 : 1)), red);
    }
    EXPECT_EQ(at(drawn, 0, 0), red) << "a square at the edge is inside the field";
    EXPECT_EQ(at(drawn, 15, 15), red);
    EXPECT_EQ(at(drawn, 479, 479), blue);
    EXPECT_TRUE(shows(drawn, "ants", 480));
    EXPECT_TRUE(shows(drawn, "bees", 480));
    EXPECT_NEAR(toOklab(at(drawn, 240, 100)).lightness, toOklab(at(before, 240, 100)).lightness,
                0.01);
    EXPECT_EQ(at(drawPicture(picture, {"viridis", true, false}, ""), 120, 240), red)
        << "without a legend";
  }
}

TEST(DrawPicture, RefusesManyKindsOfMarks) {
  Picture picture = gradient(8, 8);
  picture.marks.resize(33);
  EXPECT_TRUE(contains(messageOf<UsageError>([&] { (void)drawPicture(picture, {}, ""); }),
                       "32 kinds of points, not 33"));
}

}  // namespace
}  // namespace mass::detail
