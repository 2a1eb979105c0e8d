#pragma once

#include <mass/backend/cuda/cuda_device.hpp>
#include <mass/dispatch/cuda/copy_pieces.cuh>
#include <mass/dispatch/cuda/gpu_rank_fetches.hpp>
#include <mass/dispatch/cuda/pinned_memory.hpp>
#include <mass/dispatch/migration/agent_migration.hpp>
#include <mass/support/cuda/launch_kernel.hpp>
#include <mass/support/cuda/predecessor.hpp>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_scan.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace mass::detail::migration {

/// Buffer on a GPU with a pinned copy on the host, for asynchronous uploads and downloads.
class UploadBuffer {
 public:
  explicit UploadBuffer(CudaDevice& device) : device_(&device) {
    const cuda::Current current(device.ordinal());
    downloaded_ = makeEvent();
  }

  /// Returns pinned memory of the host for `count` bytes, to be filled for upload().
  /// @pre The previous upload is done.
  std::byte* staging(std::size_t count) {
    pinned_.reserve(count);
    return pinned_.data();
  }
  /// Queues the upload of the first `count` bytes of staging() and returns their device address.
  std::byte* upload(std::size_t count) {
    if (count > onDevice_.bytes()) onDevice_ = Buffer(*device_, 2 * count);
    auto* const onDevice = static_cast<std::byte*>(onDevice_.data());
    if (count == 0) return onDevice;
    MASS_CUDA_CALL(cudaMemcpyAsync(onDevice, pinned_.data(), count, cudaMemcpyHostToDevice,
                                   device_->stream()));
    return onDevice;
  }
  /// Queues the upload of `count` bytes and returns their device address.
  /// @pre The previous upload is done.
  void* upload(const void* bytes, std::size_t count) {
    std::byte* const target = staging(count);
    if (count > 0) std::memcpy(target, bytes, count);
    return upload(count);
  }
  /// Queues the download of the first `count` bytes into the pinned copy.
  void download(std::size_t count) {
    MASS_CUDA_CALL(cudaMemcpyAsync(pinned_.data(), onDevice_.data(), count, cudaMemcpyDeviceToHost,
                                   device_->stream()));
    MASS_CUDA_CALL(cudaEventRecord(downloaded_.get(), device_->stream()));
  }
  /// Waits for the last download only, and returns the pinned copy.
  const std::byte* receive() {
    MASS_CUDA_CALL(cudaEventSynchronize(downloaded_.get()));
    return pinned_.data();
  }

 private:
  CudaDevice* device_;
  CudaEvent downloaded_;
  PinnedMemory pinned_;
  Buffer onDevice_;
};

/// Resources of one GPU for rules and migration of agents.
struct GpuAgentResources {
  explicit GpuAgentResources(CudaDevice& device)
      : device(&device), counters(device), neighborSteps(device) {
    const cuda::Current current(device.ordinal());
    for (CudaEvent& event : phaseEnds) event = makeEvent();
  }

  CudaDevice* device;
  UploadBuffer counters;            ///< packed MigrationCounters, then the columns
  UploadBuffer neighborSteps;       ///< distances of run-time neighbours of a rule
  Buffer scratch;                   ///< temporary memory of prefix sums
  CudaEvent phaseEnds[2];           ///< ends of even and of odd phases
  std::vector<bool> hasPeerAccess;  ///< by device: true if kernels here can read its memory
};

/// Adds the counters selected by `mask` of all threads to `sums`: reduces over warps by shuffles,
/// over the block in shared memory, then adds atomically.
template <unsigned mask>
__device__ inline void addCounters(const Counters& counters, std::uint64_t* sums) {
  __shared__ unsigned long long blockSums[counts];
  if (threadIdx.x < counts) blockSums[threadIdx.x] = 0;
  __syncthreads();
#pragma unroll
  for (int k = 0; k < counts; ++k) {
    if ((mask & 1U << k) == 0) continue;
    unsigned long long sum = counters.of[k];
    for (int distance = 16; distance > 0; distance /= 2) {
      sum += __shfl_down_sync(~0U, sum, distance);
    }
    if (threadIdx.x % 32 == 0 && sum != 0) atomicAdd(&blockSums[k], sum);
  }
  __syncthreads();
  if (threadIdx.x < counts && blockSums[threadIdx.x] != 0) {
    fetchAdd(sums[threadIdx.x], std::uint64_t{blockSums[threadIdx.x]});
  }
}

/// Calls body(i, counters) for 0 <= i < count, in a grid-stride loop.
template <class Body>
__global__ void __launch_bounds__(agentThreads)
    forEachOnGpu(std::int64_t count, const __grid_constant__ Body body) {
  waitForPredecessor();
  const auto stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  Counters counters;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    body(i, counters);
  }
  if constexpr (Body::mask != 0) addCounters<Body::mask>(counters, body.m.counts);
}

/// Input of a scan: `count` terms, then a 0, so that the exclusive sum ends with the total.
template <class Input>
struct ScanInput {
  Input input;
  std::int64_t count;

  __device__ std::int32_t operator()(std::int64_t i) const { return i < count ? input(i) : 0; }
};
/// Body that stores the terms of a scan.
template <class Input>
struct StoreScanInput {
  static constexpr unsigned mask = 0;
  ScanInput<Input> terms;
  std::int32_t* out;

