#pragma once

#include <mass/backend/device.hpp>

#include <memory>
#include <string>
#include <vector>

namespace mass::detail {

/// Returns the number of GPU devices that this program can use: 0 if there are none or it was built
/// without CUDA. The environment variable MASS_DEVICES_PER_GPU (1 to 8) multiplies it, so that
/// tests of several devices run on one GPU.
/// @throws DeviceError if MASS_DEVICES_PER_GPU is not a number from 1 to 8
int usableGpus();

/// Returns the reason why usableGpus() is 0, with a remedy; empty if it is not 0.
std::string noGpuReason();

/// True if a GPU driver is installed, but CUDA fails for another reason than finding no GPU.
bool isDriverUnusable();

/// Returns the names of the GPUs, which are the same in all processes of a host. The order of
/// preference is: the GPU of highest compute capability, then the GPUs with peer access to it, then
/// the others, each group by descending compute capability, then by number (Ogden, "Multi-GPU MASS
/// CUDA", 2025, section 4.2).
std::vector<std::string> gpuNames();

/// Returns the largest number of devices of a GPU: MASS_DEVICES_PER_GPU, or 1.
/// @throws DeviceError if MASS_DEVICES_PER_GPU is not a number from 1 to 8
int devicesPerGpu();

/// Opens GPUs and enables peer access between all pairs that support it.
/// @param chosen index in gpuNames() of the GPU of each device
/// @throws DeviceError if there are no GPUs
std::vector<std::unique_ptr<Device>> openGpus(const std::vector<int>& chosen);

}  // namespace mass::detail
