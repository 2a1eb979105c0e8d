#pragma once

#include <mass/dispatch/agent_executor.hpp>
#include <mass/dispatch/executor.hpp>
#include <mass/support/export.hpp>

#include <cstdint>
#include <vector>

namespace mass::detail {

/// Views of the agents on each device, as kernels read them.
struct MASS_EXPORT AgentViews {
  /// Updates the views of the local devices in place: after the first call, their addresses do not
  /// change.
  void update(const AgentFields& agents);

  std::vector<std::vector<const void*>> pointers;  ///< by device and component; owned for the views
  std::vector<AgentView> byDevice;
};

/// Launches of a rule of agents on the devices of this rank. Owns the pointer arrays of the
/// launches.
class AgentLaunches {
 public:
  /// @param run agents and places, which must outlive this
  /// @param kernel rule, which must outlive this
  AgentLaunches(const AgentRun& run, const AgentKernel& kernel);

  /// Returns the launch on `device`, a local one. Its results are in host memory.
  AgentLaunch on(int device) const;

 private:
  const AgentFields* agents_;
  const AgentKernel* kernel_;
  Kernel placeRule_;  // launches point into it
  AgentViews views_;
  std::vector<LaunchPair> places_;                  // by local device
  std::vector<std::vector<void*>> out_, children_;  // by local device and component
  std::vector<void*> results_;                      // by local device
};

/// Makes back buffers with the present state for the components of places that a rule takes from
/// while it reads them.
/// @throws DeviceError if memory is exhausted
void prepareTaken(PlaceFields& places, const AgentKernel& kernel);
/// Commits a rule that has run: swaps the buffers of written components and counts the step. Does
/// nothing for a reading rule.
void commitRule(const AgentRun& run, const AgentKernel& kernel);

}  // namespace mass::detail
