#include <apps/seismic/setup.hpp>

#include <apps/seismic/parameters.hpp>
#include <apps/seismic/wavefield.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

namespace seismic {
namespace {

/// Returns an estimate of large speeds, in m/s: the far field of the source (Aki & Richards,
/// Quantitative Seismology, 2002, eq. 4.29) in its own material, one wavelength of its slowest wave
/// away: of P waves of an explosion, else of S waves.
double expectedSpeed(const Parameters& parameters) {
  const Material material = parameters.ground.at(parameters.source.place);
  const double slow = parameters.source.isExplosion() ? material.vp : material.vs;
  const double rate = 2 * std::numbers::pi * parameters.source.frequency;
  const double distance = slow / parameters.source.frequency;
  return std::abs(parameters.source.momentRate) * rate /
         (4 * std::numbers::pi * material.density * std::pow(slow, 3) * distance);
}

/// Quantity and part of the world that pictures show.
struct View {
  std::string quantity, slice;
  float scale = 0;  ///< value of the last colour

  View(const mass::Settings& settings, const Parameters& parameters)
      : quantity(settings.get<std::string>("output.quantity")),
        slice(settings.get<std::string>("output.slice")),
        scale(settings.get<float>("output.scale")) {
    if (!parameters.keepsMotion && (quantity == "peak" || quantity == "displacement"))
      settings.reject("output.quantity", "needs motion: true, which keeps this quantity");
    if (scale != 0) return;
    const double speed = expectedSpeed(parameters);
    const double rate = 2 * std::numbers::pi * parameters.source.frequency;
    scale = static_cast<float>(quantity == "displacement" ? speed / rate : speed);
  }

  bool isSigned() const { return quantity == "vertical" || quantity == "displacement"; }
  /// Returns the value of a place.
  template <class Real>
  Real of(const Ground<Real>& ground) const {
    if (quantity == "vertical") return -ground.velocity[2];
    if (quantity == "displacement") return -ground.displacement[2];
    return quantity == "peak" ? ground.peak : ground.speed();
  }
};

/// Returns a picture of the plane across an axis at a position.
template <class Real>
mass::Picture sliceOf(const View& view, const Wavefield<Real>& field, const Parameters& of,
                      int across, std::int64_t at) {
  mass::Coordinates<3> low{}, high = of.shape;
  low[across] = at;
  high[across] = low[across] + 1;
  mass::Picture picture{{}, high[across == 0 ? 1 : 0], high[across == 2 ? 1 : 2]};
  for (const Ground<Real>& ground : field.places().download(low, high))
    picture.values.push_back(static_cast<float>(view.of(ground)));
  picture.high = view.scale;
  picture.low = view.isSigned() ? -view.scale : 0;
  picture.name = view.quantity == "vertical"       ? "upward velocity"
                 : view.quantity == "displacement" ? "upward displacement"
                 : view.quantity == "peak"         ? "peak velocity"
                                                   : "speed";
  picture.unit = view.quantity == "displacement" ? "m" : "m/s";
  return picture;
}

template <class Real>
mass::Picture pictureOf(const View& view, const Wavefield<Real>& field, const Parameters& of) {
  const int across = view.slice == "surface" ? 0 : view.slice == "x" ? 1 : 2;
  return sliceOf(view, field, of, across, across == 0 ? 0 : of.source.place[across]);
}

template <class Real>
void observe(mass::Simulation& run, const mass::Settings& settings,
             const std::shared_ptr<const Wavefield<Real>>& field, const Parameters& parameters) {
  const double step = parameters.timeStep;
  run.observe("time", [&run, step] { return static_cast<double>(run.step()) * step; });
  if (settings.get<bool>("output.energy"))
    run.observe("energy", [field] { return field->energy(); });
  std::vector<std::string> columns;
  for (const Receiver& receiver : parameters.receivers)
    for (const char* const component : {".vx", ".vy", ".vz"})
      columns.push_back(receiver.name + component);
  if (columns.empty()) return;
  run.observe(columns, [field, receivers = parameters.receivers] {
    std::vector<double> values;
    for (const Receiver& receiver : receivers) {
      mass::Coordinates<3> high = receiver.place;
      for (std::int64_t& along : high.values) ++along;
      const auto ground = field->places().download(receiver.place, high);
      for (const Real along : ground.front().velocity) values.push_back(along);
    }
    return values;
  });
}

template <class Real>
void setUpWith(mass::Mass& mass, mass::Simulation& run, const Parameters& parameters) {
  using G = Ground<Real>;
  const auto field = std::make_shared<const Wavefield<Real>>(mass, parameters);
  // The source acts by the number of the step, which follows from that of rules (places.step()).
  mass.requireOnRestart("motion", fmt::format("{}", parameters.keepsMotion));
  mass.requireOnRestart("time_step", fmt::format("{} s", parameters.timeStep));
  mass.requireOnRestart("spacing", fmt::format("{} m", parameters.spacing));
  run.timeStep(parameters.timeStep);
  run.duration(mass.settings().get<double>("duration"));
  run.advance([field](mass::Steps steps) { field->advance(steps); });
  observe(run, mass.settings(), field, parameters);
  const View view(mass.settings(), parameters);
  run.picture([view, field, parameters] { return pictureOf(view, *field, parameters); },
              view.isSigned() ? "coolwarm" : "heat");
  run.slices(parameters.shape, [view, field, parameters](int axis, std::int64_t at) {
    return sliceOf(view, *field, parameters, axis, at);
  });
  if (parameters.keepsMotion) {
    run.data<&G::velocity, &G::displacement, &G::peak>(field->places(), parameters.spacing);
  } else {
    run.data<&G::velocity>(field->places(), parameters.spacing);
  }
}

}  // namespace

void setUp(mass::Mass& mass, mass::Simulation& run) {
  const Parameters parameters(mass.settings());
  run.describe(parameters.report());
  const bool isFloat = mass.settings().get<std::string>("precision") == "float";
  (isFloat ? setUpWith<float> : setUpWith<double>)(mass, run, parameters);
}

}  // namespace seismic
