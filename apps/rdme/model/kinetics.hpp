#pragma once

#include <apps/rdme/model/model.hpp>

#include <string>
#include <vector>

namespace rdme {

/// Both sides of a reaction equation, as species indices.
struct Equation {
  std::vector<int> reactants;
  std::vector<int> products;
  bool isReversible = false;  ///< written with "<->"
};

/// Parses an equation: "MinE + MinDm -> MinDE", "A + B -> 2 C", "A <-> B", "-> A" or "nothing ->
/// A", "A -> nothing". A `+` between blanks joins two terms; any other is part of a name if there
/// is a species of this name: "Ca2+ + CaM -> CaCaM". A name may be in quotes.
/// @param species names by index
/// @throws mass::SettingsError if the text is no equation, or has more than two reactants or seven
///     products
Equation parseEquation(const mass::ConfigNode& setting, const std::vector<std::string>& species);

/// Propensities c τ per step and combination of reactants (Gillespie, J. Phys. Chem. 81:2340, 1977;
/// Annu. Rev. Phys. Chem. 58:35, 2007). Rate constants `k` are in powers of m and s, 1 M being
/// 6.02214076e26 particles per m³. `size` is the volume of a site, m³; or, for rates per area of
/// species on a surface, the area of a site, m²: that of the surface divided by its sites. Rate
/// constants then have m² for m³. `timeStep` is τ, s.
namespace propensity {

/// Returns the propensity per site of nothing → ..., d[events]/dt = k.
/// @param k in m⁻³ s⁻¹
double zerothOrder(double k, double size, double timeStep);
/// Returns the propensity per particle of A → ..., d[events]/dt = k [A].
/// @param k in s⁻¹
double firstOrder(double k, double timeStep);
/// Returns the propensity per particle of A → ... at a surface, with events per area and time =
/// k [A]: k · area / (sites · volume) · τ. A well-mixed layer of sites then reacts as fast as the
/// surface it represents.
/// @param k in m s⁻¹
/// @param area true area of the surface, m²
/// @param sites number of sites that represent it on the lattice
double surface(double k, double area, std::int64_t sites, double volume, double timeStep);
/// Returns the propensity per pair of A + B → ..., d[events]/dt = k [A][B].
/// @param k in m³ s⁻¹
double secondOrder(double k, double size, double timeStep);
/// Returns the propensity per pair of A + A → ..., d[events]/dt = k [A]², the convention of
/// Gillespie (2007) and of Lattice Microbes: n particles react with k n(n-1)/V per time. They form
/// n(n-1)/2 pairs, so the propensity of a pair is twice that of A + B. Each event consumes two A:
/// d[A]/dt = -2 k [A]².
/// @param k in m³ s⁻¹
double secondOrderSelf(double k, double size, double timeStep);

}  // namespace propensity

/// Channel with the setting that gave its rate, for messages.
struct ParsedChannel {
  Channel channel;
  const mass::ConfigNode* setting;
};

/// Reads the key `reactions`: one channel for each reaction, direction and site type.
/// @pre species, site types and geometry of `model` are set
/// @throws mass::SettingsError if a reaction is invalid
std::vector<ParsedChannel> readReactions(const mass::ConfigNode& reactions, const Model& model);

}  // namespace rdme
