#pragma once

#include <mass/io/canvas.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace mass::detail {

/// Lines over one horizontal axis.
struct Plot {
  /// Values at the points of the horizontal axis.
  struct Line {
    std::string name;
    /// One value for each point; NaN and magnitudes above 1e300 leave a gap.
    std::vector<double> values;
  };

  std::string title;
  std::string xLabel;     ///< name and unit of the horizontal axis
  std::vector<double> x;  ///< points of the horizontal axis, finite, ascending
  std::vector<Line> lines;
};

/// Marks of an axis at multiples of 1, 2 or 5 times a power of ten.
class Ticks {
 public:
  /// Chooses the marks of a range.
  /// @param low less than `high` by at least 1e-10 of both magnitudes
  /// @param most largest number of steps between marks, at least 1
  Ticks(double low, double high, int most);

  /// Returns the marks in the range, ascending.
  const std::vector<double>& positions() const { return positions_; }
  /// Returns the text of a mark, with as many digits as all marks need.
  std::string textOf(double position) const;
  /// Returns the number of characters of the longest text.
  std::size_t longestText() const;

 private:
  double step_;
  std::vector<double> positions_;
};

/// Size of a drawn plot in units of a canvas.
constexpr int plotWidth = 800, plotHeight = 500;

/// Draws axes, a legend, and the lines. Of points that share a column of pixels, the first, the
/// last, the lowest and the highest are drawn.
/// @param canvas plotWidth x plotHeight units
void draw(const Plot& plot, Canvas& canvas);

/// Writes a plot as `<base>.svg` and `<base>.png`. Files appear when they are complete.
/// @throws OutputError if a file cannot be written
void writePlot(const Plot& plot, const std::filesystem::path& base);

}  // namespace mass::detail
