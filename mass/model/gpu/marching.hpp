#pragma once

// Rules of 3-D worlds whose blocks go from row to row and have the places around their own in their
// own memory: each is read from the device's memory about once, not once for every neighbour.
// Included where nvcc compiles a model.

#include <mass/model/gpu/bodies.hpp>

#include <cuda_pipeline.h>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace mass::detail {

/// The memory of a block of `Columns` x `Lines` places of each of its rows: for each component,
/// some rows of these places and of those around them.
template <class P, int Columns, int Lines>
struct MarchMemory {
  /// Columns that are copied at once. As many lie beside the block's own at either end.
  static constexpr int unit = packWidth;
  static constexpr int pitch = Columns + 2 * unit, lines = Lines + 2 * P::reach;
  static constexpr int places = pitch * lines;  ///< of a row
  /// Rows that rules read, and more that are under way, as many as there is room for.
  static constexpr int read = 2 * P::reach + 1;

  static constexpr int alignment = 16;
  static constexpr std::int64_t most = 227 * 1024;  // of an H100, H200 or B200

  /// Where a component's part begins, if that many rows are kept.
  static constexpr std::int64_t begin(std::size_t component, int rows) {
    std::int64_t bytes = 0;
    Slots<P>::forEach([&](auto slot) {
      using S = decltype(slot);
      for (std::size_t k = 0; k < S::count && S::first + k < component; ++k) {
        const auto part = static_cast<std::int64_t>(sizeof(typename S::Stored)) * rows * places;
        bytes += (part + alignment - 1) / alignment * alignment;
      }
    });
    return bytes;
  }
  static constexpr std::int64_t bytesFor(int rows) { return begin(Slots<P>::components, rows); }
  static constexpr int ahead = bytesFor(read + 2) * (1024 / (Columns * Lines)) <= most ? 2 : 1;
  static constexpr int rows = read + ahead;
  static constexpr std::int64_t bytes = bytesFor(rows);
  static constexpr bool fits = bytes <= most;

  static_assert(places % unit == 0);
};

/// Whether there is a kernel of such blocks for a rule.
template <class P, auto Rule, int Columns, int Lines>
constexpr bool canMarch() {
  if constexpr (P::dimensions != 3 || P::reach < 1 || P::reach > packWidth || bagsOf<P>() > 0) {
    return false;
  } else {
    return Traits<Rule>::readsNeighbors && !Traits<Rule>::streams && widestBundle<P>() == 1 &&
           MarchMemory<P, Columns, Lines>::fits;
  }
}

/// What the threads of a block copy into its memory.
template <class Call, int Columns, int Lines>
class MarchRows {
  using P = typename Call::Place;
  using Memory = MarchMemory<P, Columns, Lines>;
  static constexpr int threads = Columns * Lines;
  static constexpr int unit = Memory::unit, units = Memory::pitch / unit;  // of a line

 public:
  /// @param column, line the first of the block
  __device__ MarchRows(const Call& call, unsigned char* memory, int column, int line)
      : call_(call), memory_(memory), column_(column), line_(line) {}

  /// Begins to copy a row of the launch to where row `slot` of the memory is.
  __device__ void fetch(int row, int slot) const {
    Slots<P>::forEach([&](auto slotOfPlace) { fetch<decltype(slotOfPlace)>(row, slot); });
    __pipeline_commit();
  }

 private:
  template <class S>
  __device__ void fetch(int row, int slot) const {
    using Stored = typename S::Stored;
    const Layout& layout = call_.gpu.launch.layout;
    constexpr int ofRow = units * Memory::lines, all = ofRow * static_cast<int>(S::count);
    constexpr auto begin = static_cast<int>(Memory::begin(S::first, Memory::rows));
    constexpr auto part =
        static_cast<int>(Memory::begin(S::first + 1, Memory::rows)) - begin;  // of a component
    const int thread = static_cast<int>(threadIdx.y * Columns + threadIdx.x);
    const auto first = static_cast<Index>(layout.origin) +
                       row * static_cast<Index>(layout.rowStride) +
                       (line_ - P::reach) * static_cast<Index>(layout.pitch) + column_ - unit;
    const int linesLeft = static_cast<int>(layout.lines) - line_ + 2 * P::reach;
    const int columnsLeft = static_cast<int>(layout.columns) - column_ + P::reach + unit;
#pragma unroll
    for (int done = 0; done < all; done += threads) {
      const int number = done + thread;
      if (all % threads != 0 && number >= all) break;
      const int k = number / ofRow, line = number % ofRow / units;
      const int column = number % units * unit;
      if (line >= linesLeft || column >= columnsLeft) continue;  // where nothing is
      const auto* const from = static_cast<const Stored*>(call_.in[S::first + k]) + first +
                               line * static_cast<Index>(layout.pitch) + column;
      unsigned char* const to = memory_ + begin + k * part +
                                (slot * Memory::places + line * Memory::pitch + column) *
                                    static_cast<int>(sizeof(Stored));
      copy<unit * sizeof(Stored)>(to, reinterpret_cast<const unsigned char*>(from));
    }
  }
  /// Copies of 4, 8 or 16 bytes do not take the way through registers.
  template <std::size_t Bytes>
  __device__ static void copy(unsigned char* to, const unsigned char* from) {
    constexpr std::size_t atOnce = Bytes % 16 == 0 ? 16 : Bytes % 8 == 0 ? 8 : 4;
#pragma unroll
    for (std::size_t byte = 0; byte < Bytes; byte += atOnce)
      __pipeline_memcpy_async(to + byte, from + byte, atOnce);
  }

