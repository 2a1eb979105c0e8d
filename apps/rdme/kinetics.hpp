#pragma once

#include <apps/rdme/model.hpp>

#include <string>
#include <vector>

namespace rdme {

/// Both sides of a reaction, in numbers of species.
struct Equation {
  std::vector<int> reactants;
  std::vector<int> products;
  bool isReversible = false;
};

/// Reads "MinE + MinDm -> MinDE", "A + B -> 2 C", "A <-> B", "-> A" or "nothing -> A", "A ->
/// nothing". Throws SettingsError, also for three and more reactants, or more than seven products.
Equation parseEquation(const mass::ConfigNode& setting, const std::vector<std::string>& species);

/// Propensities, per step and combination of reactants, of rate constants in powers of m and s,
/// with M as particles in m³: c τ of Gillespie (J. Phys. Chem. 81:2340, 1977; Annu. Rev. Phys.
/// Chem. 58:35, 2007). `volume`: of a site, m³.
namespace propensity {

/// Nothing → ...: d[events]/dt = k. Per site.
double zerothOrder(double k, double volume, double timeStep);
/// A → ...: d[events]/dt = k [A].
double firstOrder(double k, double timeStep);
/// A → ... at a surface, events per area and time = k [A]: k · area / (sites · volume), with the
/// true area of what is `sites` sites on the lattice. So a well-mixed layer takes up what the
/// surface would.
double surface(double k, double area, std::int64_t sites, double volume, double timeStep);
/// A + B → ...: d[events]/dt = k [A][B].
double secondOrder(double k, double volume, double timeStep);
/// A + A → ...: d[events]/dt = k [A]², which is the convention of Gillespie (2007) and
/// of Lattice Microbes: n particles react with k n(n-1)/V a time. There are
/// n(n-1)/2 pairs of them, so a pair has twice the propensity of one of A + B. Each event takes two
/// A: d[A]/dt = -2 k [A]².
double secondOrderSelf(double k, double volume, double timeStep);

}  // namespace propensity

/// A channel, and the setting that gave its rate.
struct ReadChannel {
  Channel channel;
  const mass::ConfigNode* setting;
};

/// Reads the key `reactions` for a model whose species, site types and geometry are known: a
/// channel for each reaction, direction and site type. Throws SettingsError.
std::vector<ReadChannel> readReactions(const mass::ConfigNode& reactions, const Model& model);

}  // namespace rdme
