#pragma once

#include <mass/backend/device.hpp>

#include <memory>
#include <string>
#include <vector>

namespace mass::detail {

/// GPUs this program can use: 0 when there are none, or when it was built without CUDA. Each counts
/// as MASS_DEVICES_PER_GPU if that is in the environment (1 to 8): to try what runs on several GPUs
/// where there are fewer.
/// @throws DeviceError when that is no such number.
int usableGpus();

/// Whether several devices are one GPU, by MASS_DEVICES_PER_GPU.
bool devicesShareGpus();

/// Why usableGpus() is 0, and what to do about it; empty when it is not.
std::string whyNoGpu();

/// Whether there is a driver for GPUs, but whyNoGpu() says that it cannot be used: who has one will
/// want to know.
bool isDriverUnusable();

/// The first `wanted` GPUs, the best first: by compute capability, then those that can reach the
/// best one's memory, then by number (Ogden 2025, section 4.2). Each may reach the memory of every
/// other as far as the machine allows.
/// @throws DeviceError when there are fewer.
std::vector<std::unique_ptr<Device>> openGpus(int wanted);

}  // namespace mass::detail
