#include <mass/exchange/cuda/queue_packed.hpp>

#include <mass/support/cuda/launch_kernel.hpp>

#include <algorithm>
#include <cstdint>

namespace mass::detail {
namespace {

constexpr std::size_t wordBytes = 16;
constexpr unsigned blockSize = 256;
/// Largest number of copies of a launch, limited by the size of kernel arguments.
constexpr std::size_t maxMoves = 48;

/// Copy of rows of lines.
struct Move {
  const char* from;
  char* to;
  std::size_t lineBytes, lines, rows;
  std::size_t fromStride, toStride;        // bytes from one line of a row to the next
  std::size_t fromRowStride, toRowStride;  // bytes from one row to the next
};
/// Kernel argument: a copy for each blockIdx.y.
struct Moves {
  Move items[maxMoves];
};

/// Copies in words; returns false, without a copy, if an address or size is no multiple of a Word.
template <class Word>
__device__ bool moveWords(const Move& move) {
  const auto addresses =
      reinterpret_cast<std::uintptr_t>(move.from) | reinterpret_cast<std::uintptr_t>(move.to);
  const std::size_t strides = (move.lines > 1 ? move.fromStride | move.toStride : 0) |
                              (move.rows > 1 ? move.fromRowStride | move.toRowStride : 0);
  if ((addresses | strides | move.lineBytes) % sizeof(Word) != 0) return false;
  const std::size_t words = move.lineBytes / sizeof(Word);
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t lines = move.lines * move.rows;
  for (; i < words * lines; i += step) {
    std::size_t line = lines > 1 ? i / words : 0;
    const std::size_t word = i - line * words;
    const std::size_t row = move.rows > 1 ? line / move.lines : 0;
    line -= row * move.lines;
    reinterpret_cast<Word*>(move.to + row * move.toRowStride + line * move.toStride)[word] =
        reinterpret_cast<const Word*>(move.from + row * move.fromRowStride +
                                      line * move.fromStride)[word];
  }
  return true;
}

/// Performs each copy in the largest words that its alignment permits.
__global__ void moveAll(const __grid_constant__ Moves moves) {
  const Move& move = moves.items[blockIdx.y];
  if (moveWords<uint4>(move) || moveWords<unsigned>(move)) return;
  if (!moveWords<unsigned short>(move)) moveWords<char>(move);
}

/// Queues the copies of all parts; move(part, offset) returns the copy of the part at an offset in
/// the packed halo.
template <class F>
void queueParts(const PackedHalo& halo, cudaStream_t stream, F&& move) {
  std::size_t offset = 0;
  for (std::size_t first = 0; first < halo.parts.size(); first += maxMoves) {
    Moves moves{};
    const std::size_t count = std::min(maxMoves, halo.parts.size() - first);
    std::size_t most = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const HaloMessage& part = halo.parts[first + i];
      moves.items[i] = move(part, offset);
      offset += bytesWithPadding(part.bytes());
      most = std::max(most, part.bytes());
    }
    const std::size_t words = most / wordBytes / blockSize + 1;
    const dim3 grid(static_cast<unsigned>(std::min<std::size_t>(words, 64)),
                    static_cast<unsigned>(count));
    MASS_CUDA_CALL(launchKernel(moveAll, grid, blockSize, stream, moves));
  }
}

}  // namespace

void queuePack(const PackedHalo& halo, cudaStream_t stream) {
  queueParts(halo, stream, [&](const HaloMessage& part, std::size_t offset) {
    return Move{part.from,
                halo.packBuffer + offset,
                part.lineBytes,
                part.lines,
                part.rows,
                part.fromStride,
                part.lineBytes,
                part.fromRowStride,
                part.lines * part.lineBytes};
  });
}

void queueUnpack(const PackedHalo& halo, cudaStream_t stream) {
  queueParts(halo, stream, [&](const HaloMessage& part, std::size_t offset) {
    return Move{halo.to + offset, part.to,        part.lineBytes, part.lines,
                part.rows,        part.lineBytes, part.toStride,  part.lines * part.lineBytes,
                part.toRowStride};
  });
}

void queueCopy(const PackedHalo& halo, cudaStream_t stream) {
  queueParts(halo, stream, [&](const HaloMessage& part, std::size_t) {
    return Move{part.from,       part.to,       part.lineBytes,     part.lines,      part.rows,
                part.fromStride, part.toStride, part.fromRowStride, part.toRowStride};
  });
}

}  // namespace mass::detail
