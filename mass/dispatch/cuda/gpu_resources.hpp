#pragma once

#include <mass/backend/cuda/cuda_device.hpp>
#include <mass/launch/gpu_launch.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace mass::detail {

/// Arrays of trivially copyable values, assembled on the host, uploaded in one copy and read by
/// kernels. Refilled for each batch.
class UploadTable {
 public:
  explicit UploadTable(CudaDevice& device) : device_(&device) {}

  /// Removes all values.
  void clear() { host_.clear(); }
  /// Appends `values` and returns their offset in bytes, a multiple of 16.
  template <class T>
  std::size_t add(const std::vector<T>& values);
  /// Allocates device memory for all added values. Device addresses are valid from here on.
  void allocate();
  /// Returns the device address of the values at `offset`.
  template <class T>
  T* at(std::size_t offset) const {
    return reinterpret_cast<T*>(static_cast<char*>(buffer_.data()) + offset);
  }
  /// Returns the host address of the values at `offset`, to modify them before upload().
  template <class T>
  T* host(std::size_t offset) {
    return reinterpret_cast<T*>(host_.data() + offset);
  }
  /// Queues the copy to the device.
  void upload();

 private:
  CudaDevice* device_;
  std::vector<char> host_;
  Buffer buffer_;
};

template <class T>
std::size_t UploadTable::add(const std::vector<T>& values) {
  const std::size_t offset = (host_.size() + 15) / 16 * 16;
  host_.resize(offset + values.size() * sizeof(T));
  std::copy(values.begin(), values.end(), host<T>(offset));
  return offset;
}

/// Device memory of a persistent kernel, see PersistentRun.
class PersistentKernelMemory {
 public:
  explicit PersistentKernelMemory(CudaDevice& device) : device_(&device) {}

  /// Ensures memory for `blocks` blocks with `overflowBytesOfBlock` bytes of overflow each.
  void reserve(int blocks, std::size_t overflowBytesOfBlock);
  /// Queues the reset of the step counters of all blocks.
  void clear() const;
  /// Returns the step counters of the blocks, blockFlagBytes apart.
  unsigned* finished() const { return static_cast<unsigned*>(finished_.data()); }
  /// Returns the overflow lists of all blocks.
  std::uint64_t* overflow() const { return static_cast<std::uint64_t*>(overflow_.data()); }

 private:
  CudaDevice* device_;
  Buffer finished_, overflow_;
};

/// Resources of one GPU for running batches: the stream of border rows, events, and the counters by
/// which GPUs synchronise.
class GpuResources {
 public:
  /// @param devices number of devices of the run
  GpuResources(CudaDevice& device, int devices);

  /// Returns the GPU.
  CudaDevice& device() const { return *device_; }
  /// Returns the stream of the device, for interior rows and everything else.
  cudaStream_t stream() const { return device_->stream(); }
  /// Returns the high-priority stream for border rows and the halo exchange.
  cudaStream_t borderStream() const { return borderStream_.get(); }
  /// Returns the event after the border rows of `step`.
  cudaEvent_t bordersDone(std::int64_t step) const { return borders_[step % 2].get(); }
  /// Returns the event after the halo messages of `step` were sent.
  cudaEvent_t ghostsSent(std::int64_t step) const { return sent_[step % 2].get(); }
  /// Returns the event after the interior rows of `step`.
  cudaEvent_t interiorDone(std::int64_t step) const { return interior_[step % 2].get(); }
  /// Returns an event between earlier steps, by which the host limits its lead over this GPU.
  cudaEvent_t mark() const { return mark_.get(); }
  /// Returns the event at the begin (0) or end (1) of a time measurement.
  cudaEvent_t timer(int which) const { return timers_[which].get(); }

  /// Returns the counter of steps that device `source` has reported to this one.
  std::uint64_t* stepsReportedBy(int source) const { return counters() + source; }
  /// Returns the counter of completed steps, see DeviceBatch::countSteps().
  std::uint64_t* stepsDone() const { return counters() + devices_; }
  /// Returns the number of border blocks that have finished the current step.
  unsigned* finished() const { return reinterpret_cast<unsigned*>(counters() + devices_ + 1); }
  /// Returns the number of elements that did not fit into the first word of a Multiset.
  std::uint64_t* overflowedWords() const { return counters() + devices_ + 2; }
  /// Returns the number of elements that did not fit into a Multiset.
  std::uint64_t* lost() const { return counters() + devices_ + 3; }
  /// Waits for the stream and returns the value of one of the counters.
  std::uint64_t read(const std::uint64_t* counter) const;
  /// Queues the reset of all counters.
  void resetCounters() const;

  /// Returns the pointers and other arguments of the kernels of rule `rule` of a turn.
  UploadTable& tableOf(std::size_t rule);

  PersistentKernelMemory persistentMemory;  ///< flags and overflow lists of persistent kernels

 private:
  std::deque<UploadTable> tables_;  // by rule

  std::uint64_t* counters() const { return static_cast<std::uint64_t*>(counters_.data()); }

  CudaDevice* device_;
  int devices_;
  Buffer counters_;
  CudaStream borderStream_;
  CudaEvent borders_[2], sent_[2], interior_[2], timers_[2], mark_;
};

/// Resources of all GPUs, by device; null for those of other ranks.
using GpuResourcesByDevice = std::vector<std::unique_ptr<GpuResources>>;

}  // namespace mass::detail
