#pragma once

#include <mass/dispatch/agent_executor.hpp>
#include <mass/dispatch/executor.hpp>

#include <cstdint>
#include <vector>

namespace mass::detail {

/// The agents as kernels on each device read them. `pointers` keeps the addresses of components.
struct AgentViews {
  /// Addresses of these views stay as they are from one update to the next.
  void update(const AgentFields& agents);

  std::vector<std::vector<const void*>> pointers;
  std::vector<AgentView> byDevice;
};

/// What the kernels of a rule are given on every device.
class AgentLaunches {
 public:
  AgentLaunches(const AgentRun& run, const AgentKernel& kernel);

  AgentLaunch on(int device) const;
  /// Agents of the devices before one.
  std::int64_t before(int device) const { return before_[static_cast<std::size_t>(device)]; }

 private:
  const AgentFields* agents_;
  const AgentKernel* kernel_;
  Kernel placeRule_;  // launches point into it
  AgentViews views_;
  std::vector<LaunchPair> places_;
  std::vector<std::vector<void*>> out_, children_;  // by device and component
  std::vector<std::int64_t> before_{0};
};

/// Makes what a rule has written the present state.
void commitRule(AgentFields& agents, const AgentKernel& kernel);

}  // namespace mass::detail
