#pragma once

// How the kernels of several GPUs wait for each other; included where nvcc compiles a model.

#include <mass/launch/gpu_launch.hpp>
#include <mass/support/predecessor.hpp>
#include <mass/support/ptx.hpp>

#include <cuda/atomic>

#include <cstdint>

namespace mass::detail {

template <class T>
using SystemAtomic = ::cuda::atomic_ref<T, ::cuda::thread_scope_system>;

/// Steps of this run that come before this launch's.
__device__ inline std::uint64_t stepsBefore(const GpuLaunch& gpu) {
  return *gpu.stepsDone + gpu.stepInBatch;
}

/// Returns when all peers have finished the step before, or one has failed: then nobody waits any
/// more, at this step or those that are queued, and the host finds out. To be called by all threads
/// of a block.
__device__ inline void waitForPeers(const GpuLaunch& gpu) {
  const StepFlags& stepFlags = gpu.stepFlags;
  const unsigned thread = threadIdx.y * blockDim.x + threadIdx.x;
  const unsigned threads = blockDim.x * blockDim.y;
  for (unsigned peer = thread; peer < static_cast<unsigned>(stepFlags.peers); peer += threads) {
    const std::uint64_t needed = stepsBefore(gpu);
    const SystemAtomic<std::uint64_t> arrived(*stepFlags.arrivals[peer]);
    std::uint64_t start = 0;
    for (unsigned looks = 1; arrived.load(::cuda::memory_order_acquire) < needed; ++looks) {
      if (looks % 1024 != 0) continue;
      const SystemAtomic<int> failed(*stepFlags.failed);
      if (failed.load(::cuda::memory_order_relaxed) == 0) {
        if (start == 0) start = nanoseconds();
        if (nanoseconds() - start <= stepFlags.timeout) continue;
        failed.store(1, ::cuda::memory_order_relaxed);
      }
      arrived.store(~std::uint64_t{0}, ::cuda::memory_order_relaxed);
      break;
    }
  }
  __syncthreads();
}

/// Tells the peers that this device has finished a step at its borders, when the last block there
/// has. To be called by all threads of a block.
__device__ inline void reportToPeers(const GpuLaunch& gpu) {
  const StepFlags& stepFlags = gpu.stepFlags;
  __threadfence_system();  // this thread's stores into other devices come before the report
  __syncthreads();
  if (threadIdx.x != 0 || threadIdx.y != 0) return;
  const ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_device> finished(*stepFlags.finished);
  if (finished.fetch_add(1, ::cuda::memory_order_acq_rel) + 1 < stepFlags.borderBlocks) return;
  finished.store(0, ::cuda::memory_order_relaxed);
  const std::uint64_t done = stepsBefore(gpu) + 1;
  __threadfence_system();
  for (int peer = 0; peer < stepFlags.peers; ++peer) {
    SystemAtomic<std::uint64_t>(*stepFlags.reports[peer]).store(done, ::cuda::memory_order_release);
  }
}

}  // namespace mass::detail
