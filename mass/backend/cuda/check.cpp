#include <mass/backend/cuda/check.hpp>

#include <mass/support/error.hpp>

namespace mass::cuda {

void check(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();  // what is told once is not told again at the next launch
  throw DeviceError("CUDA: {} failed: {} ({})", call, cudaGetErrorString(status),
                    cudaGetErrorName(status));
}

Current::Current(int ordinal) {
  MASS_CUDA_CALL(cudaGetDevice(&former_));
  if (former_ != ordinal) MASS_CUDA_CALL(cudaSetDevice(ordinal));
}

Current::~Current() {
  (void)cudaSetDevice(former_);
}

}  // namespace mass::cuda
