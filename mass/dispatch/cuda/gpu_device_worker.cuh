#pragma once

#include <mass/backend/cuda/cuda_device.hpp>
#include <mass/dispatch/cuda/copy_pieces.cuh>
#include <mass/dispatch/migration/agent_migration.hpp>
#include <mass/support/launch_kernel.hpp>
#include <mass/support/predecessor.hpp>

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

/// Memory of the host that GPUs copy from and to by themselves.
class PinnedBytes {
 public:
  void need(std::size_t bytes) {
    if (bytes <= bytes_) return;
    void* data = nullptr;
    MASS_CUDA_CALL(cudaHostAlloc(&data, bytes, cudaHostAllocPortable));
    data_.reset(static_cast<char*>(data));
    bytes_ = bytes;
  }
  char* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(char* data) const { (void)cudaFreeHost(data); }
  };
  std::unique_ptr<char, Free> data_;
  std::size_t bytes_ = 0;
};

/// Something that is written on the host and read on a GPU, or the other way round.
class Mirror {
 public:
  explicit Mirror(CudaDevice& device) : device_(&device) {
    const cuda::Current current(device.ordinal());
    arrived_ = makeEvent();
  }

  /// Queues the copy of bytes to the GPU; returns where they will be. Those of the call before must
  /// have arrived.
  void* upload(const void* bytes, std::size_t count) {
    host_.need(count);
    if (count > there_.bytes()) there_ = Buffer(*device_, 2 * count);
    if (count == 0) return there_.data();
    std::memcpy(host_.data(), bytes, count);
    MASS_CUDA_CALL(cudaMemcpyAsync(there_.data(), host_.data(), count, cudaMemcpyHostToDevice,
                                   device_->stream()));
    return there_.data();
  }
  /// Queues the copy back.
  void download(std::size_t count) {
    MASS_CUDA_CALL(cudaMemcpyAsync(host_.data(), there_.data(), count, cudaMemcpyDeviceToHost,
                                   device_->stream()));
    MASS_CUDA_CALL(cudaEventRecord(arrived_.get(), device_->stream()));
  }
  /// Waits for what was last downloaded, and for no more.
  void receive(void* bytes, std::size_t count) {
    MASS_CUDA_CALL(cudaEventSynchronize(arrived_.get()));
    std::memcpy(bytes, host_.data(), count);
  }

 private:
  CudaDevice* device_;
  CudaEvent arrived_;
  PinnedBytes host_;
  Buffer there_;
};

/// What a GPU keeps for its agents from one time to the next.
struct GpuAgentResources {
  explicit GpuAgentResources(CudaDevice& device)
      : device(&device), counters(device), neighborSteps(device) {
    const cuda::Current current(device.ordinal());
    for (CudaEvent& event : reached) event = makeEvent();
  }

  CudaDevice* device;
  Mirror counters, neighborSteps;
  Buffer scratch;
  CudaEvent reached[2];       ///< the ends of phases, one after the other by turns
  std::vector<bool> reaches;  ///< by device: whether kernels here can read its memory
};

/// Adds up what the threads of a block have counted, and that to what others have.
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

/// What is to be added up, and a 0 after it.
template <class Input>
struct Terms {
  Input input;
  std::int64_t count;

  __device__ std::int32_t operator()(std::int64_t i) const { return i < count ? input(i) : 0; }
};
/// Writes them down.
template <class Input>
struct Write {
  static constexpr unsigned mask = 0;
  Terms<Input> terms;
  std::int32_t* out;

  __device__ void operator()(std::int64_t i, Counters&) const { out[i] = terms(i); }
};

/// The work of a GPU, queued on its stream.
class GpuDeviceWorker {
 public:
  GpuDeviceWorker(int device, GpuAgentResources& resources)
      : device_(device), resources_(&resources) {}

  int device() const { return device_; }
  template <class F>
  void once(F&& work) const {
    work();
  }
  template <class Body>
  void forEach(std::int64_t count, const Body& body) const {
    if (count <= 0) return;
    constexpr std::int64_t mostBlocks = 2048;  // more agents than these have threads share them
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
  template <class Input>
  void scan(std::int64_t count, const Input& input, std::int32_t* out) const {
    const Terms<Input> terms{input, count};
    if constexpr (Input::isSequential) {
      inclusiveSum(
          thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), terms),
          count + 1, out);
    } else {
      // A scan has too few threads to hide how long values take that are looked up.
      forEach(count + 1, Write<Input>{terms, out});
      inclusiveSum(out, count + 1, out);
    }
  }
  template <class List>
  void fetch(const List& list) const {
    // A kernel copies many pieces in the time that it takes to ask for a few copies.
    Pieces pieces{};
    unsigned count = 0;
    std::size_t largest = 0;
    for (const Fetch& piece : list()) {
      if (!resources_->reaches[static_cast<std::size_t>(piece.fromDevice)]) {
        MASS_CUDA_CALL(
            cudaMemcpyAsync(piece.to, piece.from, piece.bytes, cudaMemcpyDefault, stream()));
        continue;
      }
      pieces.list[count++] = {static_cast<const char*>(piece.from), static_cast<char*>(piece.to),
                              piece.bytes};
      largest = std::max(largest, piece.bytes);
      if (count == Pieces::most) copy(pieces, std::exchange(count, 0), largest);
    }
    if (count > 0) copy(pieces, count, largest);
  }
  std::uint64_t* upload(MigrationCounters& counters) const {
    return static_cast<std::uint64_t*>(
        resources_->counters.upload(counters.data(), counters.size() * sizeof(std::uint64_t)));
  }
  void download(MigrationCounters& counters) const {
    report(counters);
    receive(counters);
  }
  void report(MigrationCounters& counters) const {
    resources_->counters.download(counters.size() * sizeof(std::uint64_t));
  }
  /// Waits for what was reported.
  void receive(MigrationCounters& counters) const {
    resources_->counters.receive(counters.data(), counters.size() * sizeof(std::uint64_t));
  }

 private:
  cudaStream_t stream() const { return resources_->device->stream(); }
  void copy(const Pieces& pieces, unsigned count, std::size_t largest) const {
    constexpr std::size_t bytesOfBlock = std::size_t{agentThreads} * 64, mostBlocks = 128;
    const std::size_t blocks = std::min((largest + bytesOfBlock - 1) / bytesOfBlock, mostBlocks);
    MASS_CUDA_CALL(launchKernel(copyPieces, dim3(static_cast<unsigned>(blocks), count),
                                agentThreads, stream(), pieces));
  }
  template <class Iterator>
  void inclusiveSum(Iterator terms, std::int64_t count, std::int32_t* out) const {
    std::size_t bytes = 0;
    MASS_CUDA_CALL(cub::DeviceScan::ExclusiveSum(nullptr, bytes, terms, out, count, stream()));
    if (bytes > resources_->scratch.bytes()) {
      resources_->device->synchronize();  // what is queued may still use the former one
      resources_->scratch = Buffer(*resources_->device, 2 * bytes);
    }
    MASS_CUDA_CALL(cub::DeviceScan::ExclusiveSum(resources_->scratch.data(), bytes, terms, out,
                                                 count, stream()));
  }

  int device_;
  GpuAgentResources* resources_;
};

}  // namespace mass::detail::migration
