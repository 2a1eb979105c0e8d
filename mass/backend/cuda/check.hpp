#pragma once

#include <cuda_runtime_api.h>

namespace mass::detail::cuda {

/// Throws DeviceError with the call and CUDA's own text when a call did not succeed.
void check(cudaError_t status, const char* call);

/// Whether kernels of a GPU reach the memory of another one, or of the same.
bool reaches(int gpu, int other);

/// Makes a GPU the current one of this thread, and the former one again at the end.
class Current {
 public:
  explicit Current(int ordinal);
  ~Current();
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  int former_ = 0;
};

}  // namespace mass::detail::cuda

/// Makes a CUDA call and throws DeviceError when it fails.
#define MASS_CUDA_CALL(call) ::mass::detail::cuda::check((call), #call)
