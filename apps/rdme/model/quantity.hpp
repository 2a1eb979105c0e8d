#pragma once

#include <mass/mass.hpp>

#include <string>
#include <string_view>

namespace rdme {

/// Avogadro's number, 1/mol (SI 2019, exact).
constexpr double avogadro = 6.02214076e23;
/// Particles per cubic metre at 1 M = 1 mol/L.
constexpr double molar = avogadro * 1000;

/// Dimension as powers of metre and second. Particles are numbers, so that 1 M is 6.02214076e26
/// m⁻³.
struct Dimension {
  int length = 0;  ///< power of m
  int time = 0;    ///< power of s
  bool operator==(const Dimension&) const = default;
};

/// Kind of physical quantity that a setting gives.
struct QuantityKind {
  Dimension dimension;
  std::string_view name;   ///< for messages: "a diffusion coefficient"
  std::string_view units;  ///< examples for messages: "um2/s, cm2/s or m2/s"
};

/// Quantities of the settings.
namespace kinds {
inline constexpr QuantityKind length{{1, 0}, "a length", "nm, um or m"};
inline constexpr QuantityKind area{{2, 0}, "an area", "nm2, um2 or m2"};
inline constexpr QuantityKind time{{0, 1}, "a time", "ns, us, ms, s, min or h"};
inline constexpr QuantityKind diffusion{{2, -1}, "a diffusion coefficient", "um2/s, cm2/s or m2/s"};
inline constexpr QuantityKind concentration{{-3, 0}, "a concentration", "M, mM, uM, nM or /um3"};
inline constexpr QuantityKind zerothOrder{
    {-3, -1}, "the rate of a reaction without reactants", "M/s, uM/s, nM/s or /um3/s"};
inline constexpr QuantityKind firstOrder{
    {0, -1}, "the rate of a first-order reaction", "/s, /ms, /min or /h"};
inline constexpr QuantityKind surface{{1, -1}, "a rate of surface attachment", "um/s, nm/s or m/s"};
inline constexpr QuantityKind secondOrder{
    {3, -1}, "the rate of a second-order reaction", "/M/s, /uM/s, /nM/s or um3/s"};
}  // namespace kinds

/// Value with its dimension.
struct Quantity {
  double value;  ///< in powers of m and s
  Dimension dimension;
};

/// Parses a finite number and a unit: "2.5 um2/s", "9.0e6 /M/s", "9.0e6 M-1 s-1", "16nm". A unit is
/// a product of factors, each with an optional power (um2, um^2, µm², M-1, s⁻¹), side by side or
/// separated by `*` or `·`; `/` divides by the one factor after it. Factors: m, cm, mm, um, nm; s,
/// ms, us, ns, sec, min, h, hour; M, mM, uM, nM, pM; L, mL, uL, nL, pL, fL; particle(s) and
/// molecule(s), which are 1.
/// @throws mass::InputError if the text is no number with a known unit
Quantity parseQuantity(std::string_view text);

/// Returns the value of a setting, in powers of m and s.
/// @throws mass::SettingsError if it has no unit, an unknown one, or one of another dimension; the
///     message names units of `kind`
double read(const mass::ConfigNode& setting, const QuantityKind& kind);

/// Returns the value of a setting that must not be negative, in powers of m and s.
/// @throws mass::SettingsError as read(), and if the value is negative
double readNotNegative(const mass::ConfigNode& setting, const QuantityKind& kind);

/// Returns the value of a setting that must be above 0, in powers of m and s.
/// @throws mass::SettingsError as read(), and if the value is not above 0
double readPositive(const mass::ConfigNode& setting, const QuantityKind& kind);

}  // namespace rdme
