#pragma once

#include <mass/io/checkpoint_file.hpp>
#include <mass/model/engine.hpp>
#include <mass/model/rank_checkpoint.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mass::detail {

/// Returns the counters of a checkpoint for these agents: step, next identity and number of agents.
std::map<std::string, std::uint64_t> agentCounters(const AgentsState& population);

/// Returns the arrays of a checkpoint for `count` agents: identities, places, and all components.
std::vector<ArrayInfo> agentArrays(const AgentsState& population, std::uint64_t count);

/// Returns the number of agents in a checkpoint.
/// @throws CheckpointError if the checkpoint lacks these agents
std::uint64_t agentCountIn(const CheckpointHeader& header, const AgentsState& population);

/// Writes the arrays of these agents. All ranks call it together.
/// @throws UsageError if agents have intents that no manageAll has carried out
/// @throws OutputError if the file cannot be written
void writeAgents(RankCheckpointWriter& file, const AgentsState& population);

/// Replaces the agents by those of a checkpoint. All ranks call it together.
/// @throws CheckpointError if their hash is not the one that was written, or they do not fit into
/// their places
void restoreAgents(const RankCheckpoint& file, AgentsState& population);

}  // namespace mass::detail
