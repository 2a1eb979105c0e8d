#pragma once

// Many steps of a rule that sends codes in one kernel, whose blocks keep places in their own
// memory. Included where nvcc compiles a model.

#include <mass/kernels/scatter/gpu_argument_staging.hpp>
#include <mass/kernels/scatter/gpu_tile.hpp>
#include <mass/kernels/scatter/gpu_tile_sender.hpp>

#include <cstddef>
#include <cstdint>

namespace mass::detail {

/// Where the places of a tile are in a step, by their numbers in lines of whole quads.
template <class Call>
struct TileFrame {
  using P = typename Call::Place;

  const Call& call;
  const Launch& launch;  ///< of the step
  const Tile<P>& tile;
  bool isOdd;  ///< then buffers have changed their parts

  /// The buffers that are read, and emptied, in this step; those that are filled.
  __device__ void* const* emptied() const {
    return isOdd ? call.out : const_cast<void* const*>(call.in);
  }
  __device__ void* const* out() const {
    return isOdd ? const_cast<void* const*>(call.in) : call.out;
  }
  __device__ const void* const* in() const { return emptied(); }
  __device__ ScatterContext<P> around(int place) const {
    const int number = tile.byQuads(place / packWidth);
    const int row = tile.rowOf(number), line = tile.lineOf(number);
    const int column = place - number * tile.quadsOfLine * packWidth;
    const auto at = static_cast<Index>(launch.layout.at(row, line, column));
    return {launch, in(), out(), at, at, row, line, column, &tile.interior};
  }
};

/// Four first words side by side, as one thread looks at them.
struct Quad {
  uint4* at = nullptr;
  uint4 words{};
  int columns = 0;  ///< from its first place on to the end of the line
  int place = 0;    ///< number of its first place in the tile

  __device__ bool any() const { return (words.x | words.y | words.z | words.w) != 0; }
  __device__ void empty() const {
    if (any()) *at = make_uint4(0, 0, 0, 0);
  }
};

/// Where the lines of a tile lie: first those in the block's memory, then those in the device's.
/// Looked up, as this is asked for every quad in every step.
struct TileLines {
  int begin[PersistentTilePlan::mostLines];  ///< in quads; of a line in the device's memory, ~begin
  std::uint16_t number[PersistentTilePlan::mostLines];  ///< in the tile

  template <class P>
  __device__ void fill(const Tile<P>& tile, const Layout& layout) {
    const SharedTile& interior = tile.interior;
    const int nearLines = interior.rows * interior.lines;
    for (int i = static_cast<int>(threadIdx.x); i < tile.rows * tile.lines; i += tileBlock) {
      const int row = tile.rowOf(i), line = tile.lineOf(i);
      const bool isNear = interior.holds(row, line);
      // Lines of the interior that come before this one.
      const int rows = min(max(row - interior.firstRow, 0), interior.rows);
      const bool isBeside = row >= interior.firstRow && rows < interior.rows;
      const int lines = isBeside ? min(max(line - interior.firstLine, 0), interior.lines) : 0;
      const int before = rows * interior.lines + lines;
      const int at = isNear ? before : nearLines + i - before;
      const auto quad = [](std::int64_t word) { return static_cast<int>(word / packWidth); };
      begin[at] = isNear ? quad(interior.at(row, line, 0) - interior.words)
                         : ~quad(layout.at(row, line, 0));
      number[at] = static_cast<std::uint16_t>(i);
    }
  }
};

/// Steps of a rule that sends codes, by blocks that keep their places. Each step a block lists its
/// occupied places, empties them, and sends; then it lists its interior's for the next step,
/// and waits for the blocks beside it.
template <class Tag, class Before, class Arguments>
struct PersistentScatter {
  using P = typename Tag::Place;
  using Call = GpuCall<P, Arguments>;
  using Frame = TileFrame<Call>;
  using Sender = TileSender<Tag, Before, Arguments, Frame>;
  static constexpr int warps = warpsPerPersistentBlock;

  __device__ static void run(const Call& call) {
    extern __shared__ uint4 memory[];
    __shared__ TileLines lines;
    __shared__ TileTurns<P> turns;
    alignas(16) __shared__ unsigned char bytes[Staging::room];
    const Arguments arguments = Staging{bytes}.all(call.arguments);
    const PersistentRun& tiles = call.gpu.tiles;
    auto* const words = reinterpret_cast<std::uint32_t*>(memory);
    const Tile<P> tile(call.gpu.launch.layout, tiles.plan, words);
    const int warp = static_cast<int>(threadIdx.x) / warpWidth;
    const std::int64_t interior = tiles.plan.interiorLines * tile.quadsOfLine;
    const TileList list{reinterpret_cast<int2*>(memory + interior) + warp * tiles.nearRoom,
                        reinterpret_cast<int2*>(tiles.overflow) +
                            (static_cast<std::int64_t>(blockIdx.x) * warps + warp) * tiles.farRoom,
                        tiles.nearRoom};
    Launch launch = resolved(call.gpu.launch);
    lines.fill(tile, launch.layout);
    turns.begin(tiles);
    exchangeInterior<true>({call, launch, tile, false});
    const auto steps = static_cast<unsigned>(tiles.steps);
    const int nearQuads = tile.interior.rows * tile.interior.lines * tile.quadsOfLine;
    for (unsigned step = 0; step < steps; ++step) {
      if (step > 0) turns.report(step);
      launch.scatter.beyond = tiles.beyond[step % 2];
      const Frame frame{call, launch, tile, step % 2 != 0};
      // Nobody else sends codes to the interior.
      const int near = collect(frame, lines, list, 0, nearQuads, 0);
      if (step > 0) turns.wait(step);
      send(frame, arguments, list, collect(frame, lines, list, nearQuads, tile.quads(), near));
      ++launch.step;
    }
    __syncthreads();
    exchangeInterior<false>({call, launch, tile, steps % 2 != 0});
  }

