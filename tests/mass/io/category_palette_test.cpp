#include <mass/io/category_palette.hpp>

#include "../../support/temporary_folder.hpp"

#include <mass/support/error.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <tuple>
#include <vector>

namespace mass::detail {
namespace {

constexpr Rgb black{0, 0, 0}, red{200, 0, 0}, green{0, 150, 0};
constexpr RenderSize halves{1, 2};  ///< reduces worlds of up to 4 places by 2

/// Returns the colours of a picture.
std::vector<Rgb> colorsOf(const CategoryPalette& palette, const Image& image) {
  std::vector<Rgb> colors;
  for (const std::uint8_t pixel : image.pixels) colors.push_back(palette.colors().at(pixel));
  return colors;
}

TEST(CategoryPalette, HasTheCategoriesFirstAndBlendsOfEachPair) {
  const CategoryPalette palette({black, red, green});
  EXPECT_EQ(palette.colors().size(), 3U + 3 * 83);  // (254 - 3) / 3 for each pair
  EXPECT_EQ(palette.colors()[1], red);
  EXPECT_EQ(palette.colors()[3 + 41], blend(black, red, 0.5));
  EXPECT_EQ(palette.colors()[3 + 83 + 41], blend(black, green, 0.5));
  EXPECT_EQ(palette.colors()[3 + 166 + 41], blend(red, green, 0.5));
  EXPECT_EQ(CategoryPalette({red}).colors(), std::vector<Rgb>{red});
  EXPECT_EQ(CategoryPalette(qualitativeColors(22)).colors().size(), 253U);  // one for each pair
  EXPECT_EQ(CategoryPalette(qualitativeColors(254)).colors().size(), 254U);
}

TEST(CategoryPalette, EnlargesEachPlace) {
  const CategoryPalette palette({black, red, green});
  const std::vector<float> values{0, 1, 2, 1};
  EXPECT_EQ(palette.render(values, 2, 2, {4, 8}).pixels,
            (std::vector<std::uint8_t>{0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 1, 1, 2, 2, 1, 1}));
}

TEST(CategoryPalette, BlendsTwoCategoriesOfABlock) {
  const CategoryPalette palette({black, red, green});
  const std::vector<float> values{1, 1, 0, 2,   //
                                  1, 1, 2, 2,   //
                                  0, 1, 0, 1,   //
                                  1, 0, 1, 2};  //
  const auto colors = colorsOf(palette, palette.render(values, 4, 4, halves));
  EXPECT_EQ(colors[0], red);
  EXPECT_EQ(colors[1], blend(black, green, 0.75));  // step 63 of 84
  EXPECT_EQ(colors[2], blend(black, red, 0.5));
  EXPECT_EQ(colors[3], blend(black, red, 2.0 / 3));  // 2 of 3
}

TEST(CategoryPalette, ShowsARareCategoryRatherThanACommonOne) {
  const CategoryPalette palette({black, red, green});
  const std::vector<float> values{1, 1, 0, 0, 0,   //
                                  1, 1, 0, 0, 0,   //
                                  1, 1, 0, 2, 0,   //
                                  1, 1, 1, 1, 0};  //
  const auto colors = colorsOf(palette, palette.render(values, 4, 5, {1, 3}));
  ASSERT_EQ(colors.size(), 6U);
  EXPECT_EQ(colors[4], blend(red, green, 28.0 / 84)) << "1 of 3, not black";
}

TEST(CategoryPalette, WithoutRoomForBlendsShowsTheMoreFrequentCategory) {
  const CategoryPalette palette(qualitativeColors(100));
  const std::vector<float> values{70, 70, 70, 99};
  EXPECT_EQ(palette.render(values, 2, 2, {1, 1}).pixels, std::vector<std::uint8_t>{70});
}

TEST(CategoryPalette, KeepsPartialBlocksAtTheEdges) {
  const CategoryPalette palette({black, red});
  const std::vector<float> values{0, 0, 1, 0, 0, 1, 1, 1, 1};
  const Image image = palette.render(values, 3, 3, halves);
  EXPECT_EQ(image.width, 2);
  EXPECT_EQ(image.height, 2);
  EXPECT_EQ(colorsOf(palette, image), (std::vector<Rgb>{black, red, red, red}));
  EXPECT_THROW((void)palette.render(values, 3, 2, halves), UsageError);
}

}  // namespace
}  // namespace mass::detail
