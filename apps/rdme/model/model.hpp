#pragma once

#include <mass/mass.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace rdme {

/// Particles that a site stores in the largest storage format.
inline constexpr int maxParticlesPerSite = 256;
/// Particles that a site stores in the compact format, which takes an eighth of the memory.
inline constexpr int compactCapacity = 32;

/// Returns the particles that a site stores in the smallest format with room for `capacity`.
/// @param capacity 1 to maxParticlesPerSite
constexpr int storageCapacity(int capacity) {
  return capacity <= compactCapacity ? compactCapacity : maxParticlesPerSite;
}

/// Reaction in one direction and in one site type, in numbers of the lattice.
struct Channel {
  int siteType;                ///< index of the site type, from 1
  std::vector<int> reactants;  ///< species indices from 0, at most two
  std::vector<int> products;   ///< species indices, at most seven
  /// Propensity c τ per step and combination of reactants (order 0: per site); c, in 1/s, under the
  /// clock of events. A + A has n(n-1)/2 combinations.
  double propensity;
  std::string text;  ///< equation as in the settings: "MinE + MinDm -> MinDE"
  std::string rate;  ///< rate constant as in the settings: "0.7 /s"
};

/// Particles of a species at step 0, distributed over all sites of some types.
struct InitialParticles {
  int species;                 ///< index from 0
  std::int64_t count;          ///< number of particles, at least 0
  std::vector<int> siteTypes;  ///< indices of the site types
  bool isEven = false;         ///< equal numbers in all sites; otherwise drawn at random
  std::string where{};         ///< setting, for messages: "min.yaml:37: 'model.initial[1]'"
};

/// Clock of a model.
enum class Clock : std::uint8_t {
  steps,  ///< all particles move at once, then all sites react, in steps of time
  events  ///< each hop and reaction happens at its own time
};

/// Particles of a species that are added during the run, each at one of some sites drawn at random.
struct Stimulus {
  std::int64_t step;                ///< number of steps of the run before it
  int species;                      ///< index from 0
  std::int64_t count;               ///< number of particles, at least 0
  std::vector<std::int64_t> sites;  ///< row-major indices, ascending
  std::string where{};              ///< setting, for messages
};

/// Reaction-diffusion model in numbers of its lattice, converted from the physical units of a
/// settings file (docs/settings.md describes its keys).
///
/// The method is the MPD-RDME of Roberts, Stone & Luthey-Schulten (J. Comput. Chem. 34, 2013) and
/// Hallock et al. (Parallel Computing 40, 2014): with spacing λ and time step τ, a particle steps
/// along an axis to either side with probability q = D τ/λ² each, and the particles of a site of
/// volume λ³ react by the chemical master equation. Under the clock of events, there is no τ: a
/// particle hops to each adjacent site at the rate D/λ², and all follows the reaction-diffusion
/// master equation exactly.
struct Model {
  std::string name;
  Clock clock = Clock::steps;
  std::vector<std::string> species;     ///< names by species index
  std::vector<std::string> siteTypes;   ///< names by type index; 0 is "outside", without particles
  std::array<std::int64_t, 3> sites{};  ///< number of sites along z, y, x; settings give x, y, z
  std::string sitesSetting{};           ///< the setting that gave `sites`, for messages
  double spacing = 0;                   ///< λ, edge of a site, m
  double timeStep = 0;                  ///< length of a step of the run, s: τ, or `events.step`
  std::array<bool, 3> periodic{};       ///< along z, y, x; otherwise reflecting
  std::vector<double> diffusion{};      ///< D, m²/s: [from type][to type][species]
  /// q = D τ/λ², probability of a step along an axis in one direction, 0 to 1/2:
  /// [from type][to type][species]. 0 reflects; it is 0 from and to type 0. Under the clock of
  /// events D/λ², the rate of a hop to one adjacent site, 1/s.
  std::vector<double> hop{};
  std::vector<std::uint8_t> allowed{};  ///< 1 if a species may be in a type: [type][species]
  std::vector<Channel> channels{};
  std::vector<InitialParticles> initial{};
  std::vector<Stimulus> stimuli{};  ///< in the order of their steps
  /// Type of each site, z slowest, x fastest; empty if all sites have type 1.
  std::vector<std::uint8_t> types{};
  bool atMostOneEvent = false;  ///< at most one reaction a site and step, as in Lattice Microbes
  int capacity = 0;             ///< particles that a site must be able to store; 0 under events
  bool capacityGiven = false;   ///< the settings give `capacity`; otherwise it was chosen

  std::vector<std::int64_t> siteCounts{};  ///< number of sites of each type
  std::vector<double> areas{};             ///< surface area of each type, m²; 0 if unknown
  std::vector<std::string> bodies{};       ///< one line for each body of the geometry
  std::vector<std::string> warnings{};     ///< one line each

  /// Reads a settings file. Random obstacles are drawn with its seed.
  /// @throws mass::SettingsError if it describes no valid model
  static Model load(const std::filesystem::path& file);
  /// Reads settings from YAML text.
  /// @param name stands for the file in messages
  /// @throws mass::SettingsError if it describes no valid model
  static Model parse(std::string_view yaml, const std::string& name);
  /// Reads and checks the section `model` of settings.
  /// @throws mass::SettingsError if it describes no valid model
  static Model fromSettings(const mass::Settings& settings);

  /// Returns the time to which `hop` and propensities refer, s.
  double rateTime() const { return clock == Clock::events ? 1 : timeStep; }
  /// Returns the probability, or the rate, at which a particle of species `of` steps from a site of
  /// type `from` to a given neighbour of type `to`.
  double hopProbability(int from, int to, int of) const {
    return hop[transitionIndex(from, to, of)];
  }
  /// True if particles of species `of` may be in sites of `type`.
  bool isAllowed(int of, int type) const {
    return allowed[static_cast<std::size_t>(type) * species.size() +
                   static_cast<std::size_t>(of)] != 0;
  }
  /// Returns the number of sites.
  std::int64_t siteCount() const { return sites[0] * sites[1] * sites[2]; }
  /// Returns the volume of a site, m³.
  double siteVolume() const { return spacing * spacing * spacing; }

  /// Returns lines of text that show each physical quantity beside the number it was converted to,
  /// and the warnings.
  std::string report() const;

  /// Returns the index in `hop` and `diffusion` of a transition of species `of` between two types.
  std::size_t transitionIndex(int from, int to, int of) const {
    return (static_cast<std::size_t>(from) * siteTypes.size() + static_cast<std::size_t>(to)) *
               species.size() +
           static_cast<std::size_t>(of);
  }
};

}  // namespace rdme
