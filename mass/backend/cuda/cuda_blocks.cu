#include <mass/backend/block_tally.hpp>
#include <mass/backend/cuda/cuda_device.hpp>
#include <mass/support/cuda/launch_kernel.hpp>
#include <mass/support/warp.hpp>

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace mass::detail {
namespace {

constexpr unsigned threadsPerBlock = 256;
constexpr unsigned wholeWarp = ~0U;
constexpr std::int64_t warpLanes = 32;

/// Returns the word of the lane `distance` above in the warp.
__device__ std::uint32_t below(std::uint32_t word, int distance, int width) {
  return shuffleDown(wholeWarp, word, distance, width);
}
__device__ float below(float word, int distance, int width) {
  std::uint32_t bits;
  std::memcpy(&bits, &word, sizeof(bits));
  bits = below(bits, distance, width);
  std::memcpy(&word, &bits, sizeof(bits));
  return word;
}
__device__ std::uint64_t below(std::uint64_t word, int distance, int width) {
  const std::uint32_t high =
      shuffleDown(wholeWarp, static_cast<std::uint32_t>(word >> 32), distance, width);
  return std::uint64_t{high} << 32 |
         shuffleDown(wholeWarp, static_cast<std::uint32_t>(word), distance, width);
}

/// Adds the numbers of the lanes of a warp to `total`.
__device__ void addOfWarp(std::uint64_t number, unsigned long long* total) {
  for (int distance = 16; distance > 0; distance /= 2) number += below(number, distance, 32);
  if (laneInWarp() == 0 && number > 0) atomicAdd(total, static_cast<unsigned long long>(number));
}

/// Columns of a tile, of which each has a thread.
constexpr int tileColumns = 256;

/// Writes the tallies of all blocks. A tile is a row of whole blocks, of tileColumns columns at
/// most, or one block with more columns.
template <class Elements, class Tally>
__global__ void tallyTiles(Elements elements, BlockGrid grid, BlockRule rule,
                           typename Tally::Word* tallies, BlockTotals* totals) {
  __shared__ typename Tally::Word words[Tally::words][tileColumns];  // by column
  const auto thread = static_cast<int>(threadIdx.x);
  const int size = grid.block < tileColumns ? static_cast<int>(grid.block) : tileColumns;
  const int blocksOfTile = tileColumns / size;
  const std::int64_t blockColumns = grid.blockColumns();
  const std::int64_t tilesOfRow = (blockColumns + blocksOfTile - 1) / blocksOfTile;
  const std::int64_t tiles = tilesOfRow * grid.blockRows();
  std::uint64_t wrong = 0, sums[Tally::words] = {};
  for (std::int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const std::int64_t row = tile / tilesOfRow, first = tile % tilesOfRow * blocksOfTile;
    BlockPart part = BlockPart::of(grid, row, first);
    const std::int64_t right = part.left + blocksOfTile * grid.block;
    part.right = right < grid.columns ? right : grid.columns;
    Tally own;
    wrong += addBlock(elements, grid, rule, part, thread, tileColumns, own);
    for (int k = 0; k < Tally::words; ++k) {
      words[k][thread] = own.word[k];
      sums[k] += static_cast<std::uint64_t>(own.word[k]);
    }
    __syncthreads();
    if (thread < blocksOfTile && first + thread < blockColumns) {
      for (int k = 0; k < Tally::words; ++k) {
        typename Tally::Word word = words[k][thread * size];
        for (int i = 1; i < size; ++i) word = Tally::merged(word, words[k][thread * size + i]);
        tallies[(row * blockColumns + first + thread) * Tally::words + k] = word;
      }
    }
    __syncthreads();
  }
  addOfWarp(wrong, reinterpret_cast<unsigned long long*>(&totals->wrong));
  if (rule.value != BlockValue::counts) return;
  for (int k = 0; k < Tally::words; ++k)
    addOfWarp(sums[k], reinterpret_cast<unsigned long long*>(totals->counts.data() + k));
}

/// Writes the tallies of all blocks of bits; `lanes` threads, a power of 2 of at most 32, share a
/// block.
template <class Tally>
__global__ void tallyBits(BitElements elements, BlockGrid grid, BlockRule rule, int lanes,
                          typename Tally::Word* tallies, BlockTotals* totals) {
  const std::int64_t threads = grid.blocks() * lanes;
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  std::uint64_t sums[Tally::words] = {};
  // All lanes of a warp make the same number of iterations, for the shuffles.
  const std::int64_t end = (threads + warpLanes - 1) / warpLanes * warpLanes;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < end; i += step) {
    const std::int64_t block = i / lanes;
    const int lane = static_cast<int>(i % lanes);
    Tally tally;
    if (i < threads) addBlock(elements, grid, rule, BlockPart::of(grid, block), lane, lanes, tally);
    for (int k = 0; k < Tally::words; ++k) {
      sums[k] += static_cast<std::uint64_t>(tally.word[k]);
      for (int distance = lanes / 2; distance > 0; distance /= 2)
        tally.word[k] = Tally::merged(tally.word[k], below(tally.word[k], distance, lanes));
      if (lane == 0 && i < threads) tallies[block * Tally::words + k] = tally.word[k];
    }
  }
  if (rule.value != BlockValue::counts) return;
  for (int k = 0; k < Tally::words; ++k)
    addOfWarp(sums[k], reinterpret_cast<unsigned long long*>(totals->counts.data() + k));
}

/// Writes the palette indices of all blocks.
__global__ void indexAll(const char* tallies, BlockGrid grid, BlockRule rule, BlockTotals totals,
                         std::uint8_t* indices) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x, blocks = grid.blocks();
  for (std::int64_t block = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; block < blocks;
       block += step) {
    indices[block] = indexOf(rule, tallies + static_cast<std::size_t>(block) * rule.tallyBytes(),
                             BlockPart::of(grid, block).places(), totals.counts.data());
  }
}

