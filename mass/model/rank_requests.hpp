#pragma once

#include <mass/backend/ranks.hpp>
#include <mass/memory/request_list.hpp>

#include <cstddef>
#include <vector>

namespace mass::detail {

struct AgentsState;

/// Numbers the requests of agents of a device, order / most being positions there, so that numbers
/// of all devices differ and do not depend on their cuts: by positions in the order of agents; on
/// the nodes of a network by identities.
/// @param most maximum number of requests of an agent
void numberByAgents(const AgentsState& agents, int device, int most, Requests& requests);
/// Appends requests.
void append(const Requests& requests, Requests& all);
/// Returns the requests of all ranks, which call it together, in the order of ranks.
/// @param bytes bytes of an element of each component
Requests ofAllRanks(Ranks& ranks, Requests own, const std::vector<std::size_t>& bytes);

}  // namespace mass::detail
