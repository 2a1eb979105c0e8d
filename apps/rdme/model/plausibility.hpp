#pragma once

#include <apps/rdme/model/kinetics.hpp>
#include <apps/rdme/model/model.hpp>

#include <vector>

namespace rdme {

// Checks of a model whose numbers are each valid. They add warnings to the model, or reject a
// setting.

/// Checks the propensities of all channels; those of the same reactants in the same site type add
/// up. Warns of a sum above 0.1 for a particle or pair. A sum above 1 for a pair is an error,
/// because a pair then reacts before it can separate; if the key `accept` lists pair-propensity, it
/// is a warning.
/// @param model the settings
/// @throws mass::SettingsError if a pair's sum is above 1 and not accepted, or a sum for a site,
///     particle or pair is above 1000
void checkPropensities(const mass::ConfigNode& model, const std::vector<ParsedChannel>& channels,
                       Model& into);

/// Sets the capacity of a model: the one that the settings give; otherwise the smallest, from 4 and
/// the products of any reaction on, that at most 0.1 sites are expected to exceed at a time.
/// Numbers of particles are taken as Poisson distributed with expectedDensities(), multiplied by
/// particleBounds(). Warns if more sites will exceed the capacity, and if reactions can make
/// particles without limit.
/// @param model the settings
/// @throws mass::SettingsError if the initial particles do not fit, a given capacity is out of
/// range
///     or below the number of products of a reaction, or no capacity is enough for the initial
///     particles
void chooseCapacity(const mass::ConfigNode& model, Model& into);

/// Warns of reactions in site types without sites.
void checkReactionTypes(Model& into);

/// Warns of site types that a species cannot leave, if their sites form several components that
/// are not connected by faces.
void checkConnectivity(Model& into);

/// Returns the largest mean number of particles in a site of each type, if the initial particles
/// react to the species that concentrate there most: each initial group counts in the fewest sites
/// that it, or a species it can become, is confined to.
/// @param bounds particles that one particle of each species becomes (particleBounds()); 1 if empty
std::vector<double> expectedDensities(const Model& model, const std::vector<double>& bounds = {});

/// Returns an upper bound of the probability that a Poisson variable is above `bound`: close to it
/// if `bound` is well above `mean`, 1 if bound + 1 <= mean.
double poissonTail(double mean, int bound);

}  // namespace rdme
