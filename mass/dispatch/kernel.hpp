#pragma once

#include <mass/launch/gpu_launch.hpp>
#include <mass/launch/launch.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mass::detail {

/// A rule made ready to run: what the Dispatcher needs to know of it.
struct Kernel {
  KernelFunction function = nullptr;
  const GpuKernel* gpu = nullptr;  ///< null when the model was not compiled for GPUs
  const void* arguments = nullptr;
  bool readsNeighbors = false;       ///< then the ghosts must be up to date
  bool inPlace = false;              ///< then there is no next state beside the old one
  const AaKernel* moving = nullptr;  ///< null when nothing is streamed, or not in place
  bool sends = false;                ///< its next state is what places send each other
  std::vector<int> written;          ///< components it changes; empty for a reading rule
  void* results = nullptr;           ///< of a reading rule, in the host's memory
  std::size_t resultBytesPerRow = 0;
  /// Distances of run-time neighbours, by device (layouts may differ); empty when there are none.
  std::vector<std::vector<std::int64_t>> neighborSteps;
};

}  // namespace mass::detail
