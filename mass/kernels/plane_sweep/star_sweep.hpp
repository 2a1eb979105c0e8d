#pragma once

// Star sweep: plane sweep of rules that read neighbours along the axes only. A thread has packWidth
// columns. The rows around its places are in registers; shared memory keeps the rows from the
// present one on, from which a thread reads the neighbours beside its columns. Included where nvcc
// compiles a model.

#include <mass/kernels/gpu/stencil_kernel.hpp>
#include <mass/kernels/plane_sweep/plane_cache.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace mass::detail {

/// Threads of a block along a line: one warp.
inline constexpr int starColumns = 32;

/// True if places have few attributes, which fit into registers with the rows around them.
template <class P>
constexpr bool hasStarState() {
  bool areScalars = true;
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    using Stored = typename S::Stored;
    areScalars = areScalars && !S::isArray && !S::isStreamed && !isMultiset<typename S::Value> &&
                 (std::is_arithmetic_v<Stored> || std::is_enum_v<Stored>);
  });
  return areScalars && stateBytes<P>() <= 16;
}

/// Blocks of `Lines` lines that a multiprocessor is to hold with their registers: those of the rows
/// in registers, and about 40 others.
template <class P, int Lines>
constexpr int starBlocks() {
  int words = 0;  // of a place in registers
  AttributeSlots<P>::forEach([&](auto slot) {
    words += (static_cast<int>(sizeof(typename decltype(slot)::Element)) + 3) / 4;
  });
  constexpr int all = 65536;
  const int ofThread = packWidth * words * (2 * P::reach + 1) + 40;
  return std::max(1, all / (ofThread * starColumns * Lines));
}

template <class P, int Lines>
using StarCache =
    PlaneCache<P, starColumns * packWidth, Lines, packWidth, P::reach + 1, starBlocks<P, Lines>()>;

/// True if a rule has a star sweep by blocks of `Lines` lines.
template <class P, auto Rule, int Lines>
constexpr bool hasStarSweep() {
  if constexpr (P::dimensions != 3 || P::reads != alongAxes || P::reach < 1 || P::reach > 4) {
    return false;
  } else if constexpr (!hasStarState<P>() || !Traits<Rule>::readsNeighbors ||
                       Traits<Rule>::streams) {
    return false;
  } else {
    return StarCache<P, Lines>::fits;
  }
}

/// Kernel of a changing rule. A block updates 32 * packWidth x `Lines` places of rowsPerSweep rows,
/// one row after another.
template <class Tag, class Arguments, class W, int Lines>
struct StarSweepBody {
  using P = typename Tag::Place;
  using Call = GpuCall<P, Arguments>;
  using Memory = StarCache<P, Lines>;
  static constexpr int reach = P::reach, width = packWidth;

  __device__ static void run(const Call& call) {
    withPeerSync<3>(call.gpu, call.gpu.rowsPerSweep, width, [&] { sweep(call); });
  }

 private:
  /// Rows that a thread updates between two moves of its rows in registers.
  static constexpr int unrolled = 4;

  using Columns = P[width];

  __device__ static void sweep(const Call& call) {
    extern __shared__ uint4 memory[];
    __shared__ SharedBarrier barriers[Memory::rows];
    auto* const bytes = reinterpret_cast<unsigned char*>(memory);
    const GpuLaunch& gpu = call.gpu;
    GpuPlace place = placeOfThread<3>(gpu, gpu.rowsPerSweep, width);
    const int rowsLeft = static_cast<int>(gpu.rowEnd - gpu.rowBegin) - place.row;
    const int rows = rowsLeft < gpu.rowsPerSweep ? rowsLeft : gpu.rowsPerSweep;
    const bool isThere = place.rows > 0 && place.line < static_cast<int>(gpu.launch.layout.lines);
    PlaneLoader<Call, Memory> source(call, bytes, barriers, place.row,
                                     place.line - static_cast<int>(threadIdx.y),
                                     place.column - static_cast<int>(threadIdx.x) * width);
#pragma unroll
    for (int i = 0; i < Memory::rows - 1; ++i) {
      if (i < rows + reach) source.fetch(i);
    }
    const auto stride = static_cast<Index>(gpu.launch.layout.rowStride);
    const Cursor first = cursorOf<3>(gpu, place);
    Index at = first.line + first.column;
    Columns kept[2 * reach + unrolled];  // rows from `reach` before the present one on
    if (isThere) {
#pragma unroll
      for (int i = 0; i < 2 * reach; ++i)
        load<LoadFrom::device>(kept[i], call, nullptr, 0, at + (i - reach) * stride);
    }
#pragma unroll
    for (int i = 0; i < reach; ++i) source.wait(i, false);
    const bool hasHalos = storesHalos(gpu, place.row, rows);
    const int own = (static_cast<int>(threadIdx.y) + reach) * Memory::pitch + Memory::unit +
                    static_cast<int>(threadIdx.x) * width;
    int present = 0, newest = reach;  // slots in shared memory
    unsigned phase = 0;               // of slot `newest`
    for (int left = rows; left > 0;) {
#pragma unroll
      for (int u = 0; u < unrolled; ++u) {
        if (left == 0) break;
        source.wait(newest, phase != 0);
        __syncthreads();  // and all threads are done with the row before the present one
        if (left > Memory::ahead) source.fetch(present == 0 ? Memory::rows - 1 : present - 1);
        if (isThere) {
          load<LoadFrom::shared>(kept[u + 2 * reach], call, bytes, newest * Memory::places + own,
                                 at + reach * stride);
          change(call, place, &kept[u + reach], bytes, present * Memory::places + own, at,
                 hasHalos);
        }
        at += stride;
        ++place.row;
        --left;
        present = present + 1 == Memory::rows ? 0 : present + 1;
        newest = newest + 1 == Memory::rows ? 0 : newest + 1;
        phase ^= newest == 0 ? 1U : 0U;
      }
#pragma unroll
      for (int i = 0; i < 2 * reach; ++i) {
#pragma unroll
        for (int c = 0; c < width; ++c) kept[i][c] = kept[i + unrolled][c];
      }
    }
    place.row -= rows;
    place.rows = isThere ? rows : 0;
    place.width = isThere ? width : 0;
    storeImages(call, place, rows);
  }

