#pragma once

// March in space: several steps of a 3-D rule, which reads along the axes, in one pass over memory.
// Included where nvcc compiles a model.

#include <mass/kernels/march/volume_tile.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace mass::detail {

/// Kernel of a changing rule that makes `Steps` steps. A block goes from row to row; the two latest
/// rows of each step are in registers. Columns beside those of a thread come from other lanes, and
/// lines beside those of a warp from shared memory.
template <class Tag, class Arguments, class W, int Steps>
struct VolumeMarchBody {
  using P = typename Tag::Place;
  using Call = GpuCall<P, Arguments>;
  using Tile = VolumeTile<P, Steps>;

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
    const int line = firstLine(layout), column = firstColumn();
    const bool hasRows = isInside(row - Steps, row + gpu.rowsPerSweep + Steps, layout.rows);
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
  static constexpr int lines = Tile::linesPerThread, width = volumeMarchWidth;

  /// Places of the lines of a row that a thread has.
  struct Part {
    P at[lines][width];
  };

  /// First line of the block, margin included; may be outside the world. The last block ends with
  /// the world if it may, so that an end of lines is at the same line of a thread in all worlds.
  __device__ static int firstLine(const Layout& layout) {
    const int last = max(static_cast<int>(layout.lines) - Tile::ownLines, 0);
    return min(static_cast<int>(blockIdx.y) * Tile::ownLines, last) - Tile::lineMargin;
  }
  /// First column of the block, margin included; may be outside the world.
  __device__ static int firstColumn() {
    return static_cast<int>(blockIdx.x) * Tile::ownColumns - Tile::columnMargin;
  }

  /// Places of a thread in the world. Lines and columns outside the world are computed as those at
  /// the other end of the axis, and not stored.
  class Position {
   public:
    int rows, lines, columns;              ///< size of the world
    int insideLine, insideColumn;  ///< first line and column of the thread, within the world

    __device__ Position(const Layout& layout)
        : rows(static_cast<int>(layout.rows)),
          lines(static_cast<int>(layout.lines)),
          columns(static_cast<int>(layout.columns)) {
      const int threadColumn = static_cast<int>(threadIdx.x) * width;
      const int threadLine = static_cast<int>(threadIdx.y) * Tile::linesPerThread;
      const int column = firstColumn() + threadColumn, line = firstLine(layout) + threadLine;
      insideLine = line < 0 ? line + lines : line % lines;
      insideColumn = column < 0 ? column + columns : column % columns;
      first_ = static_cast<Index>(layout.origin) + line * static_cast<Index>(layout.pitch) + column;
      const bool hasColumns = threadColumn >= Tile::columnMargin && column < columns &&
                              threadColumn < Tile::columns - Tile::columnMargin;
      const int firstOwn = static_cast<int>(blockIdx.y) * Tile::ownLines;
#pragma unroll
      for (int k = 0; k < Tile::linesPerThread; ++k) {
        const int number = line + k;
        mark(storedLine + k, hasColumns && number >= firstOwn && number < lines &&
                                 threadLine + k < Tile::lines - Tile::lineMargin);
        mark(firstLineMark + k, number == 0);
        mark(lastLineMark + k, number == lines - 1);
      }
      mark(firstColumnMark, column == 0);
      mark(lastColumnMark, column + width == columns);
    }

    /// Number of the first of the thread's lines that lies beyond the last line.
    __device__ int linesBeforeEnd() const { return lines - insideLine; }
    /// Index of the thread's first place in row 0, if it is in the world.
    __device__ Index first() const { return first_; }
    /// True if the block owns line k of the thread.
    __device__ bool stores(int k) const { return has(storedLine + k); }
    __device__ bool isFirstLine(int k) const { return has(firstLineMark + k); }
    __device__ bool isLastLine(int k) const { return has(lastLineMark + k); }
    /// True if the first column of the thread is that of the world.
    __device__ bool isFirstColumn() const { return has(firstColumnMark); }
    /// True if the last column of the thread is that of the world.
    __device__ bool isLastColumn() const { return has(lastColumnMark); }

