#pragma once

#include <mass/memory/bin_indexing.hpp>

#include <cstdint>

namespace mass::detail {

/// Agents that rules on GPUs look at together, the first of which has a number that is a multiple
/// of theirs. So they load some that are not there, after the last.
inline constexpr int agentsPerLoad = 4;

/// The agents of one class on one device, as kernels read them: sorted by bin, and in a bin by
/// identity; agents of ghost rows after the band's own.
struct AgentView {
  BinIndexing bins;
  const void* const* components = nullptr;  ///< the state before the rule under way
  const std::uint64_t* ids = nullptr;
  const std::int32_t* first = nullptr;  ///< by bin: its first agent; one more at the end
  /// On a GPU, which cannot throw: where a rule that looks further than the class's reach says how
  /// far, in the host's memory.
  int* farthest = nullptr;
};

/// What an agent's intent means for manageAll: the number of a place in the world, or one of these.
inline constexpr std::int64_t targetStay = -1;
inline constexpr std::int64_t targetDie = -2;
/// It wants what it may not: GPUs cannot throw, so manageAll does.
inline constexpr std::int64_t targetInvalid = -3;
/// To go to a place drawn of all that have room.
inline constexpr std::int64_t seeks = -4;
/// It was to have such a place, and there were too few: what manageAll makes of `seeks`.
inline constexpr std::int64_t targetNoneFree = -5;

}  // namespace mass::detail
