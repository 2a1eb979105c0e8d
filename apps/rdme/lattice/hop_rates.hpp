#pragma once

#include <apps/rdme/geometry/site_neighbors.hpp>
#include <apps/rdme/model/model.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace rdme {

/// Rates of hops between the sites of a model under the clock of events, 1/s.
class HopRates {
 public:
  /// @param model must outlive this
  explicit HopRates(const Model& model);

  /// Returns the rate of a species between any adjacent sites; none if it depends on the sites.
  std::optional<double> uniform(int species) const;
  /// Returns the rate of a species from a site to an adjacent one.
  double between(int species, const mass::Coordinates<3>& from,
                 const mass::Coordinates<3>& to) const;
  /// Returns the rate at which a particle of a species leaves a site.
  /// @param index row-major index of the site
  double from(int species, std::int64_t index) const;
  /// Returns the largest rate at which a particle leaves a site.
  double largest() const;

 private:
  int typeAt(const mass::Coordinates<3>& site) const;

  const Model* model_;
  std::vector<SiteIndex> offsets_;  ///< to adjacent sites
  std::vector<int> types_;          ///< types of sites in which some species may be
};

/// Returns the row-major indices of the sites in which some species may be.
std::vector<std::int64_t> usedSites(const Model& model);

}  // namespace rdme
