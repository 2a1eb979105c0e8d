#pragma once

// Places of a thread in a march in space, and those beyond borders. Included where nvcc compiles a
// model.

#include <mass/kernels/march/volume_tile.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace mass::detail {

/// Places of the lines of a row that a thread has.
template <class P, int Stages>
struct VolumePart {
  P at[VolumeTile<P, Stages>::linesPerThread][volumeMarchWidth];
};

/// First line of the block, margin included; may be outside the world. The last block ends with
/// the world if it may, so that an end of lines is at the same line of a thread in all worlds.
template <class Tile>
__device__ inline int firstVolumeLine(const Layout& layout) {
  const int last = max(static_cast<int>(layout.lines) - Tile::ownLines, 0);
  return min(static_cast<int>(blockIdx.y) * Tile::ownLines, last) - Tile::lineMargin;
}
/// First column of the block, margin included; may be outside the world.
template <class Tile>
__device__ inline int firstVolumeColumn() {
  return static_cast<int>(blockIdx.x) * Tile::ownColumns - Tile::columnMargin;
}

/// Places of a thread in the world. Lines and columns outside the world are computed as those at
/// the other end of the axis, and not stored.
template <class P, int Stages>
class VolumePosition {
  using Tile = VolumeTile<P, Stages>;
  static constexpr int width = volumeMarchWidth;

 public:
  int rows, lines, columns;      ///< size of the world
  int insideLine, insideColumn;  ///< first line and column of the thread, within the world

  __device__ explicit VolumePosition(const Layout& layout)
      : rows(static_cast<int>(layout.rows)),
        lines(static_cast<int>(layout.lines)),
        columns(static_cast<int>(layout.columns)) {
    const int threadColumn = static_cast<int>(threadIdx.x) * width;
    const int threadLine = static_cast<int>(threadIdx.y) * Tile::linesPerThread;
    const int column = firstVolumeColumn<Tile>() + threadColumn,
              line = firstVolumeLine<Tile>(layout) + threadLine;
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
  __device__ int linesBeforeEnd() const {
    return lines - insideLine;
  }
  /// Index of the thread's first place in row 0, if it is in the world.
  __device__ Index first() const {
    return first_;
  }
  /// True if the block owns line k of the thread.
  __device__ bool stores(int k) const {
    return has(storedLine + k);
  }
  __device__ bool isFirstLine(int k) const {
    return has(firstLineMark + k);
  }
  __device__ bool isLastLine(int k) const {
    return has(lastLineMark + k);
  }
  /// True if the first column of the thread is that of the world.
  __device__ bool isFirstColumn() const {
    return has(firstColumnMark);
  }
  /// True if the last column of the thread is that of the world.
  __device__ bool isLastColumn() const {
    return has(lastColumnMark);
  }

 private:
  /// Numbers of the bits of `marks_`.
  static constexpr int storedLine = 0, firstLineMark = Tile::linesPerThread,
                       lastLineMark = 2 * Tile::linesPerThread,
                       firstColumnMark = 3 * Tile::linesPerThread,
                       lastColumnMark = firstColumnMark + 1;
  static_assert(lastColumnMark < 31);

  __device__ void mark(int bit, bool isSet) {
    marks_ |= isSet ? 1 << bit : 0;
  }
  __device__ bool has(int bit) const {
    return (marks_ & 1 << bit) != 0;
  }

  Index first_;
  int marks_ = 0;  // in one register
};

/// Numbers of the rows of a march: those of a world, in which it goes round, or of a band, beside
/// which it reads ghost rows.
template <bool isBand>
class RowNumbers {
 public:
  /// @param rows rows of the device
  __device__ RowNumbers(const Launch& launch, int rows) : rows_(rows) {
    if constexpr (isBand) {
      ofWorld_ = static_cast<int>(launch.domain.shape[0]);
      first_ = static_cast<int>(launch.firstRow);
    }
  }

  /// Returns the number of rows of the world.
  __device__ int ofWorld() const { return isBand ? ofWorld_ : rows_; }
  /// Returns the number of row 0 of the device in the world.
  __device__ int first() const { return isBand ? first_ : 0; }
  /// Returns the number in the world of a row of the device, or of one beside its rows.
  __device__ int inWorld(int row) const { return wrapOnce(first() + row, ofWorld()); }

 private:
  int rows_, ofWorld_ = 0, first_ = 0;
};

/// Loads successive rows.
template <class Call, int Stages, bool isBand>
class VolumeRows {
  using P = typename Call::Place;
  using Position = VolumePosition<P, Stages>;
  static constexpr int lines = VolumeTile<P, Stages>::linesPerThread;

