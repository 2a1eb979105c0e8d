#pragma once

#include <mass/backend/cuda/check.hpp>
#include <mass/backend/device.hpp>

#include <map>
#include <memory>
#include <set>
#include <string>

namespace mass::detail {

/// Frees what CUDA gave.
struct CudaFree {
  void operator()(cudaStream_t stream) const { (void)cudaStreamDestroy(stream); }
  void operator()(cudaEvent_t event) const { (void)cudaEventDestroy(event); }
};
using CudaStream = std::unique_ptr<CUstream_st, CudaFree>;
using CudaEvent = std::unique_ptr<CUevent_st, CudaFree>;

/// An event of the current GPU, without a time.
CudaEvent makeEvent();

/// What blocks of a kernel find that have a multiprocessor each: none where a GPU cannot run all of
/// them at the same time.
struct BlockMemory {
  int multiprocessors = 0;
  std::int64_t bytes = 0;  ///< of memory of its own that a block can ask for at its launch
};

/// The memory of an NVIDIA GPU.
class CudaDevice : public Device {
 public:
  /// `ordinal` is CUDA's number of the GPU, `peers` are those of others whose memory it reaches.
  CudaDevice(int ordinal, std::set<int> peers);
  ~CudaDevice() override;

  int ordinal() const { return ordinal_; }
  /// Where this device's work is queued, in order.
  cudaStream_t stream() const { return stream_.get(); }
  /// Whether a kernel that begins with waitForPredecessor() may be queued so that it begins while
  /// its predecessor on a stream ends: on GPUs that can do that (from Hopper on), when it was
  /// compiled for them. For the thread whose device this is.
  bool mayOverlap(const void* kernel);
  /// For the thread whose device this is, too.
  BlockMemory blockMemory(const void* kernel) const;
  /// Waits for all that is queued. @throws DeviceError when some of it failed.
  void synchronize() const;

  std::string name() const override;
  std::string model() const override { return model_; }
  bool reaches(const Device& other) const override;
  std::size_t freeBytes() const override;
  void* allocate(std::size_t bytes) override;
  void deallocate(void* address, std::size_t bytes) noexcept override;
  void fill(void* data, std::size_t elementSize, const Box& box, const void* value) override;
  void copy(void* data, std::size_t elementSize, const Box& from, std::int64_t to) override;
  void duplicate(void* to, const void* from, std::size_t bytes) override;
  void read(const void* data, std::size_t elementSize, const Box& box, void* packed) override;
  void write(void* data, std::size_t elementSize, const Box& box, const void* packed) override;
  std::uint64_t hash(const void* data, std::size_t elementSize, const Box& box, std::uint64_t seed,
                     std::int64_t firstNumber) override;

 private:
  struct Staging;

  int ordinal_;
  std::set<int> peers_;
  std::string model_;
  bool overlapsKernels_ = false;
  std::map<const void*, bool> mayOverlap_;  ///< by kernel
  CudaStream stream_;
  std::unique_ptr<Staging> staging_;
};

}  // namespace mass::detail
