#pragma once

#include <mass/backend/cuda/cuda_device.hpp>
#include <mass/exchange/halo_message.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace mass::detail {

/// All ghosts that one GPU sends another at a step: a single block of memory on either side,
/// whatever number of attributes they belong to.
struct PackedHalo {
  int fromDevice = 0, toDevice = 0;
  std::vector<HaloMessage> parts;
  char* block = nullptr;  ///< where the sender puts it together
  const char* from = nullptr;
  char* to = nullptr;
  std::size_t bytes = 0;
  std::size_t offset = 0;  ///< where it begins when all parcels of all steps lie in a row

  bool isSentBy(int device) const { return fromDevice == device && toDevice != device; }
  bool isReceivedBy(int device) const { return toDevice == device && fromDevice != device; }
  /// Whether it has to be put together and taken apart: what is contiguous goes as it is.
  bool isPacked() const { return parts.size() > 1 || !parts.front().isContiguous(); }
};

/// Messages sorted into one parcel for each pair of devices, without addresses. Parts of a packed
/// parcel lie 16 bytes apart or more, so that they can be moved in large words.
std::vector<PackedHalo> packHalos(std::span<const HaloMessage> messages);

/// Queues the copies of a parcel's parts into its block.
void queuePack(const PackedHalo& halo, cudaStream_t stream);
/// Queues the copies from a parcel's block into the ghosts.
void queueUnpack(const PackedHalo& halo, cudaStream_t stream);
/// Queues the copies of a parcel's parts from where they are to where they belong, on one GPU.
void queueMove(const PackedHalo& halo, cudaStream_t stream);

}  // namespace mass::detail
