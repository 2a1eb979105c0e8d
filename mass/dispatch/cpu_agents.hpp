#pragma once

#include <mass/dispatch/agent_kernel.hpp>
#include <mass/dispatch/dispatcher.hpp>
#include <mass/memory/agent_fields.hpp>

#include <cstdint>
#include <vector>

namespace mass {

/// What rules and management of agents need besides the agents.
struct AgentRun {
  const Dispatcher* dispatcher = nullptr;
  PlaceFields* places = nullptr;
  AgentFields* agents = nullptr;
  std::uint64_t seed = 0;
  std::uint32_t population = 0;  ///< of the agents; part of every random number's key
};

/// The agents as kernels on each device read them. `pointers` keeps the addresses of components.
struct AgentViews {
  /// Addresses of these views stay as they are from one update to the next.
  void update(const AgentFields& agents);

  std::vector<std::vector<const void*>> pointers;
  std::vector<AgentView> byDevice;
};

/// Applies a rule to every agent. @throws what the rule throws; then nothing has changed but the
/// attributes that a rule in place has, and all intents are what they were.
void runAgents(const AgentRun& run, const AgentKernel& kernel);

/// Brings the agents of ghost rows up to date, if they are not.
void refreshAgentGhosts(AgentFields& agents);

/// Carries out what the agents' intents say, in the order of MASS: kills, then moves, then has
/// children born. A place with a capacity is entered by as many as it has room for beside those
/// that were there before, even if these move away; those with the lowest priorities come in, by
/// seed, step and identity, and the others stay.
/// @throws Error when agents were lost or doubled, which would be an error of this library.
Census manageAgents(const AgentRun& run);

/// An agent to be, at a place given by its number in the world.
struct Newcomer {
  std::int64_t place = 0;
  std::uint64_t id = 0;
};

/// Makes these the agents, in place of those there were. `initial` has a pointer for each component
/// to its values, in the order of the newcomers. @throws UsageError when a place is outside the
/// world or holds more than its capacity, or an identity is there twice.
void createAgents(AgentFields& agents, const std::vector<Newcomer>& newcomers,
                  const std::vector<const void*>& initial);

}  // namespace mass
