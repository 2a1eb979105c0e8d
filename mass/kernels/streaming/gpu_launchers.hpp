#pragma once

// How the host launches rules that move what is streamed within one buffer. Included where nvcc
// compiles a model.

#include <mass/kernels/gpu/launchers.hpp>
#include <mass/kernels/streaming/gpu_aa_kernel.hpp>

#include <algorithm>
#include <tuple>

namespace mass::detail {

/// A changing rule as it is launched for `Width` columns a thread. (No short names for its bodies:
/// nvcc 13.0 would spell them with the rule, which it misspells.)
template <class P, auto Rule, class W, int Width>
struct MoveLauncher {
  static int launch(const GpuLaunch& gpu, const LaunchShape& shape, void* stream) {
    constexpr int D = P::dimensions;
    forEachPiece<D>(gpu, shape, [&](const GpuLaunch& piece) {
      const dim3 grid = gridFor<D>(piece, shape), block = blockFor<D>(shape);
      const auto call = gpuCall<P, Rule, NonStreamed<W>>(piece);
      if (piece.aaSwapped) {
        queue<MoveBody<TagOf<P, Rule>, ArgumentsOf<Rule>, W, Width, false>>(grid, block, stream,
                                                                            piece.overlaps, call);
      } else {
        queue<MoveBody<TagOf<P, Rule>, ArgumentsOf<Rule>, W, Width, true>>(grid, block, stream,
                                                                           piece.overlaps, call);
      }
    });
    return cudaGetLastError();
  }
  static const void* function() {
    return reinterpret_cast<const void*>(
        &onGpu<MoveBody<TagOf<P, Rule>, ArgumentsOf<Rule>, W, Width, true>>);
  }
};

/// Columns that a thread takes if it takes several: two go by two (see gathering.hpp).
template <class P>
inline constexpr int columnsMoved = std::min(wideColumns<P>(), 2);

template <class P, auto Rule, class W>
int launchMove(const GpuLaunch& gpu, const LaunchShape& shape, void* stream) {
  if (shape.width == 1) return MoveLauncher<P, Rule, W, 1>::launch(gpu, shape, stream);
  return MoveLauncher<P, Rule, W, columnsMoved<P>>::launch(gpu, shape, stream);
}
template <class P, auto Rule, class W>
const void* functionOfMove(int rows, int width) {
  if (rows != 1) return nullptr;
  if (width == 1) return MoveLauncher<P, Rule, W, 1>::function();
  return width == columnsMoved<P> ? MoveLauncher<P, Rule, W, columnsMoved<P>>::function() : nullptr;
}

template <class P, auto Rule, class W>
const GpuKernel* aaGpuKernel() {
  static const GpuKernel kernel{&launchMove<P, Rule, W>, &countBorderBlocks<P::dimensions>,
                                &functionOfMove<P, Rule, W>, __PRETTY_FUNCTION__};
  return &kernel;
}

template <class P>
const GpuKernel* restoreLayoutGpuKernel() {
  static const GpuKernel kernel{
      [](const GpuLaunch& gpu, const LaunchShape&, void* stream) -> int {
        forEachPiece<P::dimensions>(gpu, readingShape, [&](const GpuLaunch& piece) {
          queue<SettleBody<P>>(gridFor<P::dimensions>(piece, readingShape),
                               dim3(readingShape.columns), stream, false,
                               gpuCallWith<P, WritesAll>(piece, std::tuple<>()));
        });
        return cudaGetLastError();
      },
      nullptr, [](int, int) { return reinterpret_cast<const void*>(&onGpu<SettleBody<P>>); },
      __PRETTY_FUNCTION__};
  return &kernel;
}

}  // namespace mass::detail
