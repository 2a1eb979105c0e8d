#pragma once

#include <mass/backend/device_config.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace mass::detail {

/// Bytes that never change, a copy on each device. Copies of this are handles of the same bytes;
/// the devices must outlive all of them.
class SharedArray {
 public:
  SharedArray() = default;
  /// @throws DeviceError when there is no memory.
  SharedArray(const DeviceConfig& devices, const void* data, std::size_t bytes);

  /// Where they are on a device.
  const void* on(int device) const { return (*buffers_)[static_cast<std::size_t>(device)].data(); }

 private:
  std::shared_ptr<const std::vector<Buffer>> buffers_;
};

}  // namespace mass::detail
