#pragma once

#include <mass/mass.hpp>

#include <string>
#include <string_view>

namespace rdme {

/// Avogadro's number, 1/mol (SI 2019, exact).
constexpr double avogadro = 6.02214076e23;
/// Particles in a cubic metre at 1 M = 1 mol/L.
constexpr double molar = avogadro * 1000;

/// Powers of metre and second. Particles are counted, so that 1 M is 6.02214076e26 m⁻³.
struct Dimension {
  int length = 0;
  int time = 0;
  bool operator==(const Dimension&) const = default;
};

/// What a number with a unit stands for.
struct Kind {
  Dimension dimension;
  std::string_view name;   ///< "a diffusion coefficient"
  std::string_view units;  ///< "um2/s, m2/s or cm2/s"
};

namespace kinds {
inline constexpr Kind length{{1, 0}, "a length", "nm, um or m"};
inline constexpr Kind area{{2, 0}, "an area", "nm2, um2 or m2"};
inline constexpr Kind time{{0, 1}, "a time", "ns, us, ms, s, min or h"};
inline constexpr Kind diffusion{{2, -1}, "a diffusion coefficient", "um2/s, cm2/s or m2/s"};
inline constexpr Kind concentration{{-3, 0}, "a concentration", "M, mM, uM, nM or /um3"};
inline constexpr Kind zerothOrder{
    {-3, -1}, "the rate of a reaction without reactants", "M/s, uM/s, nM/s or /um3/s"};
inline constexpr Kind firstOrder{
    {0, -1}, "the rate of a first-order reaction", "/s, /ms, /min or /h"};
inline constexpr Kind surface{{1, -1}, "a rate of surface attachment", "um/s, nm/s or m/s"};
inline constexpr Kind secondOrder{
    {3, -1}, "the rate of a second-order reaction", "/M/s, /uM/s, /nM/s or um3/s"};
}  // namespace kinds

/// A number and its unit.
struct Quantity {
  double value;  ///< in powers of m and s
  Dimension dimension;
};

/// Reads a finite number and a unit: "2.5 um2/s", "9.0e6 /M/s", "9.0e6 M-1 s-1", "16nm". A unit is
/// factors, each with a power if need be (um2, um^2, µm², M-1, s⁻¹), side by side or with `*` or
/// `·` between them; `/` divides by the one factor after it. Factors: m, cm, mm, um, nm; s, ms, us,
/// ns, min, h; M, mM, uM, nM, pM; L, mL, uL, nL, fL; particles and molecules, which are counts.
/// Throws mass::InputError.
Quantity parseQuantity(std::string_view text);

/// The value of a piece of settings, in m and s. Throws SettingsError when it is of another kind,
/// has no unit or an unknown one, and names the right ones.
double read(const mass::ConfigNode& setting, const Kind& kind);

/// The same, for a value that must not be negative.
double readNotNegative(const mass::ConfigNode& setting, const Kind& kind);

/// The same, for a value above 0.
double readPositive(const mass::ConfigNode& setting, const Kind& kind);

}  // namespace rdme
