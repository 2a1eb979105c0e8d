#include <mass/dispatch/cuda/gpu_resources.hpp>

#include <algorithm>

namespace mass::detail {
namespace {

CudaEvent makeEvent(unsigned flags) {
  cudaEvent_t event = nullptr;
  MASS_CUDA_CALL(cudaEventCreateWithFlags(&event, flags));
  return CudaEvent(event);
}

std::size_t counterBytes(int devices) {
  return static_cast<std::size_t>(devices + 4) * sizeof(std::uint64_t);
}

}  // namespace

void UploadTable::allocate() {
  if (host_.size() > buffer_.bytes())
    buffer_ = Buffer(*device_, std::max<std::size_t>(2 * host_.size(), 4096));
}

void UploadTable::upload() {
  if (host_.empty()) return;
  MASS_CUDA_CALL(cudaMemcpyAsync(buffer_.data(), host_.data(), host_.size(), cudaMemcpyHostToDevice,
                                 device_->stream()));
}

void PersistentKernelMemory::reserve(int blocks, std::size_t overflowBytesOfBlock) {
  const auto count = static_cast<std::size_t>(blocks);
  const auto grow = [&](Buffer& buffer, std::size_t bytes) {
    if (bytes > buffer.bytes()) buffer = Buffer(*device_, bytes);
  };
  grow(finished_, count * blockFlagBytes);
  grow(overflow_, count * overflowBytesOfBlock);
}

void PersistentKernelMemory::clear() const {
  MASS_CUDA_CALL(cudaMemsetAsync(finished_.data(), 0, finished_.bytes(), device_->stream()));
}

GpuResources::GpuResources(CudaDevice& device, int devices)
    : persistentMemory(device),
      device_(&device),
      devices_(devices),
      counters_(device, counterBytes(devices)) {
  const cuda::Current current(device.ordinal());
  int low = 0, high = 0;
  MASS_CUDA_CALL(cudaDeviceGetStreamPriorityRange(&low, &high));
  cudaStream_t stream = nullptr;
  MASS_CUDA_CALL(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, high));
  borderStream_.reset(stream);
  for (int parity = 0; parity < 2; ++parity) {
    borders_[parity] = makeEvent(cudaEventDisableTiming);
    sent_[parity] = makeEvent(cudaEventDisableTiming);
    interior_[parity] = makeEvent(cudaEventDisableTiming);
    timers_[parity] = makeEvent(cudaEventDefault);
  }
  mark_ = makeEvent(cudaEventDisableTiming);
}

std::uint64_t GpuResources::read(const std::uint64_t* counter) const {
  std::uint64_t value = 0;
  device_->read(counter, sizeof(value), contiguous(0, 1), &value);
  return value;
}

void GpuResources::resetCounters() const {
  MASS_CUDA_CALL(cudaMemsetAsync(counters_.data(), 0, counters_.bytes(), stream()));
}

UploadTable& GpuResources::tableOf(std::size_t rule) {
  while (tables_.size() <= rule) tables_.emplace_back(*device_);
  return tables_[rule];
}

}  // namespace mass::detail