 public:
  /// @param first row to load first
  __device__ VolumeRows(const Call& call, const Position& position, int first)
      : call_(&call),
        position_(&position),
        stride_(static_cast<Index>(call.gpu.launch.layout.rowStride)),
        pitch_(static_cast<Index>(call.gpu.launch.layout.pitch)),
        next_(isBand ? first : wrapOnce(first, position.rows)) {
    at_ = static_cast<Index>(call.gpu.launch.layout.origin) + next_ * stride_ +
          position.insideLine * pitch_ + position.insideColumn;
  }
  __device__ void fetch(VolumePart<P, Stages>& part) {
    const Index all = position_->lines * pitch_;
    const int beforeEnd = position_->linesBeforeEnd();
#pragma unroll
    for (int k = 0; k < lines; ++k) {
      const Index from = at_ + k * pitch_ - (k >= beforeEnd ? all : 0);
      loadMarching<P>(call_->in, from, part.at[k]);
    }
    at_ += stride_;
    // Rows that are loaded in advance and that no stage needs may lie beyond the ghost rows.
    const int end = isBand ? position_->rows + Stages : position_->rows;
    if (++next_ == end) {
      next_ = 0;
      at_ -= end * stride_;
    }
  }

 private:
  const Call* call_;
  const Position* position_;
  Index stride_, pitch_, at_;
  int next_;
};

/// Places beyond borders that are not periodic. They are never computed.
template <class Call, int Stages, bool isBand>
class VolumeEnds {
  using P = typename Call::Place;
  using Tile = VolumeTile<P, Stages>;
  using Position = VolumePosition<P, Stages>;
  static constexpr int lines = Tile::linesPerThread, width = volumeMarchWidth;

 public:
  __device__ VolumeEnds(const Call& call, const Position& position,
                        const RowNumbers<isBand>& numbers)
      : borders_(&call.gpu.launch.domain.borders), position_(&position), numbers_(&numbers) {
    const Layout& layout = call.gpu.launch.layout;
    const auto origin = static_cast<Index>(layout.origin);
    // The first band has places beyond the border before it, the last one after it; others need
    // none.
    const int beyond = numbers.first() == 0 ? -1 : position.rows;
    if (isFixed(2))
      outside_ = loadPlace<P>(call.in, origin - 1);
    else if (isFixed(1))
      outside_ = loadPlace<P>(call.in, origin - static_cast<Index>(layout.pitch));
    else if (isFixed(0))
      outside_ = loadPlace<P>(call.in, origin + beyond * static_cast<Index>(layout.rowStride));
    const int line = firstVolumeLine<Tile>(layout);
    const bool isFirstElsewhere = line <= 0 && line != -Tile::lineMargin;
    const bool isLastElsewhere = line + Tile::lines >= position.lines &&
                                 line + Tile::lines - Tile::lineMargin != position.lines;
    hasOtherEnds_ = !isOpen(1) && (isFirstElsewhere || isLastElsewhere);
  }
  /// True if places of a row need all of setWindow(); the same for all threads of the block.
  /// @param row its number in the world
  __device__ bool areMany(int row) const {
    return hasOtherEnds_ || (!isOpen(0) && (row == 0 || row == numbers_->ofWorld() - 1));
  }
  /// Sets the places before and after the columns of a thread in a line.
  __device__ void setBeside(const P (&line)[width], P& left, P& right) const {
    if (!isOpen(2) && position_->isFirstColumn()) left = beyond(2, line[0]);
    if (!isOpen(2) && position_->isLastColumn()) right = beyond(2, line[width - 1]);
  }
  /// Sets places beyond the borders in the windows of a place along the axes.
  /// @tparam areMany see areMany() @param row number in the world @param k line of the thread
  template <bool areMany>
  __device__ void setWindow(P (&along)[3][3], int row, int k) const {
    if constexpr (areMany) set(along[0], 0, row == 0, row == numbers_->ofWorld() - 1);
    if (areMany || k == firstEnd) set(along[1], 1, position_->isFirstLine(k), false);
    if (areMany || k == lastEnd) set(along[1], 1, false, position_->isLastLine(k));
  }

 private:
  /// Lines of a thread that may be the first and the last one of the world in most blocks.
  static constexpr int firstEnd = Tile::lineMargin % lines;
  static constexpr int lastEnd = (Tile::lines - Tile::lineMargin - 1) % lines;

  __device__ bool isOpen(std::size_t axis) const { return (*borders_)[axis] == Border::periodic; }
  __device__ bool isFixed(std::size_t axis) const { return (*borders_)[axis] == Border::fixed; }
  __device__ P beyond(std::size_t axis, const P& own) const {
    P place = own;
    if (isFixed(axis)) place = outside_;
    return place;
  }
  __device__ void set(P (&window)[3], std::size_t axis, bool isFirstPlace, bool isLastPlace) const {
    const P other = beyond(axis, window[1]);
    if (!isOpen(axis) && isFirstPlace) window[0] = other;
    if (!isOpen(axis) && isLastPlace) window[2] = other;
  }

  const std::array<Border, 3>* borders_;
  const Position* position_;
  const RowNumbers<isBand>* numbers_;
  P outside_;
  bool hasOtherEnds_;  // the first or last line of the world is at other lines of a thread
};

}  // namespace mass::detail
