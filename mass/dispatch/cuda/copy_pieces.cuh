#pragma once

#include <cstddef>
#include <cstdint>

namespace mass::detail::migration {

/// Threads of a block.
inline constexpr unsigned agentThreads = 256;

/// Pieces of memory to be copied, as many as parameters of a kernel hold.
struct Pieces {
  static constexpr int most = 64;
  struct {
    const char* from;
    char* to;
    std::size_t bytes;
  } list[most];
};

template <class Word>
__device__ inline void copyAs(const char* from, char* to, std::size_t bytes) {
  const std::size_t words = bytes / sizeof(Word), stride = std::size_t{gridDim.x} * blockDim.x;
#pragma unroll 4
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < words; i += stride) {
    reinterpret_cast<Word*>(to)[i] = reinterpret_cast<const Word*>(from)[i];
  }
}
/// Copies a piece in every row of blocks, by the largest words that it consists of.
__global__ void __launch_bounds__(agentThreads) copyPieces(const __grid_constant__ Pieces pieces) {
  const auto& [from, to, bytes] = pieces.list[blockIdx.y];
  const std::size_t alignment =
      reinterpret_cast<std::size_t>(from) | reinterpret_cast<std::size_t>(to) | bytes;
  if (alignment % 16 == 0) return copyAs<uint4>(from, to, bytes);
  if (alignment % 8 == 0) return copyAs<std::uint64_t>(from, to, bytes);
  if (alignment % 4 == 0) return copyAs<std::uint32_t>(from, to, bytes);
  copyAs<char>(from, to, bytes);
}

}  // namespace mass::detail::migration
