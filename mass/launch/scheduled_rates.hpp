#pragma once

#include <mass/launch/schedule.hpp>
#include <mass/memory/event_view.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mass::detail {

/// Events at rates as scheduled events. The rules are: a place begins a window; a candidate is
/// decided; a particle of kind k arrives (rule `arrive` + k).
struct ScheduledRates {
  static constexpr std::uint32_t begin = 0, decide = 1, arrive = 2;
  /// Largest number of windows after the first one of the engine, so that times are exact.
  static constexpr std::uint64_t mostWindows = 1 << 20;

  EventView view;                     ///< local numbers are those of the world
  std::vector<HopRates> hopRates;     ///< of `view`
  std::uint64_t firstOfEngine = 0;    ///< number of the window at time 0
  std::uint64_t firstOfCall = 0;      ///< number of the first window of the call of runEvents
  std::uint64_t endOfCall = 0;        ///< number of the first window after it
  const void* arguments = nullptr;    ///< address of the tuple of the arguments of runEvents
  const std::string* name = nullptr;  ///< name of the places

  // Times of the engine are in windows. The first half of a window has the beginnings of the
  // places, in their order, the second half the candidates, with exact times.

  /// Returns the time at which a place begins a window.
  double beginTime(std::uint64_t window, std::uint32_t place, std::int64_t places) const {
    return static_cast<double>(window - firstOfEngine) +
           0.5 * static_cast<double>(place) / static_cast<double>(places);
  }
  /// Returns the time of a tick in a window.
  double tickTime(std::uint64_t window, std::uint32_t tick) const {
    return static_cast<double>(window - firstOfEngine) + 0.5 + tick * 0x1p-33;
  }
  /// Returns the window of a time.
  std::uint64_t windowOf(double time) const {
    return firstOfEngine + static_cast<std::uint64_t>(time);
  }
  /// Returns the tick of the time of a candidate.
  static std::uint32_t tickOf(double time) {
    return static_cast<std::uint32_t>((time - std::floor(time) - 0.5) * 0x1p33);
  }
};

/// Sums over places in a call of runEvents.
struct RateCounts {
  std::vector<std::int64_t> happened;  ///< by event that is no hop
  std::int64_t strips = 0;
  std::uint64_t hash = 0;
};

/// Functions of a class of places whose events at rates are executed as scheduled events.
struct RateKernel {
  ScheduleKernel schedule;
  /// Adds the counts of the places since they were loaded.
  void (*count)(const PlaceObjects& objects, RateCounts& counts) = nullptr;
};

}  // namespace mass::detail
