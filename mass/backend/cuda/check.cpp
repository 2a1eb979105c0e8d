#include <mass/backend/cuda/check.hpp>

#include <mass/support/error.hpp>

#include <string>

#include <fmt/format.h>

namespace mass::detail::cuda {
namespace {

/// True for sticky errors: the context is corrupted and all later calls fail. (A query of the GPU
/// could block for ever instead, behind kernels that wait for each other.)
bool isSticky(cudaError_t status) {
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
/// Returns number and model of the current GPU, for messages.
std::string currentGpu() {
  int ordinal = -1;
  cudaDeviceProp properties{};
  (void)cudaGetDevice(&ordinal);
  const bool hasName = cudaGetDeviceProperties(&properties, ordinal) == cudaSuccess;
  return fmt::format("GPU {}{}", ordinal, hasName ? fmt::format(" ({})", properties.name) : "");
}
/// Returns the remedy for an error, as the end of a message.
std::string adviceFor(cudaError_t status) {
  if (isSticky(status)) {
    return fmt::format(
        "; the state on {} is lost: start again from the last checkpoint (--restart)",
        currentGpu());
  }
  if (status == cudaErrorDevicesUnavailable) {
    return "; another process uses a GPU exclusively, or all of its memory: wait until it ends, or "
           "choose other GPUs with CUDA_VISIBLE_DEVICES";
  }
  return {};
}

}  // namespace

void check(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();  // otherwise the next launch would report it again
  throw DeviceError("CUDA: {} failed: {} ({}){}", call, cudaGetErrorString(status),
                    cudaGetErrorName(status), adviceFor(status));
}

bool canAccessPeer(int gpu, int other) {
  int can = gpu == other ? 1 : 0;
  if (can == 0) MASS_CUDA_CALL(cudaDeviceCanAccessPeer(&can, gpu, other));
  return can != 0;
}

Current::Current(int ordinal) {
  MASS_CUDA_CALL(cudaGetDevice(&previous_));
  if (previous_ != ordinal) MASS_CUDA_CALL(cudaSetDevice(ordinal));
}

Current::~Current() {
  (void)cudaSetDevice(previous_);
}

}  // namespace mass::detail::cuda
