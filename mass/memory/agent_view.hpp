#pragma once

#include <mass/memory/bin_indexing.hpp>

#include <cstdint>

namespace mass::detail {

/// Number of agents that a GPU loads at a time, from a multiple of it on. Arrays are padded by as
/// many elements, since loads may go beyond the last agent.
inline constexpr int agentsPerLoad = 4;

/// Agents of one class on one device as kernels read them: sorted by bin, then by identity; the
/// agents of ghost rows follow those of the band.
struct AgentView {
  BinIndexing bins;                         ///< bins of the band and its ghost rows
  const void* const* components = nullptr;  ///< by component: the state before the running rule
  const std::uint64_t* ids = nullptr;       ///< by agent: identity
  const std::int32_t* first = nullptr;      ///< by bin: first agent; then the number of agents
  /// Address in host memory where a rule on a GPU, which cannot throw, stores the distance of a
  /// read beyond the reach of the class; null on CPUs.
  int* farthest = nullptr;
  std::int64_t* targets = nullptr;  ///< by agent: request to the next manageAll()
};

// Target of an agent in the next manageAll(): the global index of a place, or one of these values.

/// The agent stays.
inline constexpr std::int64_t targetStay = -1;
/// The agent dies.
inline constexpr std::int64_t targetDie = -2;
/// The request is invalid. GPUs cannot throw, so manageAll() throws on the host.
inline constexpr std::int64_t targetInvalid = -3;
/// The agent moves to a random place among those with free capacity.
inline constexpr std::int64_t targetAnyFree = -4;
/// Replaces targetAnyFree in manageAll() if there are fewer free places than such agents.
inline constexpr std::int64_t targetNoneFree = -5;

}  // namespace mass::detail
