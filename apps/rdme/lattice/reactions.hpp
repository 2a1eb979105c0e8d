#pragma once

#include <mass/mass.hpp>

#include <apps/rdme/lattice/rate_tables.hpp>

#include <cstdint>

namespace rdme {

/// The reactions among the particles of a site during one step: Gillespie's direct method (J. Phys.
/// Chem. 81, 1977), from tables.
class Reactions {
 public:
  MASS_FN Reactions(const NetworkIndex& index, int siteType,
                    const mass::Shared<ReactionGroup>& groups,
                    const mass::Shared<Outcome>& outcomes)
      : index_(&index),
        groups_(groups.data() + index.firstGroup(siteType)),
        outcomes_(outcomes.data()) {}

  /// Whether nothing reacts in a step whose first random number has `drawn` for its high 32 bits:
  /// a short look at an upper bound of the propensity. False means that it has to be found out.
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

  /// Reactions happen until the step is over. One for whose products there is no room does not.
  /// `drawn` are the high 32 bits of the first random number.
  template <class Particles>
  MASS_FN void run(Particles& particles, std::uint32_t drawn, mass::Random random) const {
    double left = 1;
    double uniform = uniformOf(drawn, random());
    for (;;) {
      const double total = propensity(particles);
      if (!(uniform < total * left)) return;  // -ln(1 - u) >= u: no need for a logarithm
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

  /// The propensity of all reactions together, per step. `contents` are codes in ascending order.
  template <class Contents>
  MASS_FN double propensity(const Contents& contents) const {
    double total = 0;
    forEachGroup(contents, [&](int, double combinations, const ReactionGroup& group) {
      total += combinations * group.propensity;
      return false;
    });
    return total;
  }

  /// Calls f(number, combinations, group) for the groups of reactions that can happen, until it
  /// returns true.
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

  /// Lets the reaction happen at which the propensities add up to more than `target`.
  template <class Particles>
  MASS_FN void fire(Particles& particles, double target) const {
    int chosen = -1;
    double remainder = 0;  // of the target, within the group, per combination
    double sum = 0;
    forEachGroup(particles, [&](int number, double combinations, const ReactionGroup& group) {
      const double here = combinations * group.propensity;
      if (here > 0) {
        chosen = number;  // the last one where rounding leaves none
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
