#pragma once

// Kernels for GPUs; included where nvcc compiles a model.

#include <mass/memory/gpu_launch.hpp>
#include <mass/model/gpu_handshake.hpp>
#include <mass/model/kernels.hpp>
#include <mass/model/reduction.hpp>
#include <mass/model/rule_tag.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

namespace mass::detail {

/// The parameters of a kernel: one pointer for each component, so that no address is looked up.
template <class P, class Arguments>
struct GpuCall {
  GpuLaunch gpu;
  const void* in[Slots<P>::components];
  void* out[Slots<P>::components];
  Arguments arguments;
};
template <auto Rule>
using ArgumentsOf = typename Traits<Rule>::Arguments;
template <class P, auto Rule>
using GpuCallOf = GpuCall<P, ArgumentsOf<Rule>>;

/// Threads of a block, at most.
inline constexpr int gpuBlock = 256;

/// The one kernel there is. nvcc 13.0 misspells pointers to members among its own template
/// arguments, hence the class.
template <class Body>
__global__ void __launch_bounds__(gpuBlock)
    onGpu(const __grid_constant__ typename Body::Call call) {
  Body::run(call);
}

/// Whether there is a kernel for so many rows and columns a thread: the states of all its places
/// should stay in registers.
template <class P>
constexpr bool hasGpuTile(int rows, int width) {
  if (P::dimensions == 1) return rows == 1 && width == 1;
  if (width == 1) return rows == 1 || rows == 4;
  std::size_t bytes = 0;
  Slots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    bytes += S::count * sizeof(typename S::Element);
  });
  return static_cast<std::size_t>(rows * width) * bytes <= 128;
}

/// Where a thread's places begin.
struct GpuPlace {
  std::int64_t row;  ///< of the band
  std::int64_t line, column;
  int rows, width;  ///< that are there, 0 beyond the end
};

/// Rows that a block covers.
template <int D>
MASS_FN constexpr int rowsOfBlock(const TileShape& shape) {
  return D == 2 ? shape.rows * shape.groups : shape.rows;
}

/// Blocks along the rows are numbered so that both ends of the band come first: what others wait
/// for is done while the rest is still to do.
MASS_FN inline std::int64_t rowBlock(std::int64_t number, std::int64_t blocks) {
  if (number == 0 || blocks == 1) return number;
  return number == 1 ? blocks - 1 : number - 1;
}

/// The first row of this block (1-D: place), within the band.
template <int D>
__device__ inline std::int64_t firstRowOfBlock(const GpuLaunch& gpu, int rows) {
  if constexpr (D == 1) {
    return gpu.rowBegin + rowBlock(blockIdx.x, gridDim.x) * static_cast<int>(blockDim.x);
  } else if constexpr (D == 2) {
    return gpu.rowBegin + rowBlock(blockIdx.y, gridDim.y) * static_cast<int>(blockDim.y) * rows;
  } else {
    return gpu.rowBegin + rowBlock(blockIdx.z, gridDim.z) * rows;
  }
}

template <int D>
__device__ inline GpuPlace placeOfThread(const GpuLaunch& gpu, int rows, int width) {
  const std::int64_t first = firstRowOfBlock<D>(gpu, rows);
  const Layout& layout = gpu.launch.layout;
  const auto x = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) * width;
  GpuPlace place{first, 0, x, 0, 0};
  if constexpr (D == 1) {
    place.row = first + threadIdx.x;
    place.column = 0;
  } else if constexpr (D == 2) {
    place.row = first + static_cast<int>(threadIdx.y) * rows;
  } else {
    place.line = static_cast<std::int64_t>(blockIdx.y) * blockDim.y + threadIdx.y;
  }
  const bool inside = place.column < layout.columns && place.line < layout.lines;
  const std::int64_t left = gpu.rowEnd - place.row;
  place.rows = !inside || left <= 0 ? 0 : left < rows ? static_cast<int>(left) : rows;
  const std::int64_t beside = D == 1 ? 1 : layout.columns - place.column;
  place.width = beside < width ? static_cast<int>(beside) : width;
  return place;
}

