#pragma once

#include <mass/backend/cuda/check.hpp>
#include <mass/backend/device.hpp>

#include <map>
#include <memory>
#include <set>
#include <string>

namespace mass::detail {

/// Deleter of CUDA streams and events.
struct CudaFree {
  void operator()(cudaStream_t stream) const { (void)cudaStreamDestroy(stream); }
  void operator()(cudaEvent_t event) const { (void)cudaEventDestroy(event); }
};
/// Owns a CUDA stream.
using CudaStream = std::unique_ptr<CUstream_st, CudaFree>;
/// Owns a CUDA event.
using CudaEvent = std::unique_ptr<CUevent_st, CudaFree>;

/// Creates an event on the current GPU, without timing.
CudaEvent makeEvent();

/// Resources of a persistent kernel with one block on each multiprocessor; all 0 if the GPU
/// supports no cooperative launch.
struct BlockMemory {
  int multiprocessors = 0;  ///< number of multiprocessors
  std::int64_t bytes = 0;   ///< largest dynamic shared memory of a block
};

/// Memory of an NVIDIA GPU, with a stream for its work.
class CudaDevice : public Device {
 public:
  /// @param ordinal CUDA's number of the GPU
  /// @param peers numbers of the GPUs to which peer access is enabled
  /// @throws DeviceError if the program contains no code for this GPU, or CUDA fails
  CudaDevice(int ordinal, std::set<int> peers);
  ~CudaDevice() override;

  /// Returns CUDA's number of the GPU.
  int ordinal() const { return ordinal_; }
  /// Returns the stream on which the work of this device is queued.
  cudaStream_t stream() const { return stream_.get(); }
  /// True if a kernel that begins with waitForPredecessor() may be launched with programmatic
  /// stream serialization: on Hopper and later, if it was compiled for compute capability 9.0 or
  /// later. Not thread-safe: only for the worker of this device.
  bool mayOverlap(const void* kernel);
  /// Returns the resources of a persistent kernel. Only for the worker of this device: the GPU must
  /// be current.
  BlockMemory blockMemory(const void* kernel) const;
  /// Waits until all work on the stream has completed. @throws DeviceError if some of it failed
  void synchronize() const;

  std::string name() const override;
  std::string model() const override { return model_; }
  int gpu() const override { return ordinal_; }
  bool isHost() const override { return false; }
  bool canAccess(const Device& other) const override;
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
  void packBits(const void* bytes, const BoolRows& shape, void* words) override;
  void unpackBits(const void* words, const BoolRows& shape, void* bytes) override;
  BlockTotals tallyBlocks(const void* data, const BlockGrid& grid, const BlockRule& rule,
                          void* tallies) override;
  void indexBlocks(const void* tallies, const BlockGrid& grid, const BlockRule& rule,
                   const BlockTotals& totals, void* indices) override;

 private:
  struct Staging;
  /// Memory of the GPU and pinned memory of the host, some MiB each, for the call in progress.
  struct StagingMemory {
    void *device, *host;
  };
  StagingMemory stagingMemory() const;

  int ordinal_;
  std::set<int> peers_;
  std::string model_;
  bool overlapsKernels_ = false;
  std::map<const void*, bool> mayOverlap_;  ///< by kernel
  CudaStream stream_;
  std::unique_ptr<Staging> staging_;
};

}  // namespace mass::detail
