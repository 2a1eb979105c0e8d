#include <mass/io/bitmap_font.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace mass::detail {
namespace {

using Rows = std::vector<std::string>;

/// Returns the pixels of a text, '#' for those that are set.
Rows drawn(std::string_view text, std::int64_t scale = 1) {
  const BitmapFont font(scale);
  Rows rows(static_cast<std::size_t>(font.lineHeight()),
            std::string(static_cast<std::size_t>(font.widthOf(text)), '.'));
  font.draw(text, [&](std::int64_t x, std::int64_t y) {
    rows.at(static_cast<std::size_t>(y)).at(static_cast<std::size_t>(x)) = '#';
  });
  return rows;
}

TEST(BitmapFont, DrawsFromTheUpperLeftCorner) {
  EXPECT_EQ(drawn("Lp"), (Rows{"#..........",  //
                               "#..........",  //
                               "#.....####.",  //
                               "#.....#...#",  //
                               "#.....#...#",  //
                               "#.....####.",  //
                               "#####.#....",  //
                               "......#...."}));
  EXPECT_EQ(drawn("-", 2), (Rows{"..........", "..........", "..........", "..........",
                                 "..........", "..........", "##########", "##########",
                                 "..........", "..........", "..........", "..........",
                                 "..........", "..........", "..........", ".........."}));
}

TEST(BitmapFont, HasAGlyphOfItsOwnForEachPrintableCharacter) {
  const Rows box = drawn("\x01");
  std::set<Rows> glyphs;
  for (char character = ' '; character <= '~'; ++character)
    glyphs.insert(drawn(std::string(1, character)));
  EXPECT_EQ(glyphs.size(), 95U);
  for (const char* const sign :
       {"µ", "μ", "°", "±", "·", "×", "¹", "²", "³", "⁰", "⁴", "⁻", "−", "Å"})
    EXPECT_NE(drawn(sign), box) << sign;
  EXPECT_EQ(drawn("µ"), drawn("μ"));  // the sign of the unit, and the Greek letter
  EXPECT_EQ(glyphs.count(box), 0U);
  EXPECT_EQ(drawn("€"), box);
}

TEST(BitmapFont, CountsCharactersNotBytes) {
  const BitmapFont font(2);
  EXPECT_EQ(font.widthOf(""), 0);
  EXPECT_EQ(font.widthOf("ab"), 22);
  EXPECT_EQ(font.widthOf("µ²"), 22);
}

}  // namespace
}  // namespace mass::detail
