#pragma once

// Tiles of the blocks of a TileBody: their shape, their place in the world, and their rows in
// shared memory. Included where nvcc compiles a model.

#include <mass/kernels/march/rows.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace mass::detail {

/// Tile of a block: places that the block stores, and those beside them that it computes for its
/// first stages. A thread has `Packs` packs, one below the other.
template <int Stages, int Packs>
struct PlaneTile {
  static constexpr int columns = 64, threadsOfRow = columns / marchWidth;
  static constexpr int rows = std::max(32, (4 * Stages + 7) / 8 * 8), packs = Packs;
  static constexpr int threads = threadsOfRow * rows / packs;
  static_assert(threads % 32 == 0, "shuffles need whole warps");
  /// Columns and rows at each end that the block does not store. Those at the ends of a tile have
  /// wrong neighbours after one stage; before and after its rows it has one more for the first.
  static constexpr int besideColumns = marchMargin(Stages), besideRows = Stages - 1;
  static constexpr int ownColumns = columns - 2 * besideColumns;
  static constexpr int ownRows = rows - 2 * besideRows;
};

/// Rows of a tile in shared memory that other threads read, in two buffers: before even and odd
/// stages.
template <class P, class Tile>
class SharedRows {
  static constexpr int places = Tile::columns * (Tile::rows + 2);  ///< their number in a buffer
  /// Places before the first buffer and after the second one; arrays thus begin at multiples of 16
  /// bytes.
  static constexpr int ends = 16;
  static constexpr int allPlaces = 2 * places + 2 * ends;

 public:
  static constexpr int bytes = allPlaces * static_cast<int>(stateBytes<P>());

  /// @param memory `bytes` bytes, aligned to those of a load
  __device__ explicit SharedRows(unsigned char* memory) : memory_(memory) {}

  /// Stores a thread's places of a row; -1 and Tile::rows are rows around the tile.
  __device__ void store(int buffer, int row, int column, const P (&own)[marchWidth]) const {
    storePack(at(buffer, row, column), own);
  }
  /// Fills the ends, which threads at the ends of the tile read.
  __device__ void clear() const {
    const P initial[marchWidth] = {};
    storePack(ends - marchWidth, initial);
    storePack(allPlaces - ends, initial);
  }
  /// Returns a thread's columns of a row with the places beside them. Those at the ends of the
  /// tile have others.
  __device__ MarchLine<P> line(int buffer, int row, int column) const {
    MarchLine<P> line;
    forEachArray([&](auto slot, const auto* elements) {
      constexpr auto member = decltype(slot)::member;
      const auto* const own = elements + at(buffer, row, column);
      line.places[0].*member = own[-1];
      line.places[marchWidth + 1].*member = own[marchWidth];
#pragma unroll
      for (int c = 0; c < marchWidth; ++c)
        line.places[1 + c].*member = loadFromPack<marchWidth>(own, c);
    });
    return line;
  }

 private:
  __device__ static int at(int buffer, int row, int column) {
    return ends + buffer * places + (row + 1) * Tile::columns + column;
  }
  __device__ void storePack(int index, const P (&own)[marchWidth]) const {
    forEachArray([&](auto slot, auto* elements) {
      using S = decltype(slot);
      Pack<typename S::Value, marchWidth> pack;
#pragma unroll
      for (int c = 0; c < marchWidth; ++c) pack.values[c] = own[c].*S::member;
      *reinterpret_cast<decltype(pack)*>(elements + index) = pack;
    });
  }
  /// Calls f(slot, elements) with the array of each attribute.
  template <class F>
  __device__ void forEachArray(F&& f) const {
    std::size_t begin = 0;
    AttributeSlots<P>::forEach([&](auto slot) {
      using T = typename decltype(slot)::Value;
      f(slot, reinterpret_cast<T*>(memory_ + begin));
      begin += sizeof(T) * std::size_t{allPlaces};
    });
  }

  unsigned char* memory_;
};

/// Position of a tile. Its rows and columns may lie beyond the world.
template <class Tile>
struct TileOrigin {
  int row, column;  ///< first ones of the tile, in the band
  bool isWhole;     ///< the band is the world

  /// @param begin first row that the block stores
  __device__ TileOrigin(const GpuLaunch& gpu, int begin)
      : row(begin - Tile::besideRows),
        column(static_cast<int>(blockIdx.x) * Tile::ownColumns - Tile::besideColumns),
        isWhole(gpu.launch.layout.rows == gpu.launch.domain.shape[0]) {}

  /// True if the tile has places at a border that is not periodic.
  __device__ bool isAtBorder(const GpuLaunch& gpu) const {
    const auto has = [&](std::size_t axis, std::int64_t first, int count) {
      return gpu.launch.domain.borders[axis] != Border::periodic &&
             (first <= 0 || first + count >= gpu.launch.domain.shape[axis]);
    };
    return has(0, gpu.launch.firstRow + row, Tile::rows) || has(1, column, Tile::columns);
  }
  /// Returns the index of a place of the tile, or around it.
  __device__ Index indexOf(const Layout& layout, int tileRow, int tileColumn) const {
    const auto rows = static_cast<int>(layout.rows), columns = static_cast<int>(layout.columns);
    // Rows beside a whole world are those of its other end; beside a band they are in its halos,
    // beyond which no stage needs any.
    const int last = rows + Tile::besideRows;
    const int from = isWhole ? wrapped(row + tileRow, rows) : min(row + tileRow, last);
    return static_cast<Index>(layout.origin) + from * static_cast<Index>(layout.rowStride) +
           wrapped(column + tileColumn, columns);
  }
  /// Returns the number of a row or column of the world, of which there are `size`.
  __device__ static int wrapped(int number, int size) {
    const int rest = number % size;
    return rest < 0 ? rest + size : rest;
  }
};

}  // namespace mass::detail
