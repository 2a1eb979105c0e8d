#include <mass/partition/prediction.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace mass::detail {
namespace {

/// Part of a world that a device owns; its axes may be longer by places that neighbours own.
struct Share {
  std::array<double, 3> lengths;
  std::array<bool, 3> isCut;

  Share(const PredictedStep& step, const Parts& parts) {
    for (std::size_t axis = 0; axis < lengths.size(); ++axis) {
      lengths[axis] = static_cast<double>(step.shape[axis]) / parts.along(axis);
      isCut[axis] = parts.along(axis) > 1;
    }
  }

  double places(double beyond = 0) const {
    double product = 1;
    for (std::size_t axis = 0; axis < lengths.size(); ++axis)
      product *= lengths[axis] + (isCut[axis] ? beyond : 0);
    return product;
  }
  /// Places along the shortest axis that is cut; 0 if none is.
  double thickness() const {
    double least = 0;
    for (std::size_t axis = 0; axis < lengths.size(); ++axis)
      if (isCut[axis] && (least == 0 || lengths[axis] < least)) least = lengths[axis];
    return least;
  }
};

}  // namespace

double bytesSent(const PredictedStep& step, const Parts& parts) {
  return placesSent(step.shape, parts, step.borders) * step.faceBytes;
}

double stepSeconds(const PredictedDevices& devices, const PredictedStep& step, const Parts& parts,
                   int stepsPerExchange) {
  const Share share(step, parts);
  // R - 1 to 0 times the reach beyond both ends.
  const double beyond = static_cast<double>(stepsPerExchange - 1) * step.reach;
  const double compute = share.places(beyond) / devices.rate;
  if (placesSent(step.shape, parts, step.borders) == 0) return compute;
  const double transport = bytesSent(step, parts) / devices.bandwidth;
  const double both = devices.overlaps ? std::max(compute, transport) : compute + transport;
  return both + devices.latency / stepsPerExchange;
}

Prediction predict(const PredictedDevices& devices, const PredictedStep& step, const Parts& parts,
                   int mostSteps) {
  const Share share(step, parts);
  Prediction best{parts, 1, stepSeconds(devices, step, parts, 1)};
  for (int steps = 2; steps <= mostSteps && steps * step.reach <= share.thickness(); steps *= 2) {
    const double seconds = stepSeconds(devices, step, parts, steps);
    if (seconds < best.seconds) best = {parts, steps, seconds};
  }
  best.efficiency = share.places() / devices.rate / best.seconds;
  return best;
}

}  // namespace mass::detail