/// What a rule sees around place (k, c) of a thread.
template <class P>
MASS_FN inline Neighborhood<P> aroundPlace(const Launch& launch, const void* const* in, Cursor at,
                                           const GpuPlace& place, int k, int c) {
  return {launch, in, at, place.row + k, place.line, place.column + c};
}

/// Calls f(position) for every position outside an axis of `length` places, up to `side` places
/// away, that repeats the place at `at`.
template <class F>
MASS_FN inline void forEachBeside(int at, int length, int side, Border border, F&& f) {
  if (border == Border::fixed) return;
  for (int k = 1; k <= side; ++k) {
    if (sourceOf(-k, length, border) == at) f(-k);
    if (sourceOf(length - 1 + k, length, border) == at) f(length - 1 + k);
  }
}

/// Calls f(distance) for the place at (line, column) itself, and for all places beside the lines of
/// its row that repeat it.
template <class F>
MASS_FN inline void forEachRepeat(const Launch& launch, int line, int column, F&& f) {
  const Layout& layout = launch.layout;
  const Border* const borders = launch.domain.borders.data();
  const int dimensions = launch.domain.dimensions;
  const auto side = static_cast<int>(layout.side);
  const auto alongLine = [&](std::int64_t distance) {
    f(distance);
    forEachBeside(column, static_cast<int>(layout.columns), side, borders[dimensions - 1],
                  [&](int beside) { f(distance + beside - column); });
  };
  alongLine(0);
  if (dimensions < 3) return;
  forEachBeside(line, static_cast<int>(layout.lines), side, borders[1],
                [&](int beside) { alongLine((beside - line) * layout.pitch); });
}

/// Repeats what a thread has just stored for one place wherever a border or another device needs
/// it. Reads it back rather than being told: so it is compiled once for all the rows of a thread.
template <class P, auto Rule, class W>
__device__ inline void repeatPlace(const GpuCallOf<P, Rule>& call, std::int64_t row,
                                   std::int64_t line, std::int64_t column) {
  const Launch& launch = call.gpu.launch;
  const std::int64_t whole = launch.layout.at(row, line, column);
  const std::int64_t here = whole - call.gpu.rowBegin * launch.layout.rowStride;
  Slots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    if constexpr (isWritten<S, W>) {
      using Bytes = Packed<typename S::Element>;
      for (std::size_t k = 0; k < S::count; ++k) {
        auto* const mine = static_cast<Bytes*>(call.out[S::first + k]) + here;
        const Bytes value = *mine;
        forEachRepeat(launch, static_cast<int>(line), static_cast<int>(column),
                      [&](std::int64_t distance) {
                        if (distance != 0) mine[distance] = value;
                      });
        for (int i = 0; i < call.gpu.ghostCount; ++i) {
          const GhostStore& ghost = call.gpu.ghosts[i];
          if (row < ghost.begin || row >= ghost.end) continue;
          auto* const theirs = static_cast<Bytes*>(ghost.out[S::first + k]) + whole + ghost.shift;
          forEachRepeat(launch, static_cast<int>(line), static_cast<int>(column),
                        [&](std::int64_t distance) { theirs[distance] = value; });
        }
      }
    }
  });
}

/// Repeats the places of a thread that lie at an edge of the band or of their line.
template <class P, auto Rule, class W>
__device__ inline void repeatPlaces(const GpuCallOf<P, Rule>& call, const GpuPlace& place) {
  const Layout& layout = call.gpu.launch.layout;
  const bool atSide =
      layout.side > 0 &&
      (place.column < layout.side || place.column + place.width > layout.columns - layout.side ||
       (P::dimensions == 3 &&
        (place.line < layout.side || place.line >= layout.lines - layout.side)));
  const bool hasGhosts =
      call.gpu.ghostCount > 0 &&
      (place.row < layout.depth || place.row + place.rows > layout.rows - layout.depth);
  if (!atSide && !hasGhosts) return;
#pragma unroll 1
  for (int i = 0; i < place.rows * place.width; ++i) {
    repeatPlace<P, Rule, W>(call, place.row + i / place.width, place.line,
                            place.column + i % place.width);
  }
}

