#include <apps/life/hensel.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

namespace life::hensel {
namespace {

constexpr std::string_view letters = "cekainyqjrtwz";
constexpr std::array<std::size_t, 9> numbers{0, 2, 6, 10, 13, 10, 6, 2, 0};

enum Bits : unsigned { n = 1, ne = 2, e = 4, se = 8, s = 16, sw = 32, w = 64, nw = 128 };

/// Arrangement of each letter, for 1 to 4 living cells. That of 8 - count cells and the same letter
/// is the complement.
constexpr std::array<std::array<unsigned, 13>, 5> examples{{
    {},
    {ne, n},
    {ne | se, n | e, n | se, n | ne, n | s, ne | sw},
    {ne | se | sw, n | e | w, n | e | sw, n | ne | e, ne | e | se, n | ne | se, ne | se | w,
     n | ne | sw, n | ne | w, n | ne | s},
    {ne | se | sw | nw, n | e | s | w, n | e | se | sw, n | ne | e | se, ne | e | w | nw,
     n | ne | se | nw, ne | e | sw | nw, n | ne | e | sw, n | ne | s | w, n | ne | e | w,
     n | ne | s | nw, n | ne | sw | w, n | ne | s | sw},
}};

/// Returns the arrangement after a rotation by 90 degrees.
std::uint8_t rotated(std::uint8_t arrangement) {
  return std::rotl(arrangement, 2);
}

/// Returns the arrangement with east and west exchanged: bit i becomes bit -i modulo 8.
std::uint8_t reflected(std::uint8_t arrangement) {
  unsigned image = 0;
  for (unsigned bit = 0; bit < 8; ++bit) image |= (arrangement >> bit & 1U) << (8 - bit) % 8;
  return static_cast<std::uint8_t>(image);
}

/// Returns the least of the images of an arrangement under rotations and reflections.
std::uint8_t representative(std::uint8_t arrangement) {
  std::uint8_t least = arrangement;
  for (std::uint8_t image : {arrangement, reflected(arrangement)}) {
    for (int turn = 0; turn < 4; ++turn) {
      least = std::min(least, image);
      image = rotated(image);
    }
  }
  return least;
}

std::array<char, arrangements> makeTable() {
  std::array<char, arrangements> table{};
  table.fill(' ');
  for (unsigned arrangement = 1; arrangement < 255; ++arrangement) {
    const auto mask = static_cast<std::uint8_t>(arrangement);
    const bool few = std::popcount(mask) <= 4;
    const auto searched = representative(few ? mask : static_cast<std::uint8_t>(~mask));
    const auto& named = examples[static_cast<std::size_t>(std::popcount(searched))];
    const auto* const found = std::find_if(named.begin(), named.end(), [&](unsigned example) {
      return representative(static_cast<std::uint8_t>(example)) == searched;
    });
    table[arrangement] = letters[static_cast<std::size_t>(found - named.begin())];
  }
  return table;
}

}  // namespace

std::string_view lettersOf(int count) {
  return letters.substr(0, numbers[static_cast<std::size_t>(count)]);
}

char letterOf(std::uint8_t arrangement) {
  static const std::array<char, arrangements> table = makeTable();
  return table[arrangement];
}

}  // namespace life::hensel
