#pragma once

#include <mass/mass.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace rdme {

/// What a column of the current row of a table says.
double valueAt(const mass::CsvReader& reader, std::size_t column);

/// Numbers of particles in the layers of a lattice along z, at times that are equally far apart.
struct Kymograph {
  std::vector<double> times;                ///< s
  std::vector<std::vector<double>> layers;  ///< by time, by layer
  /// By time, the first layers of devices other than the first; empty where unknown.
  std::vector<std::vector<std::int64_t>> cuts;

  /// Reads columns "<prefix>0", "<prefix>1", ... of a table of a run, and its steps.
  /// @throws mass::InputError when there are none.
  static Kymograph read(const std::filesystem::path& table, const std::string& prefix,
                        double timeStep);
  /// Adds the cuts from the table of a run's balance (columns "rows.0", "rows.1", ...), each row
  /// of which is about the `every` steps up to its own.
  void readCuts(const std::filesystem::path& table, double timeStep, std::int64_t every);
};

/// How long something takes to swing from one end to the other and back.
struct Period {
  double mean = 0;    ///< s
  double spread = 0;  ///< standard deviation of the single ones, s
  std::size_t cycles = 0;
};

/// The period of the share of particles in the upper half of the layers: the times between its
/// rises through one half, each of which counts when it has fallen below `half - swing` before.
/// `from` seconds are left out at first. Times of rises are interpolated.
Period periodOf(const Kymograph& course, double from, double swing = 0.1);

/// Paints the course, time to the right and z upwards: particles in a layer by `sites` in it
/// (figures 8 and 10 of Hallock et al. 2014), from 0 to the largest value, and where the cuts
/// between devices are, if that is known. Layers without sites are 0. Of more times than a picture
/// has room for, means over some are painted.
void writeKymograph(const Kymograph& whole, const std::vector<double>& sites,
                    const std::filesystem::path& file);

}  // namespace rdme
