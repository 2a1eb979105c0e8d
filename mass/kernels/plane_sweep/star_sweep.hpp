#pragma once

// Star sweep: plane sweep of rules that read neighbours along the axes only. A thread has packWidth
// columns. The rows around its places are in registers; tiles in shared memory keep the rows from
// the present one on, from which a thread reads the neighbours beside its columns. Included where
// nvcc compiles a model.

#include <mass/kernels/gpu/stencil_kernel.hpp>
#include <mass/kernels/plane_sweep/star_images.hpp>
#include <mass/kernels/plane_sweep/star_tiles.hpp>

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

/// True if a rule has a star sweep by blocks of `Lines` lines.
template <class P, auto Rule, int Lines>
constexpr bool hasStarSweep() {
  if constexpr (P::dimensions != 3 || P::reads != alongAxes || P::reach < 1 || P::reach > 4) {
    return false;
  } else if constexpr (!hasStarState<P>() || !Traits<Rule>::readsNeighbors ||
                       Traits<Rule>::streams) {
    return false;
  } else {
    return StarTiles<P, Lines>::exists;
  }
}

/// Kernel of a changing rule. A block updates 32 * packWidth x `Lines` places of rowsPerSweep rows,
/// one row after another.
template <class Tag, class Arguments, class W, int Lines>
struct StarSweepBody {
  using P = typename Tag::Place;
  using Call = GpuCall<P, Arguments>;
  using Tiles = StarTiles<P, Lines>;
  static constexpr int reach = P::reach, width = packWidth;

  __device__ static void run(const Call& call) {
    withPeerSync<3>(call.gpu, call.gpu.rowsPerSweep, width, [&] {
      sweep(call, placesInRows<width>(call.gpu, 0));
      // Computes the places again: the sweep needs the registers.
      storeStarImages<P, W>(call, placesInRows<width>(call.gpu, call.gpu.opaqueZero));
    });
  }

 private:
  using Columns = P[width];

  __device__ static void sweep(const Call& call, GpuPlace place) {
    extern __shared__ uint4 memory[];
    __shared__ SplitBarrier barriers[2];  // for even and odd rows
    constexpr int tiles = Tiles::tiles, ahead = Tiles::ahead;
    static_assert(tiles % 2 == 0);
    auto* const bytes = reinterpret_cast<unsigned char*>(memory);
    const bool isFirst = threadIdx.x == 0;
    if (isFirst && threadIdx.y < 2) barriers[threadIdx.y].begin(Lines);
    const int rows = place.rows;
    const bool isThere = place.width > 0;
    const RowImages<P> images(call.gpu, place);
    const auto stride = static_cast<Index>(call.gpu.launch.layout.rowStride);
    const Cursor first = cursorOf<3>(call.gpu, place);
    Index at = first.line + first.column;
    const TileCopies<Call, Tiles> copies(call, bytes, place);
#pragma unroll
    for (int i = 0; i < reach + ahead; ++i) copies.fetch(i, at + i * stride, i < rows + reach);
    Columns kept[2 * reach + tiles];  // rows from `reach` before the present one on
    if (isThere) {
#pragma unroll
      for (int i = 0; i < 2 * reach; ++i)
        load<LoadFrom::device>(kept[i], call.in, nullptr, 0, at + (i - reach) * stride);
    }
    __syncthreads();  // the barriers are initialised
    ThreadCopies::await<ahead>();
    barriers[0].arrive(isFirst);
    bool isOdd = false;  // in every other pair of rows
    // Tiles are constants in the unrolled loop. The rows in registers move once in so many rows.
    for (int left = rows; left > 0;) {
#pragma unroll
      for (int u = 0; u < tiles; ++u) {
        if (left == 0) break;
        // The thread's copies of the newest row that it reads are complete.
        ThreadCopies::await<ahead - 1>();
        barriers[(u + 1) % 2].arrive(isFirst);
        // All threads' copies of the present row are, and the row before the last one is read.
        barriers[u % 2].wait(isOdd);
        if (u % 2 == 1) isOdd = !isOdd;
        copies.fetch((u + reach + ahead) % tiles, at + (reach + ahead) * stride, left > ahead);
        if (isThere) {
          load<LoadFrom::shared>(kept[u + 2 * reach], call.in,
                                 bytes + (u + reach) % tiles * Tiles::tileBytes, copies.own(),
                                 at + reach * stride);
          change(call, place, &kept[u + reach], bytes + u * Tiles::tileBytes, copies.own(), at,
                 images);
        }
        at += stride;
        ++place.row;
        --left;
      }
#pragma unroll
      for (int i = 0; i < 2 * reach; ++i) {
#pragma unroll
        for (int c = 0; c < width; ++c) kept[i][c] = kept[i + tiles][c];
      }
    }
  }

  enum class LoadFrom { device, shared };

  /// Loads successive places.
  /// @param index, at index of the first one in a tile, which has no constant attributes, and in
  /// the buffers `in`
  template <LoadFrom from>
  __device__ static void load(P* places, const void* const* in, const unsigned char* tile,
                              int index, Index at) {
    AttributeSlots<P>::forEach([&](auto slot) {
      using S = decltype(slot);
      using Stored = typename S::Stored;
      const Stored* first = nullptr;
      if constexpr (S::isConstant || from == LoadFrom::device) {
        first = static_cast<const Stored*>(in[S::first]) + at;
      } else {
        first = reinterpret_cast<const Stored*>(tile + Tiles::begin(S::first)) + index;
      }
#pragma unroll
      for (int c = 0; c < width; ++c)
        places[c].*S::member = S::Form::decode(loadFromPack<width>(first, c));
    });
  }

  /// Updates the thread's places of a row.
  /// @param rows the row in registers, with `reach` rows before and after it
  /// @param index, at index of the first place in the row's tile and in device memory
  __device__ static void change(const Call& call, const GpuPlace& place, const Columns* rows,
                                const unsigned char* tile, int index, Index at,
                                const RowImages<P>& images) {
    constexpr auto rule = ruleOf(Tag{});
    const auto pitch = static_cast<Index>(call.gpu.launch.layout.pitch);
    Columns lines[2 * reach + 1];
#pragma unroll
    for (int i = 0; i <= 2 * reach; ++i) {
      if (i == reach) continue;
      load<LoadFrom::shared>(lines[i], call.in, tile, index + (i - reach) * Tiles::pitch,
                             at + (i - reach) * pitch);
    }
    P line[3 * width];
    load<LoadFrom::shared>(line, call.in, tile, index - width, at - width);
    load<LoadFrom::shared>(line + 2 * width, call.in, tile, index + width, at + width);
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
    images.template store<W>(call, at, next);
  }
};

template <class Tag, class Arguments, class W, int Lines>
inline constexpr int maxThreads<StarSweepBody<Tag, Arguments, W, Lines>> = starColumns* Lines;
template <class Tag, class Arguments, class W, int Lines>
inline constexpr int residentBlocks<StarSweepBody<Tag, Arguments, W, Lines>> =
    StarTiles<typename Tag::Place, Lines>::blocks;

}  // namespace mass::detail
