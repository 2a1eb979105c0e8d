#include <apps/rdme/geometry/placed_body.hpp>

#include <mass/mass.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

namespace rdme {
namespace {

constexpr double um3 = 1e-18, nm = 1e-9;

double volumeOf(const PlacedBody& body, std::int64_t sites) {
  return static_cast<double>(sites) * body.spacing * body.spacing * body.spacing;
}

/// Returns the volume of the layer that the shell represents, m³.
double layerOf(const PlacedBody& body) {
  return body.shape.layerVolume(body.thickness * body.spacing, body.spans);
}

std::string difference(const PlacedBody& body, std::string_view subject, std::int64_t sites,
                       double own) {
  const double volume = volumeOf(body, sites);
  return fmt::format(
      "{}: {} has {} sites, {:.4g} um3, {:.3g} % {} than its own volume, {:.4g} um3: reduce the "
      "spacing",
      body.name, subject, sites, volume / um3, std::abs(volume / own - 1) * 100,
      volume > own ? "more" : "less", own / um3);
}

/// Returns the smallest extent of a body along an axis, m.
double thinnest(const SolidShape& shape) {
  return 2 * *std::min_element(shape.half.begin(), shape.half.end());
}

/// Smallest and largest depth of a shell, averaged over all directions, in layers.
struct DepthRange {
  double low, high;
};

DepthRange depthRange(Connectivity connectivity) {
  return connectivity == Connectivity::all ? DepthRange{1, 1.5} : DepthRange{0.83, 1};
}

std::vector<std::string> shellWarnings(const PlacedBody& body) {
  if (body.thickness == 0) return {};
  if (body.shellSites == body.sites && body.insideType != body.shellType)
    return {fmt::format(
        "{}: its shell, '{}', takes all of its {} sites, so none is '{}': reduce the thickness of "
        "the shell or the spacing",
        body.name, body.shellType, body.sites, body.insideType)};
  const double layer = layerOf(body), volume = volumeOf(body, body.shellSites);
  const auto [low, high] = depthRange(body.connectivity);
  if (!differByAFifth(std::clamp(volume, low * layer, high * layer), volume)) return {};
  return {difference(body, "its shell", body.shellSites, layer)};
}

}  // namespace

bool differByAFifth(double a, double b) {
  constexpr double rounding = 1e-9;
  return std::min(a, b) < 0.8 * (1 - rounding) * std::max(a, b);
}

std::string describe(const PlacedBody& body) {
  auto text = fmt::format("{}: {} sites, {:.4g} um3; its own volume is {:.4g} um3", body.name,
                          body.sites, volumeOf(body, body.sites) / um3, body.shape.volume() / um3);
  if (body.thickness > 0)
    text += fmt::format("; its shell has {} sites, {:.4g} um3; a layer of {:.4g} nm has {:.4g} um3",
                        body.shellSites, volumeOf(body, body.shellSites) / um3,
                        body.thickness * body.spacing / nm, layerOf(body) / um3);
  return text;
}

std::vector<std::string> warningsOf(const PlacedBody& body) {
  constexpr double rounding = 1e-9;
  std::vector<std::string> warnings;
  if (differByAFifth(volumeOf(body, body.sites), body.shape.volume()))
    warnings.push_back(difference(body, "the body", body.sites, body.shape.volume()));
  if (const double width = thinnest(body.shape); width < body.spacing * (1 - rounding))
    warnings.push_back(fmt::format(
        "{}: the body is {:.4g} nm thin, less than a site of {:.4g} nm: reduce the spacing",
        body.name, width / nm, body.spacing / nm));
  for (std::string& warning : shellWarnings(body)) warnings.push_back(std::move(warning));
  return warnings;
}

}  // namespace rdme
