#pragma once

// Tile of a block of a persistent kernel. Included where nvcc compiles a model.

#include <mass/kernels/scatter/gpu_element_sender.hpp>

#include <mass/support/cuda/atomic_ref.hpp>

#include <cstdint>

namespace mass::detail {

/// Threads of a block, which has a multiprocessor to itself.
inline constexpr int persistentBlock = warpsPerPersistentBlock * warpWidth;

/// Rows and lines of a block. The first words of the interior's multisets lie in shared memory, all
/// others in device memory.
template <class P>
struct Tile {
  /// Borders of the tile along the lines.
  static constexpr int borders = P::dimensions == 3 ? 2 : 0;

  int firstRow, rows, firstLine, lines;
  SharedTile interior;
  QuickDivisor byLines, byQuads;
  int quadsOfLine;

  __device__ Tile(const Layout& layout, const PersistentTilePlan& plan, std::uint32_t* words)
      : Tile(cut(layout.rows, plan.rowTiles, static_cast<int>(blockIdx.x) / plan.lineTiles),
             cut(layout.lines, plan.lineTiles, static_cast<int>(blockIdx.x) % plan.lineTiles),
             plan.reach, static_cast<int>((layout.columns + packWidth - 1) / packWidth), words) {}

  __device__ int quads() const { return rows * lines * quadsOfLine; }
  /// Returns the row, or the line, of line number `i` of the tile.
  __device__ int rowOf(int i) const { return firstRow + byLines(i); }
  __device__ int lineOf(int i) const { return firstLine + i - byLines(i) * lines; }

 private:
  struct Range {
    int begin, end;
  };
  __device__ static Range cut(std::int64_t length, int parts, int part) {
    return {static_cast<int>(length * part / parts), static_cast<int>(length * (part + 1) / parts)};
  }
  __device__ Tile(Range row, Range line, int reach, int quads, std::uint32_t* words)
      : firstRow(row.begin),
        rows(row.end - row.begin),
        firstLine(line.begin),
        lines(line.end - line.begin),
        interior{row.begin + reach,
                 max(rows - 2 * reach, 0),
                 line.begin + (borders > 0 ? reach : 0),
                 max(lines - borders * reach, 0),
                 quads * packWidth,
                 words},
        byLines(lines),
        byQuads(quads),
        quadsOfLine(quads) {}
};

/// Synchronises a block with the adjacent ones, which alone send elements to it. Lies in shared
/// memory.
template <class P>
class NeighborBarrier {
 public:
  /// Called by all threads of a block. The caller synchronises them afterwards.
  __device__ void begin(const PersistentRun& run) {
    const auto thread = static_cast<int>(threadIdx.x);
    if (thread == 0) own_ = run.finished + blockIdx.x * apart;
    if (thread < neighbors) {
      const int neighbor = beside(run.plan, thread / lineNeighbors - 1,
                                  thread % lineNeighbors - (lineNeighbors - 1) / 2);
      neighbors_[thread] = run.finished + neighbor * apart;
    }
  }
  /// Signals that the block has finished `steps` steps. Called by all its threads.
  __device__ void report(unsigned steps) const {
    __syncthreads();
    if (threadIdx.x == 0) Flag(*own_).storeRelease(steps);
  }
  /// Waits until the adjacent blocks have finished `steps` steps, too. Called by all threads.
  __device__ void wait(unsigned steps) const {
    // Not by the warp that reports: that one waits until its stores are visible.
    const int neighbor = static_cast<int>(threadIdx.x) - warpWidth;
    if (neighbor >= 0 && neighbor < neighbors) {
      const Flag flag(*neighbors_[neighbor]);
      // Relaxed: an acquire would invalidate the L1 cache, which holds data that no rule changes.
      // Data that neighbours change is read in the L2 cache, by __ldcg and atomic operations.
      while (flag.loadRelaxed() < steps) {
      }
    }
    __syncthreads();
  }

 private:
  using Flag = AtomicRef<unsigned, AtomicScope::device>;

  static constexpr int apart = blockFlagBytes / sizeof(unsigned);
  static constexpr int lineNeighbors = P::dimensions == 3 ? 3 : 1;
  static constexpr int neighbors = 3 * lineNeighbors;  // with the block itself

  /// Returns the number of an adjacent block; the world counts as periodic.
  __device__ static int beside(const PersistentTilePlan& plan, int rows, int lines) {
    const int rowTiles = plan.rowTiles, lineTiles = plan.lineTiles;
    const int row = (static_cast<int>(blockIdx.x) / lineTiles + rows + rowTiles) % rowTiles;
    const int line = (static_cast<int>(blockIdx.x) % lineTiles + lines + lineTiles) % lineTiles;
    return row * lineTiles + line;
  }

  unsigned* own_;
  unsigned* neighbors_[neighbors];
};

/// List of the occupied places of a warp: in shared memory while there is room, then in device
/// memory.
struct OccupiedList {
  int2* near;
  int2* far;
  int room;

  __device__ int2& operator[](int n) const { return n < room ? near[n] : far[n - room]; }
};

}  // namespace mass::detail
