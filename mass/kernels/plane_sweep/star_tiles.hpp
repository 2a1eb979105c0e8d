#pragma once

// Shared memory of a star sweep, and the copies that fill it. Included where nvcc compiles a model.

#include <mass/kernels/plane_sweep/plane_cache.hpp>
#include <mass/kernels/plane_sweep/star_images.hpp>
#include <mass/support/cuda/shared_barrier.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace mass::detail {

/// Tiles of a block of `Lines` lines. A tile holds the block's places of a row and those beside
/// them, of all components that are not constant. (Rules seldom read constant attributes of
/// neighbours: those stay in device memory.)
template <class P, int Lines>
struct StarTiles {
  static constexpr int reach = P::reach;
  static constexpr int columns = starColumns * packWidth;  ///< columns of the block
  static constexpr int pitch = columns + 2 * packWidth, lines = Lines + 2 * reach;
  static constexpr int places = pitch * lines;  ///< places of a tile

  /// Returns the offset of a component in a tile, in bytes; of all components if it is their
  /// number.
  static constexpr std::int64_t begin(std::size_t component) {
    std::int64_t bytes = 0;
    AttributeSlots<P>::forEach([&](auto slot) {
      using S = decltype(slot);
      if (S::first >= component || S::isConstant) return;
      const std::int64_t own = static_cast<std::int64_t>(sizeof(typename S::Stored)) * places;
      bytes += (own + copyUnit - 1) / copyUnit * copyUnit;
    });
    return bytes;
  }
  static constexpr std::int64_t tileBytes = begin(AttributeSlots<P>::components);

  /// Number of blocks of a multiprocessor whose threads have registers for their rows, and about 38
  /// others.
  static constexpr int blocksByRegisters = [] {
    int words = 0;  // registers of a place
    AttributeSlots<P>::forEach([&](auto slot) {
      words += (static_cast<int>(sizeof(typename decltype(slot)::Element)) + 3) / 4;
    });
    constexpr int all = 65536;
    const int ofThread = packWidth * words * (2 * reach + 1) + 38;
    return std::max(1, all / (ofThread * starColumns * Lines));
  }();
  /// Returns the number of blocks of a multiprocessor with `tiles` tiles each.
  static constexpr int blocksOf(int tiles) {
    constexpr std::int64_t ofSystem = 1024;  // bytes that each block has besides
    const std::int64_t byMemory =
        (mostSharedBytes + ofSystem) / std::max<std::int64_t>(1, tiles * tileBytes + ofSystem);
    return static_cast<int>(std::min<std::int64_t>(blocksByRegisters, byMemory));
  }
  /// Number of tiles, even: of the rows from the present one to `reach` after it, of two rows or
  /// more that are being copied, and of the row before the present one, which other warps may
  /// still read. One row is being copied where more tiles would take the memory of another block.
  static constexpr int tiles = [] {
    constexpr int few = (reach + 4) / 2 * 2, many = (reach + 5) / 2 * 2;
    return blocksOf(many) < blocksOf(few) ? few : many;
  }();
  static constexpr int ahead = tiles - reach - 2;              ///< rows that are being copied
  static constexpr int blocks = std::max(1, blocksOf(tiles));  ///< blocks of a multiprocessor
  static constexpr std::int64_t bytes = tiles * tileBytes;

  static constexpr int unit = packWidth;  ///< lines begin at multiples of so many places
  /// True if a block has threads for all copies of a row.
  static constexpr bool exists = tileBytes > 0 && bytes <= mostSharedBytes &&
                                 2 * reach + (2 * Lines + starColumns - 1) / starColumns <= Lines;
};

/// Copies rows of places into tiles, one after another. Of each row a thread copies its own pack,
/// and at most one beside the block: warp k < 2 reach a line before or after its lines, the
/// next ones the packs before and after each line.
template <class Call, class Tiles>
class TileCopies {
  using P = typename Call::Place;
  static constexpr int reach = Tiles::reach, width = packWidth;

 public:
  /// @param memory the tiles
  /// @param place the thread's first place
  __device__ TileCopies(const Call& call, unsigned char* memory, const GpuPlace& place)
      : call_(&call), memory_(memory) {
    const Layout& layout = call.gpu.launch.layout;
    const auto x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
    constexpr int lines = Tiles::lines - 2 * reach;
    int line = y < reach ? y - reach : y - reach + lines, column = x * width;
    bool isWanted = y < 2 * reach;
    if (y >= 2 * reach) {
      line = (y - 2 * reach) * (starColumns / 2) + x / 2;
      column = x % 2 == 0 ? -width : Tiles::columns;
      isWanted = line < lines;
    }
    beside_ = (line - y) * static_cast<Index>(layout.pitch) + column - x * width;
    toOwn_ = (y + reach) * Tiles::pitch + (x + 1) * width;
    toBeside_ = (line + reach) * Tiles::pitch + width + column;
    // There is no data beyond the padding.
    const auto isThere = [&](int atLine, int atColumn) {
      return atLine < static_cast<int>(layout.lines) + reach &&
             atColumn < static_cast<int>(layout.columns) + reach;
    };
    hasOwn_ = isThere(place.line, place.column);
    hasBeside_ = isWanted && isThere(place.line - y + line, place.column - x * width + column);
  }

  /// Begins to copy a row into a tile, as a group of copies; an empty one unless it `exists`.
  /// @param at index of the thread's first place in that row
  __device__ void fetch(int tile, Index at, bool exists) const {
    AttributeSlots<P>::forEach([&](auto slot) {
      using S = decltype(slot);
      if constexpr (!S::isConstant) {
        using Stored = typename S::Stored;
        constexpr int bytes = width * static_cast<int>(sizeof(Stored));
        const auto* const from = static_cast<const Stored*>(call_->in[S::first]);
        auto* const to =
            reinterpret_cast<Stored*>(memory_ + tile * Tiles::tileBytes + Tiles::begin(S::first));
        ThreadCopies::copy<bytes>(to + toOwn_, from + at, exists && hasOwn_);
        ThreadCopies::copy<bytes>(to + toBeside_, from + at + beside_, exists && hasBeside_);
      }
    });
    ThreadCopies::end();
  }
  /// Index of the thread's own pack in a tile.
  __device__ int own() const { return toOwn_; }

 private:
  const Call* call_;
  unsigned char* memory_;
  Index beside_;          ///< distance of the pack beside the block from the thread's own
  int toOwn_, toBeside_;  ///< their places in a tile
  bool hasOwn_, hasBeside_;
};

}  // namespace mass::detail
