#pragma once

#include <mass/memory/event_view.hpp>
#include <mass/support/qualifiers.hpp>

#include <cstdint>

namespace mass::detail {

/// Departures of a place in order of time, and the part of the departure list of each.
struct DepartureRecord {
  Departure* list = nullptr;
  std::uint8_t* parts = nullptr;
  std::uint32_t capacity = 0;
  std::uint32_t count = 0;
  std::uint64_t counts = 0;  ///< departures of each part, 8 bits a part; valid if count < 256

  /// Appends a departure if `condition` is true. @pre count < capacity
  MASS_FN void addIf(bool condition, const Departure& departure, std::uint8_t part) {
    list[count] = departure;
    parts[count] = part;
    count += static_cast<std::uint32_t>(condition);
    counts += static_cast<std::uint64_t>(condition) << 8 * part;
  }
  /// Copies the departures, grouped by part, in order of time within each. There is memory
  /// for eight more.
  /// @return the ends of the parts
  MASS_FN DepartureList groupInto(Departure* grouped) const {
    DepartureList ranges;
    if (count >= 0x100) return groupMany(grouped);
    const std::uint64_t ends = counts * 0x0101010101010101;  // prefix sums in each byte
    if (count <= 1) {
      copyInto<1>(grouped, ends - counts);
    } else if (count <= 8) {
      copyInto<8>(grouped, ends - counts);
    } else {
      copyInto<0xff>(grouped, ends - counts);
    }
    for (int part = 0; part < maxDirections; ++part)
      ranges.ends[part] = static_cast<std::uint32_t>(ends >> 8 * part & 0xff);
    return ranges;
  }

 private:
  static constexpr std::uint8_t noPart = 7;  // the prefix sum before it is the number of all

  /// Copies the departures, at most `Most`. Few are copied without branches, up to `Most`.
  /// @param next position of the next departure of each part, 8 bits a part
  template <std::uint32_t Most>
  MASS_FN void copyInto(Departure* grouped, std::uint64_t next) const {
    constexpr bool areFew = Most <= 8;
    if constexpr (areFew) {
      for (std::uint32_t i = 0; i < Most; ++i) parts[count + i] = noPart;
    }
    const std::uint32_t end = areFew ? Most : count;
    for (std::uint32_t i = 0; i < end; ++i) {
      const unsigned shift = 8U * parts[i];
      grouped[next >> shift & 0xff] = list[i];
      next += std::uint64_t{1} << shift;
    }
  }
  MASS_FN DepartureList groupMany(Departure* grouped) const {
    DepartureList ranges;
    std::uint32_t end = 0;
    for (int part = 0; part < maxDirections; ++part) {
      for (std::uint32_t i = 0; i < count; ++i) {
        if (parts[i] == part) grouped[end++] = list[i];
      }
      ranges.ends[part] = end;
    }
    return ranges;
  }
};

}  // namespace mass::detail
