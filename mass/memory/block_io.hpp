#pragma once

#include <mass/memory/field_io.hpp>
#include <mass/memory/place_fields.hpp>
#include <mass/support/export.hpp>

#include <cstddef>
#include <cstdint>

namespace mass::detail {

// Transfers of blocks (PlaceFields::areBlocks()) between memory in the order of the world and the
// devices. The functions of field_io.hpp call them.

/// Does readBox() for blocks, on all ranks.
void readBlocks(const PlaceFields& fields, int component, const Corner& low, const Corner& high,
                void* packed);
/// Does readRowsOnFirstRank() for blocks.
void readBlocksOnFirstRank(const PlaceFields& fields, int component, RowRange rows, void* packed);
/// Does writeRows() for blocks. @param packed all lines of these rows
void writeBlocks(PlaceFields& fields, int component, RowRange rows, const void* packed);
/// Returns the sum of the hashes of the lines of this rank, as hashOf() defines them.
std::uint64_t hashOfBlocks(const PlaceFields& fields);
/// Gathers the results of places or lines, of which each rank has those of its devices one after
/// the other, and brings them into the order of the world. A line belongs to the device with its
/// last column.
/// @param isForEachPlace true if each place has a result, not each line
/// @param bytes bytes of a result
/// @param results memory for all results, with those of this rank from PlaceFields::placesBefore()
/// or linesBefore() its first device on
MASS_EXPORT void gatherBlocks(const PlaceFields& fields, bool isForEachPlace, std::size_t bytes,
                              void* results);

}  // namespace mass::detail
