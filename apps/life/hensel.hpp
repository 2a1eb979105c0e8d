#pragma once

#include <cstdint>
#include <string_view>

/// Arrangements of living cells among the eight nearest cells, in the notation of Alan Hensel. An
/// arrangement is a bit mask of the living ones: bits 0 to 7 are N, NE, E, SE, S, SW, W, NW.
/// Arrangements that a rotation or reflection maps onto each other have the same name, which is the
/// number of living cells and a letter; 0 and 8 cells have no letter. The table is that of
/// https://conwaylife.com/wiki/Isotropic_non-totalistic_rule.
namespace life::hensel {

/// Number of arrangements.
constexpr int arrangements = 256;

/// Returns the letters of the arrangements of `count` living cells, in the order of the table.
/// @param count 0 to 8
std::string_view lettersOf(int count);

/// Returns the letter of an arrangement; a blank for 0 and 8 living cells.
char letterOf(std::uint8_t arrangement);

}  // namespace life::hensel
