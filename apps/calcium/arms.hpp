#pragma once

#include <mass/mass.hpp>

#include <cstdint>
#include <vector>

namespace calcium {

/// Three cylinders with round ends that meet at angles of 120 degrees at the centre of a site, in a
/// plane of a box of cubic sites. A site belongs to the cylinder to whose axis its cube is nearest,
/// if the cylinder touches the cube.
class Arms {
 public:
  /// @param length length of the axis of a cylinder in um
  /// @param diameter um @param spacing edge of a site in um
  Arms(double length, double diameter, double spacing);

  const mass::Shape<3>& shape() const { return shape_; }
  /// Returns the arm, 0 to 2, of a site; -1 if it belongs to none.
  std::int8_t at(const mass::Coordinates<3>& site) const;
  /// Returns the row-major indices of the sites of all arms, ascending.
  const std::vector<std::int64_t>& indices() const { return indices_; }
  /// Returns the number of sites of an arm.
  std::int64_t sites(int arm) const { return sites_[arm]; }
  /// Returns the number of sites of all arms.
  std::int64_t sites() const { return sites_[0] + sites_[1] + sites_[2]; }

 private:
  std::int8_t touching(const mass::Coordinates<3>& site) const;

  double length_, radius_;  ///< in sites
  mass::Shape<3> shape_;
  double joint_[3];  ///< common end of the axes, in sites: z, y, x
  std::vector<std::int8_t> arms_;
  std::vector<std::int64_t> indices_;
  std::int64_t sites_[3] = {};
};

}  // namespace calcium