   private:
    /// Numbers of the bits of `marks_`.
    static constexpr int storedLine = 0, firstLineMark = Tile::linesPerThread,
                         lastLineMark = 2 * Tile::linesPerThread,
                         firstColumnMark = 3 * Tile::linesPerThread,
                         lastColumnMark = firstColumnMark + 1;
    static_assert(lastColumnMark < 31);

    __device__ void mark(int bit, bool isSet) { marks_ |= isSet ? 1 << bit : 0; }
    __device__ bool has(int bit) const { return (marks_ & 1 << bit) != 0; }

    Index first_;
    int marks_ = 0;  // in one register
  };

  /// Loads successive rows.
  class RowLoader {
   public:
    /// @param first row to load first
    __device__ RowLoader(const Call& call, const Position& position, int first)
        : call_(&call),
          position_(&position),
          stride_(static_cast<Index>(call.gpu.launch.layout.rowStride)),
          pitch_(static_cast<Index>(call.gpu.launch.layout.pitch)),
          next_(first) {
      at_ = static_cast<Index>(call.gpu.launch.layout.origin) + first * stride_ +
            position.insideLine * pitch_ + position.insideColumn;
    }
    __device__ void fetch(Part& part) {
      const Index all = position_->lines * pitch_;
      const int beforeEnd = position_->linesBeforeEnd();
#pragma unroll
      for (int k = 0; k < lines; ++k) {
        const Index from = at_ + k * pitch_ - (k >= beforeEnd ? all : 0);
        loadMarching<P>(call_->in, from, part.at[k]);
      }
      at_ += stride_;
      if (++next_ == position_->rows) {
        next_ = 0;
        at_ -= position_->rows * stride_;
      }
    }

   private:
    const Call* call_;
    const Position* position_;
    Index stride_, pitch_, at_;
    int next_;
  };

  /// Places beyond borders that are not periodic. They are never computed.
  class Ends {
   public:
    __device__ Ends(const Call& call, const Position& position)
        : borders_(&call.gpu.launch.domain.borders), position_(&position) {
      const Layout& layout = call.gpu.launch.layout;
      const auto origin = static_cast<Index>(layout.origin);
      if (isFixed(0))
        outside_ = loadPlace<P>(call.in, origin - static_cast<Index>(layout.rowStride));
      else if (isFixed(1))
        outside_ = loadPlace<P>(call.in, origin - static_cast<Index>(layout.pitch));
      else if (isFixed(2))
        outside_ = loadPlace<P>(call.in, origin - 1);
      hasFewLines_ = !isOpen(1) && position.lines < Tile::ownLines;
    }
    /// True if places of a row need all of setWindow(); the same for all threads of the block.
    __device__ bool areMany(int row) const {
      return hasFewLines_ || (!isOpen(0) && (row == 0 || row == position_->rows - 1));
    }
    /// Sets the places before and after the columns of a thread in a line.
    __device__ void setBeside(const P (&line)[width], P& left, P& right) const {
      if (!isOpen(2) && position_->isFirstColumn()) left = beyond(2, line[0]);
      if (!isOpen(2) && position_->isLastColumn()) right = beyond(2, line[width - 1]);
    }
    /// Sets places beyond the borders in the windows of a place along the axes.
    /// @tparam areMany see areMany() @param k, c line and column of the thread
    template <bool areMany>
    __device__ void setWindow(P (&along)[3][3], int row, int k) const {
      if constexpr (areMany) set(along[0], 0, row == 0, row == position_->rows - 1);
      if (areMany || k == firstEnd) set(along[1], 1, position_->isFirstLine(k), false);
      if (areMany || k == lastEnd) set(along[1], 1, false, position_->isLastLine(k));
    }

   private:
    /// Lines of a thread that may be the first and the last one of a world, unless it has few.
    static constexpr int firstEnd = Tile::lineMargin % lines;
    static constexpr int lastEnd = (Tile::lines - Tile::lineMargin - 1) % lines;

    __device__ bool isOpen(std::size_t axis) const {
      return (*borders_)[axis] == Border::periodic;
    }
    __device__ bool isFixed(std::size_t axis) const { return (*borders_)[axis] == Border::fixed; }
    __device__ P beyond(std::size_t axis, const P& own) const {
      P place = own;
      if (isFixed(axis)) place = outside_;
      return place;
    }
    __device__ void set(P (&window)[3], std::size_t axis, bool isFirstPlace,
                        bool isLastPlace) const {
      const P other = beyond(axis, window[1]);
      if (!isOpen(axis) && isFirstPlace) window[0] = other;
      if (!isOpen(axis) && isLastPlace) window[2] = other;
    }

