#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mass/io/color_map.hpp>
#include <mass/io/published_maps.hpp>
#include <mass/support/error.hpp>
#include <numbers>

namespace mass {
namespace {

constexpr std::array<std::string_view, 7> mapNames{"heat",    "ice",     "gray",    "life",
                                                   "viridis", "cividis", "coolwarm"};

using Path = std::array<detail::Oklab, ColorMap::size>;

struct LinearRgb {
  double red, green, blue;
};

/// Applies the transfer function of sRGB (IEC 61966-2-1).
double encode(double linear) {
  return linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
}
/// Inverts the transfer function.
double decode(std::uint8_t channel) {
  const double encoded = channel / 255.0;
  return encoded <= 0.04045 ? encoded / 12.92 : std::pow((encoded + 0.055) / 1.055, 2.4);
}

/// Converts from Oklab to linear sRGB, by the matrices of B. Ottosson, "A perceptual color space
/// for image processing", 2020.
LinearRgb toLinear(const detail::Oklab& color) {
  const auto cube = [](double x) { return x * x * x; };
  const double l = cube(color.lightness + 0.3963377774 * color.a + 0.2158037573 * color.b);
  const double m = cube(color.lightness - 0.1055613458 * color.a - 0.0638541728 * color.b);
  const double s = cube(color.lightness - 0.0894841775 * color.a - 1.2914855480 * color.b);
  return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
          -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

detail::Oklab fromPolar(double lightness, double chroma, double hue) {
  return {lightness, chroma * std::cos(hue), chroma * std::sin(hue)};
}

/// Returns the largest chroma of sRGB at a lightness and hue (radians), by bisection.
double largestChroma(double lightness, double hue) {
  double inside = 0, outside = 0.5;
  for (int i = 0; i < 40; ++i) {
    const double middle = (inside + outside) / 2;
    (inGamut(fromPolar(lightness, middle, hue)) ? inside : outside) = middle;
  }
  return inside;
}

double position(int index) {
  return index / (ColorMap::size - 1.0);
}

using Chromas = std::array<double, ColorMap::size>;

/// Returns a smooth curve below `limit`; its kinks would be visible as edges in a picture. The
/// curve is first bounded by all parabolas of the given curvature with their vertices on `limit`,
/// which rounds the minima; a moving average then rounds the maxima, and a factor scales the curve
/// to below `limit` again.
Chromas smoothBelow(const Chromas& limit, double curvature) {
  constexpr int halfWidth = 20;
  constexpr int last = ColorMap::size - 1;
  Chromas below = limit;
  for (int i = 0; i <= last; ++i) {
    for (int j = 0; j <= last; ++j) {
      const double distance = position(j) - position(i);
      double& chroma = below[static_cast<std::size_t>(i)];
      chroma =
          std::min(chroma, limit[static_cast<std::size_t>(j)] + curvature * distance * distance);
    }
  }
  Chromas smooth{};
  double fit = 1;
  for (int i = 0; i <= last; ++i) {
    double sum = 0;
    for (int j = i - halfWidth; j <= i + halfWidth; ++j) {
      sum += below[static_cast<std::size_t>(std::clamp(j, 0, last))];
    }
    const auto at = static_cast<std::size_t>(i);
    smooth[at] = sum / (2 * halfWidth + 1);
    fit = std::min(fit, limit[at] / smooth[at]);
  }
  for (double& chroma : smooth) chroma *= fit;
  return smooth;
}

/// Returns a path with linear lightness and hue (degrees), and the largest smooth chroma in sRGB.
Path turningPath(double darkest, double lightest, double firstHue, double lastHue,
                 double curvature) {
  std::array<double, ColorMap::size> lightness{}, hue{};
  Chromas limit{};
  for (int i = 0; i < ColorMap::size; ++i) {
    const auto at = static_cast<std::size_t>(i);
    lightness[at] = std::lerp(darkest, lightest, position(i));
    hue[at] = std::lerp(firstHue, lastHue, position(i)) * std::numbers::pi / 180;
    limit[at] = largestChroma(lightness[at], hue[at]);
  }
  const Chromas chroma = smoothBelow(limit, curvature);
  Path path;
  for (std::size_t i = 0; i < path.size(); ++i) {
    path[i] = fromPolar(lightness[i], chroma[i], hue[i]);
  }
  return path;
}

Path straightPath(const detail::Oklab& first, const detail::Oklab& last) {
  Path path;
  for (int i = 0; i < ColorMap::size; ++i) {
    const double t = position(i);
    path[static_cast<std::size_t>(i)] = {std::lerp(first.lightness, last.lightness, t),
                                         std::lerp(first.a, last.a, t),
                                         std::lerp(first.b, last.b, t)};
  }
  return path;
}

Path grayPath() {
  Path path;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const auto level = static_cast<std::uint8_t>(i);
    path[i] = toOklab({level, level, level});
  }
  return path;
}

Path publishedPath(const detail::MapEntries& entries) {
  Path path;
  std::transform(entries.begin(), entries.end(), path.begin(), toOklab);
  return path;
}

/// Colours that people with any deficiency of colour vision tell apart: M. Okabe and K. Ito, "Color
/// Universal Design", 2008.
constexpr std::array<Rgb, 8> okabeIto{{{0, 0, 0},
                                       {230, 159, 0},
                                       {86, 180, 233},
                                       {0, 158, 115},
                                       {240, 228, 66},
                                       {0, 114, 178},
                                       {213, 94, 0},
                                       {204, 121, 167}}};

/// Returns colours of sRGB with different lightness, chroma and hue.
std::vector<detail::Oklab> colorGrid() {
  std::vector<detail::Oklab> colors;
  for (int lightness = 30; lightness <= 95; lightness += 5) {
    for (int chroma = 0; chroma <= 30; chroma += 3) {
      for (int hue = 0; hue < 360; hue += 15) {
        const auto color =
            fromPolar(lightness / 100.0, chroma / 100.0, hue * std::numbers::pi / 180);
        if (inGamut(color)) colors.push_back(color);
      }
    }
  }
  return colors;
}

double squaredDistance(const detail::Oklab& x, const detail::Oklab& y) {
  return std::pow(x.lightness - y.lightness, 2) + std::pow(x.a - y.a, 2) + std::pow(x.b - y.b, 2);
}

}  // namespace

detail::Oklab toOklab(Rgb color) {
  const double red = decode(color.red), green = decode(color.green), blue = decode(color.blue);
  const double l = std::cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const double m = std::cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const double s = std::cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

bool inGamut(const detail::Oklab& color) {
  constexpr double rounding = 1e-6;  // error of the published matrices, which have ten digits
  const auto valid = [](double x) { return x >= -rounding && x <= 1 + rounding; };
  const LinearRgb linear = toLinear(color);
  return valid(linear.red) && valid(linear.green) && valid(linear.blue);
}

Rgb toRgb(const detail::Oklab& color) {
  const auto level = [](double linear) {
    return static_cast<std::uint8_t>(std::lround(encode(std::clamp(linear, 0.0, 1.0)) * 255));
  };
  const LinearRgb linear = toLinear(color);
  return {level(linear.red), level(linear.green), level(linear.blue)};
}

Path colorPath(std::string_view name) {
  if (name == "heat") return turningPath(0.16, 0.97, 295, 465, 1.5);
  if (name == "ice") return turningPath(0.16, 0.97, 300, 195, 0.9);
  if (name == "gray") return grayPath();
  if (name == "life") return straightPath(toOklab({12, 10, 48}), toOklab({255, 226, 130}));
  if (name == "viridis") return publishedPath(detail::viridis());
  if (name == "cividis") return publishedPath(detail::cividis());
  if (name == "coolwarm") return publishedPath(detail::coolwarm());
  throw SettingsError("there is no colour map '{}': choose one of {}", name,
                      fmt::join(mapNames, ", "));
}

ColorMap ColorMap::named(std::string_view name) {
  const Path path = colorPath(name);
  std::array<Rgb, size> entries;
  std::transform(path.begin(), path.end(), entries.begin(), toRgb);
  return ColorMap(entries);
}

std::span<const std::string_view> ColorMap::names() {
  return mapNames;
}

namespace detail {

std::vector<Rgb> qualitativeColors(std::size_t count) {
  std::vector<Rgb> colors(okabeIto.begin(), okabeIto.end());
  if (count <= colors.size()) {
    colors.resize(count);
    return colors;
  }
  const std::vector<Oklab> candidates = colorGrid();
  // Squared distance of each candidate to the nearest of the colours.
  std::vector<double> distances(candidates.size(), std::numeric_limits<double>::max());
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const Oklab chosen = toOklab(colors[i]);
    for (std::size_t j = 0; j < candidates.size(); ++j)
      distances[j] = std::min(distances[j], squaredDistance(candidates[j], chosen));
    if (i + 1 < colors.size()) continue;
    const auto farthest = std::max_element(distances.begin(), distances.end());
    colors.push_back(toRgb(candidates[static_cast<std::size_t>(farthest - distances.begin())]));
  }
  return colors;
}

Rgb blend(Rgb from, Rgb to, double share) {
  const Oklab first = toOklab(from), last = toOklab(to);
  return toRgb({std::lerp(first.lightness, last.lightness, share),
                std::lerp(first.a, last.a, share), std::lerp(first.b, last.b, share)});
}

}  // namespace detail

}  // namespace mass
