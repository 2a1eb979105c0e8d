#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace calcium {

/// Calcium in the cytosol by time and site.
struct Profile {
  std::vector<double> times;                   ///< ms
  std::vector<std::vector<double>> calcium{};  ///< uM

  /// Reads the columns "time" and "Ca.0", "Ca.1", ... of a table.
  /// @throws mass::InputError if it has no such columns
  static Profile read(const std::filesystem::path& table);
  /// Returns the largest concentration at a time after `from`; 0 if there is none.
  double largest(double from) const;
};

/// Returns means over the sites at a distance of at most `reach`; fewer at the ends.
std::vector<double> meansOver(std::span<const double> values, std::int64_t reach);

/// Front of a wave that leaves the middle.
struct Front {
  double speed = 0;        ///< um/s; 0 unless it has passed all sites
  std::size_t passed = 0;  ///< number of sites between 15 and 80 % of the way that it has passed
  std::size_t sites = 0;   ///< number of sites there

  bool hasPassed() const { return sites >= 2 && passed == sites; }
};

/// Front of the wave to the left and to the right.
struct Fronts {
  Front left, right;

  /// Returns "front left 97.3 um/s, right 95 um/s".
  std::string text() const;
};

/// Definition of a front.
struct FrontRule {
  double spacing;      ///< edge of a site in um
  double from;         ///< time of the injection in ms
  double level;        ///< uM
  std::int64_t reach;  ///< sites on each side over which means are taken
};

/// Returns the positions of the outermost sites whose means exceed the level, as distances from
/// the middle in um, to the left and to the right. 0: none.
std::pair<double, double> frontsAt(std::span<const double> calcium, const FrontRule& rule);

/// Measures the speed on each side: least squares of the distance from the middle over the time of
/// the first passage, for sites between 15 and 80 % of the way to the end. A site is passed when
/// its mean first exceeds the level, interpolated linearly between times.
Fronts measureFronts(const Profile& profile, const FrontRule& rule);

/// Draws calcium by time, to the right, and site, upwards, from 0 to the last colour's value.
/// @param most value of the last colour in uM; 0: the largest
/// @throws mass::OutputError if the file cannot be written
void writeSpaceTime(const Profile& profile, double most, const std::filesystem::path& file);

}  // namespace calcium
