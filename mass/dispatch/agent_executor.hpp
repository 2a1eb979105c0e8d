#pragma once

#include <mass/dispatch/agent_kernel.hpp>
#include <mass/dispatch/dispatcher.hpp>
#include <mass/memory/agent_fields.hpp>

#include <cstdint>
#include <memory>

namespace mass::detail {

/// Arguments of rules and of the migration of one class of agents.
struct AgentRun {
  const Dispatcher* dispatcher = nullptr;  ///< refreshes the halos of the places
  PlaceFields* places = nullptr;           ///< places on which the agents live
  AgentFields* agents = nullptr;           ///< agents of all devices
  std::uint64_t seed = 0;                  ///< seed of random numbers and priorities
  std::uint32_t population = 0;            ///< number of the class in random numbers' keys
  DeviceTimes* times = nullptr;            ///< receives compute times of CPUs; may be null
};

/// Runs rules and migration of agents on all devices. One class implements it for CPUs, one for
/// GPUs.
class AgentExecutor {
 public:
  virtual ~AgentExecutor() = default;

  /// Applies a rule to every agent.
  /// @throws std::exception if the rule throws one, on CPUs. Intents are unchanged then, and so are
  ///   attributes unless the rule works in place.
  virtual void run(const AgentRun& run, const AgentKernel& kernel) = 0;

  /// Copies the agents of ghost rows from their owners if they are stale.
  virtual void refreshGhosts(AgentFields& agents) = 0;

  /// Brings the IdentityTable of each device up to date; waits for a pending migration.
  /// @param withAttributes true if rules read attributes of the agents found
  /// @throws DeviceError if memory is exhausted
  virtual void refreshIdentities(AgentFields& agents, bool withAttributes) = 0;

  /// Executes all intents in the order of MASS: deaths, moves, births.
  /// A place admits at most `capacity` minus its present agents that do not die; agents that leave
  /// in this step still count. If more agents compete, the lowest priorities win, which depend on
  /// seed, step and identity. The others stay at their places, and
  /// children without room are not born.
  /// A single GPU without births only queues the work; synchronize() then throws its errors.
  /// @throws UsageError if an intent on a GPU was invalid (on CPUs, the rule throws).
  /// @throws DeviceError if memory is exhausted; the agents are unchanged then.
  /// @throws Error if an agent was lost or duplicated, which is an error of this library.
  virtual void manage(const AgentRun& run) = 0;

  /// Waits for the last migration and updates the number of agents and their census.
  /// Call it before the host reads or writes agents.
  /// @throws UsageError, DeviceError, Error if the last migration failed, see manage().
  /// @throws UsageError if a rule on GPUs has read agents farther away than their reach.
  virtual void synchronize(AgentFields& agents) = 0;
  /// Drops all references to `agents`, which are about to be destroyed.
  virtual void release(const AgentFields& agents) noexcept = 0;
};

/// Returns an executor for CPUs. `devices` must outlive it.
std::unique_ptr<AgentExecutor> makeCpuAgentExecutor(const DeviceConfig& devices);

}  // namespace mass::detail
