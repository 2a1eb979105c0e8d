#pragma once

#include <mass/support/qualifiers.hpp>
#include <mass/support/warp.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>

namespace mass::detail {

/// Lane of a group of successive threads of a warp that run a rule for the same agent. Each lane
/// adds up its share of the neighbours.
struct LaneGroup {
  int number = 0;  ///< Index of this thread in the group, 0 <= number < count.
  int count = 1;   ///< Number of threads of the group, a power of 2.
};

/// Bit mask of the lanes of this thread's group in its warp.
MASS_FN inline unsigned maskOf(LaneGroup lane) {
  return ((1U << lane.count) - 1) << (laneInWarp() - static_cast<unsigned>(lane.number));
}

/// Replaces `sum` in all lanes of a group by the total of the lanes, bitwise the same in each.
template <class Sum>
MASS_FN void reduceLanes([[maybe_unused]] LaneGroup lane, [[maybe_unused]] Sum& sum) {
  static_assert(std::is_trivially_copyable_v<Sum> && sizeof(Sum) % sizeof(std::uint32_t) == 0,
                "the Sum of NeighborSums::within must be trivially copyable and consist of numbers "
                "of 32 or 64 bits");
  if constexpr (onGpu) {
    if (lane.count == 1) return;
    using Words = std::array<std::uint32_t, sizeof(Sum) / sizeof(std::uint32_t)>;
    const unsigned mask = maskOf(lane);
    for (int step = lane.count / 2; step > 0; step /= 2) {
      auto words = std::bit_cast<Words>(sum);
      for (auto& word : words) word = shuffleDown(mask, word, step, lane.count);
      sum += std::bit_cast<Sum>(words);
    }
    auto words = std::bit_cast<Words>(sum);
    for (auto& word : words) word = shuffle(mask, word, 0, lane.count);
    sum = std::bit_cast<Sum>(words);
  }
}

}  // namespace mass::detail
