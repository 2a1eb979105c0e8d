#pragma once

// Launch of kernels from the host. Only for sources that nvcc compiles.

#include <cuda_runtime.h>

#include <utility>

namespace mass::detail {

/// Queues `kernel` on `stream` without dynamic shared memory or launch attributes.
/// @return the status of cudaLaunchKernelEx
template <class... Parameters, class... Arguments>
cudaError_t launchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, cudaStream_t stream,
                         Arguments&&... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.stream = stream;
  return cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...);
}

}  // namespace mass::detail
