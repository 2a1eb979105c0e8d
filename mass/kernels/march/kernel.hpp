#pragma once

// March in a plane: several steps of 2-D rules in one pass over memory. Included where nvcc
// compiles a model.

#include <mass/kernels/march/rows.hpp>
#include <mass/kernels/march/turn.hpp>
#include <mass/launch/cuda/peer_sync.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace mass::detail {

/// Kernel that makes some turns of a MarchTurn. A warp goes down its columns; the two latest rows
/// before each stage are in registers, columns beside those of a thread come from other lanes.
/// @tparam Stages stages of all turns
template <class Turn, class Arguments, int Stages>
struct MarchBody {
  using P = typename Turn::Place;
  using W = typename Turn::Written;
  using Call = GpuCall<P, Arguments>;
  using Line = MarchLine<P>;

  __device__ static void run(const Call& call) {
    const GpuLaunch& gpu = call.gpu;
    const int begin = static_cast<int>(blockIdx.y) * gpu.rowsPerSweep;
    const int end = begin + rowsOfBlock(gpu, begin);
    withPeerSync(gpu, begin, end, [&] {
      if (isAtEndOfLines(gpu))
        march<true>(call);
      else
        march<false>(call);
      if (gpu.haloStoreCount > 0) storeHalos(call, begin, end);
    });
  }

 private:
  /// True if this block reads beyond an end of lines that is not periodic. The condition is that of
  /// all threads of the block, so that their shuffles stay together.
  __device__ static bool isAtEndOfLines(const GpuLaunch& gpu) {
    constexpr int own = marchColumns(Stages) * marchWarps;
    const auto x = static_cast<int>(blockIdx.x) * own;
    const bool isInside =
        x >= margin && x + own + margin <= static_cast<int>(gpu.launch.layout.columns);
    return gpu.launch.domain.borders[1] != Border::periodic && !isInside;
  }

  __device__ static int rowsOfBlock(const GpuLaunch& gpu, int begin) {
    return min(gpu.rowsPerSweep, static_cast<int>(gpu.launch.layout.rows) - begin);
  }

  static constexpr int margin = marchMargin(Stages);
  /// Rows that are loaded in advance; even.
  static constexpr int ahead = stateBytes<P>() > 4 ? 2 : 4;

  /// Columns of a thread.
  struct Columns {
    int first;    ///< before wrapping around
    bool stores;  ///< the thread stores its results

    __device__ explicit Columns(const GpuLaunch& gpu) {
      const int lane = static_cast<int>(threadIdx.x);
      const int strip = static_cast<int>(blockIdx.x * marchWarps + threadIdx.y);
      first = strip * marchColumns(Stages) - margin + lane * marchWidth;
      stores = lane * marchWidth >= margin && lane * marchWidth < 32 * marchWidth - margin &&
               first < static_cast<int>(gpu.launch.layout.columns);
    }
  };

  /// Copies results of the rows [begin, end) into the halos of other devices. A thread reads what
  /// it has stored.
  __device__ static void storeHalos(const Call& call, int begin, int end) {
    const Columns own(call.gpu);
    if (!own.stores) return;
    const Layout& layout = call.gpu.launch.layout;
#pragma unroll 1
    for (int i = 0; i < inlineHaloStores && i < call.gpu.haloStoreCount; ++i) {
      const HaloStore& halo = call.gpu.inlineStores[i];
      const int from = max(begin, static_cast<int>(halo.begin));
      const int until = min(end, static_cast<int>(halo.end));
#pragma unroll 1
      for (int row = from; row < until; ++row) {
        const Index at = static_cast<Index>(layout.origin) +
                         row * static_cast<Index>(layout.rowStride) + own.first;
        P places[marchWidth];
        loadMarching(call.out, at, places);
        storeRow<P, W, marchWidth>(call.haloOut[i], Cursor(at, 0, 0, marchWidth), 0, places,
                                   Copy::own);
      }
    }
  }

