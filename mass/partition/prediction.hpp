#pragma once

#include <mass/partition/parts.hpp>

#include <array>
#include <cstdint>

namespace mass::detail {

/// Devices of one kind, and the network between them.
struct PredictedDevices {
  double rate = 0;       ///< places a second of a device
  double latency = 0;    ///< seconds of an exchange without bytes
  double bandwidth = 0;  ///< bytes a second that a device sends
  /// True if a device sends while it computes; false if it does both in turn.
  bool overlaps = true;
};

/// Step of a model in a box of places.
struct PredictedStep {
  std::array<std::int64_t, 3> shape{1, 1, 1};  ///< places along each axis
  /// Bytes that cross a face for each of its places, one way: for all attributes and for all places
  /// up to the reach.
  double faceBytes = 0;
  int reach = 1;                    ///< distance at which a step reads
  std::array<Border, 3> borders{};  ///< boundary condition of each axis
};

/// Bytes that a device with most neighbours sends in an exchange before a step: those of
/// placesSent(). Edges and corners are left out.
double bytesSent(const PredictedStep& step, const Parts& parts);

/// Seconds of a step on devices in parts, each with an equal share of the places. With R steps per
/// exchange, a device computes (R - 1) reach places beyond each cut on average, in half of the
/// steps, and sends R times the bytes in every R-th step:
///
///     t(R) = max(c, b) + l / R (overlapping), or c + b + l / R,
///
/// where c are the places over the rate, b bytesSent() over the bandwidth, and l the latency.
double stepSeconds(const PredictedDevices& devices, const PredictedStep& step, const Parts& parts,
                   int stepsPerExchange);

/// Time of a step on some devices.
struct Prediction {
  Parts parts;
  int stepsPerExchange = 1;
  double seconds = 0;     ///< time of a step
  double efficiency = 0;  ///< time of the share of a device alone over `seconds`
};

/// Returns the prediction with the power of two of steps per exchange that is fastest and reads no
/// more places than a part has. @param mostSteps largest number of steps per exchange
Prediction predict(const PredictedDevices& devices, const PredictedStep& step, const Parts& parts,
                   int mostSteps = 32);

}  // namespace mass::detail
