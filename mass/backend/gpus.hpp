#pragma once

#include <mass/backend/device.hpp>

#include <memory>
#include <string>
#include <vector>

namespace mass {

/// GPUs this program can use: 0 when there are none, or when it was built without CUDA.
int usableGpus();

/// Why usableGpus() is 0, and what to do about it; empty when it is not.
std::string whyNoGpu();

/// The first `wanted` GPUs, the best first: by compute capability, then those that can reach the
/// best one's memory, then by number (Ogden 2025, section 4.2). Each may reach the memory of every
/// other as far as the machine allows.
/// @throws DeviceError when there are fewer.
std::vector<std::unique_ptr<Device>> openGpus(int wanted);

}  // namespace mass
