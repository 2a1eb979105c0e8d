#pragma once

#include <mass/model/engine.hpp>

#include <filesystem>

namespace mass::detail {

/// Makes the agents that a CSV file has, one a line, as Mass::loadAgents says.
/// @throws InputError.
void populateFrom(AgentsState& population, const std::filesystem::path& file);

}  // namespace mass::detail
