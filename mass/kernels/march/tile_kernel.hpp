#pragma once

// Tiles in a plane: several steps of 2-D rules in one pass over memory, for worlds in which a march
// would have few warps with many rows each. Included where nvcc compiles a model.

#include <mass/kernels/march/tile.hpp>
#include <mass/kernels/march/turn.hpp>
#include <mass/launch/cuda/peer_sync.hpp>

#include <cstddef>
#include <cstdint>

namespace mass::detail {

/// Kernel that makes some turns of a MarchTurn by tiles. Rows of other threads come from shared
/// memory, columns beside those of a thread from other lanes. @tparam Stages stages of all turns
template <class Turn, class Arguments, int Stages, int Packs>
struct TileBody {
  using P = typename Turn::Place;
  using W = typename Turn::Written;
  using Call = GpuCall<P, Arguments>;
  using Tile = PlaneTile<Stages, Packs>;
  using Shared = SharedRows<P, Tile>;

  __device__ static void run(const Call& call) {
    const GpuLaunch& gpu = call.gpu;
    const int begin = static_cast<int>(blockIdx.y) * Tile::ownRows;
    const int end = min(begin + Tile::ownRows, static_cast<int>(gpu.launch.layout.rows));
    withPeerSync(gpu, begin, end, [&] {
      const TileOrigin<Tile> origin(gpu, begin);
      if (origin.isAtBorder(gpu))
        advance<true>(call, origin, end);
      else
        advance<false>(call, origin, end);
    });
  }

 private:
  using Line = MarchLine<P>;
  using Own = P[Packs][marchWidth];

  /// Places of a thread.
  struct Position {
    int y, x;                 ///< first row and column in the tile
    int row, column;          ///< these in the band
    int inWorld;              ///< the column in the world
    int number[Packs];        ///< rows in the world
    int warpFirst, warpLast;  ///< rows of the warp in the tile

    __device__ Position(const GpuLaunch& gpu, const TileOrigin<Tile>& origin)
        : y(static_cast<int>(threadIdx.y) * Packs),
          x(static_cast<int>(threadIdx.x) * marchWidth),
          row(origin.row + y),
          column(origin.column + x),
          inWorld(origin.wrapped(column, static_cast<int>(gpu.launch.layout.columns))) {
#pragma unroll
      for (int k = 0; k < Packs; ++k) {
        number[k] = origin.wrapped(static_cast<int>(gpu.launch.firstRow) + row + k,
                                   static_cast<int>(gpu.launch.domain.shape[0]));
      }
      constexpr int rowsOfWarp = 32 / Tile::threadsOfRow * Packs;
      warpFirst = y / rowsOfWarp * rowsOfWarp;
      warpLast = warpFirst + rowsOfWarp - 1;
    }
    /// True if a stage or later ones need places of the warp's rows.
    __device__ bool areNeeded(int stage) const {
      return warpLast >= stage && warpFirst < Tile::rows - stage;
    }
  };

  /// Makes all stages of the block's places. @param end row after those of the block
  template <bool hasEnds>
  __device__ static void advance(const Call& call, const TileOrigin<Tile>& origin, int end) {
    extern __shared__ uint4 memory[];
    const Shared shared(reinterpret_cast<unsigned char*>(memory));
    const Position at(call.gpu, origin);
    Own own;
    load(call, origin, shared, at, own);
    const MarchEnds<Call> ends(call);
#pragma unroll 1
    for (int done = 0; done < Stages; done += Turn::stages) {
#pragma unroll
      for (int stage = 0; stage < Turn::stages; ++stage) {
        const int buffer = (done + stage) % 2;
        shared.store(buffer, at.y, at.x, own[0]);
        if (Packs > 1) shared.store(buffer, at.y + Packs - 1, at.x, own[Packs - 1]);
        __syncthreads();
        if (!at.areNeeded(done + stage)) continue;
        Line lines[Packs + 2];
        lines[0] = shared.line(buffer, at.y - 1, at.x);
        lines[Packs + 1] = shared.line(buffer, at.y + Packs, at.x);
#pragma unroll
        for (int k = 0; k < Packs; ++k) lines[1 + k] = lineOf(own[k]);
        change<hasEnds>(call, at, ends, lines, stage, done / Turn::stages * Turn::rules, own);
      }
    }
    store(call, at, end, own);
  }

