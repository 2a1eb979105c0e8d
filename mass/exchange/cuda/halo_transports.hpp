#pragma once

#include <mass/exchange/cuda/gpu_halo_transport.hpp>
#include <mass/exchange/cuda/nccl_link.hpp>

#include <memory>

namespace mass::detail {

/// Creates a transport by peer copies between the GPUs of one process; the driver stages them
/// through the host without peer access.
std::unique_ptr<HaloTransport> peerCopyTransport(const DeviceConfig& devices);

/// Creates a transport that stages halos in pinned host memory, from which they are sent to other
/// ranks.
std::unique_ptr<HaloTransport> hostStagingTransport(const DeviceConfig& devices);

/// Creates a transport by NCCL send and receive.
std::unique_ptr<HaloTransport> ncclTransport(const DeviceConfig& devices,
                                             std::shared_ptr<NcclLink> link);

}  // namespace mass::detail
