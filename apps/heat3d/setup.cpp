#include <apps/heat3d/block.hpp>
#include <apps/heat3d/setup.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

namespace heat3d {
namespace {

Faces facesOf(const mass::Settings& settings) {
  const auto name = settings.get<std::string>("faces");
  if (name == "insulated") return Faces::insulated;
  return name == "fixed" ? Faces::fixed : Faces::periodic;
}

void requireStability(const mass::Settings& settings, const Parameters& parameters) {
  // r is rounded: it may be a little above the limit for settings that make it equal in decimals.
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  const double largest = largestRate(parameters.order);
  if (parameters.r() <= largest * (1 + rounding)) return;
  settings.reject(
      "time_step",
      fmt::format("r = diffusivity time_step / spacing^2 = {} is above {:.6g}, the limit of order "
                  "{}, and the method is unstable: the largest stable time_step is {}",
                  parameters.r(), largest, parameters.order,
                  largest * (parameters.spacing * parameters.spacing) / parameters.diffusivity));
}

void requireMode(const mass::Settings& settings, const Parameters& parameters) {
  if (parameters.faces == Faces::fixed && parameters.faceTemperature != 0) {
    settings.reject("face_temperature",
                    "the sine mode is a solution for faces at 0 only: set it to 0, or "
                    "faces=insulated or periodic");
  }
  const char* const keys[] = {"planes", "rows", "columns"};
  for (int axis = 0; axis < 3; ++axis) {
    if (parameters.shape[axis] < 2)
      settings.reject(keys[axis], "a mode needs at least 2 places along each axis");
  }
}

}  // namespace

Parameters::Parameters(const mass::Settings& settings)
    : shape{settings.get<std::int64_t>("planes"), settings.get<std::int64_t>("rows"),
            settings.get<std::int64_t>("columns")},
      order(settings.get<int>("order")),
      isFloat(settings.get<std::string>("precision") == "float"),
      diffusivity(settings.get<double>("diffusivity")),
      spacing(settings.get<double>("spacing")),
      timeStep(settings.get<double>("time_step")),
      faces(facesOf(settings)),
      faceTemperature(settings.get<double>("face_temperature")),
      isMode(settings.get<std::string>("start") == "mode"),
      ballTemperature(settings.get<double>("ball_temperature")),
      ballRadius(settings.get<double>("ball_radius")) {
  if (order % 2 != 0)
    settings.reject("order", "central differences have an even order: 2, 4, 6 or 8");
  requireStability(settings, *this);
  if (isMode) requireMode(settings, *this);
}

double Parameters::decay(std::int64_t steps) const {
  double k = 0;
  for (const std::int64_t places : shape.values)
    k += diffusivity * std::pow(mode().waveNumber(places) / spacing, 2);
  return std::exp(-k * timeStep * static_cast<double>(steps));
}

std::pair<double, double> Parameters::temperatureRange() const {
  if (isMode) return {faces == Faces::fixed ? 0 : -1, 1};
  return std::minmax({0.0, ballTemperature, faces == Faces::fixed ? faceTemperature : 0.0});
}

void setUp(mass::Mass& mass, mass::Simulation& run) {
  const Parameters parameters(mass.settings());
  if (parameters.faces == Faces::fixed && parameters.order > 2) {
    run.describe(
        fmt::format("  note        at fixed faces the order in space is 1, not {}; with order=2 it "
                    "is 2\n",
                    parameters.order));
  }
#define MASS_VARIANT(unit, Number, accuracy)                                                 \
  if (parameters.order == (accuracy) && parameters.isFloat == std::is_same_v<Number, float>) \
    return setUpBlock<Number, accuracy>(mass, run, parameters);
#include <heat3d_model/variants.inc>
#undef MASS_VARIANT
}

}  // namespace heat3d