/// Stores what a thread has made of `Width` neighbouring places.
template <class P, class W, int Width>
__device__ inline void storeRow(void* const* out, Index at, const P (&places)[Width]) {
  Slots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    using Stored = Packed<typename S::Element>;
    if constexpr (isWritten<S, W>) {
      for (std::size_t k = 0; k < S::count; ++k) {
        Pack<Stored> pack;
#pragma unroll
        for (int c = 0; c < Width; ++c) {
          if constexpr (S::isArray) {
            pack.values[c] = (places[c].*S::member)[k];
          } else {
            pack.values[c] = places[c].*S::member;
          }
        }
        auto* const elements = static_cast<Stored*>(out[S::first + k]) + at;
        *reinterpret_cast<Pack<Stored>*>(elements) = pack;
      }
    }
  });
}

/// Applies a changing rule to the places of one thread: all loads first, so that rows and columns
/// share what they read, then all stores.
template <class P, auto Rule, class W, int Rows, int Width>
__device__ inline void changePlaces(const GpuCallOf<P, Rule>& call, const GpuPlace& place) {
  const Launch& launch = call.gpu.launch;
  const auto stride = static_cast<Index>(launch.layout.rowStride);
  const auto first =
      static_cast<Index>(launch.layout.at(place.row - call.gpu.rowBegin, place.line, place.column));
  const auto change = [&](Cursor at, int k, int c) {
    P next = loadPlace<P>(call.in, at);
    apply<Rule>(next, aroundPlace<P>(launch, call.in, at, place, k, c), call.arguments);
    return next;
  };
  if (place.rows == Rows && place.width == Width) {
    P next[Rows][Width];
#pragma unroll
    for (int k = 0; k < Rows; ++k) {
#pragma unroll
      for (int c = 0; c < Width; ++c)
        next[k][c] = change(Cursor(first + k * stride, c, Width), k, c);
    }
#pragma unroll
    for (int k = 0; k < Rows; ++k) {
      if constexpr (Width == 1) {
        storePlace<P, W>(call.out, first + k * stride, next[k][0]);
      } else {
        storeRow<P, W>(call.out, first + k * stride, next[k]);
      }
    }
  } else {
#pragma unroll 1
    for (int i = 0; i < place.rows * place.width; ++i) {
      const int k = i / place.width, c = i % place.width;
      const Index at = first + k * stride + c;
      storePlace<P, W>(call.out, at, change(at, k, c));
    }
  }
}

/// What a reading rule returns for a place.
template <class P, auto Rule>
__device__ inline auto readPlace(const GpuCallOf<P, Rule>& call, const GpuPlace& place) {
  const Launch& launch = call.gpu.launch;
  const auto at =
      static_cast<Index>(launch.layout.at(place.row - call.gpu.rowBegin, place.line, place.column));
  const P here = loadPlace<P>(call.in, at);
  return apply<Rule>(here, aroundPlace<P>(launch, call.in, at, place, 0, 0), call.arguments);
}

/// A changing rule, for `Rows` rows of `Width` columns a thread.
template <class Tag, class Arguments, class W, int Rows, int Width>
struct ChangeBody {
  using P = typename Tag::Place;
  using Call = GpuCall<P, Arguments>;

  __device__ static void run(const Call& call) {
    constexpr auto rule = ruleOf(Tag{});
    constexpr int D = P::dimensions;
    const GpuLaunch& gpu = call.gpu;
    const std::int64_t begin = firstRowOfBlock<D>(gpu, Rows);
    const int groups = static_cast<int>(blockDim.y);
    const std::int64_t end =
        begin + (D == 1 ? std::int64_t{blockDim.x} : rowsOfBlock<D>({Rows, Width, 0, groups}));
    const Layout& layout = gpu.launch.layout;
    const bool meetsPeers =
        gpu.handshake.peers > 0 && (begin < layout.depth || end > layout.rows - layout.depth);
    if (meetsPeers) waitForPeers(gpu);
    const GpuPlace place = placeOfThread<D>(gpu, Rows, Width);
    if (place.rows > 0) {
      changePlaces<P, rule, W, Rows, Width>(call, place);
      repeatPlaces<P, rule, W>(call, place);
    }
    if (meetsPeers) reportToPeers(gpu);
  }
};

/// Writes what a reading rule returns for every place; `results` begins with the launch's first.
template <class Tag, class Arguments>
struct MapBody {
  using P = typename Tag::Place;
  using Call = GpuCall<P, Arguments>;

