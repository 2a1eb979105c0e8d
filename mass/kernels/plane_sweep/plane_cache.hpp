#pragma once

// What blocks that go from row to row keep in their own memory, and how it gets there. Included
// where nvcc compiles a model.

#include <mass/kernels/rule_traits.hpp>
#include <mass/launch/gpu_launch.hpp>
#include <mass/rules/attributes.hpp>
#include <mass/rules/cursor.hpp>
#include <mass/rules/scatter.hpp>
#include <mass/support/shared_barrier.hpp>

#include <cstddef>
#include <cstdint>

namespace mass::detail {

/// The memory of a block of `Columns` x `Lines` places of each of its rows: for each component that
/// rules write, some rows of these places and of those around them. (What is constant is seldom
/// asked of neighbours, and stays in the device's memory.)
template <class P, int Columns, int Lines>
struct PlaneCache {
  static constexpr std::int64_t most = 226 * 1024;  // of an H100, H200 or B200, but for barriers
  /// Columns beside the block's own at either end, so that a line is copied by whole 16 bytes.
  static constexpr int unit = [] {
    int columns = 4;
    AttributeSlots<P>::forEach([&](auto slot) {
      using S = decltype(slot);
      while (!S::isConstant && columns * sizeof(typename S::Stored) % copyUnit != 0) columns *= 2;
    });
    return columns;
  }();
  static constexpr int pitch = Columns + 2 * unit, lines = Lines + 2 * P::reach;
  static constexpr int places = pitch * lines;   ///< of a row
  static constexpr int read = 2 * P::reach + 1;  ///< rows that rules read
  /// Lines of components that make up a row.
  static constexpr int copies = [] {
    int count = 0;
    AttributeSlots<P>::forEach([&](auto slot) {
      using S = decltype(slot);
      count += S::isConstant ? 0 : static_cast<int>(S::count) * lines;
    });
    return count;
  }();

  /// Where a component's part begins, if that many rows are kept.
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
  /// Rows that are under way meanwhile: two where there is room for them.
  static constexpr int ahead = bytesFor(read + 2) * (1024 / (Columns * Lines)) <= most ? 2 : 1;
  static constexpr int rows = read + ahead;
  static constexpr std::int64_t bytes = bytesFor(rows);
  static constexpr bool fits = bytes <= most && 0 < copies && copies <= Columns * Lines;
};

/// Whether there is a kernel of such blocks for a rule.
template <class P, auto Rule, int Columns, int Lines>
constexpr bool canMarch() {
  if constexpr (P::dimensions != 3 || P::reach < 1 || P::reach > 4 || multisetCount<P>() > 0) {
    return false;
  } else {
    return Traits<Rule>::readsNeighbors && !Traits<Rule>::streams && maxInterleave<P>() == 1 &&
           PlaneCache<P, Columns, Lines>::fits;
  }
}

/// How a block's memory is filled: some of its threads have a line of a component each, of which
/// they have row after row copied.
template <class Call, int Columns, int Lines>
class MarchRows {
  using P = typename Call::Place;
  using Memory = PlaneCache<P, Columns, Lines>;

 public:
  /// To be called by all threads of a block.
  /// @param arrived barriers for each row of the memory, there too
  /// @param row, line, column the first of the block
  __device__ MarchRows(const Call& call, unsigned char* memory, SharedBarrier* arrived, int row,
                       int line, int column)
      : arrived_(arrived) {
    constexpr int warp = 32, warps = Columns * Lines / warp;
    const auto thread = static_cast<int>(threadIdx.y * Columns + threadIdx.x);
    // The threads of a warp begin their copies one after the other, so each warp gets a few.
    const int taker = thread % warp * warps + thread / warp;
    int first = 0;
    AttributeSlots<P>::forEach([&](auto slot) {
      using S = decltype(slot);
      if constexpr (!S::isConstant) {
        constexpr int count = static_cast<int>(S::count) * Memory::lines;
        const int number = taker - first;
        if (number >= 0 && number < count) {
          const int own = number % Memory::lines;
          take<S>(call, memory, number / Memory::lines, own, row, line - P::reach + own, column);
        }
        first += count;
      }
    });
    if (thread < Memory::rows) arrived[thread].begin(Memory::copies);
    fenceCopies();
    __syncthreads();
  }

  /// Begins to copy the next row, from `reach` before the block's first one on, to where row `slot`
  /// of the memory is.
  __device__ void fetch(int slot) {
    if (bytes_ == none) return;
    arrived_[slot].copy(to_ + slot * slotBytes_, from_, static_cast<unsigned>(bytes_));
    from_ += rowBytes_;
  }
  /// Returns when the row there has arrived. `isOdd` tells one from that which was there before.
  __device__ void wait(int slot, bool isOdd) const { arrived_[slot].wait(isOdd); }

 private:
  static constexpr int none = -1;

  /// Takes a line: the own one of those of component k, which is `line` of the rows.
  template <class S>
  __device__ void take(const Call& call, unsigned char* memory, int k, int own, int row, int line,
                       int column) {
    using Stored = typename S::Stored;
    constexpr auto size = static_cast<int>(sizeof(Stored));
    constexpr std::int64_t begin = Memory::begin(S::first, Memory::rows);
    constexpr int part = size * Memory::rows * Memory::places;
    const Layout& layout = call.gpu.launch.layout;
    const Index number = static_cast<Index>(layout.origin) +
                         (row - P::reach) * static_cast<Index>(layout.rowStride) +
                         line * static_cast<Index>(layout.pitch) + column - Memory::unit;
    from_ = reinterpret_cast<const unsigned char*>(
        static_cast<const Stored*>(call.in[S::first + static_cast<std::size_t>(k)]) + number);
    to_ = memory + begin + k * part + own * Memory::pitch * size;
    rowBytes_ = static_cast<std::int64_t>(layout.rowStride) * size;
    slotBytes_ = Memory::places * size;
    // Beyond the sides there is nothing.
    const int there =
        (static_cast<int>(layout.columns) - column + P::reach + 2 * Memory::unit - 1) /
        Memory::unit * Memory::unit;
    const bool isThere = line < static_cast<int>(layout.lines) + P::reach;
    bytes_ = !isThere ? 0 : (there < Memory::pitch ? there : Memory::pitch) * size;
  }

  SharedBarrier* arrived_;
  const unsigned char* from_ = nullptr;
  unsigned char* to_ = nullptr;
  std::int64_t rowBytes_ = 0;
  int slotBytes_ = 0, bytes_ = none;
};

}  // namespace mass::detail
