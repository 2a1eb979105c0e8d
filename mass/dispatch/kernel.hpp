#pragma once

#include <mass/launch/gpu_launch.hpp>
#include <mass/launch/launch.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mass::detail {

/// Compiled rule of places with its arguments, as the Dispatcher runs it.
struct Kernel {
  KernelFunction function = nullptr;   ///< runs the rule on CPUs
  const GpuKernel* gpu = nullptr;      ///< null if the model was not compiled for GPUs
  const void* arguments = nullptr;     ///< tuple of the rule's arguments, in host memory
  bool readsNeighbors = false;         ///< requires fresh halos
  bool inPlace = false;                ///< writes the front buffer; no back buffer is used
  const AaKernel* aaKernel = nullptr;  ///< AA pattern of a streaming rule; null if there is none
  bool isScatter =
      false;  ///< scatter rule: the next state consists of the elements that places send
  MergeFunction merge = nullptr;  ///< scatter rule: inserts elements of other ranks
  std::vector<int> written;       ///< components that the rule writes; empty for a reading rule
  /// Reading rule: output array in host memory, for the rows of this rank.
  void* results = nullptr;
  std::size_t resultBytesPerRow = 0;  ///< of `results`
  /// Distances of run-time neighbours in elements, by device (layouts may differ); empty if there
  /// are none.
  std::vector<std::vector<std::int64_t>> neighborSteps;
};

}  // namespace mass::detail
