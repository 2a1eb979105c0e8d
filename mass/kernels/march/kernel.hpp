#pragma once

// March in a plane: several steps of a 2-D rule in one pass over memory. Included where nvcc
// compiles a model.

#include <mass/kernels/march/marching_places.hpp>

#include <cstdint>
#include <type_traits>

namespace mass::detail {

/// Warps of a block. A warp loads 32 * marchWidth columns and stores those of which it knows all
/// neighbours in all steps.
inline constexpr int marchWarps = 4;

/// Columns that a warp does not store at each end: whole threads.
constexpr int marchMargin(int steps) {
  return (steps + marchWidth - 1) / marchWidth * marchWidth;
}
/// Columns that a warp stores.
constexpr int marchColumns(int steps) {
  return 32 * marchWidth - 2 * marchMargin(steps);
}

/// Kernel of a changing rule that makes `Steps` steps. A warp goes down its columns; the two latest
/// rows of each step are in registers, columns beside those of a thread come from other lanes.
template <class Tag, class Arguments, class W, int Steps>
struct MarchBody {
  using P = typename Tag::Place;
  using Call = GpuCall<P, Arguments>;

  __device__ static void run(const Call& call) {
    waitForPredecessor();
    if (isAtEndOfLines(call.gpu))
      march<true>(call);
    else
      march<false>(call);
  }

 private:
  /// True if this block reads beyond an end of lines that is not periodic. The condition is that of
  /// all threads of the block, so that their shuffles stay together.
  __device__ static bool isAtEndOfLines(const GpuLaunch& gpu) {
    constexpr int own = marchColumns(Steps) * marchWarps;
    const auto x = static_cast<int>(blockIdx.x) * own;
    const bool isInside =
        x >= margin && x + own + margin <= static_cast<int>(gpu.launch.layout.columns);
    return gpu.launch.domain.borders[1] != Border::periodic && !isInside;
  }

  static constexpr int margin = marchMargin(Steps);
  /// Rows that are loaded in advance; even.
  static constexpr int ahead = stateBytes<P>() > 4 ? 2 : 4;

  /// A row with the places beside those of the thread.
  struct Line {
    P places[marchWidth + 2];
  };

