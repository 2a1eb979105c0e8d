#pragma once

#include <apps/rdme/kinetics.hpp>
#include <apps/rdme/model.hpp>

#include <vector>

namespace rdme {

/// Where a model may still be wrong when each of its numbers is right. Each adds warnings to the
/// model, or throws SettingsError.

/// Refuses pairs that react with c τ > 1 in a step, for such a step is too long for the chance that
/// they part again, unless the key `accept` names pair-propensity: then it warns. Warns of c τ >
/// 0.1, of one particle too. Channels of one pair in one site type add up. Refuses what happens
/// more than 1000 times a step and site, particle or pair.
void checkPropensities(const mass::ConfigNode& model, const std::vector<ReadChannel>& channels,
                       Model& into);

/// Sets the capacity: the one given, or one that so few sites pass by chance (less than one in
/// ten steps), as if particles were Poisson distributed where they are densest, and as many as
/// reactions can make of them. Refuses particles that have no room at the start, or for which no
/// capacity is enough, and a capacity that a single reaction's products pass; warns where more
/// sites will pass the capacity, and where reactions can go on making particles.
void chooseCapacity(const mass::ConfigNode& model, Model& into);

/// Warns of reactions in site types that no site has.
void checkReactionSites(Model& into);

/// Warns of site types, one or several together, that a species cannot leave and that fall into
/// pieces, face to face.
void checkPieces(Model& into);

/// The mean number of particles of a site of each type, where those of the start gather as densely
/// as reactions let them: each as the species, of those it can become, that is most confined.
/// One counts as many times as its species has `yields`, or once.
std::vector<double> densitiesIn(const Model& model, const std::vector<double>& yields = {});

/// The probability that a Poisson variable of that mean is above `bound`, or a little more.
double poissonTail(double mean, int bound);

}  // namespace rdme