/// Returns the number of threads that share a block of bits: as many as it has rows.
int lanesFor(const BlockGrid& grid) {
  int lanes = 1;
  while (lanes < warpLanes && lanes * 2 <= grid.block) lanes *= 2;
  return lanes;
}

/// Returns the size of a grid for a grid-stride loop: few blocks, since each adds to the totals.
unsigned gridFor(std::int64_t threads) {
  const std::int64_t blocks = (threads + threadsPerBlock - 1) / threadsPerBlock;
  return static_cast<unsigned>(std::clamp<std::int64_t>(blocks, 1, 2048));
}

}  // namespace

BlockTotals CudaDevice::tallyBlocks(const void* data, const BlockGrid& grid, const BlockRule& rule,
                                    void* tallies) {
  const cuda::Current current(ordinal_);
  const StagingMemory staging = stagingMemory();
  auto* const totals = static_cast<BlockTotals*>(staging.device);
  MASS_CUDA_CALL(cudaMemsetAsync(totals, 0, sizeof(*totals), stream()));
  withElements(rule, data, [&](const auto& elements) {
    withTally(rule, [&](const auto& tally) {
      using Elements = std::decay_t<decltype(elements)>;
      using Tally = std::decay_t<decltype(tally)>;
      auto* const to = static_cast<typename Tally::Word*>(tallies);
      if constexpr (std::is_same_v<Elements, BitElements>) {
        const int lanes = lanesFor(grid);
        MASS_CUDA_CALL(launchKernel(tallyBits<Tally>, gridFor(grid.blocks() * lanes),
                                    threadsPerBlock, stream(), elements, grid, rule, lanes, to,
                                    totals));
      } else {
        MASS_CUDA_CALL(launchKernel(tallyTiles<Elements, Tally>, gridFor(grid.rows * grid.columns),
                                    tileColumns, stream(), elements, grid, rule, to, totals));
      }
    });
  });
  MASS_CUDA_CALL(
      cudaMemcpyAsync(staging.host, totals, sizeof(*totals), cudaMemcpyDeviceToHost, stream()));
  synchronize();
  BlockTotals result;
  std::memcpy(&result, staging.host, sizeof(result));
  return result;
}

void CudaDevice::indexBlocks(const void* tallies, const BlockGrid& grid, const BlockRule& rule,
                             const BlockTotals& totals, void* indices) {
  const cuda::Current current(ordinal_);
  MASS_CUDA_CALL(launchKernel(indexAll, gridFor(grid.blocks()), threadsPerBlock, stream(),
                              static_cast<const char*>(tallies), grid, rule, totals,
                              static_cast<std::uint8_t*>(indices)));
  synchronize();
}

}  // namespace mass::detail
