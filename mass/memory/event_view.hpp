#pragma once

#include <mass/random/poisson_points.hpp>
#include <mass/support/qualifiers.hpp>

#include <array>
#include <cstdint>

namespace mass::detail {

/// Largest number of directions in which particles hop: two for each axis.
inline constexpr int maxDirections = 6;

/// Event that happens in a window if its height is below the rate of its channel at its tick.
struct EventCandidate {
  std::uint32_t tick = 0;       ///< time since the start of the window, in 2^-32 windows
  std::uint16_t channel = 0;    ///< number of the channel of its class
  std::uint16_t direction = 0;  ///< direction in which a particle hops
  double height = 0;            ///< expected events in a window; for hops, number of the particle
};

/// Hop of a particle out of a place.
struct Departure {
  std::uint32_t tick = 0;
  std::uint8_t direction = 0;
  std::uint8_t hop = 0;  ///< channel, the kind of particle
  std::uint16_t unused = 0;

  friend bool operator==(const Departure&, const Departure&) = default;
};

/// Part of an array that belongs to a place.
struct ListRange {
  std::uint32_t begin = 0;
  std::uint32_t count = 0;
};

/// Reason for which a place cannot be executed.
enum class EventFault : std::uint8_t {
  none,
  invalidRate,    ///< a rate that is negative, infinite or not a number
  negativeCount,  ///< a change made the number of particles negative
  tooMany,        ///< more than 2^31 - 1 particles at a place
  endless,        ///< `whenever` has happened 10^6 times at one tick
};

/// Rates of the hops of one kind of particle.
struct HopRates {
  double each = 0;  ///< rate in each direction in 1/s, if `byPlace` is null
  /// Rates in 1/s by own place and direction, or null.
  const double* byPlace = nullptr;
};

/// Places of one worker for the functions that draw candidates and execute places. Places have
/// local numbers: own places [0, places), then ghosts, which belong to other workers. Global
/// numbers of own places are consecutive.
struct EventView {
  std::int32_t places = 0;
  int directions = 0;
  std::uint32_t firstPlace = 0;                 ///< global number of own place 0
  const std::uint32_t* ghostNumbers = nullptr;  ///< global numbers of the ghosts
  /// Local numbers of the adjacent places by own place and direction; -1: none.
  const std::int32_t* neighbors = nullptr;
  /// Bit mask, by direction k, of the directions in which particles of the adjacent place k arrive.
  std::array<std::uint8_t, maxDirections> arrivingBy{};

  const void* start = nullptr;  ///< state of the own places at the start of the window
  const EventCandidate* candidates = nullptr;
  const ListRange* candidateLists = nullptr;  ///< by own place
  const Departure* departures = nullptr;
  const ListRange* departureLists = nullptr;  ///< by local number

  std::uint64_t seed = 0;
  std::uint64_t window = 0;
  double seconds = 0;                          ///< length of a window
  std::uint32_t tickMask = ~std::uint32_t{0};  ///< bits of ticks that are used; for tests
  const HopRates* hopRates = nullptr;          ///< by hop channel

  /// Returns the global number of a place, by which events of one tick are ordered.
  MASS_FN std::uint32_t numberOf(std::int32_t place) const {
    return place < places ? firstPlace + static_cast<std::uint32_t>(place)
                          : ghostNumbers[place - places];
  }
  /// Returns the adjacent place in a direction; -1: none.
  MASS_FN std::int32_t neighbor(std::int32_t place, int direction) const {
    return neighbors[static_cast<std::int64_t>(place) * directions + direction];
  }
  /// Returns the tick of a time in windows, 0 <= time < 1.
  MASS_FN std::uint32_t tickOf(double time) const {
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(time * 0x1p32)) & tickMask;
  }
  /// Returns the identity of a Poisson process at a place.
  MASS_FN PointKey pointsOf(std::int32_t place, std::uint32_t stream) const {
    return {seed, window, firstPlace + static_cast<std::uint32_t>(place), stream};
  }
};

/// List of fixed capacity.
template <class T>
struct BoundedList {
  T* data = nullptr;
  std::int32_t capacity = 0;
  std::int32_t count = 0;
  bool overflowed = false;

  /// Appends an element, or sets `overflowed`.
  MASS_FN void push(const T& value) {
    if (count < capacity) {
      data[count++] = value;
    } else {
      overflowed = true;
    }
  }
};

/// Particle that comes from an adjacent place.
struct Arrival {
  std::uint64_t key = 0;  ///< tick and global number of the place it comes from
  std::uint32_t hop = 0;
};

}  // namespace mass::detail