  const Call& call_;
  unsigned char* memory_;
  int column_, line_;
};

/// A changing rule whose block takes `Columns` x `Lines` places of `marchRows` rows, one row after
/// the other.
template <class Tag, class Arguments, class W, int Columns, int Lines>
struct MarchBody {
  using P = typename Tag::Place;
  using Call = GpuCall<P, Arguments>;
  using Memory = MarchMemory<P, Columns, Lines>;

  __device__ static void run(const Call& call) {
    amongPeers<3>(call.gpu, call.gpu.marchRows, 1, [&] { march(call); });
  }

 private:
  __device__ static void march(const Call& call) {
    extern __shared__ uint4 memory[];
    auto* const bytes = reinterpret_cast<unsigned char*>(memory);
    const GpuLaunch& gpu = call.gpu;
    GpuPlace place = placeOfThread<3>(gpu, gpu.marchRows, 1);
    const int rowsLeft = static_cast<int>(gpu.rowEnd - gpu.rowBegin) - place.row;
    const int rows = rowsLeft < gpu.marchRows ? rowsLeft : gpu.marchRows;
    const bool isThere = place.rows > 0 && place.line < static_cast<int>(gpu.launch.layout.lines);
    const MarchRows<Call, Columns, Lines> source(call, bytes,
                                                 place.column - static_cast<int>(threadIdx.x),
                                                 place.line - static_cast<int>(threadIdx.y));

    const void* in[Slots<P>::components];
    [&]<std::size_t... k>(std::index_sequence<k...>) {
      ((in[k] = bytes + Memory::begin(k, Memory::rows)), ...);
    }
    (std::make_index_sequence<Slots<P>::components>{});
    LinesNear<P::reach> near;
    near.pitch = Memory::pitch;
    const int own = (static_cast<int>(threadIdx.y) + P::reach) * Memory::pitch + Memory::unit +
                    static_cast<int>(threadIdx.x);
#pragma unroll
    for (int i = 0; i < Memory::read; ++i) near.rows[i] = i * Memory::places + own;

    const int first = place.row;
#pragma unroll
    for (int i = 0; i < Memory::rows - 1; ++i) {
      if (i < rows + 2 * P::reach) {
        source.fetch(first + i - P::reach, i);
      } else {
        __pipeline_commit();  // of nothing, so that there are as many as ever
      }
    }
    int next = Memory::rows - 1;  // where the row after those goes
    place.rows = place.width = 1;
#pragma unroll 1
    for (int i = 0; i < rows; ++i) {
      __pipeline_wait_prior(Memory::ahead - 1);
      __syncthreads();  // what all have copied is there, and the row before the first is not needed
      const int coming = i + P::reach + Memory::ahead;
      if (coming < rows + P::reach) {
        source.fetch(first + coming, next);
      } else {
        __pipeline_commit();
      }
      place.row = first + i;
      if (isThere) change(call, place, in, near);
      next = next + 1 == Memory::rows ? 0 : next + 1;
#pragma unroll
      for (int k = 0; k + 1 < Memory::read; ++k) near.rows[k] = near.rows[k + 1];
      const Index last = near.rows[Memory::read - 1] + Memory::places;
      near.rows[Memory::read - 1] =
          last >= Memory::rows * Memory::places ? last - Memory::rows * Memory::places : last;
    }
  }
  __device__ static void change(const Call& call, const GpuPlace& place, const void* const* in,
                                const LinesNear<P::reach>& lines) {
    constexpr auto rule = ruleOf(Tag{});
    const Cursor here(lines.rows[P::reach], 0), there = cursorOf<3>(call.gpu, place);
    const Neighborhood<P> near(call.gpu.launch, in, here, rowOf(call.gpu, place), place.line,
                               place.column, lines);
    P next[1] = {loadPlace<P>(in, here)};
    apply<rule>(next[0], near, call.arguments);
    forEachCopy(call, rowOf(call.gpu, place),
                [&](void* const* out, Copy copy) { storePlace<P, W>(out, there, next[0], copy); });
    repeatPlacesAtSides<P, W>(call, place, there, next);
    repeatInFurtherGhosts<3>(call, place);
  }
};

template <class Tag, class Arguments, class W, int Columns, int Lines>
inline constexpr int mostThreads<MarchBody<Tag, Arguments, W, Columns, Lines>> = Columns* Lines;
template <class Tag, class Arguments, class W, int Columns, int Lines>
inline constexpr int residentBlocks<MarchBody<Tag, Arguments, W, Columns, Lines>> = 1024 /
                                                                                    (Columns *
                                                                                     Lines);

}  // namespace mass::detail
