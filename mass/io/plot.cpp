#include <mass/io/plot.hpp>

#include <mass/io/atomic_file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace mass::detail {
namespace {

// Sizes in units of a canvas.
constexpr double plotMargin = 20;
constexpr double titleBaseline = 26;
constexpr double legendHeight = 22;  // height of a row
constexpr double sampleWidth = 26;   // length of a line in the legend
constexpr double labelGap = 8;
constexpr double sampleGap = 26;  // between two entries of the legend
constexpr double tickLength = 5;
constexpr double lineWidth = 2;
constexpr Rgb gridColor{225, 225, 225}, axisColor{60, 60, 60};

/// Largest magnitude that is drawn, so that differences do not overflow.
constexpr double largestDrawn = 1e300;

bool isDrawn(double value) {
  return std::abs(value) <= largestDrawn;
}

double widthOf(std::size_t characters) {
  return Canvas::textAdvance * static_cast<double>(characters);
}

/// Returns colours that stand out on white.
std::vector<Rgb> lineColors(std::size_t count) {
  constexpr std::array<std::size_t, 8> order{5, 6, 3, 7, 1, 2, 0, 4};
  const std::vector<Rgb> colors = qualitativeColors(std::max(count, order.size()));
  std::vector<Rgb> ordered;
  for (std::size_t i = 0; i < count; ++i)
    ordered.push_back(colors[i < order.size() ? order[i] : i]);
  return ordered;
}

/// Values that an axis shows.
struct Range {
  double low = std::numeric_limits<double>::max();
  double high = std::numeric_limits<double>::lowest();

  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool isEmpty() const { return low > high; }

  /// Returns a range that is not too narrow for an axis, with a share of its length added at both
  /// ends.
  Range padded(double share) const {
    if (isEmpty()) return {0, 1};
    const double magnitude = std::max(std::abs(low), std::abs(high));
    if (high - low > 1e-9 * magnitude) {
      const double pad = share * (high - low);
      return {low - pad, high + pad};
    }
    const double pad = magnitude > 0 ? magnitude / 10 : 1;
    return {low - pad, high + pad};
  }
};

Range rangeOf(const std::vector<double>& values) {
  Range range;
  for (const double value : values)
    if (isDrawn(value)) range.add(value);
  return range;
}

/// Position of an axis on the canvas.
struct Axis {
  Range range;
  double from, to;  ///< coordinates of the ends of the range

  double operator()(double value) const {
    return from + (value - range.low) / (range.high - range.low) * (to - from);
  }
};

/// Returns the points of a piece of a line that change pixels; see draw().
/// @param points ascending in x
std::vector<CanvasPoint> thinned(const std::vector<CanvasPoint>& points) {
  const auto columnOf = [](const CanvasPoint& point) {
    return std::floor(point.x * RasterCanvas::resolution);
  };
  const auto isLower = [](const CanvasPoint& a, const CanvasPoint& b) { return a.y < b.y; };
  std::vector<CanvasPoint> kept;
  for (auto first = points.begin(); first != points.end();) {
    const auto end = std::find_if(first, points.end(), [&](const CanvasPoint& point) {
      return columnOf(point) != columnOf(*first);
    });
    auto [lowest, highest] = std::minmax_element(first, end, isLower);
    if (highest < lowest) std::swap(lowest, highest);
    auto last = points.end();
    for (const auto& point : {first, lowest, highest, end - 1}) {
      if (point != last) kept.push_back(*point);
      last = point;
    }
    first = end;
  }
  return kept;
}

/// Draws a plot.
class Painter {
 public:
  Painter(const Plot& plot, Canvas& canvas)
      : plot_(plot), canvas_(canvas), colors_(lineColors(plot.lines.size())) {}

  void paint() {
    canvas_.text({plotMargin, titleBaseline}, plot_.title, Anchor::left);
    const double top = paintLegend() + 2 * labelGap;
    const double bottom = plotHeight - plotMargin - 4 * Canvas::textHeight - labelGap;
    const Range values = valueRange().padded(0.04);
    const Ticks valueTicks(values.low, values.high, 8);
    const double left = plotMargin + widthOf(valueTicks.longestText()) + tickLength + labelGap;
    const Axis x{rangeOf(plot_.x).padded(0), left, plotWidth - 2 * plotMargin};
    const Axis y{values, bottom, top};
    paintAxes(x, y, valueTicks);
    for (std::size_t i = 0; i < plot_.lines.size(); ++i)
      paintLine(x, y, plot_.lines[i].values, colors_[i]);
  }

 private:
  /// Draws a sample and the name of each line, in rows.
  /// @return the lower end of the last row
  double paintLegend() {
    double left = plotMargin, baseline = titleBaseline + legendHeight;
    for (std::size_t i = 0; i < plot_.lines.size(); ++i) {
      const std::string& name = plot_.lines[i].name;
      const double width = sampleWidth + labelGap + widthOf(name.size());
      if (left > plotMargin && left + width > plotWidth - plotMargin) {
        left = plotMargin;
        baseline += legendHeight;
      }
      const double middle = baseline - Canvas::textHeight / 2;
      const std::array<CanvasPoint, 2> sample{{{left, middle}, {left + sampleWidth, middle}}};
      canvas_.line(sample, colors_[i], 2 * lineWidth);
      canvas_.text({left + sampleWidth + labelGap, baseline}, name, Anchor::left);
      left += width + sampleGap;
    }
    return baseline;
  }

