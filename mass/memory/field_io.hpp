#pragma once

#include <mass/memory/place_fields.hpp>
#include <mass/support/export.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace mass::detail {

/// Row, line and column.
using Corner = std::array<std::int64_t, 3>;

// All ranks call these functions together. On the host, the rows of a network are in the order of
// its nodes, whatever their order on devices, and blocks are put together to rows.

/// Returns the rows that the devices of this rank own. @pre they are no blocks
MASS_EXPORT RowRange localRows(const PlaceFields& fields);
/// Returns the rows, in the order of values on the host, of which this rank must give the values to
/// writeRows(): its own ones, or all of a network whose rows are in another order, or of blocks.
MASS_EXPORT RowRange writtenRows(const PlaceFields& fields);
/// Returns the largest number of rows that the devices of a rank own.
MASS_EXPORT std::int64_t mostRowsOfRank(const PlaceFields& fields);

/// Completes an array with an entry for each of the rows [first, first + count), of which each rank
/// has written the entries of its own rows.
/// @param rowBytes bytes of an entry @param packed the array
MASS_EXPORT void gatherRows(const PlaceFields& fields, std::int64_t first, std::int64_t count,
                            std::size_t rowBytes, void* packed);

/// Copies the state of a box of places to host memory of every rank, from all devices that own a
/// part.
/// @param component number of the component
/// @param low, high first and last + 1 row, line and column, in the axes of Layout
/// @param packed memory for the elements of the box, in row-major order
MASS_EXPORT void readBox(const PlaceFields& fields, int component, const Corner& low,
                         const Corner& high, void* packed);

/// Copies the state of rows [first, first + count) of the world to host memory of every rank, from
/// all devices that own a part, without ghost rows and padding.
/// @param component number of the component
/// @param packed memory for the elements of the rows, in row-major order
MASS_EXPORT void readRows(const PlaceFields& fields, int component, std::int64_t first,
                          std::int64_t count, void* packed);

/// Copies the state of all rows to host memory of rank 0.
/// @param packed memory for the elements of all rows on rank 0; not used on other ranks, which
/// allocate that of their own rows
MASS_EXPORT void collectRows(const PlaceFields& fields, int component, void* packed);

/// Checks that each host has memory for a copy of `bytes` bytes on each of its ranks. Small copies
/// are not checked.
/// @param what name of the copy in the message, such as "a download from 'Life'"
/// @throws DeviceError on all ranks if a host has not
MASS_EXPORT void requireHostMemory(const DeviceConfig& devices, double bytes,
                                   const std::string& what);

/// Copies rows as readRows() does, but only rank 0 gets all of them; other ranks get their own
/// ones.
void readRowsOnFirstRank(const PlaceFields& fields, int component, std::int64_t first,
                         std::int64_t count, void* packed);

/// Copies rows as writeRows() does, but only rank 0 has all of them; other ranks receive their own
/// ones into `packed`.
void writeRowsFromFirstRank(PlaceFields& fields, int component, std::int64_t first,
                            std::int64_t count, void* packed);

/// Copies the state of rows [first, first + count) from host memory, which holds at least
/// writtenRows(); the inverse of readRows(). The caller then calls PlaceFields::refreshPadding():
/// padding and ghost rows are out of date.
MASS_EXPORT void writeRows(PlaceFields& fields, int component, std::int64_t first,
                           std::int64_t count, const void* packed);

/// Returns a hash of the state of all places; it does not depend on the number of devices or
/// threads.
MASS_EXPORT std::uint64_t hashOf(const PlaceFields& fields);
/// Returns the hash without the edges of a network, which count in hashOf() if rules changed them.
std::uint64_t hashOfState(const PlaceFields& fields);

}  // namespace mass::detail
