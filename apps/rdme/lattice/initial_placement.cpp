#include <apps/rdme/lattice/initial_placement.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace rdme {
namespace {

/// Returns the indices of the sites of some types.
std::vector<std::int64_t> sitesOfTypes(const Model& model, const std::vector<int>& types) {
  std::array<bool, 256> wanted{};
  for (const int type : types) wanted[static_cast<std::size_t>(type)] = true;
  std::vector<std::int64_t> sites;
  for (std::size_t i = 0; i < model.types.size(); ++i) {
    if (wanted[model.types[i]]) sites.push_back(static_cast<std::int64_t>(i));
  }
  return sites;
}

/// Number of particles in each site.
class Occupancy {
 public:
  /// @param capacity particles that a site stores; above 65535: any number
  Occupancy(std::int64_t sites, int capacity)
      : counts_(capacity > most ? 0 : static_cast<std::size_t>(sites)), capacity_(capacity) {}
  /// Adds a particle to a site; returns false if the site is full.
  bool add(std::int64_t site) {
    if (counts_.empty()) return true;
    auto& count = counts_[static_cast<std::size_t>(site)];
    if (count >= capacity_) return false;
    ++count;
    return true;
  }

 private:
  static constexpr int most = 65535;

  std::vector<std::uint16_t> counts_;
  int capacity_;
};

}  // namespace

std::vector<std::uint64_t> stimulusPlacement(const Stimulus& stimulus, std::uint32_t number,
                                             std::uint64_t seed) {
  mass::Random random({.seed = seed, .index = number, .call = 254});
  std::vector<std::uint64_t> list;
  const auto sites = static_cast<double>(stimulus.sites.size());
  for (std::int64_t i = 0; i < stimulus.count; ++i) {
    const auto choice = static_cast<std::size_t>(random.uniform<double>() * sites);
    list.push_back(static_cast<std::uint64_t>(stimulus.sites[choice]) << 8 |
                   static_cast<std::uint64_t>(stimulus.species + 1));
  }
  std::sort(list.begin(), list.end());
  return list;
}

std::vector<std::uint64_t> initialPlacement(const Model& model, std::uint64_t seed, int capacity) {
  std::vector<std::uint64_t> list;
  Occupancy occupancy(model.siteCount(), capacity);
  constexpr std::uint32_t streams = 256;
  std::uint32_t number = 0;
  for (const InitialParticles& initial : model.initial) {
    mass::Random random(
        {.seed = seed, .index = number / streams, .call = 255, .stream = number % streams});
    ++number;
    const bool anywhere = model.types.empty();  // all sites have type 1
    const auto sites =
        anywhere ? std::vector<std::int64_t>{} : sitesOfTypes(model, initial.siteTypes);
    const std::int64_t choices =
        anywhere ? model.siteCount() : static_cast<std::int64_t>(sites.size());
    const auto place = [&](std::int64_t choice) {
      const std::int64_t site = anywhere ? choice : sites[static_cast<std::size_t>(choice)];
      if (!occupancy.add(site)) return false;
      list.push_back(static_cast<std::uint64_t>(site) << 8 |
                     static_cast<std::uint64_t>(initial.species + 1));
      return true;
    };
    std::int64_t misses = 0;
    for (std::int64_t placed = 0; placed < initial.count;) {
      if (choices == 0 || misses > (initial.isEven ? 0 : 1000 + 100 * initial.count)) {
        throw mass::InputError("{}{}no room for {} particles of {} in {} sites, which hold {} each",
                               initial.where, initial.where.empty() ? "" : ": ", initial.count,
                               model.species[static_cast<std::size_t>(initial.species)], choices,
                               capacity);
      }
      const double drawn = initial.isEven ? 0 : random.uniform<double>();
      const bool isPlaced =
          place(initial.isEven ? placed % choices
                               : static_cast<std::int64_t>(drawn * static_cast<double>(choices)));
      placed += isPlaced ? 1 : 0;
      misses += isPlaced ? 0 : 1;
    }
  }
  std::sort(list.begin(), list.end());
  return list;
}

}  // namespace rdme
