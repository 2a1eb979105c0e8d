#include <apps/life/hensel.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace life::hensel {
namespace {

/// Returns the name of an arrangement, such as 4q.
std::string nameOf(unsigned arrangement) {
  const char letter = letterOf(static_cast<std::uint8_t>(arrangement));
  return std::to_string(std::popcount(arrangement)) + (letter == ' ' ? "" : std::string{letter});
}

/// Returns the number of the bit of the cell at (row, column) of a square of 3 x 3 cells.
unsigned bitAt(int row, int column) {
  constexpr std::array<std::array<unsigned, 3>, 3> bits{{{7, 0, 1}, {6, 8, 2}, {5, 4, 3}}};
  return bits.at(static_cast<std::size_t>(row)).at(static_cast<std::size_t>(column));
}

/// Returns the arrangement of three rows of '.' and 'o'.
unsigned arrangement(const std::array<std::string, 3>& rows) {
  unsigned mask = 0;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      if (rows.at(static_cast<std::size_t>(row)).at(static_cast<std::size_t>(column)) == 'o')
        mask |= 1U << bitAt(row, column);
    }
  }
  return mask & 255U;
}

/// Returns the arrangement with the cell (row, column) at the position that `map` returns.
template <class Map>
unsigned mapped(unsigned arrangement, Map map) {
  unsigned image = 0;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      const auto [toRow, toColumn] = map(row, column);
      if ((arrangement >> bitAt(row, column) & 1U) != 0) image |= 1U << bitAt(toRow, toColumn);
    }
  }
  return image;
}

TEST(Hensel, EveryCountHasItsNumberOfLetters) {
  const std::vector<std::size_t> expected{1, 2, 6, 10, 13, 10, 6, 2, 1};
  std::map<int, std::set<std::string>> names;
  for (unsigned a = 0; a < 256; ++a) names[std::popcount(a)].insert(nameOf(a));
  for (int count = 0; count <= 8; ++count) {
    EXPECT_EQ(names[count].size(), expected[static_cast<std::size_t>(count)]) << count;
    for (const char letter : lettersOf(count))
      EXPECT_TRUE(names[count].contains(std::to_string(count) + letter)) << count << letter;
  }
  EXPECT_EQ(lettersOf(0), "");
  EXPECT_EQ(lettersOf(4), "cekainyqjrtwz");
  EXPECT_EQ(lettersOf(6), "cekain");
}

TEST(Hensel, ANameIsThatOfAllRotationsAndReflectionsAndOfNoOther) {
  const auto turn = [](int row, int column) { return std::pair{column, 2 - row}; };
  const auto mirror = [](int row, int column) { return std::pair{row, 2 - column}; };
  std::map<std::string, std::set<unsigned>> sets;
  for (unsigned a = 0; a < 256; ++a) {
    EXPECT_EQ(nameOf(mapped(a, turn)), nameOf(a));
    EXPECT_EQ(nameOf(mapped(a, mirror)), nameOf(a));
    sets[nameOf(a)].insert(a);
  }
  EXPECT_EQ(sets.size(), 51U);
  for (const auto& [name, set] : sets) {
    std::set<unsigned> images;
    unsigned image = *set.begin();
    for (int i = 0; i < 4; ++i) {
      images.insert({image, mapped(image, mirror)});
      image = mapped(image, turn);
    }
    EXPECT_EQ(images, set) << name;
  }
}

TEST(Hensel, TheComplementHasTheSameLetter) {
  for (unsigned a = 0; a < 256; ++a) {
    if (std::popcount(a) == 4) continue;
    EXPECT_EQ(letterOf(static_cast<std::uint8_t>(255 - a)), letterOf(static_cast<std::uint8_t>(a)));
  }
}

/// Arrangements by the orthogonal neighbours that they have in common: the section on the von
/// Neumann neighbourhood of LifeWiki's page.
TEST(Hensel, NamesHaveTheOrthogonalNeighboursOfLifeWiki) {
  const std::map<unsigned, std::string> groups{
      {0b0000'0000, "0 1c 2n 2c 3c 4c"},
      {0b0000'0001, "1e 2a 2k 3i 3n 3y 3q 4n 4y 5e"},
      {0b0000'0101, "2e 3k 3a 3j 4k 4a 4q 4w 5a 5j 5k 6e"},
      {0b0001'0001, "2i 3r 4i 4t 4z 5r 6i"},
      {0b0001'0101, "3e 4j 4r 5i 5n 5y 5q 6a 6k 7e"},
      {0b0101'0101, "4e 5c 6c 6n 7c 8"},
  };
  for (unsigned a = 0; a < 256; ++a) {
    const auto found = groups.find(a & 0b0101'0101);
    if (found == groups.end()) continue;
    const std::string names = " " + found->second + " ";
    EXPECT_NE(names.find(" " + nameOf(a) + " "), std::string::npos) << nameOf(a) << a;
  }
}

/// Arrangements after an exchange of living and dead corners: the table of dualities of LifeWiki's
/// page.
TEST(Hensel, ExchangedCornersGiveTheDualsOfLifeWiki) {
  const std::map<std::string, std::string> duals{
      {"0", "4c"},  {"1c", "3c"}, {"1e", "5e"}, {"2c", "2c"}, {"2e", "6e"}, {"2k", "4n"},
      {"2a", "4y"}, {"2i", "6i"}, {"2n", "2n"}, {"3e", "7e"}, {"3k", "5a"}, {"3a", "5k"},
      {"3i", "3y"}, {"3n", "3n"}, {"3q", "3q"}, {"3j", "5j"}, {"3r", "5r"}, {"4e", "8"},
      {"4k", "4a"}, {"4i", "4i"}, {"4q", "4w"}, {"4j", "6a"}, {"4r", "6k"}, {"4t", "4t"},
      {"4z", "4z"}, {"5c", "7c"}, {"5i", "5y"}, {"5n", "5n"}, {"5q", "5q"}, {"6c", "6c"},
      {"6n", "6n"}};
  std::set<std::string> seen;
  for (unsigned a = 0; a < 256; ++a) {
    const auto found = duals.find(nameOf(a));
    if (found == duals.end()) continue;
    EXPECT_EQ(nameOf(a ^ 0b1010'1010U), found->second) << found->first;
    seen.insert(found->first);
  }
  EXPECT_EQ(seen.size(), duals.size());
}

TEST(Hensel, ArrangementsOfKnownRules) {
  // A living cell between two others, as in a blinker: tlife excludes it by S2-i.
  EXPECT_EQ(nameOf(arrangement({"...", "o.o", "..."})), "2i");
  // A middle cell of a beacon in its dense phase: tlife includes it by S4q.
  EXPECT_EQ(nameOf(arrangement({"oo.", "o..", "..o"})), "4q");
  // Two adjacent cells: Just Friends excludes them by B2-a.
  EXPECT_EQ(nameOf(arrangement({"oo.", "...", "..."})), "2a");
  EXPECT_EQ(nameOf(arrangement({"ooo", "...", "..."})), "3i");
  EXPECT_EQ(nameOf(arrangement({"o.o", "...", ".o."})), "3y");
  EXPECT_EQ(nameOf(arrangement({".o.", "o.o", "..."})), "3e");
}

}  // namespace
}  // namespace life::hensel
