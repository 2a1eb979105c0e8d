#pragma once

// Shared memory of a plane sweep. Included where nvcc compiles a model.

#include <mass/kernels/rule_traits.hpp>
#include <mass/launch/gpu_launch.hpp>
#include <mass/rules/attributes.hpp>
#include <mass/rules/cursor.hpp>
#include <mass/rules/scatter.hpp>
#include <mass/support/cuda/shared_barrier.hpp>

#include <cstddef>
#include <cstdint>

namespace mass::detail {

/// Shared memory of a multiprocessor of an H100, H200 or B200 for the rows of blocks, in bytes,
/// without barriers.
inline constexpr std::int64_t mostSharedBytes = 226 * 1024;

/// Layout of the shared memory of a block of `Columns` x `Lines` places. For each component that is
/// not constant, it holds some rows of these places and their surroundings. (Rules seldom read
/// constant attributes of neighbours: those stay in device memory.)
template <class P, int Columns, int Lines>
struct PlaneCache {
  static constexpr int blocks = 1024 / (Columns * Lines);  ///< blocks on a multiprocessor
  static constexpr int columns = Columns;                  ///< columns of a block
  static constexpr int threads = Columns * Lines;          ///< threads of a block
  /// Columns on either side of the block's own, such that a line is copied in units of 16 bytes.
  static constexpr int unit = [] {
    int columns = 4;
    AttributeSlots<P>::forEach([&](auto slot) {
      using S = decltype(slot);
      while (!S::isConstant && columns * sizeof(typename S::Stored) % copyUnit != 0) columns *= 2;
    });
    return columns;
  }();
  static constexpr int pitch = Columns + 2 * unit, lines = Lines + 2 * P::reach;
  static constexpr int places = pitch * lines;   ///< places of a row
  static constexpr int read = 2 * P::reach + 1;  ///< rows that threads read at a time
  /// Number of lines of all components of a row: each is one copy.
  static constexpr int copies = [] {
    int count = 0;
    AttributeSlots<P>::forEach([&](auto slot) {
      using S = decltype(slot);
      count += S::isConstant ? 0 : static_cast<int>(S::count) * lines;
    });
    return count;
  }();

  /// Returns the offset, in bytes, of a component if `rows` rows are kept.
  static constexpr std::int64_t begin(std::size_t component, int rows) {
    std::int64_t bytes = 0;
    AttributeSlots<P>::forEach([&](auto slot) {
      using S = decltype(slot);
      for (std::size_t k = 0; k < S::count && S::first + k < component && !S::isConstant; ++k)
        bytes += static_cast<std::int64_t>(sizeof(typename S::Stored)) * rows * places;
    });
    return bytes;
  }
  static constexpr std::int64_t bytesFor(int rows) {
    return begin(AttributeSlots<P>::components, rows);
  }
  /// Rows that are being copied while the rule runs: two if they fit.
  static constexpr int ahead = bytesFor(read + 2) * blocks > mostSharedBytes ? 1 : 2;
  static constexpr int rows = read + ahead;
  static constexpr std::int64_t bytes = bytesFor(rows);
  static constexpr bool fits = bytes <= mostSharedBytes && 0 < copies && copies <= threads;
};

/// True if a rule has a plane sweep by blocks of this shape.
template <class P, auto Rule, int Columns, int Lines>
constexpr bool hasPlaneSweep() {
  if constexpr (P::dimensions != 3 || P::reach < 1 || P::reach > 4 || multisetCount<P>() > 0) {
    return false;
  } else {
    return Traits<Rule>::readsNeighbors && !Traits<Rule>::streams && maxInterleave<P>() == 1 &&
           PlaneCache<P, Columns, Lines>::fits;
  }
}

/// Copies rows into the shared memory of a block. Each of some threads copies one line of a
/// component, row after row.
/// @tparam Memory a PlaneCache
template <class Call, class Memory>
class PlaneLoader {
  using P = typename Call::Place;

