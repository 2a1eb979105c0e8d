#pragma once

// March in space: several steps of 3-D rules, which read along the axes, in one pass over memory.
// Included where nvcc compiles a model.

#include <mass/kernels/march/turn.hpp>
#include <mass/kernels/march/volume_places.hpp>
#include <mass/support/cuda/shared_barrier.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace mass::detail {

/// Kernel that makes some turns of a MarchTurn. A block goes from row to row; the two latest rows
/// before each stage are in registers. Columns beside those of a thread come from other lanes, and
/// lines beside those of a warp from shared memory.
/// @tparam Stages stages of all turns
/// @tparam isBand true if the device has a part of the rows of the world
template <class Turn, class Arguments, int Stages, bool isBand>
struct VolumeMarchBody {
  using P = typename Turn::Place;
  using W = typename Turn::Written;
  using Call = GpuCall<P, Arguments>;
  using Tile = VolumeTile<P, Stages>;

  __device__ static void run(const Call& call) {
    waitForPredecessor();
    // Conditions of the whole block.
    const GpuLaunch& gpu = call.gpu;
    const Layout& layout = gpu.launch.layout;
    const auto isOpen = [&](std::size_t axis) {
      return gpu.launch.domain.borders[axis] == Border::periodic;
    };
    const auto isInside = [](int begin, int end, std::int64_t size) {
      return begin >= 0 && end <= static_cast<int>(size);
    };
    const int row = static_cast<int>(blockIdx.z) * gpu.rowsPerSweep;
    const int line = firstVolumeLine<Tile>(layout), column = firstVolumeColumn<Tile>();
    const RowNumbers<isBand> numbers(gpu.launch, static_cast<int>(layout.rows));
    const int first = numbers.first() + row;
    const bool hasRows =
        isInside(first - Stages, first + gpu.rowsPerSweep + Stages, numbers.ofWorld());
    const bool hasLines = isInside(line, line + Tile::lines, layout.lines);
    const bool hasColumns = isInside(column, column + Tile::columns, layout.columns);
    const bool isAtBorder =
        (!isOpen(0) && !hasRows) || (!isOpen(1) && !hasLines) || (!isOpen(2) && !hasColumns);
    if (isAtBorder)
      march<true>(call);
    else
      march<false>(call);
  }

 private:
  using Part = VolumePart<P, Stages>;
  using Position = VolumePosition<P, Stages>;
  using Numbers = RowNumbers<isBand>;
  using Ends = VolumeEnds<Call, Stages, isBand>;
  static constexpr int lines = Tile::linesPerThread, width = volumeMarchWidth;

  /// Takes the place of Ends in blocks that touch no such border.
  struct NoEnds {
    __device__ NoEnds(const Call&, const Position&, const Numbers&) {}
  };
  template <bool atBorder>
  using EndsOf = std::conditional_t<atBorder, Ends, NoEnds>;

  template <bool atBorder>
  __device__ static void march(const Call& call) {
    extern __shared__ uint4 memory[];
    // By stage: its lines of the last row are stored, and those of the row before are read.
    __shared__ SplitBarrier barriers[Stages];
    const GpuLaunch& gpu = call.gpu;
    const Position position(gpu.launch.layout);
    const Numbers numbers(gpu.launch, position.rows);
    const EndsOf<atBorder> ends(call, position, numbers);
    const SharedLines<P, Stages> shared(reinterpret_cast<unsigned char*>(memory),
                                        static_cast<int>(threadIdx.y),
                                        static_cast<int>(threadIdx.x));

    // Loops depend on the block only: trip counts that differ by thread would divide the warps.
    const int begin = static_cast<int>(blockIdx.z) * gpu.rowsPerSweep;
    const int own = min(gpu.rowsPerSweep, position.rows - begin);
    VolumeRows<Call, Stages, isBand> loader(call, position, begin - Stages);
    Part kept[Stages][2] = {};
    Part coming;
    loader.fetch(coming);
    shared.clear(static_cast<int>(threadIdx.y));
    if (threadIdx.y == 0 && threadIdx.x < Stages) barriers[threadIdx.x].begin(Tile::warps);
    __syncthreads();

    const auto stride = static_cast<Index>(gpu.launch.layout.rowStride);
    Index to = position.first() + begin * stride;
#pragma unroll 1
    for (int i = 0; i < own + 2 * Stages; i += 2) {
#pragma unroll
      for (int u = 0; u < 2; ++u) {
        Part latest = coming;
        loader.fetch(coming);
#pragma unroll
        for (int t = 0; t < Stages; ++t) {
          const int row = numbers.inWorld(begin - Stages + i + u - 1 - t);
          // Does not wait before the first row.
          if (t == 0 || SplitBarrier::isSplit) barriers[t].wait(u == 0);
          shared.store(2 * t + u, latest.at[0], latest.at[lines - 1]);
          const Part& now = kept[t][1 - u];
          P beside[2][width];
          shared.load(2 * t + 1 - u, beside[0], beside[1]);
          barriers[t].arrive(threadIdx.x == 0);
          Part next;
          const auto make = [&](auto areMany) {
            step<atBorder, areMany>(call, position, ends, row, row - numbers.first(), t, kept[t][u],
                                    now, latest, beside, next);
          };
          if constexpr (atBorder) {
            if (ends.areMany(row))
              make(std::true_type{});
            else
              make(std::false_type{});
          } else {
            make(std::false_type{});
          }
          kept[t][u] = latest;
          latest = next;
        }
        const int done = i + u - 2 * Stages;
        if (done >= 0 && done < own) {
          store(call, position, to, latest);
          to += stride;
        }
      }
    }
  }

