#pragma once

// Persistent kernel: many steps of a scatter rule in one kernel, whose blocks keep their tile in
// shared memory. Included where nvcc compiles a model.

#include <mass/kernels/scatter/gpu_argument_staging.hpp>
#include <mass/kernels/scatter/gpu_persistent_sender.hpp>
#include <mass/kernels/scatter/gpu_persistent_tile.hpp>

#include <cstddef>
#include <cstdint>

namespace mass::detail {

/// Positions of the places of a tile in a step, by their numbers in lines of whole quads.
template <class Call>
struct PersistentFrame {
  using P = typename Call::Place;

  const Call& call;
  const Launch& launch;  ///< launch of the current step
  const Tile<P>& tile;
  bool isOdd;  ///< true if the buffers are swapped

  /// Returns the buffers that are read, and cleared, in this step; out() returns those that are
  /// filled.
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

/// First words of four consecutive places, which one thread loads.
struct Quad {
  uint4* at = nullptr;
  uint4 words{};
  int columns = 0;  ///< number of columns from its first place to the end of the line
  int place = 0;    ///< number of its first place in the tile

  __device__ bool any() const { return (words.x | words.y | words.z | words.w) != 0; }
  __device__ void empty() const {
    if (any()) *at = make_uint4(0, 0, 0, 0);
  }
};

/// Addresses of the lines of a tile: those in shared memory first, then those in device memory. A
/// table, since each quad of each step needs them.
struct TileLines {
  int begin[PersistentTilePlan::mostLines];  ///< in quads; ~begin for a line in device memory
  std::uint16_t number[PersistentTilePlan::mostLines];  ///< number of the line in the tile

