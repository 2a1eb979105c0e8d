#pragma once

// GPU kernels of rules that read places. Included where nvcc compiles a model.

#include <mass/kernels/gpu/stencil_kernel.hpp>

#include <cstdint>
#include <type_traits>

namespace mass::detail {

/// Returns the result of a reading rule for a place.
template <class P, auto Rule>
__device__ inline auto readPlace(const GpuCallOf<P, Rule>& call, const GpuPlace& place) {
  const Cursor at = cursorOf<P::dimensions>(call.gpu, place);
  const Neighborhood<P> near = aroundPlace<P>(call.gpu, call.in, at, place, 0, 0);
  return readFor<Rule>(call.in, at, near, call.arguments);
}

/// Kernel that stores the results of a reading rule; `results` begins with the launch's first
/// place.
template <class Tag, class Arguments>
struct MapBody {
  using P = typename Tag::Place;
  using Call = GpuCall<P, Arguments>;

  __device__ static void run(const Call& call) {
    constexpr auto rule = ruleOf(Tag{});
    using T = Packed<std::remove_cvref_t<typename Traits<rule>::Result>>;
    const Launch& launch = call.gpu.launch;
    const Layout& layout = launch.layout;
    forEachPlace<P::dimensions>(call.gpu, 1, 1, [&](const GpuPlace& place) {
      const std::int64_t line = place.row * layout.lines + place.line;
      static_cast<T*>(launch.results)[line * layout.columns + place.column] =
          static_cast<T>(readPlace<P, rule>(call, place));
    });
  }
};

/// Kernel that reduces the results of a reading rule to one value for each line, in the order of
/// reduceKernel(): one thread for each of its lanes.
template <class Tag, class Arguments, class Op>
struct ReduceBody {
  using P = typename Tag::Place;
  using Call = GpuCall<P, Arguments>;

  __device__ static void run(const Call& call) {
    constexpr auto rule = ruleOf(Tag{});
    using R = typename Op::template Result<std::remove_cvref_t<typename Traits<rule>::Result>>;
    const Launch& launch = call.gpu.launch;
    const Layout& layout = launch.layout;
    alignas(R) __shared__ unsigned char storage[gpuBlock * sizeof(R)];
    R* const running = reinterpret_cast<R*>(storage) + threadIdx.x;
    const int lane = static_cast<int>(threadIdx.x % lanes);
    const std::int64_t number =
        (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / lanes;
    const bool inside = number < (call.gpu.rowEnd - call.gpu.rowBegin) * layout.lines;
    R total = Op::template identity<R>();
    // A part of a line continues with the values that the part before has left.
    R* const kept =
        launch.lanes == nullptr ? nullptr : static_cast<R*>(launch.lanes) + number * lanes + lane;
    if (inside) {
      if (launch.firstColumn > 0) total = *kept;
      const auto before = static_cast<int>(launch.firstColumn % lanes);
      GpuPlace place{static_cast<int>(number / layout.lines),
                     static_cast<int>(number % layout.lines),
                     (lane - before + static_cast<int>(lanes)) % static_cast<int>(lanes), 1, 1};
      for (; place.column < layout.columns; place.column += lanes) {
        total = Op{}(total, static_cast<R>(readPlace<P, rule>(call, place)));
      }
      if (kept != nullptr) *kept = total;
    }
    *running = total;
    __syncthreads();
    const bool isLast = launch.firstColumn + layout.columns == columnsOfLine(launch.domain);
    if (!inside || lane != 0 || !isLast) return;
    for (int k = 1; k < lanes; ++k) total = Op{}(total, running[k]);
    static_cast<R*>(launch.results)[number] = total;
  }
};

}  // namespace mass::detail