  template <bool atEnds>
  __device__ static void march(const Call& call) {
    const GpuLaunch& gpu = call.gpu;
    const Layout& layout = gpu.launch.layout;
    const auto columns = static_cast<int>(layout.columns), rows = static_cast<int>(layout.rows);
    const auto stride = static_cast<Index>(layout.rowStride);
    const auto origin = static_cast<Index>(layout.origin);
    const MarchEnds<Call> ends(call);

    // Loops depend on the block only: trip counts that differ by thread would divide the warps.
    const Columns own(gpu);
    const int first = own.first;
    const int column = first < 0 ? first + columns : first % columns;
    const int begin = static_cast<int>(blockIdx.y) * gpu.rowsPerSweep;
    const int count = rowsOfBlock(gpu, begin);
    // Rows beside a whole world are those of its other end; beside a band they are in its halos.
    const auto worldRows = static_cast<int>(gpu.launch.domain.shape[0]);
    const bool isWhole = rows == worldRows;
    const int wrapsAt = isWhole ? rows : rows + Stages;
    int next = isWhole && begin < Stages ? begin - Stages + rows : begin - Stages;  // row to load
    Index at = origin + next * stride;
    const auto fetch = [&](P(&row)[marchWidth]) {
      loadMarching(call.in, at + column, row);
      at += stride;
      if (++next == wrapsAt) {  // halos: rows loaded in advance that no stage needs
        next = 0;
        at = origin;
      }
    };
    const auto firstRow = static_cast<int>(gpu.launch.firstRow);
    const int place = firstRow + begin;  // first row of the block in the world

    Line kept[Stages][2] = {};
    P coming[ahead][marchWidth];
#pragma unroll
    for (int k = 0; k < ahead; ++k) fetch(coming[k]);
    Index to = origin + begin * stride + first;
    const auto pass = [&](auto hasEnds, auto hasBorderRows, int from, int until) {
#pragma unroll 1
      for (int i = from; i < until; i += ahead) {
#pragma unroll
        for (int u = 0; u < ahead; ++u) {
          P row[marchWidth];
#pragma unroll
          for (int c = 0; c < marchWidth; ++c) row[c] = coming[u][c];
          fetch(coming[u]);
#pragma unroll
          for (int t = 0; t < Stages; ++t) {
            const int unwrapped = place - Stages + i + u - 1 - t;
            const int number = unwrapped < 0            ? unwrapped + worldRows
                               : unwrapped >= worldRows ? unwrapped - worldRows
                                                        : unwrapped;
            Line latest = lineOf(row);
            if constexpr (hasEnds) ends.setBeside(latest, first, columns);
            const Line& middle = kept[t][(u + 1) % 2];
            Line before = kept[t][u % 2], after = latest;
            if constexpr (hasBorderRows) {
              ends.setBeyond(before, middle, number == 0);
              ends.setBeyond(after, middle, number == worldRows - 1);
            }
            P window[3][marchWidth + 2];
#pragma unroll
            for (int k = 0; k < marchWidth + 2; ++k) {
              window[0][k] = before.places[k];
              window[1][k] = middle.places[k];
              window[2][k] = after.places[k];
            }
#pragma unroll
            for (int c = 0; c < marchWidth; ++c) {
              row[c] = window[1][1 + c];
              Turn::apply(t % Turn::stages, row[c], call.arguments, [&](int rule) {
                const int later = t / Turn::stages * Turn::rules + rule;
                return Neighborhood<P>(gpu.launch, {&window[1][1 + c], marchWidth + 2},
                                       number - firstRow, 0, column + c,
                                       static_cast<std::uint64_t>(later));
              });
            }
            kept[t][u % 2] = latest;
          }
          const int done = i + u - 2 * Stages;
          if (done >= 0 && done < count) {
            if (own.stores) {
              storeRow<P, W, marchWidth>(call.out, Cursor(to, 0, 0, marchWidth), 0, row, Copy::own);
            }
            to += stride;
          }
        }
      }
    };
    // Iterations in which a stage computes the first or the last row of the world.
    const bool isEndless = gpu.launch.domain.borders[0] == Border::periodic;
    const int total = count + 2 * Stages;
    const int afterFirst = isEndless ? 0 : roundUp(max(0, 2 * Stages - place + 1));
    const int beforeLast =
        isEndless ? total : max(0, worldRows - place + Stages - ahead + 1) / ahead * ahead;
    using Yes = std::true_type;
    pass(Yes{}, Yes{}, 0, min(afterFirst, total));
    pass(std::bool_constant<atEnds>{}, std::false_type{}, afterFirst, min(beforeLast, total));
    pass(Yes{}, Yes{}, max(afterFirst, beforeLast), total);
  }

  __device__ static int roundUp(int rows) {
    return (rows + ahead - 1) / ahead * ahead;
  }
};

template <class Turn, class Arguments, int Stages>
inline constexpr int maxThreads<MarchBody<Turn, Arguments, Stages>> = 32 * marchWarps;
/// Blocks that fit with the registers of the rows between the stages.
template <class Turn, class Arguments, int Stages>
inline constexpr int residentBlocks<MarchBody<Turn, Arguments, Stages>> =
    stateBytes<typename Turn::Place>() > 4 ? (Stages > 4 ? 2 : 3) : (Stages > 4 ? 3 : 4);

}  // namespace mass::detail