 private:
  static constexpr bool all = visitsAll<ruleOf(Tag{})>;

  /// Brings the words of the interior from the buffer that is read, which then is empty, or into
  /// the one that is to be read next.
  template <bool comes>
  __device__ static void exchangeInterior(const Frame& frame) {
    const SharedTile& interior = frame.tile.interior;
    const Layout& layout = frame.launch.layout;
    const int quads = interior.rows * interior.lines * frame.tile.quadsOfLine;
    auto* const words =
        static_cast<std::uint32_t*>(frame.emptied()[MultisetAttributeSlot<P>::first]);
    for (int i = static_cast<int>(threadIdx.x); i < quads; i += tileBlock) {
      const int number = i / frame.tile.quadsOfLine;
      const int row = number / interior.lines, line = number % interior.lines;
      const int column = (i - number * frame.tile.quadsOfLine) * packWidth;
      auto* const far = reinterpret_cast<uint4*>(
          words + layout.at(interior.firstRow + row, interior.firstLine + line, column));
      uint4* const near = reinterpret_cast<uint4*>(interior.words) + i;
      if constexpr (comes) {
        *near = *far;
        *far = make_uint4(0, 0, 0, 0);
      } else {
        *far = *near;
      }
    }
    __syncthreads();
  }

  /// Sends from the places that the warps of a block have listed.
  __device__ static void send(const Frame& frame, const Arguments& arguments, const TileList& list,
                              int total) {
    __shared__ CodeQueue further[warps];
    const int warp = static_cast<int>(threadIdx.x) / warpWidth;
    const int lane = static_cast<int>(threadIdx.x) % warpWidth;
    __syncthreads();
    Sender sender(arguments, frame, further[warp], lane);
    for (int begin = 0; begin < total; begin += warpWidth) {
      const bool own = begin + lane < total;
      sender.send(own, list[own ? begin + lane : 0], begin + warpWidth >= total);
    }
  }

  /// Lists the occupied places of a warp's quads among [begin, end), after `total` others, and
  /// empties them; returns how many are listed.
  __device__ static int collect(const Frame& frame, const TileLines& lines, const TileList& list,
                                int begin, int end, int total) {
    constexpr int loads = 4;
    const int lane = static_cast<int>(threadIdx.x) % warpWidth;
    // Every so many quads are a thread's, wherever the range begins.
    for (int first = begin - begin % tileBlock; first < end; first += tileBlock * loads) {
      Quad quad[loads];
#pragma unroll
      for (int k = 0; k < loads; ++k) {
        const int number = first + k * tileBlock + static_cast<int>(threadIdx.x);
        quad[k] = begin <= number && number < end ? look(frame, lines, number) : Quad{};
      }
#pragma unroll
      for (int k = 0; k < loads; ++k) {
        if (first + k * tileBlock >= end) break;
        if (!all && !__any_sync(~0U, quad[k].any())) continue;
        quad[k].empty();
        const auto add = [&](auto&& noteAt) { return enlistFew(total, lane, quad[k], noteAt); };
        if (total + warpWidth * packWidth <= list.room) {
          total = add([&](int n, int at, std::uint32_t word) { list.near[n] = noted(at, word); });
        } else {
          total = add([&](int n, int at, std::uint32_t word) { list[n] = noted(at, word); });
        }
      }
    }
    __syncwarp();
    return total;
  }

  /// Calls store(n, place, word) for the places of the quads of a warp's threads for which the rule
  /// is called, n counting on from `count`; returns how far. Fast where they are scarce: many of
  /// the four places are so in no quad.
  template <class Store>
  __device__ static int enlistFew(int count, int lane, const Quad& quad, Store&& store) {
    const std::uint32_t word[packWidth] = {quad.words.x, quad.words.y, quad.words.z, quad.words.w};
    const unsigned before = (1U << lane) - 1;
#pragma unroll
    for (int k = 0; k < packWidth; ++k) {
      const bool own = (all || word[k] != 0) && k < quad.columns;
      const unsigned others = __ballot_sync(~0U, own);
      if (others == 0) continue;
      if (own) store(count + __popc(others & before), quad.place + k, word[k]);
      count += __popc(others);
    }
    return count;
  }

  __device__ static Quad look(const Frame& frame, const TileLines& lines, int number) {
    const int line = frame.tile.byQuads(number);
    const int beside = number - line * frame.tile.quadsOfLine;
    const int columns = static_cast<int>(frame.launch.layout.columns) - beside * packWidth;
    const int place = (lines.number[line] * frame.tile.quadsOfLine + beside) * packWidth;
    const int begin = lines.begin[line];
    if (begin >= 0) {
      uint4* const at = reinterpret_cast<uint4*>(frame.tile.interior.words) + begin + beside;
      return {at, *at, columns, place};
    }
    uint4* const at =
        static_cast<uint4*>(frame.emptied()[MultisetAttributeSlot<P>::first]) + ~begin + beside;
    return {at, __ldcg(at), columns, place};
  }
};

/// A kernel whose blocks have a multiprocessor each.
template <class Body>
__global__ void __launch_bounds__(tileBlock, 1)
    onTiles(const __grid_constant__ typename Body::Call call) {
  Body::run(call);
}

}  // namespace mass::detail
