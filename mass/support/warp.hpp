#pragma once

#include <mass/support/qualifiers.hpp>

#include <cstdint>

namespace mass::detail {

// Lanes of the warp of this thread. A thread of a CPU is a warp of one lane.

/// Returns the index of this thread in its warp, 0 to 31.
MASS_FN unsigned laneInWarp();

/// Returns the `word` of lane `lane` of this thread's group of `width` lanes (__shfl_sync).
/// @param mask bit mask of the lanes that call it
/// @param width a power of 2, at most 32
MASS_FN std::uint32_t shuffle(unsigned mask, std::uint32_t word, int lane, int width);

/// Returns the `word` of the lane `distance` above in this thread's group of `width` lanes, or its
/// own if there is no such lane (__shfl_down_sync). @param mask, width as for shuffle()
MASS_FN std::uint32_t shuffleDown(unsigned mask, std::uint32_t word, int distance, int width);

}  // namespace mass::detail

#include <mass/support/platform.hpp>
