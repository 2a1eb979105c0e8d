#pragma once

#include <mass/model/engine.hpp>

#include <filesystem>

namespace mass::detail {

/// Creates the agents of a CSV file, one for each line; see Mass::loadAgents for the format.
/// @throws InputError if the file does not describe valid agents
void populateFrom(AgentsState& population, const std::filesystem::path& file);

}  // namespace mass::detail
