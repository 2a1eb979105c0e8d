#pragma once

#include <mass/backend/cuda/check.hpp>
#include <mass/backend/device_config.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mass::detail {

/// Bytes that a GPU sends to, or receives from, the GPU of another device.
struct NcclMessage {
  bool isSent = false;
  int device = 0;        ///< the other device
  char* data = nullptr;  ///< address on this GPU
  std::size_t bytes = 0;
};

/// Connection of the GPUs of all ranks by NCCL.
class NcclLink {
 public:
  virtual ~NcclLink() = default;
  /// Queues messages of a device of this rank; they may wait for other ranks. NCCL matches the
  /// messages between two devices in the order of their calls and lists.
  /// @throws DeviceError if NCCL fails or was aborted
  virtual void exchange(int device, std::span<const NcclMessage> messages, cudaStream_t stream) = 0;
  /// Aborts pending messages of a device of this rank, after another device has failed.
  virtual void abort(int device) = 0;
  /// Returns the ranks for which queued messages may wait.
  virtual std::vector<int> awaitedRanks() const = 0;
};

/// Connects the GPUs of all ranks; loads the NCCL library on first use. All ranks call it together.
/// @param devices must outlive the result
/// @throws DeviceError if the library cannot be loaded or fails @throws RankError
std::shared_ptr<NcclLink> connectNccl(const DeviceConfig& devices);

/// Returns the reason why connectNccl() is not available; empty if it is.
std::string ncclUnavailableReason();

}  // namespace mass::detail
