#pragma once

// Many steps of a rule that sends codes in one kernel, whose blocks keep places in their own
// memory. Included where nvcc compiles a model.

#include <mass/model/gpu/send_codes.hpp>

#include <cuda/atomic>

#include <cstddef>
#include <cstdint>

namespace mass::detail {

/// Threads of a block: it has a multiprocessor to itself.
inline constexpr int tileBlock = tileWarps * warpWidth;

/// The places of a block: its rows and lines, of which those of the interior have their first words
/// in the block's memory and all others in the device's.
template <class P>
struct Tile {
  static constexpr int borders = P::dimensions == 3 ? 2 : 0;  ///< of lines

  int firstRow, rows, firstLine, lines;
  SendTile interior;
  QuickDivisor byLines, byQuads;
  int quadsOfLine;

  __device__ Tile(const Layout& layout, const TilePlan& plan, std::uint32_t* words)
      : Tile(cut(layout.rows, plan.rowTiles, static_cast<int>(blockIdx.x) / plan.lineTiles),
             cut(layout.lines, plan.lineTiles, static_cast<int>(blockIdx.x) % plan.lineTiles),
             plan.reach, static_cast<int>((layout.columns + packWidth - 1) / packWidth), words) {}

  __device__ int quads() const { return rows * lines * quadsOfLine; }
  /// The row and line of line number `i` of the tile.
  __device__ int rowOf(int i) const { return firstRow + byLines(i); }
  __device__ int lineOf(int i) const { return firstLine + i - byLines(i) * lines; }

 private:
  struct Range {
    int begin, end;
  };
  __device__ static Range cut(std::int64_t length, int parts, int part) {
    return {static_cast<int>(length * part / parts), static_cast<int>(length * (part + 1) / parts)};
  }
  __device__ Tile(Range row, Range line, int reach, int quads, std::uint32_t* words)
      : firstRow(row.begin),
        rows(row.end - row.begin),
        firstLine(line.begin),
        lines(line.end - line.begin),
        interior{row.begin + reach,
                 max(rows - 2 * reach, 0),
                 line.begin + (borders > 0 ? reach : 0),
                 max(lines - borders * reach, 0),
                 quads * packWidth,
                 words},
        byLines(lines),
        byQuads(quads),
        quadsOfLine(quads) {}
};

/// How blocks wait for those beside them, which alone send them codes.
template <class P>
struct TileTurns {
  const TileRun& run;

  static constexpr int apart = tileFlagBytes / sizeof(unsigned);

  /// To be called by all threads of a block when it has finished `steps` steps: returns when its
  /// neighbours have, too.
  __device__ void finish(unsigned steps) const {
    __syncthreads();
    using Flag = ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_device>;
    if (threadIdx.x == 0) {
      Flag(run.finished[blockIdx.x * apart]).store(steps, ::cuda::memory_order_release);
    }
    constexpr int lineNeighbors = P::dimensions == 3 ? 3 : 1;
    if (threadIdx.x < 3 * lineNeighbors) {
      const int neighbor =
          beside(static_cast<int>(threadIdx.x) / lineNeighbors - 1,
                 static_cast<int>(threadIdx.x) % lineNeighbors - (lineNeighbors - 1) / 2);
      const Flag flag(run.finished[neighbor * apart]);
      // To acquire would empty the L1 cache of what no rule changes. What neighbours change is
      // read where they change it: in the L2 cache, by __ldcg and atomic operations.
      while (flag.load(::cuda::memory_order_relaxed) < steps) {
      }
    }
    __syncthreads();
  }

 private:
  /// A neighbour's number; worlds may be periodic.
  __device__ int beside(int rows, int lines) const {
    const int rowTiles = run.plan.rowTiles, lineTiles = run.plan.lineTiles;
    const int row = (static_cast<int>(blockIdx.x) / lineTiles + rows + rowTiles) % rowTiles;
    const int line = (static_cast<int>(blockIdx.x) % lineTiles + lines + lineTiles) % lineTiles;
    return row * lineTiles + line;
  }
};

/// The occupied places that a warp has found: in the block's memory while there is room, then in
/// the device's.
struct TileList {
  int2* near;
  int2* far;
  int room;

  __device__ int2& operator[](int n) const { return n < room ? near[n] : far[n - room]; }
};

/// Where the places of a tile are in a step, by their numbers in lines of whole quads.
template <class Call>
struct TileFrame {
  using P = typename Call::Place;

  static constexpr bool hasNear = true;

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
  __device__ SendingAround<P> around(int place) const {
    const int number = tile.byQuads(place / packWidth);
    const int row = tile.rowOf(number), line = tile.lineOf(number);
    const int column = place - number * tile.quadsOfLine * packWidth;
    const auto at = static_cast<Index>(launch.layout.at(row, line, column));
    return {launch, in(), out(), at, at, row, line, column, &tile.interior};
  }
};

/// Where the lines of a tile lie: in the block's memory or in the device's. Looked up, as this is
/// asked for every quad in every step.
struct TileLines {
  static constexpr int most = 1024;  ///< lines of a tile

  int begin[most];  ///< in quads; of a line in the device's memory, ~begin

