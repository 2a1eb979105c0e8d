#pragma once

#include <mass/backend/device_config.hpp>
#include <mass/support/export.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace mass::detail {

/// Immutable bytes with a copy on each device. Copies of a SharedArray share the bytes. The devices
/// must outlive them.
class MASS_EXPORT SharedArray {
 public:
  /// Has no bytes.
  SharedArray() = default;
  /// Copies `bytes` bytes of host memory at `data` to all devices.
  /// @throws DeviceError if the memory of a device is exhausted
  SharedArray(const DeviceConfig& devices, const void* data, std::size_t bytes);

  /// Returns the address on a device.
  const void* on(int device) const { return (*buffers_)[static_cast<std::size_t>(device)].data(); }

 private:
  std::shared_ptr<const std::vector<Buffer>> buffers_;
};

}  // namespace mass::detail
