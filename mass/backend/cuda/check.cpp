#include <mass/backend/cuda/check.hpp>

#include <mass/support/error.hpp>

#include <string>

#include <fmt/format.h>

namespace mass::detail::cuda {
namespace {

/// Whether a GPU that gives this answer gives it to every call from now on. (To ask it again could
/// wait for ever, for kernels that wait for it.)
bool endsTheGpu(cudaError_t status) {
  switch (status) {
    case cudaErrorAssert:
    case cudaErrorContained:
    case cudaErrorContextIsDestroyed:
    case cudaErrorECCUncorrectable:
    case cudaErrorExternalDevice:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalAddress:
    case cudaErrorIllegalInstruction:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorMisalignedAddress:
    case cudaErrorMpsClientTerminated:
    case cudaErrorNvlinkUncorrectable:
      return true;
    default:
      return false;
  }
}
std::string currentGpu() {
  int ordinal = -1;
  cudaDeviceProp properties{};
  (void)cudaGetDevice(&ordinal);
  const bool hasName = cudaGetDeviceProperties(&properties, ordinal) == cudaSuccess;
  return fmt::format("GPU {}{}", ordinal, hasName ? fmt::format(" ({})", properties.name) : "");
}
std::string adviceFor(cudaError_t status) {
  if (endsTheGpu(status)) {
    return fmt::format("; what was on {} is lost: start again from the last checkpoint (--restart)",
                       currentGpu());
  }
  if (status == cudaErrorDevicesUnavailable) {
    return "; another process has a GPU to itself, or has filled it: wait for its end, or choose "
           "other GPUs with CUDA_VISIBLE_DEVICES";
  }
  return {};
}

}  // namespace

void check(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();  // what is told once is not told again at the next launch
  throw DeviceError("CUDA: {} failed: {} ({}){}", call, cudaGetErrorString(status),
                    cudaGetErrorName(status), adviceFor(status));
}

bool reaches(int gpu, int other) {
  int can = gpu == other ? 1 : 0;
  if (can == 0) MASS_CUDA_CALL(cudaDeviceCanAccessPeer(&can, gpu, other));
  return can != 0;
}

Current::Current(int ordinal) {
  MASS_CUDA_CALL(cudaGetDevice(&former_));
  if (former_ != ordinal) MASS_CUDA_CALL(cudaSetDevice(ordinal));
}

Current::~Current() {
  (void)cudaSetDevice(former_);
}

}  // namespace mass::detail::cuda
