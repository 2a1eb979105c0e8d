#pragma once

#include <mass/mass.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace rdme {

/// Number of particles in each layer of a lattice along z, over time. Times are equidistant.
struct Kymograph {
  std::vector<double> times;                ///< s
  std::vector<std::vector<double>> layers;  ///< particles: [time][layer]
  /// First layer of each device but the first, by time; the list of a time is empty if unknown.
  std::vector<std::vector<std::int64_t>> cuts;

  /// Reads the columns "<prefix>0", "<prefix>1", ... of the table of a run, and its steps.
  /// @param timeStep length of a step, s
  /// @throws mass::InputError if the table has no such columns
  static Kymograph read(const std::filesystem::path& table, const std::string& prefix,
                        double timeStep);
  /// Reads `cuts` from the table of the load balancer (columns "rows.0", "rows.1", ...).
  /// @param timeStep length of a step, s
  /// @param every number of steps that each row covers, up to its own step
  /// @throws mass::InputError if the table has no such columns
  void readCuts(const std::filesystem::path& table, double timeStep, std::int64_t every);
};

/// Period of an oscillation.
struct Period {
  double mean = 0;         ///< s
  double spread = 0;       ///< standard deviation of the cycles, s
  std::size_t cycles = 0;  ///< 0 if no oscillation was found
};

/// Measures the oscillation of the share of particles in the upper half of the layers. A cycle is
/// the time between two upward crossings of 1/2, interpolated linearly. A crossing counts if,
/// since the last one that counted, the share was below 1/2 - `swing`.
/// @param from time at which the measurement starts, s
/// @param swing minimum amplitude, 0 to 1/2
Period oscillationPeriod(const Kymograph& kymograph, double from, double swing = 0.1);

/// Draws a kymograph to a PNG file, time to the right and z upwards (figures 8 and 10 of Hallock et
/// al. 2014). Colors are particles per site of a layer, from 0 to the largest value; layers without
/// sites are 0. Cuts between devices are drawn if known. If there are more times than columns of a
/// picture, each column is the mean over several.
/// @param sites number of sites in each layer
void writeKymograph(const Kymograph& kymograph, const std::vector<double>& sites,
                    const std::filesystem::path& file);

}  // namespace rdme
