#pragma once

#include <mass/backend/block_image.hpp>
#include <mass/memory/place_fields.hpp>
#include <mass/support/export.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace mass::detail {

/// Rectangle of a plane of places, with a pixel for each block of them. The plane is across an axis
/// of Layout (rows, lines or columns); its rows and columns are the other two axes. 2-D places are
/// the plane across the lines at 0.
struct FieldPlane {
  int across = 1;
  std::int64_t at = 0;
  std::int64_t top = 0, left = 0;      ///< first row and column
  std::int64_t rows = 0, columns = 0;  ///< at least 1 each
  std::int64_t block = 1;              ///< rows and columns of a block

  std::int64_t blockRows() const { return (rows + block - 1) / block; }
  std::int64_t blockColumns() const { return (columns + block - 1) / block; }
};

/// Draws planes of places where their values are: each device reduces the blocks of its own rows,
/// and the host gets the palette indices. Keeps memory on the devices from one image to the next.
class MASS_EXPORT FieldImager {
 public:
  /// Draws a component. The indices do not depend on the devices and ranks. All ranks call it
  /// together.
  /// @param rule its type is that of the elements; areBits is set here
  /// @return on rank 0 a palette index for each block, row by row; undefined values on other ranks.
  /// Nothing if a value is no category
  /// @pre the plane is within the world, which has 2 or 3 dimensions
  /// @throws DeviceError if memory is exhausted or a GPU fails
  std::optional<std::vector<std::uint8_t>> draw(const PlaceFields& fields, int component,
                                                const FieldPlane& plane, BlockRule rule);

 private:
  /// Rows of the plane on a device of this rank.
  struct Part {
    int device;
    const void* data;
    BlockGrid grid;
    std::int64_t firstBlockRow;  ///< in the image
    std::int64_t begin, end;     ///< rows of blocks of the grid that are complete
  };
  /// Memory of a device.
  struct Memory {
    Buffer tallies, indices;
  };

  static std::vector<Part> partsOf(const PlaceFields& fields, int component,
                                   const FieldPlane& plane);
  void tally(const PlaceFields& fields, const std::vector<Part>& parts, const BlockRule& rule,
             BlockTotals& totals);
  void index(const PlaceFields& fields, const std::vector<Part>& parts, const BlockRule& rule,
             const BlockTotals& totals, std::vector<std::uint8_t>& pixels);
  void mergeCutBlocks(const PlaceFields& fields, const std::vector<Part>& parts,
                      const FieldPlane& plane, const BlockRule& rule, const BlockTotals& totals,
                      std::vector<std::uint8_t>& pixels);
  void reserve(const PlaceFields& fields, const std::vector<Part>& parts, const BlockRule& rule);

  std::vector<Memory> memories_;  ///< by local device
};

}  // namespace mass::detail