  /// Makes stage `t` in a row. @tparam areMany see Ends::areMany()
  /// @param row, ownRow its number in the world and on the device
  /// @param before, now, after the rows around it after stage t - 1
  /// @param beside lines of `now` before and after those of the thread
  template <bool atBorder, bool areMany>
  __device__ static void step(const Call& call, const Position& position,
                              const EndsOf<atBorder>& ends, int row, int ownRow, int t,
                              const Part& before, const Part& now, const Part& after,
                              const P (&beside)[2][width], Part& next) {
#pragma unroll
    for (int k = 0; k < lines; ++k) {
      const int line = position.insideLine + k;
      P left = placeOfLane(now.at[k][width - 1], true);
      P right = placeOfLane(now.at[k][0], false);
      if constexpr (atBorder) ends.setBeside(now.at[k], left, right);
#pragma unroll
      for (int c = 0; c < width; ++c) {
        const P& own = now.at[k][c];
        P along[3][3];  // by axis
        along[0][0] = before.at[k][c];
        along[0][2] = after.at[k][c];
        along[1][0] = k == 0 ? beside[0][c] : now.at[k == 0 ? 0 : k - 1][c];
        along[1][2] = k + 1 == lines ? beside[1][c] : now.at[k + 1 == lines ? k : k + 1][c];
        along[2][0] = c == 0 ? left : now.at[k][c == 0 ? 0 : c - 1];
        along[2][2] = c + 1 == width ? right : now.at[k][c + 1 == width ? c : c + 1];
#pragma unroll
        for (int axis = 0; axis < 3; ++axis) along[axis][1] = own;
        if constexpr (atBorder) ends.template setWindow<areMany>(along, row, k);
        next.at[k][c] = own;
        Turn::apply(t % Turn::stages, next.at[k][c], call.arguments, [&](int rule) {
          const int later = t / Turn::stages * Turn::rules + rule;
          return Neighborhood<P>(call.gpu.launch, {&along[0][1], 1, &along[1][1], 1, &along[2][1]},
                                 ownRow,
                                 k >= position.linesBeforeEnd() ? line - position.lines : line,
                                 position.insideColumn + c, static_cast<std::uint64_t>(later));
        });
      }
    }
  }

  /// Stores the places of a row that the block owns.
  /// @param to index of the thread's first place
  __device__ static void store(const Call& call, const Position& position, Index to,
                               const Part& part) {
    const auto pitch = static_cast<Index>(call.gpu.launch.layout.pitch);
#pragma unroll
    for (int k = 0; k < lines; ++k) {
      if (!position.stores(k)) continue;
      storeRow<P, W, width>(call.out, Cursor(to + k * pitch, 0, 0, width), 0, part.at[k],
                            Copy::own);
    }
  }
};

template <class Turn, class Arguments, int Stages, bool isBand>
inline constexpr int maxThreads<VolumeMarchBody<Turn, Arguments, Stages, isBand>> =
    32 * VolumeTile<typename Turn::Place, Stages>::warps;
template <class Turn, class Arguments, int Stages, bool isBand>
inline constexpr int residentBlocks<VolumeMarchBody<Turn, Arguments, Stages, isBand>> =
    VolumeTile<typename Turn::Place, Stages>::residentBlocks;

}  // namespace mass::detail