  __device__ static void run(const Call& call) {
    constexpr auto rule = ruleOf(Tag{});
    using T = Packed<std::remove_cvref_t<typename Traits<rule>::Result>>;
    const GpuPlace place = placeOfThread<P::dimensions>(call.gpu, 1, 1);
    if (place.rows == 0) return;
    const Launch& launch = call.gpu.launch;
    const std::int64_t line = (place.row - call.gpu.rowBegin) * launch.layout.lines + place.line;
    static_cast<T*>(launch.results)[line * launch.layout.columns + place.column] =
        static_cast<T>(readPlace<P, rule>(call, place));
  }
};

/// Reduces what a reading rule returns to one value a line, in the order of foldLanes: a thread for
/// each of its lanes.
template <class Tag, class Arguments, class Op>
struct ReduceBody {
  using P = typename Tag::Place;
  using Call = GpuCall<P, Arguments>;

  __device__ static void run(const Call& call) {
    constexpr auto rule = ruleOf(Tag{});
    using R = typename Op::template Result<std::remove_cvref_t<typename Traits<rule>::Result>>;
    const Layout& layout = call.gpu.launch.layout;
    __shared__ alignas(R) unsigned char storage[gpuBlock * sizeof(R)];
    R* const running = reinterpret_cast<R*>(storage) + threadIdx.x;
    const int lane = static_cast<int>(threadIdx.x % lanes);
    const std::int64_t number =
        (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / lanes;
    const bool inside = number < (call.gpu.rowEnd - call.gpu.rowBegin) * layout.lines;
    R total = Op::template identity<R>();
    if (inside) {
      GpuPlace place{call.gpu.rowBegin + number / layout.lines, number % layout.lines, lane, 1, 1};
      for (; place.column < layout.columns; place.column += lanes) {
        total = Op{}(total, static_cast<R>(readPlace<P, rule>(call, place)));
      }
    }
    *running = total;
    __syncthreads();
    if (!inside || lane != 0) return;
    for (int k = 1; k < lanes; ++k) total = Op{}(total, running[k]);
    static_cast<R*>(call.gpu.launch.results)[number] = total;
  }
};

/// Copies what the host knows of a launch into kernel parameters; `in` and `out` point at the
/// launch's first row, so that 32-bit numbers reach all its places.
template <class P, auto Rule>
GpuCallOf<P, Rule> gpuCall(const GpuLaunch& gpu) {
  GpuCallOf<P, Rule> call{
      gpu, {}, {}, *static_cast<const typename Traits<Rule>::Arguments*>(gpu.launch.arguments)};
  const std::int64_t skipped = gpu.rowBegin * gpu.launch.layout.rowStride;
  Slots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    for (std::size_t k = 0; k < S::count; ++k) {
      const auto bytes = skipped * static_cast<std::int64_t>(sizeof(typename S::Element));
      call.in[S::first + k] = static_cast<const char*>(gpu.launch.in[S::first + k]) + bytes;
      call.out[S::first + k] = static_cast<char*>(gpu.launch.out[S::first + k]) + bytes;
    }
  });
  return call;
}

inline std::int64_t blocksFor(std::int64_t items, std::int64_t perBlock) {
  return (items + perBlock - 1) / perBlock;
}

/// The grid that covers a launch.
template <int D>
dim3 gridFor(const GpuLaunch& gpu, const TileShape& shape) {
  const Layout& layout = gpu.launch.layout;
  const std::int64_t rows = gpu.rowEnd - gpu.rowBegin;
  const auto count = [](std::int64_t blocks) { return static_cast<unsigned>(blocks); };
  if constexpr (D == 1) return dim3(count(blocksFor(rows, shape.columns)));
  const unsigned across = count(blocksFor(layout.columns, shape.columns * shape.width));
  if constexpr (D == 2) return dim3(across, count(blocksFor(rows, rowsOfBlock<2>(shape))));
  return dim3(across, count(blocksFor(layout.lines, shape.groups)),
              count(blocksFor(rows, shape.rows)));
}