  /// True if other devices may have some of the `rows` rows from `row` on in their halo.
  __device__ static bool storesHalos(const GpuLaunch& gpu, int row, int rows) {
    const Layout& layout = gpu.launch.layout;
    const std::int64_t begin = gpu.rowBegin + row;
    return gpu.haloStoreCount > 0 &&
           (begin < layout.depth || begin + rows > layout.rows - layout.depth);
  }

  enum class LoadFrom { device, shared };

  /// Loads successive places.
  /// @param index, at index of the first one in shared memory, which has no constant attributes,
  /// and in device memory
  template <LoadFrom from>
  __device__ static void load(P* places, const Call& call, const unsigned char* memory, int index,
                              Index at) {
    AttributeSlots<P>::forEach([&](auto slot) {
      using S = decltype(slot);
      using Stored = typename S::Stored;
      const Stored* first = nullptr;
      if constexpr (S::isConstant || from == LoadFrom::device) {
        first = static_cast<const Stored*>(call.in[S::first]) + at;
      } else {
        constexpr std::int64_t begin = Memory::begin(S::first, Memory::rows);
        first = reinterpret_cast<const Stored*>(memory + begin) + index;
      }
#pragma unroll
      for (int c = 0; c < width; ++c)
        places[c].*S::member = S::Form::decode(loadFromPack<width>(first, c));
    });
  }

  /// Updates the thread's places of a row.
  /// @param rows the row in registers, with `reach` rows before and after it
  /// @param index, at index of the first place in shared and in device memory
  /// @param hasHalos true if other devices may have the row in their halo
  __device__ static void change(const Call& call, const GpuPlace& place, const Columns* rows,
                                const unsigned char* memory, int index, Index at, bool hasHalos) {
    constexpr auto rule = ruleOf(Tag{});
    const auto pitch = static_cast<Index>(call.gpu.launch.layout.pitch);
    Columns lines[2 * reach + 1];
#pragma unroll
    for (int i = 0; i <= 2 * reach; ++i) {
      if (i == reach) continue;
      load<LoadFrom::shared>(lines[i], call, memory, index + (i - reach) * Memory::pitch,
                             at + (i - reach) * pitch);
    }
    P line[3 * width];
    load<LoadFrom::shared>(line, call, memory, index - width, at - width);
    load<LoadFrom::shared>(line + 2 * width, call, memory, index + width, at + width);
    P next[width];
#pragma unroll
    for (int c = 0; c < width; ++c) line[width + c] = next[c] = rows[0][c];
    const std::int64_t row = rowOf(call.gpu, place);
#pragma unroll
    for (int c = 0; c < width; ++c) {
      const PlaceWindow<P> window(&rows[0][c], width, &lines[reach][c], width, &line[width + c]);
      const Neighborhood<P> near(call.gpu.launch, window, row, place.line, place.column + c, 0);
      apply<rule>(next[c], near, call.arguments);
    }
    const auto store = [&](void* const* out, Copy copy) {
      storeRow<P, W>(out, Cursor(at, 0, 0, width), 0, next, copy);
    };
    if (hasHalos)
      forEachCopy(call, row, store);
    else
      store(call.out, Copy::own);
  }

  /// Copies the block's places to their images in the padding and to further halos.
  /// @param place the thread's places of all rows
  __device__ static void storeImages(const Call& call, const GpuPlace& place, int rows) {
    const Launch& launch = call.gpu.launch;
    const auto columns = static_cast<int>(launch.layout.columns);
    const auto padding = static_cast<int>(launch.layout.padding);
    if (isAtLinePadding<3>(launch, place)) {
      copyToPadding<3>(call, place);
    } else if (launch.domain.borders[2] != Border::fixed &&
               place.line < static_cast<int>(launch.layout.lines)) {
      // The lanes of the line take its rows in turn, of which they copy both ends.
      const int begin = place.column - static_cast<int>(threadIdx.x) * width;
      const int end = min(begin + starColumns * width, columns);
      const int left = min(end, padding), right = max(max(begin, left), columns - padding);
      __syncwarp();
#pragma unroll 1
      for (int row = static_cast<int>(threadIdx.x); row < 2 * rows; row += starColumns) {
        const bool isRight = row >= rows;
        const int from = isRight ? right : begin;
        copyToPadding<3>(call, {place.row + (isRight ? row - rows : row), place.line, from, 1,
                                (isRight ? end : left) - from});
      }
    }
    storeFurtherGhosts<3>(call, place);
  }
};

template <class Tag, class Arguments, class W, int Lines>
inline constexpr int maxThreads<StarSweepBody<Tag, Arguments, W, Lines>> = starColumns* Lines;
template <class Tag, class Arguments, class W, int Lines>
inline constexpr int residentBlocks<StarSweepBody<Tag, Arguments, W, Lines>> =
    starBlocks<typename Tag::Place, Lines>();

}  // namespace mass::detail
