#pragma once

// Shape and shared memory of the blocks of a march in space. Included where nvcc compiles a model.

#include <mass/kernels/march/marching_places.hpp>

#include <cstddef>

namespace mass::detail {

/// Columns and lines of a block of a march of `Stages` stages in space. A warp has all columns and
/// some lines of them; the block does not store the margin, where it lacks neighbours.
template <class P, int Stages>
struct VolumeTile {
  static constexpr bool isWide = stateWords<P>() > 1;
  /// Lines of a thread: with the rows between the stages they fill its registers.
  static constexpr int linesPerThread = isWide ? (Stages > 2 ? 3 : 7) : (Stages > 2 ? 5 : 6);
  static constexpr int warps = Stages > 2 ? 12 : 8;
  /// Blocks that a multiprocessor holds.
  static constexpr int residentBlocks = !isWide && Stages == 2 ? 2 : 1;

  static constexpr int columns = 32 * volumeMarchWidth, lines = warps * linesPerThread;
  /// Columns and lines of the margin at each side; whole threads along a line.
  static constexpr int columnMargin =
      (Stages + volumeMarchWidth - 1) / volumeMarchWidth * volumeMarchWidth;
  static constexpr int lineMargin = Stages;
  static constexpr int ownColumns = columns - 2 * columnMargin;
  static constexpr int ownLines = lines - 2 * lineMargin;
};

/// First and last line of each warp of a block in shared memory, where the warps beside read them.
/// Two buffers for each stage: one receives a row while the previous row is read from the other. A
/// line precedes and a line follows those of all warps, so that each warp reads two lines.
template <class P, int Stages>
class SharedLines {
  using Tile = VolumeTile<P, Stages>;
  static constexpr int buffers = 2 * Stages;
  static constexpr int places = (2 * Tile::warps + 2) * Tile::columns;  ///< in one buffer

 public:
  static constexpr int bytes = buffers * places * static_cast<int>(stateBytes<P>());

  /// @param memory `bytes` bytes, aligned to those of a load @param warp, lane of the thread
  __device__ SharedLines(unsigned char* memory, int warp, int lane)
      : memory_(memory), own_((2 * warp + 1) * Tile::columns + lane * volumeMarchWidth) {}

  /// Fills the lines that are read before they are stored. @param warp warp of the thread
  __device__ void clear(int warp) const {
    const P initial[volumeMarchWidth] = {};
#pragma unroll
    for (int buffer = 0; buffer < buffers; ++buffer) {
      if (buffer % 2 == 1) store(buffer, initial, initial);
      if (warp == 0) storePair(buffer * places + own_ - Tile::columns, initial);
      if (warp == Tile::warps - 1) storePair(buffer * places + own_ + 2 * Tile::columns, initial);
    }
  }
  /// Stores the first and the last line of a thread.
  /// @param buffer twice the stage plus the parity of the row
  __device__ void store(int buffer, const P (&first)[volumeMarchWidth],
                        const P (&last)[volumeMarchWidth]) const {
    storePair(buffer * places + own_, first);
    storePair(buffer * places + own_ + Tile::columns, last);
  }
  /// Loads the lines before and after those of a thread. They have no meaning at the ends of a
  /// block.
  __device__ void load(int buffer, P (&before)[volumeMarchWidth],
                       P (&after)[volumeMarchWidth]) const {
    loadPair(buffer * places + own_ - Tile::columns, before);
    loadPair(buffer * places + own_ + 2 * Tile::columns, after);
  }

 private:
  /// Returns the array of an attribute.
  template <class S>
  __device__ typename S::Value* elements() const {
    std::size_t before = 0;  // bytes of the attributes before this one
    AttributeSlots<P>::forEach([&](auto slot) {
      using Other = decltype(slot);
      if (Other::first < S::first) before += sizeof(typename Other::Value);
    });
    return reinterpret_cast<typename S::Value*>(memory_ + before * std::size_t{buffers * places});
  }
  __device__ void storePair(int at, const P (&places)[volumeMarchWidth]) const {
    AttributeSlots<P>::forEach([&](auto slot) {
      using S = decltype(slot);
      Pack<typename S::Value, volumeMarchWidth> pack;
#pragma unroll
      for (int c = 0; c < volumeMarchWidth; ++c) pack.values[c] = places[c].*S::member;
      *reinterpret_cast<Pack<typename S::Value, volumeMarchWidth>*>(elements<S>() + at) = pack;
    });
  }
  __device__ void loadPair(int at, P (&places)[volumeMarchWidth]) const {
    AttributeSlots<P>::forEach([&](auto slot) {
      using S = decltype(slot);
#pragma unroll
      for (int c = 0; c < volumeMarchWidth; ++c)
        places[c].*S::member = loadFromPack<volumeMarchWidth>(elements<S>() + at, c);
    });
  }

  unsigned char* memory_;
  int own_;  ///< index of the thread's first place in a buffer
};

}  // namespace mass::detail
