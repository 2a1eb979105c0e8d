#pragma once

// Star sweep: plane sweep of rules that read neighbours along the axes only. A thread has packWidth
// columns. The rows around its places are in registers; shared memory keeps the rows from the
// present one on, from which a thread reads the neighbours beside its columns. Included where nvcc
// compiles a model.

#include <mass/kernels/gpu/stencil_kernel.hpp>
#include <mass/kernels/plane_sweep/plane_cache.hpp>
#include <mass/kernels/plane_sweep/star_images.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace mass::detail {

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

/// Returns the number of blocks of `Lines` lines that a multiprocessor is to hold. A thread needs
/// registers for its rows, and about 40 others.
template <class P, int Lines>
constexpr int starBlocks() {
  int words = 0;  // registers of a place
  AttributeSlots<P>::forEach([&](auto slot) {
    words += (static_cast<int>(sizeof(typename decltype(slot)::Element)) + 3) / 4;
  });
  constexpr int all = 65536;
  const int ofThread = packWidth * words * (2 * P::reach + 1) + 40;
  return std::max(1, all / (ofThread * starColumns * Lines));
}

/// Shared memory of a star sweep: the rows from the present one to the newest, and rows ahead.
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
    withPeerSync<3>(call.gpu, call.gpu.rowsPerSweep, width, [&] {
      sweep(call, placesInRows<width>(call.gpu, 0));
      // Computes the places again: the sweep needs the registers.
      storeStarImages<P, W>(call, placesInRows<width>(call.gpu, call.gpu.opaqueZero));
    });
  }

 private:
  /// Slots of rows in shared memory, and rows that a thread updates between two moves of its rows
  /// in registers: slots are constants in the unrolled loop.
  static constexpr int slots = Memory::rows;

  using Columns = P[width];

  __device__ static void sweep(const Call& call, GpuPlace place) {
    extern __shared__ uint4 memory[];
    __shared__ SharedBarrier barriers[slots];
    auto* const bytes = reinterpret_cast<unsigned char*>(memory);
    const GpuLaunch& gpu = call.gpu;
    const int rows = place.rows;
    const bool isThere = place.width > 0;
    PlaneLoader<Call, Memory> source(call, bytes, barriers, place.row,
                                     place.line - static_cast<int>(threadIdx.y),
                                     place.column - static_cast<int>(threadIdx.x) * width);
#pragma unroll
    for (int i = 0; i < slots - 1; ++i) {
      if (i < rows + reach) source.fetch(i);
    }
    const auto stride = static_cast<Index>(gpu.launch.layout.rowStride);
    const Cursor first = cursorOf<3>(gpu, place);
    Index at = first.line + first.column;
    Columns kept[2 * reach + slots];  // rows from `reach` before the present one on
    if (isThere) {
#pragma unroll
      for (int i = 0; i < 2 * reach; ++i)
        load<LoadFrom::device>(kept[i], call.in, nullptr, 0, at + (i - reach) * stride);
    }
#pragma unroll
    for (int i = 0; i < reach; ++i) source.wait(i, false);
    const int own = (static_cast<int>(threadIdx.y) + reach) * Memory::pitch + Memory::unit +
                    static_cast<int>(threadIdx.x) * width;
    bool isOdd = false;  // true in every other pass over the slots
    for (int left = rows; left > 0; isOdd = !isOdd) {
#pragma unroll
      for (int u = 0; u < slots; ++u) {
        if (left == 0) break;
        const int newest = (u + reach) % slots;
        source.wait(newest, isOdd != (newest < u));
        __syncthreads();  // and all threads are done with the row before the present one
        if (left > Memory::ahead) source.fetch((u + slots - 1) % slots);
        if (isThere) {
          load<LoadFrom::shared>(kept[u + 2 * reach], call.in, bytes, newest * Memory::places + own,
                                 at + reach * stride);
          change(call, place, &kept[u + reach], bytes, u * Memory::places + own, at);
        }
        at += stride;
        ++place.row;
        --left;
      }
#pragma unroll
      for (int i = 0; i < 2 * reach; ++i) {
#pragma unroll
        for (int c = 0; c < width; ++c) kept[i][c] = kept[i + slots][c];
      }
    }
  }

  enum class LoadFrom { device, shared };

  /// Loads successive places.
  /// @param index, at index of the first one in shared memory, which has no constant attributes,
  /// and in the buffers `in`
  template <LoadFrom from>
  __device__ static void load(P* places, const void* const* in, const unsigned char* memory,
                              int index, Index at) {
    AttributeSlots<P>::forEach([&](auto slot) {
      using S = decltype(slot);
      using Stored = typename S::Stored;
      const Stored* first = nullptr;
      if constexpr (S::isConstant || from == LoadFrom::device) {
        first = static_cast<const Stored*>(in[S::first]) + at;
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
  __device__ static void change(const Call& call, const GpuPlace& place, const Columns* rows,
                                const unsigned char* memory, int index, Index at) {
    constexpr auto rule = ruleOf(Tag{});
    const auto pitch = static_cast<Index>(call.gpu.launch.layout.pitch);
    Columns lines[2 * reach + 1];
#pragma unroll
    for (int i = 0; i <= 2 * reach; ++i) {
      if (i == reach) continue;
      load<LoadFrom::shared>(lines[i], call.in, memory, index + (i - reach) * Memory::pitch,
                             at + (i - reach) * pitch);
    }
    P line[3 * width];
    load<LoadFrom::shared>(line, call.in, memory, index - width, at - width);
    load<LoadFrom::shared>(line + 2 * width, call.in, memory, index + width, at + width);
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
    storeRow<P, W>(call.out, Cursor(at, 0, 0, width), 0, next, Copy::own);
  }
};

template <class Tag, class Arguments, class W, int Lines>
inline constexpr int maxThreads<StarSweepBody<Tag, Arguments, W, Lines>> = starColumns* Lines;
template <class Tag, class Arguments, class W, int Lines>
inline constexpr int residentBlocks<StarSweepBody<Tag, Arguments, W, Lines>> =
    starBlocks<typename Tag::Place, Lines>();

}  // namespace mass::detail
