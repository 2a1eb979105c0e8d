#pragma once

#include <mass/random/poisson_points.hpp>
#include <mass/support/hash.hpp>
#include <mass/support/qualifiers.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <limits>

namespace mass::detail {

/// Largest number of directions in which particles hop: two for each axis.
inline constexpr int maxDirections = 6;
/// Takes the place of an adjacent place that does not exist.
inline constexpr std::int32_t noPlace = std::numeric_limits<std::int32_t>::min();

/// Event that may happen in a window: a hop if its particle is there at its tick, another event if
/// its height is below the rate then.
struct EventCandidate {
  std::uint32_t tick = 0;     ///< time since the start of the window, in 2^-32 windows
  std::uint16_t channel = 0;  ///< number of the channel of its class
  std::uint16_t low = 0;      ///< direction of a hop; or bits [16, 32) of the height
  std::uint32_t high = 0;     ///< number of the particle; or bits [32, 64) of the height

  MASS_FN static EventCandidate hop(std::uint32_t tick, int channel, int direction,
                                    std::int32_t particle) {
    return {tick, static_cast<std::uint16_t>(channel), static_cast<std::uint16_t>(direction),
            static_cast<std::uint32_t>(particle)};
  }
  /// @param height expected events in a window, of which 36 bits after the first one are kept
  MASS_FN static EventCandidate event(std::uint32_t tick, int channel, double height) {
    const auto bits = std::bit_cast<std::uint64_t>(height);
    return {tick, static_cast<std::uint16_t>(channel), static_cast<std::uint16_t>(bits >> 16),
            static_cast<std::uint32_t>(bits >> 32)};
  }
  /// Returns the direction of a hop; below 8 for other events.
  MASS_FN unsigned direction() const { return low & 7U; }
  MASS_FN std::int32_t particle() const { return static_cast<std::int32_t>(high); }
  MASS_FN double height() const {
    return std::bit_cast<double>(std::uint64_t{high} << 32 | std::uint64_t{low} << 16);
  }
  /// Returns a hash of all but `high`; see hashFactor().
  MASS_FN std::uint64_t hash() const {
    return mix(std::uint64_t{tick} << 32 | std::uint64_t{channel} << 16 | low);
  }
};

/// Returns the factor by which the hashes of the events of a place in a window count.
MASS_FN inline std::uint64_t hashFactor(std::uint64_t window, std::uint64_t place) {
  return mix(mix(window) + place) | 1U;
}

/// Hop of a particle out of a place.
struct Departure {
  std::uint32_t tick = 0;
  std::uint32_t hop = 0;  ///< channel, the kind of particle

  friend bool operator==(const Departure&, const Departure&) = default;
};

/// Part of an array that belongs to a place.
struct ListRange {
  std::uint32_t begin = 0;
  std::uint32_t count = 0;
};
/// Departures of a place: a part for each adjacent place, each in order of time.
struct DepartureList {
  /// First one. Two elements can be read there, even of an empty list.
  Departure* begin = nullptr;
  std::uint32_t ends[maxDirections] = {};  ///< ends of the parts, relative to `begin`

  /// Returns the number of departures.
  MASS_FN std::uint32_t count() const { return ends[maxDirections - 1]; }
  /// Returns the beginning of a part, relative to `begin`.
  MASS_FN std::uint32_t beginOf(int part) const {
    const auto hasFormer = static_cast<std::uint32_t>(part > 0);
    return ends[part - static_cast<int>(hasFormer)] & (0U - hasFormer);
  }
};

/// Reason for which a place cannot be executed.
enum class EventFault : std::uint8_t {
  none,
  invalidRate,    ///< a rate that is negative, infinite or not a number
  negativeCount,  ///< a change made the number of particles negative
  tooMany,        ///< 2^31 - 1 particles at a place
  endless,        ///< `whenever` has happened 10^6 times at one tick
  tooFast,        ///< a rate has risen so far that a window would have too many candidates
  tooFastAtStart  ///< likewise at the start of a window, whatever happens in it
};

/// Rates of the hops of one kind of particle.
struct HopRates {
  double each = 0;  ///< rate in each direction in 1/s, if `byPlace` is null
  /// Rates in 1/s by own place and direction, or null.
  const double* byPlace = nullptr;
};

/// Parts of departure lists. A part has the departures to one adjacent place.
struct HopParts {
  static constexpr std::uint8_t none = 0xff;

  std::array<std::uint8_t, 8> of{};  ///< by direction of a hop; EventCandidate::direction()
  /// By direction k: part of the list of the adjacent place k that arrives; none: it arrives by
  /// another direction with the same adjacent place.
  std::array<std::uint8_t, maxDirections> arriving{};
};

/// Places of one worker for the functions that draw candidates and execute places. Places have
/// local numbers in the order of their global numbers: own places are [0, places). Ghosts, adjacent
/// places of other workers, are below 0 or from `places` on.
struct EventView {
  std::int32_t places = 0;
  int directions = 0;
  std::uint32_t firstPlace = 0;  ///< global number of own place 0
  /// Local numbers of the adjacent places by own place and direction, or noPlace.
  const std::int32_t* neighbors = nullptr;
  HopParts parts;

  const void* start = nullptr;  ///< state of the own places at the start of the window
  const EventCandidate* candidates = nullptr;
  const ListRange* candidateLists = nullptr;      ///< by own place
  const DepartureList* departureLists = nullptr;  ///< by local number

  std::uint64_t seed = 0;
  std::uint64_t window = 0;
  double seconds = 0;                          ///< length of a window
  std::uint32_t tickMask = ~std::uint32_t{0};  ///< bits of ticks that are used; for tests
  const HopRates* hopRates = nullptr;          ///< by hop channel

  /// Returns the adjacent places of an own place by direction.
  MASS_FN const std::int32_t* neighborsOf(std::int32_t place) const {
    return neighbors + static_cast<std::int64_t>(place) * directions;
  }
  /// Returns the tick of a time in windows, 0 <= time < 1.
  MASS_FN std::uint32_t tickOf(double time) const {
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(time * 0x1p32)) & tickMask;
  }
  /// Returns the identity of a Poisson process at an own place.
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

}  // namespace mass::detail
