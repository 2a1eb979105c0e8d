#pragma once

// Host functions that launch kernels of the AA pattern. Included where nvcc compiles a model.

#include <mass/kernels/gpu/launchers.hpp>
#include <mass/kernels/streaming/gpu_aa_kernel.hpp>

#include <algorithm>
#include <tuple>

namespace mass::detail {

/// Launcher of a changing rule for `Width` columns per thread. (No aliases of its bodies: nvcc 13.0
/// would spell them with the rule, which it misspells.)
template <class P, auto Rule, class W, int Width>
struct AaLauncher {
  static int launch(const GpuLaunch& gpu, const LaunchShape& shape, void* stream) {
    constexpr int D = P::dimensions;
    forEachPiece<D>(gpu, shape, [&](const GpuLaunch& piece) {
      const dim3 grid = gridFor<D>(piece, shape), block = blockFor<D>(shape);
      const auto call = gpuCall<P, Rule, NonStreamed<W>>(piece);
      if (piece.aaSwapped) {
        queue<AaBody<TagOf<P, Rule>, ArgumentsOf<Rule>, W, Width, false>>(grid, block, stream,
                                                                          piece.overlaps, call);
      } else {
        queue<AaBody<TagOf<P, Rule>, ArgumentsOf<Rule>, W, Width, true>>(grid, block, stream,
                                                                         piece.overlaps, call);
      }
    });
    return cudaGetLastError();
  }
  static const void* function() {
    return reinterpret_cast<const void*>(
        &onGpu<AaBody<TagOf<P, Rule>, ArgumentsOf<Rule>, W, Width, true>>);
  }
};

/// Columns of a thread that has several; two are loaded and stored in pairs (see isPaired).
template <class P>
inline constexpr int aaColumns = std::min(wideColumns<P>(), 2);

template <class P, auto Rule, class W>
int launchAa(const GpuLaunch& gpu, const LaunchShape& shape, void* stream) {
  if (shape.width == 1) return AaLauncher<P, Rule, W, 1>::launch(gpu, shape, stream);
  return AaLauncher<P, Rule, W, aaColumns<P>>::launch(gpu, shape, stream);
}
template <class P, auto Rule, class W>
const void* functionOfAa(int rows, int width) {
  if (rows != 1) return nullptr;
  if (width == 1) return AaLauncher<P, Rule, W, 1>::function();
  return width == aaColumns<P> ? AaLauncher<P, Rule, W, aaColumns<P>>::function() : nullptr;
}

template <class P, auto Rule, class W>
const GpuKernel* aaGpuKernel() {
  static const GpuKernel kernel{&launchAa<P, Rule, W>, &countBorderBlocks<P::dimensions>,
                                &functionOfAa<P, Rule, W>, __PRETTY_FUNCTION__};
  return &kernel;
}

template <class P>
const GpuKernel* restoreLayoutGpuKernel() {
  static const GpuKernel kernel{
      [](const GpuLaunch& gpu, const LaunchShape&, void* stream) -> int {
        forEachPiece<P::dimensions>(gpu, readingShape, [&](const GpuLaunch& piece) {
          queue<RestoreLayoutBody<P>>(gridFor<P::dimensions>(piece, readingShape),
                                      dim3(readingShape.columns), stream, false,
                                      gpuCallWith<P, WritesAll>(piece, std::tuple<>()));
        });
        return cudaGetLastError();
      },
      nullptr, [](int, int) { return reinterpret_cast<const void*>(&onGpu<RestoreLayoutBody<P>>); },
      __PRETTY_FUNCTION__};
  return &kernel;
}

}  // namespace mass::detail
