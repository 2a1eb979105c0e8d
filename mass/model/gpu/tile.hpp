#pragma once

// The tile of a world that a block keeps in its own memory. Included where nvcc compiles a model.

#include <mass/model/gpu/send_codes.hpp>

#include <cuda/atomic>

#include <cstdint>

namespace mass::detail {

/// Threads of a block: it has a multiprocessor to itself.
inline constexpr int tileBlock = tileWarps * warpWidth;

/// The places of a block: its rows and lines, of which those of the interior have their first words
/// in the block's memory and all others in the device's.
template <class P>
struct Tile {
  static constexpr int borders = P::dimensions == 3 ? 2 : 0;  ///< of lines

  int firstRow, rows, firstLine, lines;
  SendTile interior;
  QuickDivisor byLines, byQuads;
  int quadsOfLine;

  __device__ Tile(const Layout& layout, const TilePlan& plan, std::uint32_t* words)
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

/// How blocks wait for those beside them, which alone send them codes.
template <class P>
struct TileTurns {
  const TileRun& run;

  static constexpr int apart = tileFlagBytes / sizeof(unsigned);

  /// To be called by all threads of a block when it has finished `steps` steps: returns when its
  /// neighbours have, too.
  __device__ void finish(unsigned steps) const {
    __syncthreads();
    using Flag = ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_device>;
    if (threadIdx.x == 0) {
      Flag(run.finished[blockIdx.x * apart]).store(steps, ::cuda::memory_order_release);
    }
    constexpr int lineNeighbors = P::dimensions == 3 ? 3 : 1;
    if (threadIdx.x < 3 * lineNeighbors) {
      const int neighbor =
          beside(static_cast<int>(threadIdx.x) / lineNeighbors - 1,
                 static_cast<int>(threadIdx.x) % lineNeighbors - (lineNeighbors - 1) / 2);
      const Flag flag(run.finished[neighbor * apart]);
      // To acquire would empty the L1 cache of what no rule changes. What neighbours change is
      // read where they change it: in the L2 cache, by __ldcg and atomic operations.
      while (flag.load(::cuda::memory_order_relaxed) < steps) {
      }
    }
    __syncthreads();
  }

 private:
  /// A neighbour's number; worlds may be periodic.
  __device__ int beside(int rows, int lines) const {
    const int rowTiles = run.plan.rowTiles, lineTiles = run.plan.lineTiles;
    const int row = (static_cast<int>(blockIdx.x) / lineTiles + rows + rowTiles) % rowTiles;
    const int line = (static_cast<int>(blockIdx.x) % lineTiles + lines + lineTiles) % lineTiles;
    return row * lineTiles + line;
  }
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
