#include <mass/partition/prediction.hpp>

#include <algorithm>

namespace mass::detail {
namespace {

/// Part of a world that a device owns; its axes may be longer by places that neighbours own.
struct Share {
  double rows, lines, columns;
  bool hasRowCuts, hasLineCuts;

  Share(const PredictedStep& step, const Parts& parts)
      : rows(static_cast<double>(step.shape[0]) / parts.rows),
        lines(static_cast<double>(step.shape[1]) / parts.lines),
        columns(static_cast<double>(step.shape[2])),
        hasRowCuts(parts.rows > 1),
        hasLineCuts(parts.lines > 1) {}

  double places(double beyond = 0) const {
    return (rows + (hasRowCuts ? beyond : 0)) * (lines + (hasLineCuts ? beyond : 0)) * columns;
  }
  /// Places of all faces at cuts.
  double faces() const {
    return 2 * columns * ((hasRowCuts ? lines : 0) + (hasLineCuts ? rows : 0));
  }
  /// Places along the shortest axis that is cut; 0 if none is.
  double thickness() const {
    if (hasRowCuts && hasLineCuts) return std::min(rows, lines);
    return hasRowCuts ? rows : hasLineCuts ? lines : 0;
  }
};

}  // namespace

double bytesSent(const PredictedStep& step, const Parts& parts) {
  return Share(step, parts).faces() * step.faceBytes;
}

double stepSeconds(const PredictedDevices& devices, const PredictedStep& step, const Parts& parts,
                   int stepsPerExchange) {
  const Share share(step, parts);
  // R - 1 to 0 times the reach beyond both ends.
  const double beyond = static_cast<double>(stepsPerExchange - 1) * step.reach;
  const double compute = share.places(beyond) / devices.rate;
  if (share.faces() == 0) return compute;
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
