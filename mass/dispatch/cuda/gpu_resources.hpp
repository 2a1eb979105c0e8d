#pragma once

#include <mass/backend/cuda/cuda_device.hpp>
#include <mass/launch/gpu_launch.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mass::detail {

/// A table of plain data, written on the host and read by kernels: filled anew for each round.
class UploadTable {
 public:
  explicit UploadTable(CudaDevice& device) : device_(&device) {}

  void clear() { host_.clear(); }
  /// Adds values; returns where they will begin, as an offset.
  template <class T>
  std::size_t add(const std::vector<T>& values);
  /// Makes room for all values that were added; addresses are valid from here on.
  void allocate();
  template <class T>
  T* at(std::size_t offset) const {
    return reinterpret_cast<T*>(static_cast<char*>(buffer_.data()) + offset);
  }
  /// Changes values that were added, before upload().
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

/// What blocks need that keep places for many steps (PersistentRun).
class PersistentKernelMemory {
 public:
  explicit PersistentKernelMemory(CudaDevice& device) : device_(&device) {}

  void reserve(int blocks, std::size_t overflowBytesOfBlock);
  /// Queues setting the steps that blocks have finished to 0.
  void clear() const;
  unsigned* finished() const { return static_cast<unsigned*>(finished_.data()); }
  std::uint64_t* overflow() const { return static_cast<std::uint64_t*>(overflow_.data()); }

 private:
  CudaDevice* device_;
  Buffer finished_, overflow_;
};

/// What one GPU needs to run rounds: its second stream, its events, and the counters by which GPUs
/// wait for each other.
class GpuResources {
 public:
  /// @param peers number of devices in all
  GpuResources(CudaDevice& device, int devices);

  CudaDevice& device() const { return *device_; }
  cudaStream_t stream() const { return device_->stream(); }
  /// Where border rows go first, and come from other devices.
  cudaStream_t borderStream() const { return borderStream_.get(); }
  cudaEvent_t bordersDone(std::int64_t step) const { return borders_[step % 2].get(); }
  cudaEvent_t ghostsSent(std::int64_t step) const { return sent_[step % 2].get(); }
  cudaEvent_t interiorDone(std::int64_t step) const { return interior_[step % 2].get(); }
  /// Of a step some time ago: how far this GPU is.
  cudaEvent_t mark() const { return mark_.get(); }
  cudaEvent_t timer(int which) const { return timers_[which].get(); }

  /// Steps that device `source` has reported here.
  std::uint64_t* arrived(int source) const { return counters() + source; }
  std::uint64_t* stepsDone() const { return counters() + devices_; }
  unsigned* finished() const { return reinterpret_cast<unsigned*>(counters() + devices_ + 1); }
  /// Codes that found the first word of a bag full, and those that found no room.
  std::uint64_t* overflowedWords() const { return counters() + devices_ + 2; }
  std::uint64_t* lost() const { return counters() + devices_ + 3; }
  std::uint64_t read(const std::uint64_t* counter) const;
  /// Queues setting all counters to 0.
  void resetCounters() const;

  UploadTable table;
  PersistentKernelMemory tiles;

 private:
  std::uint64_t* counters() const { return static_cast<std::uint64_t*>(counters_.data()); }

  CudaDevice* device_;
  int devices_;
  Buffer counters_;
  CudaStream borderStream_;
  CudaEvent borders_[2], sent_[2], interior_[2], timers_[2], mark_;
};

}  // namespace mass::detail
