#pragma once

#include <mass/dispatch/agent_executor.hpp>
#include <mass/exchange/cuda/nccl_link.hpp>

#include <memory>

namespace mass::detail {

/// Returns an executor of agents for GPUs. `devices` must outlive it.
/// @param nccl connection of the GPUs of several ranks; null: agents move between ranks through
/// memory of the hosts
std::unique_ptr<AgentExecutor> makeGpuAgentExecutor(const DeviceConfig& devices,
                                                    const std::shared_ptr<NcclLink>& nccl);

}  // namespace mass::detail
