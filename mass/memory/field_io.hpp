#pragma once

#include <mass/memory/place_fields.hpp>

#include <array>
#include <cstdint>

namespace mass::detail {

/// Copies the places of a box, from `low` on and before `high`, out of one component, whichever
/// devices own them; of rows, lines and columns, as Layout has them.
void readBox(const PlaceFields& fields, int component, const std::array<std::int64_t, 3>& low,
             const std::array<std::int64_t, 3>& high, void* packed);

/// Copies the state of `count` rows, from row `first` of the world, out of one component: without
/// ghosts and sides, row by row, whichever devices own them.
void readRows(const PlaceFields& fields, int component, std::int64_t first, std::int64_t count,
              void* packed);

/// The opposite. Sides and ghosts are out of date afterwards: PlaceFields::refreshSides.
void writeRows(PlaceFields& fields, int component, std::int64_t first, std::int64_t count,
               const void* packed);

/// A hash of the state of all places: the same for every number of devices and threads.
std::uint64_t hashOf(const PlaceFields& fields);

}  // namespace mass::detail
