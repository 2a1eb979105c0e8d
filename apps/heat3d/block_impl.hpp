#pragma once

// Templates of block.hpp.

#include <apps/heat3d/block.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace heat3d {
namespace detail {

/// Returns the border of the places for a condition at the faces.
inline mass::Border borderOf(Faces faces) {
  switch (faces) {
    case Faces::insulated:
      return mass::Border::mirrored;
    case Faces::fixed:
      return mass::Border::fixed;
    case Faces::periodic:
      break;
  }
  return mass::Border::periodic;
}

/// Returns a picture of the slice that the settings choose. Its rows and columns are the remaining
/// two axes in their order.
/// @param range temperatures of the first and the last colour in K
template <class Place>
mass::Picture sliceOf(const mass::Places<Place>& block, const mass::Settings& settings,
                      const std::pair<double, double>& range) {
  const int across = 'z' - settings.get<std::string>("output.slice")[0];
  const double share = settings.get<double>("output.slice_at");
  mass::Coordinates<3> low{}, high = block.shape();
  const std::int64_t last = block.shape()[across] - 1;
  low[across] = std::min(last, static_cast<std::int64_t>(share * static_cast<double>(last + 1)));
  high[across] = low[across] + 1;
  std::vector<float> temperatures;
  for (const Place& place : block.download(low, high))
    temperatures.push_back(static_cast<float>(place.temperature));
  return {std::move(temperatures),
          high[across == 0 ? 1 : 0],
          high[across == 2 ? 1 : 2],
          static_cast<float>(range.first),
          static_cast<float>(range.second),
          "temperature",
          "K"};
}

}  // namespace detail

template <class Real, int order>
mass::Places<Heat<Real, order>> createBlock(mass::Mass& mass, const Parameters& parameters) {
  using Place = Heat<Real, order>;
  Place outside;
  outside.temperature = mass.settings().get<Real>("face_temperature");
  auto options = mass::borders(detail::borderOf(parameters.faces), outside);
  options.name = "heat3d";
  auto block = mass.createPlaces<Place>(parameters.shape, options);
  if (parameters.isMode) {
    block.template initialise<&Place::temperature>([&](const mass::Coordinates<3>& at) {
      return static_cast<Real>(parameters.mode().at(at, parameters.shape));
    });
  } else {
    block.template callAll<&Place::heatBall>(parameters.ballRadius / parameters.spacing,
                                             mass.settings().get<Real>("ball_temperature"));
  }
  return block;
}

template <class Real, int order>
void setUpBlock(mass::Mass& mass, mass::Simulation& run, const Parameters& parameters) {
  using Place = Heat<Real, order>;
  const auto block = createBlock<Real, order>(mass, parameters);
  const auto r = static_cast<Real>(parameters.r());
  run.advance([=](mass::Steps steps) { block.template callAll<&Place::diffuse>(steps, r); });

  const auto places = static_cast<double>(block.size());
  run.observe("mean",
              [=] { return block.template reduce<&Place::temperature>(mass::sum) / places; });
  run.observe("lowest", [=] { return block.template reduce<&Place::temperature>(mass::minimum); });
  run.observe("highest", [=] { return block.template reduce<&Place::temperature>(mass::maximum); });
  if (parameters.isMode) {
    run.observe("error", [=, &run] {
      const double share = parameters.decay(run.step());
      return block.template reduce<&Place::errorFrom>(mass::maximum, parameters.mode(), share);
    });
  }
  run.timeStep(parameters.timeStep);
  const auto range = parameters.temperatureRange();
  run.picture([=, settings = mass.settings()] { return detail::sliceOf(block, settings, range); },
              range.first < 0 && range.second > 0 ? "coolwarm" : "heat");
  run.slices<&Place::temperature>(block, static_cast<float>(range.first),
                                  static_cast<float>(range.second), "K");
  run.data<&Place::temperature>(block, parameters.spacing);
}

}  // namespace heat3d
