#pragma once

#include <mass/model/engine.hpp>
#include <mass/support/export.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>

namespace mass::detail {

/// Creates the agents of a file, one for each row; see Mass::loadAgents for the format.
/// @param step step of the rows in a table of agents; the last one if empty
/// @param allowsNan true if attributes may be NaN or infinite
/// @throws InputError if the file does not describe valid agents
MASS_EXPORT void populateFrom(AgentsState& population, const std::filesystem::path& file,
                              std::optional<std::int64_t> step, bool allowsNan);

}  // namespace mass::detail
