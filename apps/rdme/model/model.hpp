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

/// Particles that a site can hold, at most; and where the capacity is no more than `fewParticles`,
/// which take an eighth of the memory.
inline constexpr int maxParticlesPerSite = 256, compactCapacity = 32;

/// Those that a site of a model with this capacity has room for.
constexpr int storageCapacity(int capacity) {
  return capacity <= compactCapacity ? compactCapacity : maxParticlesPerSite;
}

/// A reaction where it can happen, in numbers of the lattice.
struct Channel {
  int siteType;                ///< number
  std::vector<int> reactants;  ///< species numbers (from 0), none to two
  std::vector<int> products;   ///< species numbers, any number up to 7
  /// Per step and combination of reactants (order 0: per site): c·τ. A+A has n(n-1)/2 combinations.
  double propensity;
  std::string text;  ///< "MinE + MinDm -> MinDE", as the user wrote it
  std::string rate;  ///< "0.7 /s", as the user wrote it
};

/// Particles that are there at the start, spread at random over all sites of some types.
struct InitialParticles {
  int species;
  std::int64_t count;
  std::vector<int> siteTypes;
  bool isEven = false;  ///< as many in every site, rather than spread at random
  std::string where{};  ///< the setting, for messages: "min.yaml:37: 'model.initial[1]'"
};

/// A reaction-diffusion model in numbers of its lattice, converted from the physical units of a
/// settings file (docs/settings.md says what one holds).
///
/// The method is the MPD-RDME of Roberts, Stone & Luthey-Schulten (J. Comput. Chem. 34, 2013) and
/// Hallock et al. (Parallel Computing 40, 2014): with the spacing λ and the time step τ a particle
/// steps along an axis to either side with q = D τ/λ², and the particles of a site, of volume λ³,
/// react by the chemical master equation.
struct Model {
  std::string name;
  std::vector<std::string> species;
  std::vector<std::string> siteTypes;  ///< siteTypes[0] is "outside": no particle is ever there
  /// Along z, y, x, as axes are in the library, rows first; a settings file says x, y, z.
  std::array<std::int64_t, 3> sites{};
  std::string sitesSetting{};       ///< that setting, for messages
  double spacing = 0;               ///< m
  double timeStep = 0;              ///< s
  std::array<bool, 3> periodic{};   ///< along z, y, x; otherwise reflecting
  std::vector<double> diffusion{};  ///< m²/s of a species: [from][to][species], of site types
  /// q = D τ/λ² of a species for a step along one axis in one direction: [from][to][species];
  /// 0 = reflecting; to or from type 0 is 0.
  std::vector<double> hop{};
  std::vector<std::uint8_t> allowed{};  ///< whether a species may be there: [type][species]
  std::vector<Channel> channels{};
  std::vector<InitialParticles> initial{};
  /// Of each site, z slowest, x fastest; empty = all of them type 1.
  std::vector<std::uint8_t> types{};
  bool atMostOneEvent = false;  ///< Lattice Microbes' rule instead of Gillespie's over τ
  int capacity = 0;             ///< particles that a site must be able to hold
  bool capacityGiven = false;   ///< by the settings; otherwise chosen for the density expected

  std::vector<std::int64_t> siteCounts{};  ///< how many of each type
  std::vector<double> areas{};             ///< m², of each type that is a shell; otherwise 0
  std::vector<std::string> warnings{};     ///< a line each

  /// Reads a settings file, its random obstacles with its seed. Throws SettingsError.
  static Model load(const std::filesystem::path& file);
  /// Reads YAML text; `name` stands for the file. Throws SettingsError.
  static Model parse(std::string_view yaml, const std::string& name);
  /// Reads and checks the section `model` of settings. Throws SettingsError.
  static Model fromSettings(const mass::Settings& settings);

  double hopProbability(int from, int to, int of) const {
    return hop[transitionIndex(from, to, of)];
  }
  bool isAllowed(int of, int type) const {
    return allowed[static_cast<std::size_t>(type) * species.size() +
                   static_cast<std::size_t>(of)] != 0;
  }
  std::int64_t siteCount() const { return sites[0] * sites[1] * sites[2]; }
  /// m³
  double siteVolume() const { return spacing * spacing * spacing; }

  /// What was converted to what, for the start of a run: lines of text.
  std::string report() const;

  /// Where `hop` and `diffusion` hold what is of a species on its way between types.
  std::size_t transitionIndex(int from, int to, int of) const {
    return (static_cast<std::size_t>(from) * siteTypes.size() + static_cast<std::size_t>(to)) *
               species.size() +
           static_cast<std::size_t>(of);
  }
};

}  // namespace rdme
