#pragma once

#include <mass/mass.hpp>

#include <cstdint>
#include <vector>

namespace rdme {

struct Model;

/// Reactions of the same reactants at the same sites.
struct ReactionGroup {
  double propensity = 0;            ///< of all together, per step and combination of reactants
  std::int32_t begin = 0, end = 0;  ///< which of RateTables::channels they are
};

/// One of them: the chance that a reaction of the group is none of those before or this one, and
/// what it leaves.
struct Outcome {
  static constexpr int maxProducts = 7;

  double cumulative = 0;  ///< the propensities of the channels of the group up to this one
  std::uint8_t products[maxProducts] = {};  ///< codes, 0 where there is none
  std::uint8_t count = 0;
};

/// The shape of the tables: plain numbers that rules are given.
struct NetworkIndex {
  std::int32_t species = 0;
  std::int32_t siteTypes = 0;
  bool isUniform = false;       ///< all sites are alike, and there is no border
  bool atMostOneEvent = false;  ///< Lattice Microbes' rule
  bool hasSources = false;      ///< something comes from nothing: empty sites matter

  /// Codes of particles are species numbers plus 1.
  MASS_FN int hop(int from, int to, std::uint32_t element) const {
    return (from * siteTypes + to) * species + static_cast<int>(element) - 1;
  }
  MASS_FN int maxHop(int from, std::uint32_t element) const {
    return from * species + static_cast<int>(element) - 1;
  }
  MASS_FN int firstGroup(int type) const { return type * (1 + species + species * species); }
  MASS_FN int firstOrder(std::uint32_t element) const { return static_cast<int>(element); }
  /// a <= b
  MASS_FN int secondOrder(std::uint32_t a, std::uint32_t b) const {
    return 1 + species + (static_cast<int>(a) - 1) * species + static_cast<int>(b) - 1;
  }
};

/// A model as its rules read it.
struct RateTables {
  NetworkIndex index;
  std::vector<std::uint32_t> hops;     ///< q·2^32 of a step to one side: NetworkIndex::hop
  std::vector<std::uint32_t> maxHops;  ///< the largest of them for any neighbour
  std::vector<ReactionGroup> groups;   ///< by site type: order 0, order 1, order 2
  std::vector<float>
      bounds;  ///< a little more than the propensity of each: to see that none reacts
  std::vector<Outcome> outcomes;

  explicit RateTables(const Model& model);
};

}  // namespace rdme
