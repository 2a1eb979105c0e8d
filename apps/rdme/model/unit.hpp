#pragma once

#include <string>
#include <string_view>

namespace rdme {

/// Avogadro's number, 1/mol (SI 2019, exact).
constexpr double avogadro = 6.02214076e23;
/// Particles per cubic metre at 1 M = 1 mol/L.
constexpr double molar = avogadro * 1000;

/// Dimension as powers of metre, second and particle: 1 M is 6.02214076e26 particles/m³.
struct Dimension {
  int length = 0;  ///< power of m
  int time = 0;    ///< power of s
  int amount = 0;  ///< power of the number of particles
  bool operator==(const Dimension&) const = default;
};

/// Value with its dimension.
struct Quantity {
  double value;  ///< in powers of m, s and particles
  Dimension dimension;
};

/// Returns `text` with the characters of units and numbers in ASCII: plainText(), and `u` for µ,
/// `A` for Å, `*` for multiplication signs, `/` for division signs, `(` for `[`, `^-1` for ⁻¹.
std::string asciiUnits(std::string_view text);

/// Parses a unit: a product of factors side by side or separated by `*`, `.` or `·`. `/` or `per`
/// divides by the one factor after it. A factor is a unit, 1, or a product in parentheses or
/// brackets, with an optional power (um2, um^2, µm², M-1, M -1, s⁻¹, (M s)^-1, s^{-1}, s**-1).
///
/// Units with prefixes: m (k, d, c, m, u, n, p, f), s and sec (m, u, n, p, f), M and mol (m, u, n,
/// p, f, a; kmol), L and l (d, c, m, u, n, p, f, a), Hz (m, k, M, G). Others: A, Å, Angstrom,
/// micron; liter; second, millisecond to femtosecond, min, minute, h, hr, hour, d, day, wk, week,
/// yr, year, also as plurals, y and a, where a year is 365.25 days; particle(s) and molecule(s).
/// @return the value of the unit; 1 without dimension if `text` is empty
/// @throws mass::InputError if `text` is no unit
Quantity parseUnit(std::string_view text);

/// Removes `^` or `**` and the integer after it, which may be in parentheses or braces, from the
/// front of `text`.
/// @param maxDigits number of digits that are read, 1 to 9
/// @param power the integer, if there is one
/// @return false, with `text` as it was, if `text` does not begin with a power
bool takePower(std::string_view& text, int maxDigits, int& power);

}  // namespace rdme
