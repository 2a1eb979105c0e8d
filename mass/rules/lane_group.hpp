#pragma once

#include <mass/support/qualifiers.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>

namespace mass::detail {

/// One of the threads of a GPU that run a rule for the same agent. All do the same, but that each
/// adds up only some of what is to be added up. They follow each other in a warp; `count` is a
/// power of 2.
struct LaneGroup {
  int number = 0, count = 1;
};

#if defined(__CUDACC__)
/// Those of the warp that this thread belongs to, as a mask.
__device__ inline unsigned maskOf(LaneGroup lane) {
  return ((1U << lane.count) - 1) << (threadIdx.x % 32 - static_cast<unsigned>(lane.number));
}
#endif

/// Gives all lanes what they have in all, the same to the bit.
template <class Sum>
MASS_FN void reduceLanes([[maybe_unused]] LaneGroup lane, [[maybe_unused]] Sum& sum) {
  static_assert(std::is_trivially_copyable_v<Sum> && sizeof(Sum) % sizeof(std::uint32_t) == 0,
                "a sum over neighbours consists of numbers of 32 or 64 bits");
#if defined(__CUDA_ARCH__)
  if (lane.count == 1) return;
  using Words = std::array<std::uint32_t, sizeof(Sum) / sizeof(std::uint32_t)>;
  const unsigned mask = maskOf(lane);
  for (int step = lane.count / 2; step > 0; step /= 2) {
    auto words = std::bit_cast<Words>(sum);
    for (auto& word : words) word = __shfl_down_sync(mask, word, step, lane.count);
    sum += std::bit_cast<Sum>(words);
  }
  auto words = std::bit_cast<Words>(sum);
  for (auto& word : words) word = __shfl_sync(mask, word, 0, lane.count);
  sum = std::bit_cast<Sum>(words);
#endif
}

}  // namespace mass::detail
