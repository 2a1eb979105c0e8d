#pragma once

#include <mass/exchange/halo_message.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace mass::detail {

/// All messages from one device to another in a step: one contiguous transfer, whatever number of
/// components they belong to.
struct PackedHalo {
  int fromDevice = 0, toDevice = 0;  ///< owner and receiver; equal for copies within a GPU
  std::vector<HaloMessage> parts;    ///< the messages
  char* packBuffer = nullptr;        ///< staging address on the sender, if isPacked()
  const char* from = nullptr;        ///< address of the transfer on the sender
  char* to = nullptr;                ///< address of the transfer on the receiver
  std::size_t bytes = 0;             ///< bytes of the transfer
  std::size_t offset = 0;            ///< offset among the halos of even and odd steps, in bytes

  /// True if a device sends this halo to another one.
  bool isSentBy(int device) const { return fromDevice == device && toDevice != device; }
  /// True if a device receives this halo from another one.
  bool isReceivedBy(int device) const { return toDevice == device && fromDevice != device; }
  /// True if it must be packed and unpacked; a single contiguous message is transferred directly.
  bool isPacked() const {
    return parts.size() > 1 || !parts.front().isContiguous() || parts.front().isKept;
  }
};

/// Returns the bytes of a part of a packed halo, rounded up to the beginning of the next part.
std::size_t bytesWithPadding(std::size_t bytes);
/// Groups messages by pairs of devices, in the order of their first messages; `packBuffer`,
/// `from`, `to` and `offset` remain unset. Parts of a packed halo begin at multiples of 16 bytes,
/// so that GPUs can copy them in words of 16 bytes.
std::vector<PackedHalo> packHalos(std::span<const HaloMessage> messages);

}  // namespace mass::detail
