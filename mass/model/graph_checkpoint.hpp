#pragma once

#include <mass/model/engine.hpp>
#include <mass/model/rank_checkpoint.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mass::detail {

// Links of nodes in checkpoints, which have them if rules have changed edges. All ranks call these
// functions together.

/// Adds the number of links of nodes to the counters of a checkpoint.
void addLinkCounter(const PlacesState& places, std::map<std::string, std::uint64_t>& counters);
/// Returns the arrays of the links in a checkpoint with these counters; none if edges are those of
/// the network that the program creates.
std::vector<ArrayInfo> linkArrays(const PlacesState& places,
                                  const std::map<std::string, std::uint64_t>& counters);
/// Writes the arrays of addLinkCounter().
void writeLinks(RankCheckpointWriter& file, const PlacesState& places);
/// Replaces the links by those of a checkpoint.
/// @throws CheckpointError on all ranks if they are no links of these nodes
void restoreLinks(const RankCheckpoint& file, PlacesState& places);

}  // namespace mass::detail
