#pragma once

#include <mass/io/checkpoint_file.hpp>
#include <mass/model/engine.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mass::detail {

/// What a checkpoint says of some agents besides its arrays.
std::map<std::string, std::uint64_t> agentCounters(const AgentsState& population);

/// The arrays of a checkpoint for `count` agents: identities, places, and all components.
std::vector<ArrayInfo> agentArrays(const AgentsState& population, std::uint64_t count);

/// How many agents a checkpoint has. @throws CheckpointError when it does not hold these agents.
std::uint64_t agentsIn(const CheckpointReader& file, const AgentsState& population);

/// @throws UsageError when agents have intents that no manageAll has carried out.
void writeAgents(CheckpointWriter& file, const AgentsState& population);

/// Makes the agents those of a checkpoint. @throws CheckpointError when they are not those that
/// were written, or cannot be where they are to be.
void restoreAgents(const CheckpointReader& file, AgentsState& population);

}  // namespace mass::detail
