#pragma once

#include <mass/mass.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace rdme {

/// Reaction of a site type, as the rules of EventSite read it.
struct EventReaction {
  static constexpr int maxProducts = 7;

  double rate = 0;           ///< in 1/s, for each number of `combinations`
  std::int16_t first = -1;   ///< species of the first reactant; -1: none
  std::int16_t second = -1;  ///< species of the second reactant; -1: none
  std::int8_t alike = 0;     ///< 1 if both reactants are of the same species
  std::uint8_t products = 0;
  std::uint8_t product[maxProducts] = {};  ///< species of the products

  /// Returns the number of particles, ordered pairs or sites that can react.
  /// @param counts particles by species
  MASS_FN double combinations(const std::int32_t* counts) const {
    double number = 1;
    if (first >= 0) number = counts[first];
    if (second >= 0) number *= counts[second] - alike;
    return number;
  }
};

/// Reactions by site type, as the rules of EventSite read them. A plain struct that rules take by
/// value; EventTables owns the arrays.
struct EventNetwork {
  const EventReaction* reactions = nullptr;   ///< grouped by site type
  const std::int32_t* firstOfType = nullptr;  ///< index of the first one of each type, and the end
  const double* sources =
      nullptr;  ///< rate in an empty site of each type: of those without reactants
};

/// Site of the lattice under the clock of events: numbers of particles, which hop to adjacent sites
/// and react, each at its own time.
/// @tparam Species largest number of species
template <int Species>
class EventSite : public mass::Place<3> {
 public:
  static constexpr int species = Species;

  std::int32_t counts[std::size_t{Species}] = {};  ///< particles by species
  std::uint8_t type = 0;                           ///< index of the site type
  using Attributes = mass::Attributes<&EventSite::counts, mass::constant<&EventSite::type>>;

  /// Returns the rate of all reactions.
  MASS_FN double propensity(const EventNetwork& network) const {
    if (isEmpty()) return network.sources[type];
    double sum = 0;
    for (std::int32_t i = network.firstOfType[type]; i < network.firstOfType[type + 1]; ++i)
      sum += network.reactions[i].rate * network.reactions[i].combinations(counts);
    return sum;
  }
  /// Lets a reaction happen: that at which the sum of the rates exceeds a number.
  /// @param drawn uniform in [0, propensity())
  MASS_FN void react(double drawn, const EventNetwork& network) {
    std::int32_t chosen = -1;
    double sum = 0;
    for (std::int32_t i = network.firstOfType[type]; i < network.firstOfType[type + 1]; ++i) {
      const double rate = network.reactions[i].rate * network.reactions[i].combinations(counts);
      if (!(rate > 0)) continue;
      chosen = i;  // rounding may leave `drawn` above the sum: then the last reaction
      sum += rate;
      if (drawn < sum) break;
    }
    if (chosen >= 0) apply(network.reactions[chosen]);
  }

  /// Returns the number of particles of a species.
  MASS_FN std::int64_t count(int of) const { return counts[of]; }
  /// Returns the number of particles of a species if this site is of a type, 0 otherwise.
  MASS_FN std::int64_t countIn(int of, int siteType) const {
    return type == siteType ? counts[of] : 0;
  }

 private:
  MASS_FN bool isEmpty() const {
    std::int32_t any = 0;
    for (int i = 0; i < Species; ++i) any |= counts[i];
    return any == 0;
  }
  MASS_FN void apply(const EventReaction& reaction) {
    if (reaction.first >= 0) --counts[reaction.first];
    if (reaction.second >= 0) --counts[reaction.second];
    for (int i = 0; i < reaction.products; ++i) ++counts[reaction.product[i]];
  }
  template <class Indices>
  struct EventsOf;
  template <int... I>
  struct EventsOf<std::integer_sequence<int, I...>> {
    using Type = mass::Events<
        mass::event<&EventSite::propensity, &EventSite::react, mass::reads<&EventSite::counts>>,
        mass::hop<&EventSite::counts, I>...>;
  };

 public:
  using Events = typename EventsOf<std::make_integer_sequence<int, Species>>::Type;
};

}  // namespace rdme
