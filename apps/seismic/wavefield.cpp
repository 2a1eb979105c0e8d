#include <apps/seismic/wavefield.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace seismic {
namespace {

/// Creates the places, with the medium of the settings.
template <class Real>
mass::Places<Ground<Real>> createGround(mass::Mass& mass, const Parameters& parameters) {
  using G = Ground<Real>;
  mass::PlacesOptions<G> options;
  options.name = "seismic";
  for (int axis = 0; axis < 3; ++axis)
    options.borders[static_cast<std::size_t>(axis)] =
        parameters.isPeriodic(axis) ? mass::Border::periodic : mass::Border::fixed;
  // Means with cells beyond the world are those of the heaviest and softest material: no wave is
  // faster there than inside.
  const EarthModel& ground = parameters.ground;
  options.outside.density = static_cast<Real>(ground.densest());
  options.outside.compliance = static_cast<Real>(1 / ground.softest());
  auto places = mass.createPlaces<G>(parameters.shape, options);
  places.template initialise<&G::density>(
      [&](const auto& at) { return static_cast<Real>(ground.at(at).density); });
  places.template initialise<&G::lambda>(
      [&](const auto& at) { return static_cast<Real>(ground.at(at).lambda()); });
  places.template initialise<&G::compliance>(
      [&](const auto& at) { return static_cast<Real>(1 / ground.at(at).mu()); });
  return places;
}

template <class Real>
mass::SharedSource<Real> share(const mass::Mass& mass, const std::vector<double>& values) {
  std::vector<Real> converted;
  for (const double value : values) converted.push_back(static_cast<Real>(value));
  return mass.share(converted);
}

/// Returns the profiles of Ground::move.
std::vector<double> profilesOf(const Parameters& parameters) {
  std::vector<double> profiles = parameters.sponge();
  for (const std::int64_t marked : {0, 1}) {
    for (std::int64_t row = 0; row < parameters.shape[0]; ++row)
      profiles.push_back(parameters.top == "free" && row == marked ? 1 : 0);
  }
  return profiles;
}

/// Returns the place of the source, for Ground::strainAtSource.
std::vector<double> placeOf(const Parameters& parameters) {
  std::vector<double> own, around;
  for (int axis = 0; axis < 3; ++axis) {
    const std::int64_t place = parameters.source.place[axis], count = parameters.shape[axis];
    for (std::int64_t i = 0; i < count; ++i) {
      const bool isBefore =
          i + 1 == place || (parameters.isPeriodic(axis) && i + 1 == place + count);
      own.push_back(i == place ? 1 : 0);
      around.push_back((i == place ? 0.5 : 0) + (isBefore ? 0.5 : 0));
    }
  }
  own.insert(own.end(), around.begin(), around.end());
  return own;
}

/// Largest number of steps whose release is stored: a source may act for any number of steps.
constexpr std::size_t mostStored = 1024;

}  // namespace

template <class Real>
Wavefield<Real>::Wavefield(mass::Mass& mass, const Parameters& parameters)
    : mass_(&mass),
      places_(createGround<Real>(mass, parameters)),
      grid_{static_cast<Real>(parameters.spacing), static_cast<Real>(1 / parameters.spacing),
            static_cast<Real>(parameters.timeStep), parameters.keepsMotion ? 3 : 2},
      profiles_(share<Real>(mass, profilesOf(parameters))),
      source_(share<Real>(mass, placeOf(parameters))),
      sourceParameters_(parameters.source),
      timeStep_(parameters.timeStep),
      volume_(std::pow(parameters.spacing, 3)),
      keepsMotion_(parameters.keepsMotion) {
  for (std::size_t k = 0; k < 6; ++k)
    tensor_.of[k] = static_cast<Real>(parameters.source.tensor[k]);
}

template <class Real>
void Wavefield<Real>::advance(mass::Steps steps) const {
  const std::int64_t end = step() + steps.count;
  while (step() < end) {
    if (!hasSource(step())) return advanceBy<&Ground<Real>::strain>(mass::steps(end - step()));
    if (!release_.has(step())) release_ = releaseFrom(step());
    advanceBy<&Ground<Real>::strainAtSource>(
        mass::steps(std::min(end, release_.endStep()) - step()), tensor_, source_,
        release_.firstStep, release_.stress);
  }
}

template <class Real>
typename Wavefield<Real>::Release Wavefield<Real>::releaseFrom(std::int64_t step) const {
  std::vector<double> stress;
  for (std::int64_t at = step; stress.size() < mostStored && hasSource(at); ++at)
    stress.push_back(sourceParameters_.rateAt(timeOf(at)) * timeStep_ / volume_);
  return {step, share<Real>(*mass_, stress)};
}

template <class Real>
template <auto Strain, class... Source>
void Wavefield<Real>::advanceBy(mass::Steps steps, const Source&... source) const {
  using G = Ground<Real>;
  constexpr auto move = mass::writing<&G::move, &G::velocity>;
  constexpr auto strain = mass::writing<Strain, &G::stress>;
  constexpr auto record = mass::writing<&G::record, &G::displacement, &G::peak>;
  if (keepsMotion_) {
    places_.template callAll<mass::inTurn<move, strain, record>>(
        steps, grid_, profiles_, grid_, profiles_, source..., grid_.timeStep);
  } else {
    places_.template callAll<mass::inTurn<move, strain>>(steps, grid_, profiles_, grid_, profiles_,
                                                         source...);
  }
}

template <class Real>
std::int64_t Wavefield<Real>::step() const {
  return static_cast<std::int64_t>(places_.step()) / grid_.ruleCount;
}

template <class Real>
double Wavefield<Real>::energy() const {
  const auto spacing = static_cast<double>(grid_.spacing);
  return places_.template reduce<&Ground<Real>::energy>(mass::sum, grid_, profiles_) *
         std::pow(spacing, 3);
}

template class Wavefield<float>;
template class Wavefield<double>;

}  // namespace seismic
