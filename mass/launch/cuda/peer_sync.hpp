#pragma once

// Synchronisation of the kernels of several GPUs. Included where nvcc compiles a model.

#include <mass/launch/gpu_launch.hpp>
#include <mass/support/cuda/atomic_ref.hpp>
#include <mass/support/cuda/predecessor.hpp>
#include <mass/support/cuda/ptx.hpp>

#include <cstdint>

namespace mass::detail {

template <class T>
using SystemAtomic = AtomicRef<T, AtomicScope::system>;

/// Returns the number of steps of this run before this launch.
__device__ inline std::uint64_t stepsBefore(const GpuLaunch& gpu) {
  return *gpu.stepsDone + gpu.stepInBatch;
}

/// Waits until all peers have finished the previous step or one device has failed. After a failure
/// neither this step nor the queued ones wait any longer; the host checks `failed`. Called by all
/// threads of a block.
__device__ inline void waitForPeers(const GpuLaunch& gpu) {
  const StepFlags& stepFlags = gpu.stepFlags;
  const unsigned thread = threadIdx.y * blockDim.x + threadIdx.x;
  const unsigned threads = blockDim.x * blockDim.y;
  for (unsigned peer = thread; peer < static_cast<unsigned>(stepFlags.peers); peer += threads) {
    const std::uint64_t needed = stepsBefore(gpu);
    const SystemAtomic<std::uint64_t> arrived(*stepFlags.arrivals[peer]);
    std::uint64_t start = 0;
    for (unsigned polls = 1; arrived.loadAcquire() < needed; ++polls) {
      if (polls % 1024 != 0) continue;
      const SystemAtomic<int> failed(*stepFlags.failed);
      if (failed.loadRelaxed() == 0) {
        if (start == 0) start = nanoseconds();
        if (nanoseconds() - start <= stepFlags.timeout) continue;
        failed.storeRelaxed(1);
      }
      arrived.storeRelaxed(~std::uint64_t{0});
      break;
    }
  }
  __syncthreads();
}

/// Signals the peers that this device has finished a step at its border rows, if this is the last
/// border block to finish. Called by all threads of a block.
__device__ inline void reportToPeers(const GpuLaunch& gpu) {
  const StepFlags& stepFlags = gpu.stepFlags;
  __threadfence_system();  // orders this thread's stores into other devices before the signal
  __syncthreads();
  if (threadIdx.x != 0 || threadIdx.y != 0) return;
  const AtomicRef<unsigned, AtomicScope::device> finished(*stepFlags.finished);
  if (finished.fetchAdd(1) + 1 < stepFlags.borderBlocks) return;
  finished.storeRelaxed(0);
  const std::uint64_t done = stepsBefore(gpu) + gpu.steps;
  __threadfence_system();
  for (int peer = 0; peer < stepFlags.peers; ++peer) {
    SystemAtomic<std::uint64_t>(*stepFlags.reports[peer]).storeRelease(done);
  }
}

/// Runs `work` for a block of the rows [begin, end). If these are border rows, first waits until
/// all peers have finished the previous launch; the last such block to finish signals the peers.
template <class Work>
__device__ inline void withPeerSync(const GpuLaunch& gpu, std::int64_t begin, std::int64_t end,
                                    Work&& work) {
  waitForPredecessor();
  const Layout& layout = gpu.launch.layout;
  const bool syncsPeers =
      gpu.stepFlags.peers > 0 && (begin < layout.depth || end > layout.rows - layout.depth);
  if (syncsPeers) waitForPeers(gpu);
  work();
  if (syncsPeers) reportToPeers(gpu);
}
}  // namespace mass::detail
