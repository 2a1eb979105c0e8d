#pragma once

// Which places a thread of a GPU takes. Included where nvcc compiles a model.

#include <mass/launch/gpu_launch.hpp>
#include <mass/rules/attributes.hpp>
#include <mass/rules/cursor.hpp>

#include <cstddef>
#include <cstdint>

namespace mass::detail {

/// Bytes of the attributes of a place, as rules have them.
template <class P>
constexpr std::size_t stateBytes() {
  std::size_t bytes = 0;
  AttributeSlots<P>::forEach([&](auto slot) {
    using S = decltype(slot);
    bytes += S::count * sizeof(typename S::Element);
  });
  return bytes;
}

/// Columns that a thread takes if it takes several, so that their states stay in registers; or 1.
template <class P>
constexpr int wideColumns() {
  if (P::dimensions == 1) return 1;
  return packWidth * stateBytes<P>() <= 128 ? packWidth : 2 * stateBytes<P>() <= 160 ? 2 : 1;
}

/// Whether there is a kernel for so many rows and columns a thread.
template <class P>
constexpr bool hasGpuTile(int rows, int width) {
  if (width != 1 && width != wideColumns<P>()) return false;
  if (rows == 1) return true;
  if (P::dimensions == 1 || (width == 1 && rows != 4 && rows != 8)) return false;
  return static_cast<std::size_t>(rows * width) * stateBytes<P>() <= 128;
}

/// Where a thread's places begin. What one launch covers is counted in 32 bits.
struct GpuPlace {
  int row;  ///< of the launch
  int line, column;
  int rows, width;  ///< that are there, 0 beyond the end
};
/// The row of the band.
__device__ inline std::int64_t rowOf(const GpuLaunch& gpu, const GpuPlace& place) {
  return gpu.rowBegin + place.row;
}

/// Rows that a block covers.
template <int D>
MASS_FN constexpr int rowsOfBlock(const LaunchShape& shape) {
  return D == 2 ? shape.rows * shape.groups : shape.rows;
}

/// Blocks along the rows are numbered so that both ends of the band come first: what others wait
/// for is done while the rest is still to do.
MASS_FN inline unsigned rowBlock(unsigned number, unsigned blocks) {
  if (number == 0 || blocks == 1) return number;
  return number == 1 ? blocks - 1 : number - 1;
}

/// The first row of this block (1-D: place), within the launch.
template <int D>
__device__ inline int firstRowOfBlock(int rows) {
  if constexpr (D == 1) {
    return static_cast<int>(rowBlock(blockIdx.x, gridDim.x) * blockDim.x);
  } else if constexpr (D == 2) {
    return static_cast<int>(rowBlock(blockIdx.y, gridDim.y) * blockDim.y) * rows;
  } else {
    return static_cast<int>(rowBlock(blockIdx.z, gridDim.z)) * rows;
  }
}

/// A thread's first place, of its first line in 3-D.
template <int D>
__device__ inline GpuPlace placeOfThread(const GpuLaunch& gpu, int rows, int width) {
  const Layout& layout = gpu.launch.layout;
  const auto columns = static_cast<int>(layout.columns);
  GpuPlace place{firstRowOfBlock<D>(rows), 0,
                 static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) * width, 0, 0};
  if constexpr (D == 1) {
    place.row += static_cast<int>(threadIdx.x);
    place.column = 0;
  } else if constexpr (D == 2) {
    place.row += static_cast<int>(threadIdx.y) * rows;
  } else {
    place.line = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  }
  const int left = static_cast<int>(gpu.rowEnd - gpu.rowBegin) - place.row;
  place.rows = place.column >= columns || left <= 0 ? 0 : left < rows ? left : rows;
  const int beside = D == 1 ? 1 : columns - place.column;
  place.width = beside < width ? beside : width;
  return place;
}

/// Calls f for a thread's places; in 3-D, where a block may take several lines one after the other,
/// once for each of them.
template <int D, class F>
__device__ inline void forEachPlace(const GpuLaunch& gpu, int rows, int width, F&& f) {
  GpuPlace place = placeOfThread<D>(gpu, rows, width);
  if (place.rows == 0) return;
  if constexpr (D < 3) {
    f(place);
  } else {
    const auto lines = static_cast<int>(gpu.launch.layout.lines);
    const auto step = static_cast<int>(gridDim.y * blockDim.y);
#pragma unroll 1
    for (; place.line < lines; place.line += step) f(place);
  }
}

/// A thread's first place within the launch, whose number fits into 32 bits, as all that it is made
/// of does.
template <int D>
__device__ inline Cursor cursorOf(const GpuLaunch& gpu, const GpuPlace& place) {
  const Layout& layout = gpu.launch.layout;
  Index line = static_cast<Index>(layout.origin) + place.row * static_cast<Index>(layout.rowStride);
  if constexpr (D == 3) line += place.line * static_cast<Index>(layout.pitch);
  return {line, place.column};
}

}  // namespace mass::detail