  template <class P>
  __device__ void fill(const Tile<P>& tile, const Layout& layout) {
    for (int i = static_cast<int>(threadIdx.x); i < tile.rows * tile.lines; i += tileBlock) {
      const int row = tile.rowOf(i), line = tile.lineOf(i);
      const bool isNear = tile.interior.holds(row, line);
      const auto quad = [](std::int64_t word) { return static_cast<int>(word / packWidth); };
      begin[i] = isNear ? quad(tile.interior.at(row, line, 0) - tile.interior.words)
                        : ~quad(layout.at(row, line, 0));
    }
  }
};

/// Steps of a rule that sends codes, by blocks that keep their places. Each step a block lists its
/// occupied places, empties them, and sends; then it waits for the blocks beside it.
template <class Tag, class Before, class Arguments>
struct TileBody {
  using P = typename Tag::Place;
  using Call = GpuCall<P, Arguments>;
  using Frame = TileFrame<Call>;
  using Sender = CodeSender<Tag, Before, Arguments, Frame>;
  static constexpr int warps = tileWarps;

  __device__ static void run(const Call& call) {
    extern __shared__ uint4 memory[];
    __shared__ TileLines lines;
    __shared__ alignas(16) unsigned char bytes[Staging::room];
    const Arguments arguments = Staging{bytes}.all(call.arguments);
    const TileRun& tiles = call.gpu.tiles;
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
    exchangeInterior<true>({call, launch, tile, false});
    const auto steps = static_cast<unsigned>(tiles.steps);
    for (unsigned step = 0; step < steps; ++step) {
      if (step > 0) TileTurns<P>{tiles}.finish(step);
      launch.sending.beyond = tiles.beyond[step % 2];
      runStep({call, launch, tile, step % 2 != 0}, arguments, lines, list);
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
    const SendTile& interior = frame.tile.interior;
    const Layout& layout = frame.launch.layout;
    const int quads = interior.rows * interior.lines * frame.tile.quadsOfLine;
    auto* const words = static_cast<std::uint32_t*>(frame.emptied()[BagSlot<P>::first]);
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

  __device__ static void runStep(const Frame& frame, const Arguments& arguments,
                                 const TileLines& lines, const TileList& list) {
    __shared__ CodeQueue further[warps];
    const int warp = static_cast<int>(threadIdx.x) / warpWidth;
    const int lane = static_cast<int>(threadIdx.x) % warpWidth;
    const int total = collect(frame, lines, list, lane);
    __syncthreads();
    Sender sender(arguments, frame, further[warp], lane);
    for (int begin = 0; begin < total; begin += warpWidth) {
      const bool own = begin + lane < total;
      sender.send(own, list[own ? begin + lane : 0], begin + warpWidth >= total);
    }
  }

  /// Lists the occupied places of a warp's quads and empties them; returns how many.
  __device__ static int collect(const Frame& frame, const TileLines& lines, const TileList& list,
                                int lane) {
    constexpr int loads = 4;
    const int quads = frame.tile.quads();
    int total = 0;
    for (int first = 0; first < quads; first += tileBlock * loads) {
      Quad quad[loads];
#pragma unroll
      for (int k = 0; k < loads; ++k) {
        quad[k] = look(frame, lines, first + k * tileBlock + static_cast<int>(threadIdx.x), quads);
      }
#pragma unroll
      for (int k = 0; k < loads; ++k) {
        if (first + k * tileBlock >= quads) break;
        if (!all && !__any_sync(~0U, quad[k].any())) continue;
        quad[k].empty();
        const int place = (first + k * tileBlock + static_cast<int>(threadIdx.x)) * packWidth;
        const auto add = [&](auto&& noteAt) {
          return enlistFew(total, lane, place, quad[k], noteAt);
        };
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

  /// As enlist() does, faster where places are scarce: many of the four places are so in no quad.
  template <class Store>
  __device__ static int enlistFew(int count, int lane, int place, const Quad& quad, Store&& store) {
    const std::uint32_t word[packWidth] = {quad.words.x, quad.words.y, quad.words.z, quad.words.w};
    const unsigned before = (1U << lane) - 1;
#pragma unroll
    for (int k = 0; k < packWidth; ++k) {
      const bool own = (all || word[k] != 0) && k < quad.columns;
      const unsigned others = __ballot_sync(~0U, own);
      if (others == 0) continue;
      if (own) store(count + __popc(others & before), place + k, word[k]);
      count += __popc(others);
    }
    return count;
  }

  __device__ static Quad look(const Frame& frame, const TileLines& lines, int number, int quads) {
    if (number >= quads) return {nullptr, make_uint4(0, 0, 0, 0), 0};
    const int line = frame.tile.byQuads(number);
    const int beside = number - line * frame.tile.quadsOfLine;
    const int columns = static_cast<int>(frame.launch.layout.columns) - beside * packWidth;
    const int begin = lines.begin[line];
    if (begin >= 0) {
      uint4* const at = reinterpret_cast<uint4*>(frame.tile.interior.words) + begin + beside;
      return {at, *at, columns};
    }
    uint4* const at = static_cast<uint4*>(frame.emptied()[BagSlot<P>::first]) + ~begin + beside;
    return {at, __ldcg(at), columns};
  }
};

/// A kernel whose blocks have a multiprocessor each.
template <class Body>
__global__ void __launch_bounds__(tileBlock, 1)
    onTiles(const __grid_constant__ typename Body::Call call) {
  Body::run(call);
}

}  // namespace mass::detail
