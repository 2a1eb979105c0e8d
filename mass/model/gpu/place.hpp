#pragma once

// Which places a thread of a GPU takes. Included where nvcc compiles a model.

#include <mass/memory/gpu_launch.hpp>
#include <mass/model/attributes.hpp>
#include <mass/model/cursor.hpp>

#include <cstddef>
#include <cstdint>

namespace mass::detail {

/// Bytes of the attributes of a place, as rules have them.
template <class P>
constexpr std::size_t stateBytes() {
  std::size_t bytes = 0;
  Slots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    bytes += S::count * sizeof(typename S::Element);
  });
  return bytes;
}

/// Whether there is a kernel for so many rows and columns a thread: the states of all its places
/// should stay in registers.
template <class P>
constexpr bool hasGpuTile(int rows, int width) {
  if (P::dimensions == 1) return rows == 1 && width == 1;
  if (width == 1 && rows != 1 && rows != 4 && rows != 8) return false;
  return rows * width == 1 || static_cast<std::size_t>(rows * width) * stateBytes<P>() <= 128;
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
    place.line = gpu.lineBegin + static_cast<std::int64_t>(blockIdx.y) * blockDim.y + threadIdx.y;
  }
  const bool inside = place.column < layout.columns && place.line < layout.lines;
  const std::int64_t left = gpu.rowEnd - place.row;
  place.rows = !inside || left <= 0 ? 0 : left < rows ? static_cast<int>(left) : rows;
  const std::int64_t beside = D == 1 ? 1 : layout.columns - place.column;
  place.width = beside < width ? static_cast<int>(beside) : width;
  return place;
}

/// The number of a thread's first place within the launch, which fits into 32 bits, as all that it
/// is made of does.
template <int D>
__device__ inline Index numberOf(const GpuLaunch& gpu, const GpuPlace& place) {
  const Layout& layout = gpu.launch.layout;
  const auto row = static_cast<Index>(place.row - gpu.rowBegin);
  Index number = static_cast<Index>(layout.origin) + row * static_cast<Index>(layout.rowStride) +
                 static_cast<Index>(place.column);
  if constexpr (D == 3) number += static_cast<Index>(place.line) * static_cast<Index>(layout.pitch);
  return number;
}

}  // namespace mass::detail