  /// Loads a thread's places; those at the ends of the tile load the rows around it, too.
  __device__ static void load(const Call& call, const TileOrigin<Tile>& origin,
                              const Shared& shared, const Position& at, Own& own) {
    const Layout& layout = call.gpu.launch.layout;
#pragma unroll
    for (int k = 0; k < Packs; ++k)
      loadMarching(call.in, origin.indexOf(layout, at.y + k, at.x), own[k]);
    if (at.y != 0 && at.y != Tile::rows - Packs) return;
    const int around = at.y == 0 ? -1 : Tile::rows;
    P beside[marchWidth];
    loadMarching(call.in, origin.indexOf(layout, around, at.x), beside);
    for (const int buffer : {0, 1}) shared.store(buffer, around, at.x, beside);
    if (at.x == 0 && at.y == 0) shared.clear();
  }

  /// Makes a stage of a turn.
  /// @param lines rows of the thread, and those before and after them
  /// @param rulesBefore rules of the turns before
  template <bool hasEnds>
  __device__ static void change(const Call& call, const Position& at, const MarchEnds<Call>& ends,
                                Line (&lines)[Packs + 2], int stage, int rulesBefore, Own& own) {
    const Launch& launch = call.gpu.launch;
    if constexpr (hasEnds) {
#pragma unroll
      for (Line& line : lines)
        ends.setBeside(line, at.column, static_cast<int>(launch.layout.columns));
    }
#pragma unroll
    for (int k = 0; k < Packs; ++k) {
      const Line& middle = lines[k + 1];
      Line before = lines[k], after = lines[k + 2];
      if constexpr (hasEnds) {
        ends.setBeyond(before, middle, at.number[k] == 0);
        ends.setBeyond(after, middle, at.number[k] == launch.domain.shape[0] - 1);
      }
      P window[3][marchWidth + 2];
#pragma unroll
      for (int c = 0; c < marchWidth + 2; ++c) {
        window[0][c] = before.places[c];
        window[1][c] = middle.places[c];
        window[2][c] = after.places[c];
      }
#pragma unroll
      for (int c = 0; c < marchWidth; ++c) {
        Turn::apply(stage, own[k][c], call.arguments, [&](int rule) {
          return Neighborhood<P>(launch, {&window[1][1 + c], marchWidth + 2},
                                 at.number[k] - launch.firstRow, 0, at.inWorld + c,
                                 static_cast<std::uint64_t>(rulesBefore + rule));
        });
      }
    }
  }

  /// Stores those of a thread's places that the block stores, also into the halos of other devices.
  __device__ static void store(const Call& call, const Position& at, int end, const Own& own) {
    const GpuLaunch& gpu = call.gpu;
    const Layout& layout = gpu.launch.layout;
    const bool isOwn = at.x >= Tile::besideColumns && at.x < Tile::columns - Tile::besideColumns;
    if (!isOwn || at.column >= static_cast<int>(layout.columns)) return;
#pragma unroll
    for (int k = 0; k < Packs; ++k) {
      const int y = at.y + k, row = at.row + k;
      if (y < Tile::besideRows || y >= Tile::rows - Tile::besideRows || row >= end) continue;
      const Index index = static_cast<Index>(layout.origin) +
                          row * static_cast<Index>(layout.rowStride) + at.column;
      const auto storeIn = [&](auto* out) {
        storeRow<P, W, marchWidth>(out, Cursor(index, 0, 0, marchWidth), 0, own[k], Copy::own);
      };
      storeIn(call.out);
#pragma unroll
      for (int i = 0; i < inlineHaloStores; ++i) {
        if (i >= gpu.haloStoreCount) break;
        const HaloStore& halo = gpu.inlineStores[i];
        if (row >= halo.begin && row < halo.end) storeIn(call.haloOut[i]);
      }
    }
  }
};

template <class Turn, class Arguments, int Stages, int Packs>
inline constexpr int maxThreads<TileBody<Turn, Arguments, Stages, Packs>> =
    PlaneTile<Stages, Packs>::threads;

}  // namespace mass::detail
