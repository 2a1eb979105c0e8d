#pragma once

#include <mass/backend/cuda/check.hpp>
#include <mass/support/cuda/launch_kernel.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace mass::detail::migration {

/// Threads per block of all kernels of agent migration.
inline constexpr unsigned agentThreads = 256;

/// Memory ranges to copy, passed to a kernel by value.
struct Pieces {
  static constexpr int most = 64;
  struct {
    const char* from;
    char* to;
    std::size_t bytes;
  } list[most];
};

/// Copies `bytes` bytes as Words, in a grid-stride loop along x.
/// @pre Addresses and size are multiples of sizeof(Word).
template <class Word>
__device__ inline void copyAs(const char* from, char* to, std::size_t bytes) {
  const std::size_t words = bytes / sizeof(Word), stride = std::size_t{gridDim.x} * blockDim.x;
#pragma unroll 4
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < words; i += stride) {
    reinterpret_cast<Word*>(to)[i] = reinterpret_cast<const Word*>(from)[i];
  }
}
/// Copies piece blockIdx.y, with the widest word that its addresses and size are aligned to.
__global__ void __launch_bounds__(agentThreads) copyPieces(const __grid_constant__ Pieces pieces) {
  const auto& [from, to, bytes] = pieces.list[blockIdx.y];
  const std::size_t alignment =
      reinterpret_cast<std::size_t>(from) | reinterpret_cast<std::size_t>(to) | bytes;
  if (alignment % 16 == 0) return copyAs<uint4>(from, to, bytes);
  if (alignment % 8 == 0) return copyAs<std::uint64_t>(from, to, bytes);
  if (alignment % 4 == 0) return copyAs<std::uint32_t>(from, to, bytes);
  copyAs<char>(from, to, bytes);
}

/// Copies between addresses that a GPU can access, queued on its stream: one kernel makes many
/// copies in the time of a few calls of cudaMemcpyAsync.
class PieceCopies {
 public:
  explicit PieceCopies(cudaStream_t stream) : stream_(stream) {}

  /// Adds a copy.
  void add(const char* from, char* to, std::size_t bytes) {
    pieces_.list[count_++] = {from, to, bytes};
    largest_ = std::max(largest_, bytes);
    if (count_ == Pieces::most) queue();
  }
  /// Queues the copies added since the last call.
  void queue() {
    if (count_ == 0) return;
    constexpr std::size_t bytesPerBlock = std::size_t{agentThreads} * 64, mostBlocks = 128;
    const std::size_t blocks = std::min((largest_ + bytesPerBlock - 1) / bytesPerBlock, mostBlocks);
    MASS_CUDA_CALL(launchKernel(copyPieces,
                                dim3(static_cast<unsigned>(blocks), static_cast<unsigned>(count_)),
                                agentThreads, stream_, pieces_));
    count_ = 0;
    largest_ = 0;
  }

 private:
  cudaStream_t stream_;
  Pieces pieces_{};
  int count_ = 0;
  std::size_t largest_ = 0;
};

}  // namespace mass::detail::migration