/// Calls f for pieces of a launch that 32-bit numbers and the dimensions of a grid can count.
template <int D, class F>
void forEachPiece(const GpuLaunch& gpu, const TileShape& shape, F&& f) {
  const std::int64_t byGrid =
      D == 1 ? std::int64_t{1} << 30 : std::int64_t{65535} * rowsOfBlock<D>(shape);
  const Layout& layout = gpu.launch.layout;
  const std::int64_t block = D == 1 ? shape.columns : rowsOfBlock<D>(shape);
  const std::int64_t reachable =
      ((std::int64_t{1} << 31) - 1 - layout.origin) / layout.rowStride - 2 * layout.depth;
  std::int64_t most = std::min(byGrid, reachable / block * block);
  most = std::max<std::int64_t>(most, block);
  for (std::int64_t row = gpu.rowBegin; row < gpu.rowEnd; row += most) {
    GpuLaunch piece = gpu;
    piece.rowBegin = row;
    piece.rowEnd = std::min(gpu.rowEnd, row + most);
    f(piece);
  }
}

/// Blocks that cover rows within `depth` of the band's ends.
template <int D>
unsigned countBorderBlocks(const GpuLaunch& gpu, const TileShape& shape) {
  const std::int64_t depth = gpu.launch.layout.depth;
  const std::int64_t block = D == 1 ? shape.columns : rowsOfBlock<D>(shape);
  std::int64_t total = 0;
  forEachPiece<D>(gpu, shape, [&](const GpuLaunch& piece) {
    const dim3 grid = gridFor<D>(piece, shape);
    const std::int64_t blocks = D == 1 ? grid.x : D == 2 ? grid.y : grid.z;
    const std::int64_t beside = std::int64_t{grid.x} * grid.y * grid.z / blocks;
    const std::int64_t low =
        std::clamp<std::int64_t>(blocksFor(depth - piece.rowBegin, block), 0, blocks);
    // The first block whose end is beyond rows - depth.
    const std::int64_t beyond = gpu.launch.layout.rows - depth - piece.rowBegin;
    const std::int64_t high = beyond < 0 ? 0 : std::min(beyond / block, blocks);
    total += (low + blocks - std::max(low, high)) * beside;
  });
  return static_cast<unsigned>(total);
}

/// A changing rule for one tile: how it is launched, and the function that runs; nothing where
/// there is no kernel for the tile. (No generic lambdas here: nvcc 13.0 loses kernels that only
/// they name.)
template <class P, auto Rule, class W, int Rows, int Width>
struct TileKernel {
  static int launch(const GpuLaunch& gpu, const TileShape& shape, void* stream) {
    if constexpr (hasGpuTile<P>(Rows, Width)) {
      using Body = ChangeBody<TagOf<P, Rule>, ArgumentsOf<Rule>, W, Rows, Width>;
      forEachPiece<P::dimensions>(gpu, shape, [&](const GpuLaunch& piece) {
        onGpu<Body><<<gridFor<P::dimensions>(piece, shape), dim3(shape.columns, shape.groups), 0,
                      static_cast<cudaStream_t>(stream)>>>(gpuCall<P, Rule>(piece));
      });
      return cudaGetLastError();
    } else {
      return cudaErrorInvalidValue;
    }
  }
  static const void* function() {
    if constexpr (hasGpuTile<P>(Rows, Width)) {
      using Body = ChangeBody<TagOf<P, Rule>, ArgumentsOf<Rule>, W, Rows, Width>;
      return reinterpret_cast<const void*>(&onGpu<Body>);
    } else {
      return nullptr;
    }
  }
};

template <class P, auto Rule, class W, int Width>
int launchRows(const GpuLaunch& gpu, const TileShape& shape, void* stream) {
  switch (shape.rows) {
    case 1:
      return TileKernel<P, Rule, W, 1, Width>::launch(gpu, shape, stream);
    case 2:
      return TileKernel<P, Rule, W, 2, Width>::launch(gpu, shape, stream);
    case 4:
      return TileKernel<P, Rule, W, 4, Width>::launch(gpu, shape, stream);
    case 8:
      return TileKernel<P, Rule, W, 8, Width>::launch(gpu, shape, stream);
    case 16:
      return TileKernel<P, Rule, W, 16, Width>::launch(gpu, shape, stream);
    default:
      return cudaErrorInvalidValue;
  }
}

