#pragma once

#include <mass/dispatch/agent_kernel.hpp>
#include <mass/dispatch/dispatcher.hpp>
#include <mass/memory/agent_fields.hpp>

#include <cstdint>
#include <memory>

namespace mass::detail {

/// What rules and management of agents need besides the agents.
struct AgentRun {
  const Dispatcher* dispatcher = nullptr;
  PlaceFields* places = nullptr;
  AgentFields* agents = nullptr;
  std::uint64_t seed = 0;
  std::uint32_t population = 0;  ///< of the agents; part of every random number's key
  DeviceTimes* times =
      nullptr;  ///< as a StepBatch's; GPUs, which are only told what to do, add nothing
};

/// Carries out what agents do on all devices: one class for each kind of device.
class AgentExecutor {
 public:
  virtual ~AgentExecutor() = default;

  /// Applies a rule to every agent. @throws what the rule throws; then nothing has changed but the
  /// attributes that a rule in place has, and all intents are what they were.
  virtual void run(const AgentRun& run, const AgentKernel& kernel) = 0;

  /// Brings the agents of ghost rows up to date, if they are not.
  virtual void refreshGhosts(AgentFields& agents) = 0;

  /// Carries out what the agents' intents say, in the order of MASS: kills, then moves, then has
  /// children born. A GPU that is alone may have it queued only, if no agents can be born: then
  /// what is thrown is thrown by `settle`. A place with a capacity is entered by as many as it has
  /// room for beside those that were there before, even if these move away; those with the lowest
  /// priorities come in, by seed, step and identity, and the others stay.
  /// @throws UsageError when agents on GPUs wanted what they may not (on CPUs, the rule throws);
  /// DeviceError when there is not enough memory, and nothing has changed then; Error when agents
  /// were lost or doubled, which would be an error of this library.
  virtual void manage(const AgentRun& run) = 0;

  /// Waits until the host knows what the last management has done: how many agents there are, and
  /// their census. AllAttributes on the host that reads or writes agents comes after it.
  /// @throws as `manage`; UsageError when a rule on GPUs has looked for agents beyond their reach.
  virtual void synchronize(AgentFields& agents) = 0;
  /// These agents will be no more.
  virtual void release(const AgentFields& agents) noexcept = 0;
};

/// `devices` must outlive what is returned, which is for devices of its kind only.
std::unique_ptr<AgentExecutor> makeCpuAgentExecutor(const DeviceConfig& devices);
std::unique_ptr<AgentExecutor> makeGpuAgentExecutor(const DeviceConfig& devices);

}  // namespace mass::detail
