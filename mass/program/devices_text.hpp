#pragma once

#include <mass/backend/device_config.hpp>

#include <string>

namespace mass::detail {

/// Returns a text as "2 CPU devices" or "1 GPU device (NVIDIA H200)".
std::string devicesText(const DeviceConfig& devices);

}  // namespace mass::detail
