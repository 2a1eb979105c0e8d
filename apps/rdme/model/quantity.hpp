#pragma once

#include <apps/rdme/model/unit.hpp>

#include <mass/mass.hpp>

#include <string>
#include <string_view>

namespace rdme {

/// Kind of physical quantity that a setting gives.
struct QuantityKind {
  Dimension dimension;
  std::string_view name;   ///< for messages: "a diffusion coefficient"
  std::string_view units;  ///< examples for messages: "um2/s, cm2/s or m2/s"

  /// True if a quantity of dimension `of` is of this kind. Particles may be left out of a unit:
  /// /um3 is a concentration, as particles/um3.
  constexpr bool matches(const Dimension& of) const {
    return of.length == dimension.length && of.time == dimension.time &&
           (of.amount == dimension.amount || of.amount == 0);
  }
};

/// Quantities of the settings.
namespace kinds {
inline constexpr QuantityKind length{{1, 0}, "a length", "nm, um or m"};
inline constexpr QuantityKind area{{2, 0}, "an area", "nm2, um2 or m2"};
inline constexpr QuantityKind time{{0, 1}, "a time", "ns, us, ms, s, min or h"};
inline constexpr QuantityKind diffusion{{2, -1}, "a diffusion coefficient", "um2/s, cm2/s or m2/s"};
inline constexpr QuantityKind concentration{{-3, 0, 1}, "a concentration", "M, mM, uM, nM or /um3"};
inline constexpr QuantityKind zerothOrder{
    {-3, -1, 1}, "the rate of a reaction without reactants", "M/s, uM/s, nM/s or /um3/s"};
inline constexpr QuantityKind firstOrder{
    {0, -1}, "the rate of a first-order reaction", "/s, /ms, /min or /h"};
inline constexpr QuantityKind secondOrder{
    {3, -1, -1}, "the rate of a second-order reaction", "/M/s, /uM/s, /nM/s or um3/s"};
/// Rates per area of a surface, by the number of reactants.
inline constexpr QuantityKind zerothOrderOnSurface{
    {-2, -1, 1}, "the rate of a reaction without reactants on a surface", "/um2/s or mol/m2/s"};
inline constexpr QuantityKind surface{{1, -1}, "a rate of surface attachment", "um/s, nm/s or m/s"};
inline constexpr QuantityKind secondOrderOnSurface{
    {2, -1, -1}, "the rate of a second-order reaction on a surface", "um2/s or m2/mol/s"};
}  // namespace kinds

/// Parses a finite number and a unit (parseUnit()): "2.5 um2/s", "9.0e6 /M/s", "9.0e6 M-1 s-1",
/// "16nm". The number may have a power of ten as in print: "9.0×10⁶ M⁻¹ s⁻¹", "9 x 10^6", "10^6".
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
