#include <apps/calcium/buffer_run.hpp>

#include <apps/calcium/buffer.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace calcium {
namespace {

template <class P>
mass::Places<P> createCell(mass::Mass& mass, const Arms& arms) {
  auto options = mass::borders<P>(mass::Border::fixed);
  options.name = "cell";
  if constexpr (std::is_same_v<P, BufferSite>) {
    return mass.createPlaces<P>(arms.shape(), arms.indices(), options);
  } else {
    return mass.createPlaces<P>(arms.shape(), options);
  }
}

}  // namespace

template <class P>
BufferRun<P>::BufferRun(mass::Mass& mass, const BufferParameters& parameters)
    : arms_(parameters.armLength, parameters.armDiameter, parameters.clock.spacing),
      places_(createCell<P>(mass, arms_)),
      parameters_(parameters) {
  places_.template initialise<&P::arm>([&](const auto& at) { return arms_.at(at); });
  places_.template initialise<&P::calcium>([&](const auto& at) {
    const int arm = arms_.at(at);
    return arm < 0 ? 0 : arm == 0 ? parameters.calciumHigh : parameters.calciumLow;
  });
  places_.template initialise<&P::buffer>(
      [&](const auto& at) { return arms_.at(at) < 0 ? 0 : parameters.buffer; });
  if constexpr (std::is_same_v<P, BufferSite>) {
    const double ofBuffer = parameters.clock.hopRate(parameters.bufferDiffusion);
    places_.template hopRate<&P::calcium>(parameters.clock.hopRate(parameters.calciumDiffusion));
    places_.template hopRate<&P::buffer>(ofBuffer);
    places_.template hopRate<&P::bound>(ofBuffer);
  }
}

template <class P>
void BufferRun<P>::advance(mass::Steps steps) const {
  const Clock& clock = parameters_.clock;
  for (std::int64_t step = 0; step < steps.count; ++step) {
    if constexpr (std::is_same_v<P, BufferSite>) {
      places_.runEvents(mass::seconds(clock.step), parameters_.rates);
    } else {
      const double h = clock.timeStep();
      places_.template callAll<&P::advance>(mass::steps(clock.timeSteps()), parameters_.rates, h,
                                            clock.hopRate(parameters_.calciumDiffusion) * h,
                                            clock.hopRate(parameters_.bufferDiffusion) * h);
    }
  }
}

template <class P>
std::vector<double> BufferRun<P>::calcium() const {
  const auto numbers = places_.template download<&P::calcium>();
  if constexpr (std::is_same_v<P, BufferSite>) return {numbers.begin(), numbers.end()};
  std::vector<double> values;
  values.reserve(arms_.indices().size());
  for (const std::int64_t index : arms_.indices())
    values.push_back(static_cast<double>(numbers[static_cast<std::size_t>(index)]));
  return values;
}

template <class P>
double BufferRun<P>::calciumOf(int arm) const {
  return places_.template reduce<&P::calciumOf>(mass::sum, arm) /
         static_cast<double>(arms_.sites(arm));
}

template class BufferRun<BufferSite>;
template class BufferRun<BufferField>;

}  // namespace calcium