template <class P, auto Rule, class W, int Width>
const void* functionOfRows(int rows) {
  switch (rows) {
    case 1:
      return TileKernel<P, Rule, W, 1, Width>::function();
    case 2:
      return TileKernel<P, Rule, W, 2, Width>::function();
    case 4:
      return TileKernel<P, Rule, W, 4, Width>::function();
    case 8:
      return TileKernel<P, Rule, W, 8, Width>::function();
    case 16:
      return TileKernel<P, Rule, W, 16, Width>::function();
    default:
      return nullptr;
  }
}

template <class P, auto Rule, class W>
int launchChange(const GpuLaunch& gpu, const TileShape& shape, void* stream) {
  return shape.width == 1 ? launchRows<P, Rule, W, 1>(gpu, shape, stream)
                          : launchRows<P, Rule, W, packWidth>(gpu, shape, stream);
}
template <class P, auto Rule, class W>
const void* functionOfTile(int rows, int width) {
  return width == 1 ? functionOfRows<P, Rule, W, 1>(rows)
                    : functionOfRows<P, Rule, W, packWidth>(rows);
}

template <class P, auto Rule, class W>
const GpuKernel* changeGpuKernel() {
  static const GpuKernel kernel{&launchChange<P, Rule, W>, &countBorderBlocks<P::dimensions>,
                                &functionOfTile<P, Rule, W>, __PRETTY_FUNCTION__};
  return &kernel;
}

/// The shape of reading kernels: whole lines side by side.
inline constexpr TileShape readingShape{1, 1, gpuBlock, 1};

template <class P, auto Rule>
const GpuKernel* mapGpuKernel() {
  static const GpuKernel kernel{
      [](const GpuLaunch& gpu, const TileShape&, void* stream) -> int {
        constexpr int D = P::dimensions;
        using T = Packed<std::remove_cvref_t<typename Traits<Rule>::Result>>;
        const std::int64_t row = gpu.launch.layout.lines * gpu.launch.layout.columns;
        forEachPiece<D>(gpu, readingShape, [&](const GpuLaunch& piece) {
          auto call = gpuCall<P, Rule>(piece);
          call.gpu.launch.results =
              static_cast<T*>(gpu.launch.results) + (piece.rowBegin - gpu.rowBegin) * row;
          onGpu<MapBody<TagOf<P, Rule>, ArgumentsOf<Rule>>>
              <<<gridFor<D>(piece, readingShape), dim3(readingShape.columns), 0,
                 static_cast<cudaStream_t>(stream)>>>(call);
        });
        return cudaGetLastError();
      },
      nullptr,
      [](int, int) {
        return reinterpret_cast<const void*>(&onGpu<MapBody<TagOf<P, Rule>, ArgumentsOf<Rule>>>);
      },
      __PRETTY_FUNCTION__};
  return &kernel;
}

template <class P, auto Rule, class Op>
const GpuKernel* reduceGpuKernel() {
  static const GpuKernel kernel{
      [](const GpuLaunch& gpu, const TileShape&, void* stream) -> int {
        using R = typename Op::template Result<std::remove_cvref_t<typename Traits<Rule>::Result>>;
        const std::int64_t lines = gpu.launch.layout.lines;
        forEachPiece<P::dimensions>(gpu, readingShape, [&](const GpuLaunch& piece) {
          auto call = gpuCall<P, Rule>(piece);
          call.gpu.launch.results =
              static_cast<R*>(gpu.launch.results) + (piece.rowBegin - gpu.rowBegin) * lines;
          const auto blocks = static_cast<unsigned>(
              blocksFor((piece.rowEnd - piece.rowBegin) * lines * lanes, gpuBlock));
          onGpu<ReduceBody<TagOf<P, Rule>, ArgumentsOf<Rule>, Op>>
              <<<blocks, gpuBlock, 0, static_cast<cudaStream_t>(stream)>>>(call);
        });
        return cudaGetLastError();
      },
      nullptr,
      [](int, int) {
        return reinterpret_cast<const void*>(
            &onGpu<ReduceBody<TagOf<P, Rule>, ArgumentsOf<Rule>, Op>>);
      },
      __PRETTY_FUNCTION__};
  return &kernel;
}

}  // namespace mass::detail
