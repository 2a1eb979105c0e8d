#pragma once

#include <mass/memory/place_fields.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace mass::detail {

// All ranks call these functions together.

/// Returns the rows that the devices of this rank own.
RowRange localRows(const PlaceFields& fields);

/// Completes an array with an entry for each of the rows [first, first + count), of which each rank
/// has written the entries of its own rows.
/// @param rowBytes bytes of an entry @param packed the array
void gatherRows(const PlaceFields& fields, std::int64_t first, std::int64_t count,
                std::size_t rowBytes, void* packed);

/// Copies the state of a box of places to host memory of every rank, from all devices that own a
/// part.
/// @param component number of the component
/// @param low, high first and last + 1 row, line and column, in the axes of Layout
/// @param packed memory for the elements of the box, in row-major order
void readBox(const PlaceFields& fields, int component, const std::array<std::int64_t, 3>& low,
             const std::array<std::int64_t, 3>& high, void* packed);

/// Copies the state of rows [first, first + count) of the world to host memory of every rank, from
/// all devices that own a part, without ghost rows and padding.
/// @param component number of the component
/// @param packed memory for the elements of the rows, in row-major order
void readRows(const PlaceFields& fields, int component, std::int64_t first, std::int64_t count,
              void* packed);

/// Reads rows like readRows(), but only rank 0 gets all; other ranks get their own ones.
void readRowsOnFirstRank(const PlaceFields& fields, int component, std::int64_t first,
                         std::int64_t count, void* packed);

/// Writes like writeRows(), but only rank 0 has all rows; others receive their own into `packed`.
void writeRowsFromFirstRank(PlaceFields& fields, int component, std::int64_t first,
                            std::int64_t count, void* packed);

/// Copies the state of rows [first, first + count) from host memory, which holds at least the rows
/// of this rank; the inverse of readRows(). The caller then calls PlaceFields::refreshPadding(): padding and ghost rows are out of date.
void writeRows(PlaceFields& fields, int component, std::int64_t first, std::int64_t count,
               const void* packed);

/// Returns a hash of the state of all places; it does not depend on the number of devices or
/// threads.
std::uint64_t hashOf(const PlaceFields& fields);

}  // namespace mass::detail
