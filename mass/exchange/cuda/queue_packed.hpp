#pragma once

#include <mass/backend/cuda/cuda_device.hpp>
#include <mass/exchange/packed_halo.hpp>

namespace mass::detail {

/// Queues copies of the parts into the pack buffer.
void queuePack(const PackedHalo& halo, cudaStream_t stream);
/// Queues copies of the parts from `to` into the ghost rows.
void queueUnpack(const PackedHalo& halo, cudaStream_t stream);
/// Queues copies of the parts into the ghost rows of the same GPU.
void queueCopy(const PackedHalo& halo, cudaStream_t stream);

}  // namespace mass::detail