  Range valueRange() const {
    Range all;
    for (const Plot::Line& line : plot_.lines) {
      const Range range = rangeOf(line.values);
      if (range.isEmpty()) continue;
      all.add(range.low);
      all.add(range.high);
    }
    return all;
  }

  /// Returns as many marks of the horizontal axis as have room side by side.
  static Ticks horizontalTicks(const Axis& x) {
    int most = 10;
    Ticks ticks(x.range.low, x.range.high, most);
    const auto needed = [&] { return most * widthOf(ticks.longestText() + 2); };
    while (most > 2 && needed() > x.to - x.from) ticks = Ticks(x.range.low, x.range.high, --most);
    return ticks;
  }

  void paintAxes(const Axis& x, const Axis& y, const Ticks& valueTicks) {
    const auto straight = [&](CanvasPoint from, CanvasPoint to, Rgb color) {
      const std::array<CanvasPoint, 2> ends{from, to};
      canvas_.line(ends, color, 1);
    };
    for (const double value : valueTicks.positions()) {
      const double at = y(value);
      straight({x.from, at}, {x.to, at}, gridColor);
      straight({x.from - tickLength, at}, {x.from, at}, axisColor);
      canvas_.text({x.from - tickLength - labelGap / 2, at + Canvas::textHeight / 2},
                   valueTicks.textOf(value), Anchor::right);
    }
    const double below = y.from + tickLength + labelGap / 2 + Canvas::textHeight;
    const Ticks ticks = horizontalTicks(x);
    for (const double value : ticks.positions()) {
      const double at = x(value);
      straight({at, y.from}, {at, y.to}, gridColor);
      straight({at, y.from}, {at, y.from + tickLength}, axisColor);
      canvas_.text({at, below}, ticks.textOf(value), Anchor::middle);
    }
    straight({x.from, y.from}, {x.to, y.from}, axisColor);
    straight({x.from, y.from}, {x.from, y.to}, axisColor);
    canvas_.text({(x.from + x.to) / 2, below + 2 * Canvas::textHeight}, plot_.xLabel,
                 Anchor::middle);
  }

  void paintLine(const Axis& x, const Axis& y, const std::vector<double>& values, Rgb color) {
    std::vector<CanvasPoint> piece;
    const auto paintPiece = [&] {
      if (!piece.empty()) canvas_.line(thinned(piece), color, lineWidth);
      piece.clear();
    };
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (isDrawn(values[i])) {
        piece.push_back({x(plot_.x[i]), y(values[i])});
      } else {
        paintPiece();
      }
    }
    paintPiece();
  }

  const Plot& plot_;
  Canvas& canvas_;
  std::vector<Rgb> colors_;
};

/// Returns the smallest step of 1, 2 or 5 times a power of ten that is at least `smallest`.
double roundStep(double smallest) {
  const double power = std::pow(10, std::floor(std::log10(smallest)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= smallest * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

}  // namespace

Ticks::Ticks(double low, double high, int most) : step_(roundStep((high - low) / most)) {
  constexpr double rounding = 1e-6;  // share of a step
  const double last = std::floor(high / step_ + rounding);
  for (double i = std::ceil(low / step_ - rounding); i <= last; ++i)
    positions_.push_back(i * step_);
}

std::string Ticks::textOf(double position) const {
  constexpr double mostPlain = 1e7, leastPlain = 1e-4;
  if (std::abs(position) < step_ / 2) return "0";
  const double largest = std::max(std::abs(positions_.front()), std::abs(positions_.back()));
  const double exponent = std::floor(std::log10(step_) + 1e-9);
  if (largest < mostPlain && step_ >= leastPlain)
    return fmt::format("{:.{}f}", position, std::max(0, static_cast<int>(-exponent)));
  const double digits = std::floor(std::log10(std::abs(position)) + 1e-9) - exponent + 1;
  return fmt::format("{:.{}g}", position, std::max(1, static_cast<int>(digits)));
}

std::size_t Ticks::longestText() const {
  std::size_t longest = 0;
  for (const double position : positions_) longest = std::max(longest, textOf(position).size());
  return longest;
}

void draw(const Plot& plot, Canvas& canvas) {
  Painter(plot, canvas).paint();
}

void writePlot(const Plot& plot, const std::filesystem::path& base) {
  SvgCanvas svg(plotWidth, plotHeight);
  draw(plot, svg);
  publishAtomically(base.string() + ".svg", svg.file());
  RasterCanvas raster(plotWidth, plotHeight);
  draw(plot, raster);
  writePng(base.string() + ".png", raster.image());
}

}  // namespace mass::detail
