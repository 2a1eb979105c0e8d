#pragma once

#include <cuda_runtime_api.h>

namespace mass::detail::cuda {

/// Checks the status of a CUDA call and clears the last error.
/// @param call text of the call, for the message
/// @throws DeviceError with `call` and CUDA's description if the status is not cudaSuccess
void check(cudaError_t status, const char* call);

/// True if kernels on GPU `gpu` can access the memory of `other`; true if both are the same.
bool canAccessPeer(int gpu, int other);

/// Makes a GPU current in this thread; the destructor restores the previous one.
class Current {
 public:
  /// @param ordinal CUDA's number of the GPU
  explicit Current(int ordinal);
  ~Current();
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  int previous_ = 0;
};

}  // namespace mass::detail::cuda

/// Executes a CUDA call and throws DeviceError if it fails.
#define MASS_CUDA_CALL(call) ::mass::detail::cuda::check((call), #call)
