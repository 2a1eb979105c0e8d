#pragma once

#include <mass/mass.hpp>

#include <cstdint>
#include <vector>

namespace rdme {

struct Model;

/// Channels of the same reactants in the same site type.
struct ReactionGroup {
  double propensity = 0;  ///< sum over the channels, per step and combination of reactants
  std::int32_t begin = 0, end = 0;  ///< range of the channels in RateTables::outcomes
};

/// Products of a channel.
struct Outcome {
  static constexpr int maxProducts = 7;

  double cumulative = 0;  ///< sum of the propensities of the group's channels up to this one
  std::uint8_t products[maxProducts] = {};  ///< species codes; 0 if there is none
  std::uint8_t count = 0;                   ///< number of products
};

/// Indices into the arrays of RateTables, and properties of the reaction network. A plain struct
/// that rules take by value. Species codes are species indices plus 1.
struct NetworkIndex {
  std::int32_t species = 0;     ///< number of species
  std::int32_t siteTypes = 0;   ///< number of site types, "outside" included
  bool isUniform = false;       ///< all sites have type 1 and all axes are periodic
  bool atMostOneEvent = false;  ///< at most one reaction a site and step, as in Lattice Microbes
  bool hasSources = false;      ///< some reaction has no reactants, so empty sites react

  /// Returns the index in `hops` of a step between two site types.
  MASS_FN int hop(int from, int to, std::uint32_t element) const {
    return (from * siteTypes + to) * species + static_cast<int>(element) - 1;
  }
  /// Returns the index in `maxHops` of a step from a site type.
  MASS_FN int maxHop(int from, std::uint32_t element) const {
    return from * species + static_cast<int>(element) - 1;
  }
  /// Returns the index in `groups` of the first group of a site type. The group of reactions
  /// without reactants is this one; firstOrder() and secondOrder() are relative to it.
  MASS_FN int firstGroup(int type) const { return type * (1 + species + species * species); }
  /// Returns the group of reactions of one particle.
  MASS_FN int firstOrder(std::uint32_t element) const { return static_cast<int>(element); }
  /// Returns the group of reactions of a pair. @pre a <= b
  MASS_FN int secondOrder(std::uint32_t a, std::uint32_t b) const {
    return 1 + species + (static_cast<int>(a) - 1) * species + static_cast<int>(b) - 1;
  }
};

/// Probabilities and reactions of a model, as its rules read them.
struct RateTables {
  NetworkIndex index;
  /// Probability q of a step in one direction, as q·2^32: NetworkIndex::hop().
  std::vector<std::uint32_t> hops;
  /// Largest of `hops` for any type of the neighbour: NetworkIndex::maxHop().
  std::vector<std::uint32_t> maxHops;
  /// Reaction groups by site type, then by order 0, 1, 2.
  std::vector<ReactionGroup> groups;
  /// Upper bound of the propensity of each group, in single precision.
  std::vector<float> bounds;
  /// Channels, those of a group side by side in their order in the model.
  std::vector<Outcome> outcomes;

  /// Builds the tables of a model.
  /// @throws mass::InputError if a channel has more than Outcome::maxProducts products
  explicit RateTables(const Model& model);
};

}  // namespace rdme
