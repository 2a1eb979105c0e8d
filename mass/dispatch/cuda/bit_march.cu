#include <mass/dispatch/cuda/bit_march.hpp>

#include <mass/dispatch/bits/counting.hpp>
#include <mass/launch/cuda/peer_sync.hpp>
#include <mass/launch/march_plan.hpp>
#include <mass/support/cuda/launch_kernel.hpp>

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace mass::detail {
namespace {

using Word32 = std::uint32_t;

constexpr int wordColumns = bitMarchWidth;
constexpr int warpsOfBlock = 4;
/// Words that a warp stores: those of all lanes but the first and the last, whose columns lack
/// neighbours.
constexpr int wordsOfWarp = 30;
constexpr int fewSteps = bitMarchSteps[0], manySteps = bitMarchSteps[1];
static_assert(manySteps <= wordColumns);  // the margin of a warp
/// Parameters of a march.
struct BitMarch {
  const unsigned char* in;  ///< row 0, column 0; bytes or bits
  unsigned char* out;
  unsigned char* haloOut[inlineHaloStores];  ///< `out` of other devices, shifted to their halos
  int rows, words, stride;  ///< rows of the band, words of a row; bytes from row to row
  int firstRow, worldRows;  ///< number of the first row in the world; rows of the world
  int rowsOfBlock;
  Border ofRows, ofColumns;
  Word32 outside;  ///< state beyond fixed borders, in all bits
};

/// Word of places that are stored as bytes, as packs of one load or store.
template <class Pack>
struct Bytes {
  static constexpr int size = wordColumns;  ///< bytes in memory
  static constexpr int ahead = 2;           ///< rows that are loaded in advance; even
  using Offset = int;                       ///< offset in a buffer

  static constexpr int packs = wordColumns / static_cast<int>(sizeof(Pack));
  Pack pack[packs];

  __device__ void load(const unsigned char* from) {
#pragma unroll
    for (int k = 0; k < packs; ++k) pack[k] = reinterpret_cast<const Pack*>(from)[k];
  }
  __device__ void store(unsigned char* to) const {
#pragma unroll
    for (int k = 0; k < packs; ++k) reinterpret_cast<Pack*>(to)[k] = pack[k];
  }
  /// Four bytes, from byte 4 k on.
  __device__ Word32 four(int k) const {
    if constexpr (sizeof(Pack) == 4) {
      return pack[k];
    } else {
      const uint4& all = pack[k / 4];
      return k % 4 == 0 ? all.x : k % 4 == 1 ? all.y : k % 4 == 2 ? all.z : all.w;
    }
  }
  __device__ void setFour(int k, Word32 bytes) {
    if constexpr (sizeof(Pack) == 4) {
      pack[k] = bytes;
    } else {
      uint4& all = pack[k / 4];
      (k % 4 == 0 ? all.x : k % 4 == 1 ? all.y : k % 4 == 2 ? all.z : all.w) = bytes;
    }
  }
  /// Packs the bytes, each 0 or 1, into bits.
  __device__ Word32 packed() const {
    Word32 word = 0;
#pragma unroll
    for (int k = 7; k >= 0; --k)  // the product has the bits of four bytes on top
      word = __funnelshift_l(four(k) * 0x10204080U, word, 4);
    return word;
  }
  /// Unpacks bits into bytes.
  __device__ void unpack(Word32 word) {
#pragma unroll
    for (int k = 0; k < 8; ++k) setFour(k, ((word >> (4 * k)) & 15U) * 0x00204081U & 0x01010101U);
  }
};

/// Word of places that are stored as bits.
struct Bits32 {
  static constexpr int size = sizeof(Word32);
  static constexpr int ahead = 4;
  using Offset = std::int64_t;

  Word32 word;

  __device__ void load(const unsigned char* from) { word = *reinterpret_cast<const Word32*>(from); }
  __device__ void store(unsigned char* to) const { *reinterpret_cast<Word32*>(to) = word; }
  __device__ Word32 packed() const { return word; }
  __device__ void unpack(Word32 bits) { word = bits; }
};

/// State of a step: the two latest rows that it has received.
struct Received {
  RowSum<Word32> sums[2];  ///< by row modulo 2
  Word32 row;              ///< the latest one
};

/// Marches of a warp by a rule.
/// @tparam Stored word of places in memory
template <class Rule, class Stored, int Steps>
class BitMarcher {
 public:
  __device__ BitMarcher(const BitMarch& march, const Rule& rule)
      : march_(march), rule_(rule), lane_(static_cast<int>(threadIdx.x)) {
    const int strip = static_cast<int>(blockIdx.x * warpsOfBlock + threadIdx.y);
    word_ = strip * wordsOfWarp - 1 + lane_;
    column_ = (word_ < 0 ? word_ + march.words : word_ % march.words) * Stored::size;
    stores_ = lane_ > 0 && lane_ <= wordsOfWarp && word_ < march.words;
    begin_ = static_cast<int>(blockIdx.y) * march.rowsOfBlock;
    own_ = min(march.rowsOfBlock, march.rows - begin_);
    place_ = march.firstRow + begin_;
    // Rows beside a whole world are those of its other end; beside a band they are in its halos.
    const bool isWhole = march.rows == march.worldRows;
    wrapsAt_ = isWhole ? march.rows : march.rows + Steps;
    next_ = isWhole && begin_ < Steps ? begin_ - Steps + march.rows : begin_ - Steps;
  }

  __device__ void run() {
#pragma unroll
    for (int k = 0; k < ahead; ++k) fetch(coming_[k]);
    // Iterations in which a step computes the first or the last row of the world.
    const bool isEndless = march_.ofRows == Border::periodic;
    const int total = own_ + 2 * Steps;
    const int afterFirst = isEndless ? 0 : roundUp(max(0, 2 * Steps - place_ + 1));
    const int beforeLast =
        isEndless ? total : max(0, march_.worldRows - place_ + Steps - ahead + 1) / ahead * ahead;
    if (march_.ofColumns == Border::periodic) {
      receive<false, true>(0, min(afterFirst, total));
      receive<false, false>(afterFirst, min(beforeLast, total));
      receive<false, true>(max(afterFirst, beforeLast), total);
    } else {
      receive<true, true>(0, total);
    }
  }

  /// Copies the results of this thread into the halos of other devices.
  __device__ void storeHalos(const GpuLaunch& gpu) const {
    if (!stores_) return;
#pragma unroll 1
    for (int i = 0; i < inlineHaloStores && i < gpu.haloStoreCount; ++i) {
      const HaloStore& halo = gpu.inlineStores[i];
      const int end = min(begin_ + own_, static_cast<int>(halo.end));
#pragma unroll 1
      for (int row = max(begin_, static_cast<int>(halo.begin)); row < end; ++row) {
        const Offset at = offsetOf(row);
        Stored stored;
        stored.load(march_.out + at);
        stored.store(march_.haloOut[i] + at);
      }
    }
  }

  /// Rows [begin, end) of the block in the band.
  __device__ int begin() const {
    return begin_;
  }
  __device__ int end() const {
    return begin_ + own_;
  }

 private:
  using Offset = typename Stored::Offset;
  static constexpr int ahead = Stored::ahead;

  /// Returns the offset of this thread's word in a row of the band.
  __device__ Offset offsetOf(int row) const {
    return Offset{row} * march_.stride + column_;
  }

  __device__ static int roundUp(int rows) {
    return (rows + ahead - 1) / ahead * ahead;
  }

  /// Loads the word of the next row.
  __device__ void fetch(Stored& stored) {
    stored.load(march_.in + offsetOf(next_));
    if (++next_ == wrapsAt_) next_ = 0;  // halos: rows loaded in advance that no step needs
  }

  /// Receives the rows of the iterations [from, until).
  template <bool hasEnds, bool hasBorderRows>
  __device__ void receive(int from, int until) {
#pragma unroll 1
    for (int i = from; i < until; i += ahead) {
#pragma unroll
      for (int u = 0; u < ahead; ++u) {
        Word32 row = coming_[u].packed();
        fetch(coming_[u]);
#pragma unroll
        for (int t = 0; t < Steps; ++t)
          row = step<hasEnds, hasBorderRows>(received_[t], u % 2, row,
                                             place_ - Steps + i + u - 1 - t);
        store(i + u - 2 * Steps, row);
      }
    }
  }

  /// Receives a row in a step. @return the next state of the row before
  /// @param parity number of the row modulo 2 @param unwrapped number of the row before
  template <bool hasEnds, bool hasBorderRows>
  __device__ Word32 step(Received& received, int parity, Word32 row, int unwrapped) const {
    const RowSum<Word32> latest = sumOf<hasEnds>(row);
    const RowSum<Word32> middle = received.sums[1 - parity];
    RowSum<Word32> before = received.sums[parity], after = latest;
    if constexpr (hasBorderRows) {
      const int rows = march_.worldRows;
      const int number = unwrapped < 0       ? unwrapped + rows
                         : unwrapped >= rows ? unwrapped - rows
                                             : unwrapped;
      setBeyond(before, middle, number == 0);
      setBeyond(after, middle, number == rows - 1);
    }
    const Word32 result = rule_(received.row, NineSum<Word32>::of(before, middle, after));
    received.sums[parity] = latest;
    received.row = row;
    return result;
  }

  /// Returns the sums of three neighbouring columns.
  template <bool hasEnds>
  __device__ RowSum<Word32> sumOf(Word32 row) const {
    Word32 before = __shfl_up_sync(~0U, row, 1), after = __shfl_down_sync(~0U, row, 1);
    if constexpr (hasEnds) {
      const bool isFixed = march_.ofColumns == Border::fixed;
      if (word_ == 0) before = isFixed ? march_.outside : row << 31;
      if (word_ == march_.words - 1) after = isFixed ? march_.outside : row >> 31;
    }
    return RowSum<Word32>::of(__funnelshift_l(before, row, 1), row,
                              __funnelshift_l(row, after, 31));
  }
  /// Replaces the sums of a row beside `middle`, the first or last one, if it is beyond the border.
  __device__ void setBeyond(RowSum<Word32>& sums, const RowSum<Word32>& middle,
                            bool isBeyond) const {
    if (march_.ofRows == Border::periodic || !isBeyond) return;
    sums = middle;
    if (march_.ofRows == Border::fixed) sums = {march_.outside, march_.outside};
  }

  /// Stores the result of an iteration. @param number row of the block, from 0
  __device__ void store(int number, Word32 row) const {
    if (number < 0 || number >= own_ || !stores_) return;
    Stored stored;
    stored.unpack(row);
    stored.store(march_.out + offsetOf(begin_ + number));
  }

  const BitMarch& march_;
  const Rule& rule_;  // in the memory of kernel parameters, by which instructions read constants
  int lane_, word_, column_;  // word_: number of the thread's word, before wrapping around
  bool stores_;
  int begin_, own_;  // rows of the block
  int place_;        // number of its first row in the world
  int next_;         // row to load
  int wrapsAt_;      // row after the last one to load
  Stored coming_[ahead];
  Received received_[Steps] = {};
};

/// Warps of a block go down their columns; each thread has a word of 32 columns, and for each step
/// the sums of the two latest rows in registers. Columns beside a word are in the next lanes.
template <class Rule, class Stored, int Steps>
__global__ void __launch_bounds__(32 * warpsOfBlock, Steps > fewSteps ? 3 : 4)
    marchOnBits(const __grid_constant__ BitMarch march, const __grid_constant__ Rule rule,
                const __grid_constant__ GpuLaunch gpu) {
  BitMarcher<Rule, Stored, Steps> marcher(march, rule);
  withPeerSync(gpu, marcher.begin(), marcher.end(), [&] {
    marcher.run();
    if (gpu.haloStoreCount > 0) marcher.storeHalos(gpu);
  });
}

/// Queues a march. @return a cudaError_t
template <class Rule, class Stored, int Steps>
cudaError_t launchBy(const GpuLaunch& gpu, BitMarch march, const LifeCounts& counts,
                     cudaStream_t stream) {
  constexpr auto kernel = &marchOnBits<Rule, Stored, Steps>;
  constexpr int wordsOfBlock = wordsOfWarp * warpsOfBlock;
  int device = 0, processors = 0, blocks = 0;
  cudaError_t status = cudaGetDevice(&device);
  if (status == cudaSuccess)
    status = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  if (status == cudaSuccess)
    status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 32 * warpsOfBlock, 0);
  if (status != cudaSuccess) return status;
  const std::int64_t strips = (march.words + wordsOfBlock - 1) / wordsOfBlock;
  const std::int64_t slots = std::max(1, blocks) * std::int64_t{processors};
  const std::int64_t rows = rowsPerMarch(march.rows, march.ofRows, strips, slots, Steps);
  march.rowsOfBlock = static_cast<int>(rows);
  GpuLaunch synced = gpu;
  synced.stepFlags.borderBlocks =
      borderBlocksOfMarch(march.rows, gpu.launch.layout.depth, strips, rows);
  const dim3 grid(static_cast<unsigned>(strips),
                  static_cast<unsigned>((march.rows + march.rowsOfBlock - 1) / march.rowsOfBlock));
  return launchKernel(kernel, grid, dim3(32, warpsOfBlock), stream, march, Rule(counts), synced);
}
template <class Rule, class Stored>
cudaError_t launchSteps(const GpuLaunch& gpu, const BitMarch& march, const LifeCounts& counts,
                        int steps, cudaStream_t stream) {
  if (steps == fewSteps) return launchBy<Rule, Stored, fewSteps>(gpu, march, counts, stream);
  if (steps == manySteps) return launchBy<Rule, Stored, manySteps>(gpu, march, counts, stream);
  if constexpr (std::is_same_v<Stored, Bits32>) {
    if (steps == 1) return launchBy<Rule, Stored, 1>(gpu, march, counts, stream);
    if (steps == 4) return launchBy<Rule, Stored, 4>(gpu, march, counts, stream);
  }
  return cudaErrorInvalidValue;
}
template <class Stored>
cudaError_t launchRule(const GpuLaunch& gpu, const BitMarch& march, int steps,
                       cudaStream_t stream) {
  const LifeCounts& counts = static_cast<const BitMarchArguments*>(gpu.launch.arguments)->counts;
  return counts == Conway<Word32>::counts
             ? launchSteps<Conway<Word32>, Stored>(gpu, march, counts, steps, stream)
             : launchSteps<AnyCounts<Word32>, Stored>(gpu, march, counts, steps, stream);
}

/// Returns the parameters of a march. @param elements layout of the buffers
/// @param elementSize bytes of an element of the buffers
BitMarch marchOf(const GpuLaunch& gpu, const Layout& elements, std::int64_t elementSize) {
  const Layout& layout = gpu.launch.layout;
  const Domain& domain = gpu.launch.domain;
  const auto& arguments = *static_cast<const BitMarchArguments*>(gpu.launch.arguments);
  const std::int64_t origin = elements.origin * elementSize;
  const std::int64_t stride = elements.rowStride * elementSize;
  BitMarch march{static_cast<const unsigned char*>(gpu.launch.in[0]) + origin,
                 static_cast<unsigned char*>(gpu.launch.out[0]) + origin,
                 {},
                 static_cast<int>(layout.rows),
                 static_cast<int>(layout.columns / wordColumns),
                 static_cast<int>(stride),
                 static_cast<int>(gpu.launch.firstRow),
                 static_cast<int>(domain.shape[0]),
                 0,
                 domain.borders[0],
                 domain.borders[1],
                 arguments.outside ? ~Word32{0} : 0};
  for (int i = 0; i < std::min(gpu.haloStoreCount, inlineHaloStores); ++i) {
    const HaloStore& halo = gpu.inlineStores[i];
    march.haloOut[i] =
        static_cast<unsigned char*>(halo.out[0]) + origin + halo.shift / layout.rowStride * stride;
  }
  return march;
}

/// GpuKernel::launchMarch of bytes.
int launchOnBytes(const GpuLaunch& gpu, int steps, void* stream) {
  const Layout& layout = gpu.launch.layout;
  const BitMarch march = marchOf(gpu, layout, 1);
  constexpr auto bytes = static_cast<std::int64_t>(sizeof(uint4));
  const bool isAligned = layout.origin % bytes == 0 && layout.rowStride % bytes == 0;
  const auto queue = static_cast<cudaStream_t>(stream);
  return isAligned ? launchRule<Bytes<uint4>>(gpu, march, steps, queue)
                   : launchRule<Bytes<Word32>>(gpu, march, steps, queue);
}

/// GpuKernel::launchMarch of bits.
int launchOnBits(const GpuLaunch& gpu, int steps, void* stream) {
  const BitMarch march = marchOf(gpu, gpu.launch.layout.packed(), sizeof(std::uint64_t));
  return launchRule<Bits32>(gpu, march, steps, static_cast<cudaStream_t>(stream));
}

}  // namespace

GpuKernel withMarchOnBits(GpuKernel kernel, bool areStored) {
  kernel.launchMarch = areStored ? &launchOnBits : &launchOnBytes;
  std::ranges::copy(bitMarchSteps, kernel.marchTurns);
  return kernel;
}

bool mayMarchOnBits(const Layout& layout) {
  constexpr std::int64_t pack = 4;
  return layout.columns % wordColumns == 0 && layout.origin % pack == 0 &&
         layout.rowStride % pack == 0;
}

bool mayMarchOnStoredBits(const Layout& layout) {
  constexpr std::int64_t mostStride = std::int64_t{1} << 28;  // words of 8 bytes
  return layout.columns % wordColumns == 0 && layout.packed().rowStride < mostStride;
}

}  // namespace mass::detail