  __device__ void operator()(std::int64_t i, Counters&) const { out[i] = terms(i); }
};

/// DeviceWorker of AgentMigration for a GPU: queues all work on the stream of the device.
class GpuDeviceWorker {
 public:
  /// @param rankFetches exchanged fetches from other ranks; null if there are none
  GpuDeviceWorker(int device, GpuAgentResources& resources,
                  const GpuRankFetches* rankFetches = nullptr)
      : device_(device), resources_(&resources), rankFetches_(rankFetches) {}

  int device() const { return device_; }
  /// Calls `work()`.
  template <class F>
  void once(F&& work) const {
    work();
  }
  /// Queues body(i, counters) for 0 <= i < count, in any order.
  template <class Body>
  void forEach(std::int64_t count, const Body& body) const {
    if (count <= 0) return;
    constexpr std::int64_t mostBlocks = 2048;  // threads of larger grids loop
    const std::int64_t blocks = (count + agentThreads - 1) / agentThreads;
    cudaLaunchAttribute overlap{};
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(std::min(blocks, mostBlocks)));
    config.blockDim = dim3(agentThreads);
    config.stream = stream();
    config.attrs = &overlap;
    const auto kernel = forEachOnGpu<Body>;
    config.numAttrs = resources_->device->mayOverlap(reinterpret_cast<const void*>(kernel)) ? 1 : 0;
    MASS_CUDA_CALL(cudaLaunchKernelEx(&config, kernel, count, body));
  }
  /// Queues out[i] = sum of input(j) for all j < i, 0 <= i <= count.
  template <class Input>
  void scan(std::int64_t count, const Input& input, std::int32_t* out) const {
    const ScanInput<Input> terms{input, count};
    if constexpr (Input::isSequential) {
      exclusiveSum(
          thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), terms),
          count + 1, out);
    } else {
      // A scan has too few threads to hide the latency of indirect loads: store the terms first.
      forEach(count + 1, StoreScanInput<Input>{terms, out});
      exclusiveSum(out, count + 1, out);
    }
  }
  /// Queues copies to this device, from all others.
  /// @param fetchesTo returns the fetches to a device
  template <class FetchesTo>
  void fetch(const AgentFields& agents, const FetchesTo& fetchesTo) const {
    PieceCopies copies(stream());
    if (rankFetches_ != nullptr) {
      for (const auto& [from, to, bytes] : rankFetches_->arrivals(device_))
        copies.add(from, to, bytes);
    }
    for (const Fetch& fetch : fetchesTo(device_)) {
      if (!agents.places().devices().isLocal(fetch.fromDevice)) continue;
      const auto [from, to, bytes] = addressesOf(fetch, agents);
      if (resources_->hasPeerAccess[static_cast<std::size_t>(fetch.fromDevice)])
        copies.add(from, to, bytes);
      else
        MASS_CUDA_CALL(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream()));
    }
    copies.queue();
  }
  /// Queues the copies that this device sends to other ranks.
  void send(const GpuRankFetches& fetches) const {
    PieceCopies copies(stream());
    for (const auto& [from, to, bytes] : fetches.sends(device_)) copies.add(from, to, bytes);
    copies.queue();
  }
  /// Queues the upload of the counters and columns, and returns their device addresses.
  CounterAddresses upload(const MigrationCounters& counters,
                          const std::vector<Column>& columns) const {
    const std::size_t counterBytes = packedBytes(counters);
    const std::size_t bytes = counterBytes + columns.size() * sizeof(Column);
    std::byte* const packed = resources_->counters.staging(bytes);
    pack(counters, packed);
    std::copy(columns.begin(), columns.end(), reinterpret_cast<Column*>(packed + counterBytes));
    return addressesIn(resources_->counters.upload(bytes), counters);
  }
  /// Downloads the counters and waits for them.
  void download(MigrationCounters& counters) const {
    report(counters);
    receive(counters);
  }
  /// Queues the download of the counters; receive() waits for it.
  void report(const MigrationCounters& counters) const {
    resources_->counters.download(packedBytes(counters));
  }
  /// Waits for the last report() and stores its values in `counters`.
  void receive(MigrationCounters& counters) const {
    unpack(resources_->counters.receive(), counters);
  }

 private:
  cudaStream_t stream() const { return resources_->device->stream(); }
  template <class Iterator>
  void exclusiveSum(Iterator terms, std::int64_t count, std::int32_t* out) const {
    std::size_t bytes = 0;
    MASS_CUDA_CALL(cub::DeviceScan::ExclusiveSum(nullptr, bytes, terms, out, count, stream()));
    if (bytes > resources_->scratch.bytes()) {
      resources_->device->synchronize();  // queued kernels may use the previous buffer
      resources_->scratch = Buffer(*resources_->device, 2 * bytes);
    }
    MASS_CUDA_CALL(cub::DeviceScan::ExclusiveSum(resources_->scratch.data(), bytes, terms, out,
                                                 count, stream()));
  }

  int device_;
  GpuAgentResources* resources_;
  const GpuRankFetches* rankFetches_;
};

}  // namespace mass::detail::migration
