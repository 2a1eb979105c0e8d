#include <apps/seismic/parameters.hpp>

#include <apps/seismic/differences.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>

namespace seismic {
namespace {

mass::Shape<3> shapeOf(const mass::Settings& settings) {
  const auto cells = settings.get<std::vector<double>>("cells");
  if (cells.size() != 3)
    settings.reject(
        "cells", fmt::format("has {} numbers; give those of cells along x, y and z", cells.size()));
  mass::Shape<3> shape{};
  for (std::size_t i = 0; i < 3; ++i) {
    if (cells[i] != std::floor(cells[i]) || cells[i] > 1 << 20)
      settings.reject("cells", "the numbers of cells must be integers up to 1048576");
    shape[2 - static_cast<int>(i)] = static_cast<std::int64_t>(cells[i]);
  }
  return shape;
}

/// Returns the place nearest to a point, or the reason for which there is none.
/// @param point x, y, z in m
std::string placeOf(const std::vector<double>& point, const Parameters& parameters,
                    mass::Coordinates<3>& place) {
  if (point.size() != 3) return fmt::format("has {} numbers, not x, y and z", point.size());
  for (int axis = 0; axis < 3; ++axis) {
    const auto i = static_cast<std::size_t>(2 - axis);
    const double last = static_cast<double>(parameters.shape[axis] - 1);
    constexpr double rounding = 1e-6;  // share of the spacing
    const double number = point[i] / parameters.spacing;
    if (!(number >= -rounding && number <= last + rounding))
      return fmt::format("it is outside of the world: {} is {} m, not 0 to {} m", "xyz"[i],
                         point[i], last * parameters.spacing);
    place[axis] = static_cast<std::int64_t>(std::round(number));
  }
  return {};
}

/// @throws mass::SettingsError if a source in a fluid is no explosion
void requireSolid(const mass::Settings& settings, const Parameters& parameters,
                  const SourceParameters& source) {
  if (source.isExplosion()) return;
  mass::Coordinates<3> at{};  // a component off the diagonal has points in the places before
  for (at[0] = source.place[0] - 1; at[0] <= source.place[0] + 1; ++at[0])
    for (at[1] = source.place[1] - 1; at[1] <= source.place[1] + 1; ++at[1])
      for (at[2] = source.place[2] - 1; at[2] <= source.place[2] + 1; ++at[2]) {
        mass::Coordinates<3> place{};
        for (int axis = 0; axis < 3; ++axis)
          place[axis] = std::clamp<std::int64_t>(at[axis], 0, parameters.shape[axis] - 1);
        if (parameters.ground.at(place).vs > 0) continue;
        settings.reject("source.tensor",
                        "has components that a fluid does not bear, and the source is in one or "
                        "beside it: give an explosion, [1, 1, 1, 0, 0, 0], or move the source");
      }
}

SourceParameters sourceOf(const mass::Settings& settings, const Parameters& parameters) {
  SourceParameters source;
  auto position = settings.get<std::vector<double>>("source.position");
  if (position.empty()) {
    for (int axis = 2; axis >= 0; --axis)
      position.push_back(static_cast<double>(parameters.shape[axis] / 2) * parameters.spacing);
  }
  if (const std::string reason = placeOf(position, parameters, source.place); !reason.empty())
    settings.reject("source.position", reason);
  source.tensor = settings.get<std::vector<double>>("source.tensor");
  if (source.tensor.size() != 6)
    settings.reject("source.tensor", fmt::format("has {} numbers; give xx, yy, zz, xy, xz and yz",
                                                 source.tensor.size()));
  requireSolid(settings, parameters, source);
  source.momentRate = settings.get<double>("source.moment_rate");
  source.frequency = settings.get<double>("source.frequency");
  source.delay = settings.get<double>("source.delay");
  if (source.delay == 0) source.delay = 1.5 / source.frequency;
  return source;
}

std::vector<Receiver> receiversOf(const mass::Settings& settings, const Parameters& parameters) {
  std::vector<Receiver> receivers;
  const mass::ConfigNode& tree = settings.tree("receivers");
  for (const mass::ConfigNode& item : tree.entries()) {
    std::vector<double> point;
    for (const mass::ConfigNode& number : item.items()) point.push_back(number.number());
    Receiver receiver{item.key()};
    if (const std::string reason = placeOf(point, parameters, receiver.place); !reason.empty())
      item.reject(reason);
    receivers.push_back(receiver);
  }
  return receivers;
}

/// Sets the time step. @throws mass::SettingsError if it is unstable
void setTimeStep(const mass::Settings& settings, Parameters& parameters) {
  const double largest = largestCourant * parameters.spacing / parameters.ground.fastest();
  parameters.timeStep = settings.get<double>("time_step");
  if (parameters.timeStep == 0) parameters.timeStep = 0.9 * largest;
  // Decimals of the largest step may round up.
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  if (parameters.courant() <= largestCourant * (1 + rounding)) return;
  settings.reject("time_step",
                  fmt::format("vp time_step / spacing = {} is above 6 / (7 sqrt(3)) = {:.6g}, and "
                              "the method is unstable: the largest stable time_step is {}",
                              parameters.courant(), largestCourant, largest));
}

/// @throws mass::SettingsError if sponges leave no cell of an axis
void requireCellsBetweenSponges(const mass::Settings& settings, const Parameters& parameters) {
  for (int axis = 0; axis < 3; ++axis) {
    if (parameters.isPeriodic(axis)) continue;
    const std::int64_t ends = axis == 0 && parameters.top == "free" ? 1 : 2;
    if (parameters.shape[axis] > ends * parameters.spongeWidth) continue;
    settings.reject(
        "sponge.width",
        fmt::format("the sponges fill the {} cells along {}: use more cells or a "
                    "width of at most {}",
                    parameters.shape[axis], "zyx"[axis], (parameters.shape[axis] - 1) / ends));
  }
}

}  // namespace

bool SourceParameters::isExplosion() const {
  return tensor[0] == tensor[1] && tensor[1] == tensor[2] && tensor[3] == 0 && tensor[4] == 0 &&
         tensor[5] == 0;
}

double SourceParameters::rateAt(double time) const {
  const double a = std::numbers::pi * frequency * (time - delay);
  const double fall = std::exp(-a * a);
  return fall == 0 ? 0 : momentRate * (1 - 2 * a * a) * fall;  // a * a may be infinite
}

double SourceParameters::end() const {
  return delay + 1.5 / frequency;
}

Parameters::Parameters(const mass::Settings& settings)
    : shape(shapeOf(settings)),
      spacing(settings.get<double>("spacing")),
      ground(settings, shape, spacing),
      top(settings.get<std::string>("top")),
      sides(settings.get<std::string>("sides")),
      spongeWidth(settings.get<std::int64_t>("sponge.width")),
      spongeDamping(settings.get<double>("sponge.damping")),
      keepsMotion(settings.get<bool>("motion")) {
  setTimeStep(settings, *this);
  requireCellsBetweenSponges(settings, *this);
  source = sourceOf(settings, *this);
  receivers = receiversOf(settings, *this);
}

std::vector<double> Parameters::sponge() const {
  std::vector<double> factors;
  for (int axis = 0; axis < 3; ++axis) {
    for (std::int64_t i = 0; i < shape[axis]; ++i) {
      const bool hasFirst = !isPeriodic(axis) && (axis != 0 || top == "absorbing");
      std::int64_t depth = 0;  // cells into the sponge
      if (hasFirst) depth = std::max(depth, spongeWidth - i);
      if (!isPeriodic(axis)) depth = std::max(depth, spongeWidth - (shape[axis] - 1 - i));
      const double share =
          depth == 0 ? 0 : static_cast<double>(depth) / static_cast<double>(spongeWidth);
      factors.push_back(std::pow(spongeDamping, share * share));
    }
  }
  return factors;
}

std::string Parameters::report() const {
  const auto [z, y, x] = shape.values;
  const auto metres = [&](const mass::Coordinates<3>& place) {
    const auto along = [&](int axis) { return static_cast<double>(place[axis]) * spacing; };
    return fmt::format("x {:.6g} m, y {:.6g} m, {:.6g} m deep", along(2), along(1), along(0));
  };
  std::string text = fmt::format(
      "  grid        {} x {} x {} cells of {:.6g} m, steps of {:.6g} s, vp dt / h = {:.4g}\n", x, y,
      z, spacing, timeStep, courant());
  text += ground.report();
  text += fmt::format("  source      {}, {:.6g} Hz, {:.3g} cells per shortest wavelength\n",
                      metres(source.place), source.frequency, cellsPerWavelength());
  for (const Receiver& receiver : receivers)
    text += fmt::format("  receiver    {}: {}\n", receiver.name, metres(receiver.place));
  if (cellsPerWavelength() < 5) {
    text += fmt::format(
        "  WARNING: the shortest wavelength, {:.4g} m of {:.4g} Hz at {:.6g} m/s, spans {:.3g} "
        "cells, and needs 5: use a spacing of at most {:.4g} m, or a source.frequency of at most "
        "{:.4g} Hz\n",
        ground.slowest() / source.highestFrequency(), source.highestFrequency(), ground.slowest(),
        cellsPerWavelength(), spacing * cellsPerWavelength() / 5,
        source.frequency * cellsPerWavelength() / 5);
  }
  return text;
}

}  // namespace seismic
