#pragma once

// The tile of a world that a block keeps in its own memory. Included where nvcc compiles a model.

#include <mass/kernels/scatter/gpu_code_sender.hpp>

#include <cuda/atomic>

#include <cstdint>

namespace mass::detail {

/// Threads of a block: it has a multiprocessor to itself.
inline constexpr int tileBlock = warpsPerPersistentBlock * warpWidth;

/// The places of a block: its rows and lines, of which those of the interior have their first words
/// in the block's memory and all others in the device's.
template <class P>
struct Tile {
  static constexpr int borders = P::dimensions == 3 ? 2 : 0;  ///< of lines

  int firstRow, rows, firstLine, lines;
  SharedTile interior;
  QuickDivisor byLines, byQuads;
  int quadsOfLine;

  __device__ Tile(const Layout& layout, const PersistentTilePlan& plan, std::uint32_t* words)
      : Tile(cut(layout.rows, plan.rowTiles, static_cast<int>(blockIdx.x) / plan.lineTiles),
             cut(layout.lines, plan.lineTiles, static_cast<int>(blockIdx.x) % plan.lineTiles),
             plan.reach, static_cast<int>((layout.columns + packWidth - 1) / packWidth), words) {}

  __device__ int quads() const { return rows * lines * quadsOfLine; }
  /// The row and line of line number `i` of the tile.
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

/// How blocks wait for those beside them, which alone send them codes. Lies in the block's memory.
template <class P>
class TileTurns {
 public:
  /// To be called by all threads of a block, which then meet.
  __device__ void begin(const PersistentRun& run) {
    const auto thread = static_cast<int>(threadIdx.x);
    if (thread == 0) own_ = run.finished + blockIdx.x * apart;
    if (thread < neighbors) {
      const int neighbor = beside(run.plan, thread / lineNeighbors - 1,
                                  thread % lineNeighbors - (lineNeighbors - 1) / 2);
      neighbors_[thread] = run.finished + neighbor * apart;
    }
  }
  /// To be called by all threads of a block when it has finished `steps` steps.
  __device__ void report(unsigned steps) const {
    __syncthreads();
    if (threadIdx.x == 0) Flag(*own_).store(steps, ::cuda::memory_order_release);
  }
  /// Returns when the neighbours have reported, too.
  __device__ void wait(unsigned steps) const {
    // By another warp than that which reports: it waits until what was stored is seen everywhere.
    const int neighbor = static_cast<int>(threadIdx.x) - warpWidth;
    if (neighbor >= 0 && neighbor < neighbors) {
      const Flag flag(*neighbors_[neighbor]);
      // To acquire would empty the L1 cache of what no rule changes. What neighbours change is
      // read where they change it: in the L2 cache, by __ldcg and atomic operations.
      while (flag.load(::cuda::memory_order_relaxed) < steps) {
      }
    }
    __syncthreads();
  }

 private:
  using Flag = ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_device>;

  static constexpr int apart = blockFlagBytes / sizeof(unsigned);
  static constexpr int lineNeighbors = P::dimensions == 3 ? 3 : 1;
  static constexpr int neighbors = 3 * lineNeighbors;  // with the block itself

  /// A neighbour's number; worlds may be periodic.
  __device__ static int beside(const PersistentTilePlan& plan, int rows, int lines) {
    const int rowTiles = plan.rowTiles, lineTiles = plan.lineTiles;
    const int row = (static_cast<int>(blockIdx.x) / lineTiles + rows + rowTiles) % rowTiles;
    const int line = (static_cast<int>(blockIdx.x) % lineTiles + lines + lineTiles) % lineTiles;
    return row * lineTiles + line;
  }

  unsigned* own_;
  unsigned* neighbors_[neighbors];
};

/// The occupied places that a warp has found: in the block's memory while there is room, then in
/// the device's.
struct TileList {
  int2* near;
  int2* far;
  int room;

  __device__ int2& operator[](int n) const { return n < room ? near[n] : far[n - room]; }
};

}  // namespace mass::detail