 public:
  /// Called by all threads of a block.
  /// @param barriers one for each row of the shared memory, in shared memory
  /// @param row first row to copy
  /// @param line, column first place of the block in its row
  __device__ PlaneLoader(const Call& call, unsigned char* memory, SharedBarrier* barriers, int row,
                         int line, int column)
      : layout_(&call.gpu.launch.layout),
        barriers_(barriers),
        from_(static_cast<const unsigned char*>(call.in[first.component])) {
    constexpr int warp = 32, warps = Memory::threads / warp;
    const auto thread = static_cast<int>(threadIdx.y * Memory::columns + threadIdx.x);
    // A warp issues its copies one after another: distribute them over all warps.
    const int loader = thread % warp * warps + thread / warp;
    int before = 0;
    AttributeSlots<P>::forEach([&](auto slot) {
      using S = decltype(slot);
      if constexpr (!S::isConstant) {
        constexpr int count = static_cast<int>(S::count) * Memory::lines;
        const int number = loader - before;
        if (number >= 0 && number < count) {
          const int own = number % Memory::lines;
          assign<S>(call, memory, number / Memory::lines, own, row, line - P::reach + own, column);
        }
        before += count;
      }
    });
    if (thread < Memory::rows) barriers[thread].begin(Memory::copies);
    fenceCopies();
    __syncthreads();
  }

  /// Begins to copy the next row into slot `slot`.
  __device__ void fetch(int slot) {
    if (bytes_ == none) return;
    barriers_[slot].copy(to_ + slot * (Memory::places * size_),
                         from_ + static_cast<std::int64_t>(index_) * size_,
                         static_cast<unsigned>(bytes_));
    index_ += static_cast<Index>(layout_->rowStride);
  }
  /// Waits until the row in slot `slot` is complete. `isOdd` alternates from one use of a slot to
  /// the next.
  __device__ void wait(int slot, bool isOdd) const { barriers_[slot].wait(isOdd); }

 private:
  static constexpr int none = -1;
  /// First component that is copied.
  struct First {
    std::size_t component = 0;
    int size = 0;  ///< bytes of an element
  };
  static constexpr First first = [] {
    First found;
    AttributeSlots<P>::forEach([&](auto slot) {
      using S = decltype(slot);
      if (found.size == 0 && !S::isConstant)
        found = {S::first, static_cast<int>(sizeof(typename S::Stored))};
    });
    return found;
  }();

  /// Assigns a line to this thread: line `own` of the block's lines of component k of slot S, which
  /// is `line` of the rows.
  template <class S>
  __device__ void assign(const Call& call, unsigned char* memory, int k, int own, int row, int line,
                         int column) {
    using Stored = typename S::Stored;
    constexpr auto size = static_cast<int>(sizeof(Stored));
    constexpr std::int64_t begin = Memory::begin(S::first, Memory::rows);
    constexpr int part = size * Memory::rows * Memory::places;
    const Layout& layout = *layout_;
    index_ = static_cast<Index>(layout.origin) + row * static_cast<Index>(layout.rowStride) +
             line * static_cast<Index>(layout.pitch) + column - Memory::unit;
    from_ = static_cast<const unsigned char*>(call.in[S::first + static_cast<std::size_t>(k)]);
    to_ = memory + begin + k * part + own * Memory::pitch * size;
    size_ = size;
    // There is no data beyond the padding.
    const int columnsLeft =
        (static_cast<int>(layout.columns) - column + P::reach + 2 * Memory::unit - 1) /
        Memory::unit * Memory::unit;
    const bool isThere = line < static_cast<int>(layout.lines) + P::reach;
    bytes_ = !isThere ? 0 : (columnsLeft < Memory::pitch ? columnsLeft : Memory::pitch) * size;
  }

  const Layout* layout_;
  SharedBarrier* barriers_;
  // If one component is copied, the next two keep their initial values and need no registers.
  const unsigned char* from_;  ///< buffer of the component
  int size_ = first.size;      ///< bytes of its elements
  Index index_ = 0;            ///< index of the next element to copy
  unsigned char* to_ = nullptr;
  int bytes_ = none;
};

}  // namespace mass::detail
