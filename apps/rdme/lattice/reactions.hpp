#pragma once

#include <mass/mass.hpp>

#include <apps/rdme/lattice/rate_tables.hpp>

#include <cstdint>

namespace rdme {

/// Reactions among the particles of a site during one step, by Gillespie's direct method (J. Phys.
/// Chem. 81:2340, 1977). Reads the arrays of RateTables.
class Reactions {
 public:
  /// @param siteType type of the site, which selects its reaction groups
  MASS_FN Reactions(const NetworkIndex& index, int siteType,
                    const mass::Shared<ReactionGroup>& groups,
                    const mass::Shared<Outcome>& outcomes)
      : index_(&index),
        groups_(groups.data() + index.firstGroup(siteType)),
        outcomes_(outcomes.data()) {}

  /// True if no reaction happens in a step, found from an upper bound of the total propensity.
  /// False if run() has to decide.
  /// @param drawn high 32 bits of the first random number of the reactions
  /// @param bounds RateTables::bounds
  template <class Contents>
  MASS_FN static bool noneHappens(const NetworkIndex& index, int siteType, const Contents& contents,
                                  std::uint32_t drawn, const mass::Shared<float>& bounds) {
    const float* const mine = bounds.data() + index.firstGroup(siteType);
    float bound = mine[0];
    for (int i = 0; i < contents.size(); ++i) {
      const std::uint32_t element = contents.element(i);
      bound += mine[index.firstOrder(element)];
      for (int j = 0; j < i; ++j) bound += mine[index.secondOrder(contents.element(j), element)];
    }
    return static_cast<float>(drawn) * 0x1p-32F >= bound;
  }

  /// Fires reactions until the step is over, or at most one if NetworkIndex::atMostOneEvent. A
  /// reaction whose products do not fit into the site leaves the particles unchanged.
  /// @param drawn high 32 bits of the first random number; `random` gives the bits after it
  template <class Particles>
  MASS_FN void run(Particles& particles, std::uint32_t drawn, mass::Random random) const {
    double left = 1;
    double uniform = uniformOf(drawn, random());
    for (;;) {
      const double total = propensity(particles);
      if (!(uniform < total * left)) return;  // -ln(1 - u) >= u, the cheaper test
      left -= -mass::logarithm(1 - uniform) / total;
      if (!(left > 0)) return;
      fire(particles, total * random.uniform<double>());
      if (index_->atMostOneEvent) return;
      uniform = random.uniform<double>();
    }
  }

 private:
  MASS_FN static double uniformOf(std::uint32_t high, std::uint32_t low) {
    return static_cast<double>((std::uint64_t{high} << 32 | low) >> 11) * 0x1p-53;
  }

  /// Returns the total propensity of all reactions, per step.
  /// @param contents species codes in ascending order
  template <class Contents>
  MASS_FN double propensity(const Contents& contents) const {
    double total = 0;
    forEachGroup(contents, [&](int, double combinations, const ReactionGroup& group) {
      total += combinations * group.propensity;
      return false;
    });
    return total;
  }

  /// Calls f(number, combinations, group) for the reaction groups whose reactants are in
  /// `contents`, until it returns true.
  template <class Contents, class F>
  MASS_FN void forEachGroup(const Contents& contents, F&& f) const {
    const int count = contents.size();
    if (f(0, 1.0, groups_[0])) return;
    for (int i = 0; i < count;) {
      const std::uint32_t a = contents.element(i);
      const int first = i;
      while (i < count && contents.element(i) == a) ++i;
      const double ofA = i - first;
      const int alone = index_->firstOrder(a), paired = index_->secondOrder(a, a);
      if (f(alone, ofA, groups_[alone])) return;
      if (ofA > 1 && f(paired, ofA * (ofA - 1) / 2, groups_[paired])) return;
      for (int j = i; j < count;) {
        const std::uint32_t b = contents.element(j);
        const int start = j;
        while (j < count && contents.element(j) == b) ++j;
        const int both = index_->secondOrder(a, b);
        if (f(both, ofA * (j - start), groups_[both])) return;
      }
    }
  }

  /// Fires the reaction at which the cumulative propensity exceeds `target`.
  template <class Particles>
  MASS_FN void fire(Particles& particles, double target) const {
    int chosen = -1;
    double remainder = 0;  // target within the chosen group, per combination of reactants
    double sum = 0;
    forEachGroup(particles, [&](int number, double combinations, const ReactionGroup& group) {
      const double here = combinations * group.propensity;
      if (here > 0) {
        chosen = number;  // rounding may leave `target` above the sum: then the last group
        remainder = (target - sum) / combinations;
      }
      sum += here;
      return target < sum;
    });
    const ReactionGroup& group = groups_[chosen];
    int channel = group.begin;
    while (channel + 1 < group.end && !(remainder < outcomes_[channel].cumulative)) ++channel;
    apply(particles, chosen, outcomes_[channel]);
  }

  /// Replaces the reactants of a group by the products of one of its channels, if these fit.
  template <class Particles>
  MASS_FN void apply(Particles& particles, int group, const Outcome& outcome) const {
    std::uint32_t reactants[2] = {0, 0};
    const int species = index_->species;
    if (group > species) {
      reactants[0] = static_cast<std::uint32_t>((group - 1 - species) / species + 1);
      reactants[1] = static_cast<std::uint32_t>((group - 1 - species) % species + 1);
    } else {
      reactants[0] = static_cast<std::uint32_t>(group);
    }
    const int used = (reactants[0] != 0 ? 1 : 0) + (reactants[1] != 0 ? 1 : 0);
    if (particles.size() - used + outcome.count > Particles::capacity) return;
    for (const std::uint32_t reactant : reactants) {
      if (reactant == 0) continue;
      int i = 0;
      while (particles.element(i) != reactant) ++i;
      particles.remove(i);
    }
    for (int i = 0; i < outcome.count; ++i) particles.add(outcome.products[i]);
  }

  const NetworkIndex* index_;
  const ReactionGroup* groups_;
  const Outcome* outcomes_;
};

}  // namespace rdme