    const std::array<Border, 3>* borders_;
    const Position* position_;
    P outside_;
    bool hasFewLines_;  // a block has the first and the last line
  };
  /// Takes the place of Ends in blocks that touch no such border.
  struct NoEnds {
    __device__ NoEnds(const Call&, const Position&) {}
  };
  template <bool atBorder>
  using EndsOf = std::conditional_t<atBorder, Ends, NoEnds>;

  template <bool atBorder>
  __device__ static void march(const Call& call) {
    extern __shared__ uint4 memory[];
    const GpuLaunch& gpu = call.gpu;
    const Position position(gpu.launch.layout);
    const EndsOf<atBorder> ends(call, position);
    const SharedLines<P, Steps> shared(reinterpret_cast<unsigned char*>(memory),
                                       static_cast<int>(threadIdx.y),
                                       static_cast<int>(threadIdx.x));

    // Loops depend on the block only: trip counts that differ by thread would divide the warps.
    const int begin = static_cast<int>(blockIdx.z) * gpu.rowsPerSweep;
    const int own = min(gpu.rowsPerSweep, position.rows - begin);
    RowLoader loader(call, position, wrapOnce(begin - Steps, position.rows));
    Part kept[Steps][2] = {};
    Part coming;
    loader.fetch(coming);
    shared.clear(static_cast<int>(threadIdx.y));
    __syncthreads();

    const auto stride = static_cast<Index>(gpu.launch.layout.rowStride);
    Index to = position.first() + begin * stride;
#pragma unroll 1
    for (int i = 0; i < own + 2 * Steps; i += 2) {
#pragma unroll
      for (int u = 0; u < 2; ++u) {
        Part latest = coming;
        loader.fetch(coming);
#pragma unroll
        for (int t = 0; t < Steps; ++t) {
          const int row = wrapOnce(begin - Steps + i + u - 1 - t, position.rows);
          shared.store(2 * t + u, latest.at[0], latest.at[lines - 1]);
          const Part& now = kept[t][1 - u];
          P beside[2][width];
          shared.load(2 * t + 1 - u, beside[0], beside[1]);
          Part next;
          const auto make = [&](auto areMany) {
            step<atBorder, areMany>(call, position, ends, row, t, kept[t][u], now, latest, beside,
                                    next);
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
        const int done = i + u - 2 * Steps;
        if (done >= 0 && done < own) {
          store(call, position, to, latest);
          to += stride;
        }
        __syncthreads();
      }
    }
  }

  /// Makes step `t` in a row. @tparam areMany see Ends::areMany()
  /// @param before, now, after the rows around it after step t - 1
  /// @param beside lines of `now` before and after those of the thread
  template <bool atBorder, bool areMany>
  __device__ static void step(const Call& call, const Position& position, const EndsOf<atBorder>& ends,
                              int row, int t, const Part& before, const Part& now,
                              const Part& after, const P (&beside)[2][width], Part& next) {
    constexpr auto rule = ruleOf(Tag{});
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
        const Neighborhood<P> near(
            call.gpu.launch, {&along[0][1], 1, &along[1][1], 1, &along[2][1]}, row,
            k >= position.linesBeforeEnd() ? line - position.lines : line,
            position.insideColumn + c, static_cast<std::uint64_t>(t));
        next.at[k][c] = own;
        apply<rule>(next.at[k][c], near, call.arguments);
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
      storeRow<P, W, width>(call.out, Cursor(to + k * pitch, 0, 0, width), 0, part.at[k], Copy::own);
    }
  }
};

template <class Tag, class Arguments, class W, int Steps>
inline constexpr int maxThreads<VolumeMarchBody<Tag, Arguments, W, Steps>> =
    32 * VolumeTile<typename Tag::Place, Steps>::warps;
template <class Tag, class Arguments, class W, int Steps>
inline constexpr int residentBlocks<VolumeMarchBody<Tag, Arguments, W, Steps>> =
    VolumeTile<typename Tag::Place, Steps>::residentBlocks;

}  // namespace mass::detail
