#include <mass/dispatch/agent_executor.hpp>

#include <mass/backend/gpus.hpp>
#include <mass/support/error.hpp>

namespace mass::detail {

std::unique_ptr<AgentExecutor> makeGpuAgentExecutor(const DeviceConfig&) {
  throw DeviceError("{}", whyNoGpu());
}

}  // namespace mass::detail
