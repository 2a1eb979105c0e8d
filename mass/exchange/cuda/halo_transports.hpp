#pragma once

#include <mass/exchange/cuda/gpu_halo_transport.hpp>

#include <memory>
#include <string>

namespace mass::detail {

/// Creates a transport by peer copies between the GPUs of one process; the driver stages them
/// through the host without peer access.
std::unique_ptr<HaloTransport> peerCopyTransport(const DeviceConfig& devices);

/// Creates a transport that stages halos in pinned host memory, from which they are sent to other
/// ranks.
std::unique_ptr<HaloTransport> hostStagingTransport(const DeviceConfig& devices);

/// Creates a transport by NCCL send and receive; loads the NCCL library on first use. All ranks
/// call it together.
/// @throws DeviceError if the library cannot be loaded or fails @throws RankError
std::unique_ptr<HaloTransport> ncclTransport(const DeviceConfig& devices);

/// Returns the reason why ncclTransport() is not available; empty if it is.
std::string ncclUnavailableReason();

}  // namespace mass::detail