  template <class P>
  __device__ void fill(const Tile<P>& tile, const Layout& layout) {
    const SharedTile& interior = tile.interior;
    const int nearLines = interior.rows * interior.lines;
    for (int i = static_cast<int>(threadIdx.x); i < tile.rows * tile.lines; i += persistentBlock) {
      const int row = tile.rowOf(i), line = tile.lineOf(i);
      const bool isNear = interior.holds(row, line);
      // Number of lines of the interior before this one.
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

/// Kernel of many steps of a scatter rule. In each step a block lists its occupied places, clears
/// them and sends; then it lists those of its interior for the next step, and waits for the
/// adjacent blocks.
template <class Tag, class Before, class Arguments>
struct PersistentScatter {
  using P = typename Tag::Place;
  using Call = GpuCall<P, Arguments>;
  using Frame = PersistentFrame<Call>;
  using Sender = PersistentSender<Tag, Before, Arguments, Frame>;
  static constexpr int warps = warpsPerPersistentBlock;

  __device__ static void run(const Call& call) {
    extern __shared__ uint4 memory[];
    __shared__ TileLines lines;
    __shared__ NeighborBarrier<P> barrier;
    alignas(16) __shared__ unsigned char bytes[ArgumentStaging::room];
    const Arguments arguments = ArgumentStaging{bytes}.all(call.arguments);
    const PersistentRun& persistent = call.gpu.persistent;
    auto* const words = reinterpret_cast<std::uint32_t*>(memory);
    const Tile<P> tile(call.gpu.launch.layout, persistent.plan, words);
    const int warp = static_cast<int>(threadIdx.x) / warpWidth;
    const std::int64_t interior = persistent.plan.interiorLines * tile.quadsOfLine;
    const OccupiedList list{
        reinterpret_cast<int2*>(memory + interior) + warp * persistent.listCapacity,
        reinterpret_cast<int2*>(persistent.overflow) +
            (static_cast<std::int64_t>(blockIdx.x) * warps + warp) * persistent.overflowCapacity,
        persistent.listCapacity};
    Launch launch = resolved(call.gpu.launch);
    lines.fill(tile, launch.layout);
    barrier.begin(persistent);
    exchangeInterior<true>({call, launch, tile, false});
    const auto steps = static_cast<unsigned>(persistent.steps);
    const int nearQuads = tile.interior.rows * tile.interior.lines * tile.quadsOfLine;
    for (unsigned step = 0; step < steps; ++step) {
      if (step > 0) barrier.report(step);
      launch.scatter.remoteRows = persistent.remoteRows[step % 2];
      const Frame frame{call, launch, tile, step % 2 != 0};
      // No other block sends elements to the interior.
      const int near = collect(frame, lines, list, 0, nearQuads, 0);
      if (step > 0) barrier.wait(step);
      send(frame, arguments, list, collect(frame, lines, list, nearQuads, tile.quads(), near));
      ++launch.step;
    }
    __syncthreads();
    exchangeInterior<false>({call, launch, tile, steps % 2 != 0});
  }

 private:
  static constexpr bool all = visitsAll<ruleOf(Tag{})>;

  /// Loads the words of the interior from the buffer that is read, and clears it there; or stores
  /// them into the buffer that is read next.
  template <bool loadsTile>
  __device__ static void exchangeInterior(const Frame& frame) {
    const SharedTile& interior = frame.tile.interior;
    const Layout& layout = frame.launch.layout;
    const int quads = interior.rows * interior.lines * frame.tile.quadsOfLine;
    auto* const words =
        static_cast<std::uint32_t*>(frame.emptied()[MultisetAttributeSlot<P>::first]);
    for (int i = static_cast<int>(threadIdx.x); i < quads; i += persistentBlock) {
      const int number = i / frame.tile.quadsOfLine;
      const int row = number / interior.lines, line = number % interior.lines;
      const int column = (i - number * frame.tile.quadsOfLine) * packWidth;
      auto* const far = reinterpret_cast<uint4*>(
          words + layout.at(interior.firstRow + row, interior.firstLine + line, column));
      uint4* const near = reinterpret_cast<uint4*>(interior.words) + i;
      if constexpr (loadsTile) {
        *near = *far;
        *far = make_uint4(0, 0, 0, 0);
      } else {
        *far = *near;
      }
    }
    __syncthreads();
  }

  /// Sends from the places that the warps of a block have listed.
  __device__ static void send(const Frame& frame, const Arguments& arguments,
                              const OccupiedList& list, int total) {
    __shared__ ElementQueue further[warps];
    const int warp = static_cast<int>(threadIdx.x) / warpWidth;
    const int lane = static_cast<int>(threadIdx.x) % warpWidth;
    __syncthreads();
    Sender sender(arguments, frame, further[warp], lane);
    for (int begin = 0; begin < total; begin += warpWidth) {
      const bool own = begin + lane < total;
      sender.send(own, list[own ? begin + lane : 0], begin + warpWidth >= total);
    }
  }

  /// Appends the occupied places of a warp's quads among [begin, end) to its list of `total`
  /// places, and clears them.
  /// @return number of places in the list
  __device__ static int collect(const Frame& frame, const TileLines& lines,
                                const OccupiedList& list, int begin, int end, int total) {
    constexpr int loads = 4;
    const int lane = static_cast<int>(threadIdx.x) % warpWidth;
    // Each thread has every persistentBlock-th quad, wherever the range begins.
    for (int first = begin - begin % persistentBlock; first < end;
         first += persistentBlock * loads) {
      Quad quad[loads];
#pragma unroll
      for (int k = 0; k < loads; ++k) {
        const int number = first + k * persistentBlock + static_cast<int>(threadIdx.x);
        quad[k] = begin <= number && number < end ? loadQuad(frame, lines, number) : Quad{};
      }
#pragma unroll
      for (int k = 0; k < loads; ++k) {
        if (first + k * persistentBlock >= end) break;
        if (!all && !__any_sync(~0U, quad[k].any())) continue;
        quad[k].empty();
        const auto add = [&](auto&& noteAt) {
          return appendOccupied(total, lane, quad[k], noteAt);
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

  /// Calls store(n, place, word), with n counting from `count`, for the places of the warp's quads
  /// for which the rule is called. Fast if they are scarce: often no quad has an occupied place at
  /// one of the four positions.
  /// @return the next n
  template <class Store>
  __device__ static int appendOccupied(int count, int lane, const Quad& quad, Store&& store) {
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

  __device__ static Quad loadQuad(const Frame& frame, const TileLines& lines, int number) {
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

/// Kernel whose blocks have a multiprocessor each.
template <class Body>
__global__ void __launch_bounds__(persistentBlock, 1)
    onPersistent(const __grid_constant__ typename Body::Call call) {
  Body::run(call);
}

}  // namespace mass::detail
