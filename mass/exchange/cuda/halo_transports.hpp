#pragma once

#include <mass/exchange/cuda/gpu_halo_transport.hpp>

#include <memory>
#include <string>

namespace mass::detail {

/// Creates a transport by peer copies; the driver stages them through the host without peer access.
std::unique_ptr<HaloTransport> peerCopyTransport(Gpus gpus);

/// Creates a transport that stages halos in pinned host memory.
std::unique_ptr<HaloTransport> hostStagingTransport(Gpus gpus);

/// Creates a transport by NCCL send and receive; loads the NCCL library on first use.
/// @throws DeviceError if the library cannot be loaded or fails
std::unique_ptr<HaloTransport> ncclTransport(const Gpus& gpus);

/// Returns the reason why ncclTransport() is not available; empty if it is.
std::string ncclUnavailableReason();

}  // namespace mass::detail