  template <bool atEnds>
  __device__ static void march(const Call& call) {
    constexpr auto rule = ruleOf(Tag{});
    const GpuLaunch& gpu = call.gpu;
    const Layout& layout = gpu.launch.layout;
    const auto columns = static_cast<int>(layout.columns), rows = static_cast<int>(layout.rows);
    const auto stride = static_cast<Index>(layout.rowStride);
    const auto origin = static_cast<Index>(layout.origin);
    const Ends ends(call);

    // Loops depend on the block only: trip counts that differ by thread would divide the warps.
    const int lane = static_cast<int>(threadIdx.x);
    const int strip = static_cast<int>(blockIdx.x * marchWarps + threadIdx.y);
    const int first = strip * marchColumns(Steps) - margin + lane * marchWidth;
    const int column = first < 0 ? first + columns : first % columns;
    const int begin = static_cast<int>(blockIdx.y) * gpu.rowsPerSweep;
    const int own = min(gpu.rowsPerSweep, rows - begin);
    int next = begin < Steps ? begin - Steps + rows : begin - Steps;  // row to load
    Index at = origin + next * stride;
    const auto fetch = [&](P(&row)[marchWidth]) {
      loadMarching<P>(call.in, at + column, row);
      at += stride;
      if (++next == rows) {
        next = 0;
        at = origin;
      }
    };

    Line kept[Steps][2] = {};
    P coming[ahead][marchWidth];
#pragma unroll
    for (int k = 0; k < ahead; ++k) fetch(coming[k]);
    Index to = origin + begin * stride + first;
    const bool stores = lane * marchWidth >= margin &&
                        lane * marchWidth < 32 * marchWidth - margin && first < columns;
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
          for (int t = 0; t < Steps; ++t) {
            const int number = wrapOnce(begin - Steps + i + u - 1 - t, rows);
            Line latest = lineOf(row);
            if constexpr (hasEnds) ends.setBeside(latest, row, first, columns);
            const Line& middle = kept[t][(u + 1) % 2];
            Line before = kept[t][u % 2], after = latest;
            if constexpr (hasBorderRows) {
              ends.setBeyond(before, middle, number == 0);
              ends.setBeyond(after, middle, number == rows - 1);
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
              const Neighborhood<P> near(gpu.launch, {&window[1][1 + c], marchWidth + 2}, number, 0,
                                         column + c, static_cast<std::uint64_t>(t));
              row[c] = window[1][1 + c];
              apply<rule>(row[c], near, call.arguments);
            }
            kept[t][u % 2] = latest;
          }
          const int done = i + u - 2 * Steps;
          if (done >= 0 && done < own) {
            if (stores) {
              storeRow<P, W, marchWidth>(call.out, Cursor(to, 0, 0, marchWidth), 0, row, Copy::own);
            }
            to += stride;
          }
        }
      }
    };
    // Iterations in which a step computes the first or the last row of the world.
    const bool isEndless = gpu.launch.domain.borders[0] == Border::periodic;
    const int total = own + 2 * Steps;
    const int afterFirst = isEndless ? 0 : roundUp(max(0, 2 * Steps - begin + 1));
    const int beforeLast =
        isEndless ? total : max(0, rows - begin + Steps - ahead + 1) / ahead * ahead;
    using Yes = std::true_type;
    pass(Yes{}, Yes{}, 0, min(afterFirst, total));
    pass(std::bool_constant<atEnds>{}, std::false_type{}, afterFirst, min(beforeLast, total));
    pass(Yes{}, Yes{}, max(afterFirst, beforeLast), total);
  }

  __device__ static int roundUp(int rows) {
    return (rows + ahead - 1) / ahead * ahead;
  }

  /// Returns a row with the places of the lanes beside.
  __device__ static Line lineOf(const P (&row)[marchWidth]) {
    Line line;
    line.places[0] = placeOfLane(row[marchWidth - 1], true);
    line.places[marchWidth + 1] = placeOfLane(row[0], false);
#pragma unroll
    for (int c = 0; c < marchWidth; ++c) line.places[1 + c] = row[c];
    return line;
  }

  /// Places beyond borders that are not periodic. They are never computed.
  class Ends {
   public:
    __device__ explicit Ends(const Call& call)
        : ofRows_(call.gpu.launch.domain.borders[0]),
          ofColumns_(call.gpu.launch.domain.borders[1]) {
      const Layout& layout = call.gpu.launch.layout;
      const auto origin = static_cast<Index>(layout.origin);
      if (ofRows_ == Border::fixed)
        outside_ = loadPlace<P, LoadScope::all>(
            call.in, Cursor(origin - static_cast<Index>(layout.rowStride), 0));
      else if (ofColumns_ == Border::fixed)
        outside_ = loadPlace<P, LoadScope::all>(call.in, Cursor(origin - 1, 0));
    }
    /// Sets the places before and after the ends of a line. @param first first column of the thread
    __device__ void setBeside(Line& line, const P (&row)[marchWidth], int first,
                              int columns) const {
      if (ofColumns_ == Border::periodic) return;
      const bool isFixed = ofColumns_ == Border::fixed;
      if (first == 0) line.places[0] = isFixed ? outside_ : row[0];
      if (first + marchWidth == columns)
        line.places[marchWidth + 1] = isFixed ? outside_ : row[marchWidth - 1];
    }
    /// Replaces the row beside `middle`, the first or last one, if it is beyond the border.
    __device__ void setBeyond(Line& line, const Line& middle, bool isBeyond) const {
      if (ofRows_ == Border::periodic || !isBeyond) return;
#pragma unroll
      for (int k = 0; k < marchWidth + 2; ++k)
        line.places[k] = ofRows_ == Border::fixed ? outside_ : middle.places[k];
    }

   private:
    Border ofRows_, ofColumns_;
    P outside_;
  };
};

template <class Tag, class Arguments, class W, int Steps>
inline constexpr int maxThreads<MarchBody<Tag, Arguments, W, Steps>> = 32 * marchWarps;
/// Blocks that fit with the registers of the rows between the steps.
template <class Tag, class Arguments, class W, int Steps>
inline constexpr int residentBlocks<MarchBody<Tag, Arguments, W, Steps>> =
    stateBytes<typename Tag::Place>() > 4 ? (Steps > 4 ? 2 : 3) : (Steps > 4 ? 3 : 4);

}  // namespace mass::detail
