#pragma once

#include <mass/launch/scheduled_rates.hpp>
#include <mass/memory/event_band.hpp>
#include <mass/memory/place_fields.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mass::detail {

/// Numbers of particles of one kind in some places.
struct ParticleCount {
  std::int64_t sum = 0;
  std::int64_t most = 0;  ///< in one place

  /// Adds the numbers of other places.
  void add(const ParticleCount& more) {
    sum += more.sum;
    most = std::max(most, more.most);
  }
};

/// Parameters of a window, for all bands.
struct EventWindow {
  std::uint64_t seed = 0;
  std::uint64_t number = 0;                    ///< number of the window since the start of the run
  std::uint64_t firstOfCall = 0;               ///< number of the first window of the call
  double seconds = 0;                          ///< length of the window
  std::uint32_t tickMask = ~std::uint32_t{0};  ///< see EventView
  std::vector<HopRates> hopRates;              ///< by hop channel; `byPlace` is that of the band
};

/// Returns the view of a band in a window.
inline EventView viewOf(const EventBand& band, const EventWindow& window) {
  return {.places = band.places,
          .directions = band.directions,
          .firstPlace = band.firstPlace,
          .neighbors = band.neighbors.data() + std::ptrdiff_t{band.ghostsBelow} * band.directions,
          .parts = band.parts,
          .start = band.start.data(),
          .candidates = band.candidates.data(),
          .candidateLists = band.candidateLists.data(),
          .departureLists = band.departureLists.data() + band.ghostsBelow,
          .seed = window.seed,
          .window = window.number,
          .seconds = window.seconds,
          .tickMask = window.tickMask,
          .hopRates = window.hopRates.data()};
}

/// Functions of a class of places under the clock of events, without its C++ type. Each works on
/// one band; `arguments` is the address of the tuple of the arguments of runEvents.
struct EventKernel {
  std::size_t placeBytes = 0;
  int hops = 0;    ///< number of particle counts that hop
  int events = 0;  ///< number of rules that change a place

  /// Copies the states of the places from and to the fields of a local device. The band is a part
  /// of the device's rows.
  void (*load)(EventBand& band, const PlaceFields& fields, int device) = nullptr;
  void (*store)(const EventBand& band, const PlaceFields& fields, int device) = nullptr;
  /// Lets immediate events happen before the first window of a call.
  /// @return own place at which they do not end; -1: none
  std::int32_t (*begin)(EventBand& band, const void* arguments) = nullptr;
  /// Estimates the work of each own place in a window: 1 and its expected candidates.
  void (*costs)(const EventBand& band, const EventWindow& window, const void* arguments,
                float* costs) = nullptr;
  /// Draws the candidates of a window and predicts the departures of all places.
  void (*draw)(EventBand& band, const EventWindow& window, const void* arguments) = nullptr;
  /// Executes all places, then those that receive other departures.
  void (*executeAll)(EventBand& band, const EventWindow& window, const void* arguments) = nullptr;
  /// Executes the marked places until none is marked.
  void (*executeMarked)(EventBand& band, const EventWindow& window,
                        const void* arguments) = nullptr;
  /// Executes the events of a window one after the other; the band has all places.
  void (*executeInOrder)(EventBand& band, const EventWindow& window,
                         const void* arguments) = nullptr;
  /// Returns the message of a fault of an own place.
  std::string (*describe)(EventBand& band, const EventWindow& window, const void* arguments,
                          std::int32_t place) = nullptr;
  RateKernel rates;  ///< for Time Warp
};

}  // namespace mass::detail
