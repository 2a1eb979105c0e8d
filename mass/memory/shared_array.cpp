#include <mass/memory/shared_array.hpp>

#include <cstdint>
#include <utility>

namespace mass::detail {

SharedArray::SharedArray(const DeviceConfig& devices, const void* data, std::size_t bytes) {
  std::vector<Buffer> buffers;
  for (int device = 0; device < devices.size(); ++device) {
    buffers.emplace_back(devices.device(device), bytes);
    if (bytes == 0) continue;
    devices.device(device).write(buffers.back().data(), 1,
                                 contiguous(0, static_cast<std::int64_t>(bytes)), data);
  }
  buffers_ = std::make_shared<const std::vector<Buffer>>(std::move(buffers));
}

}  // namespace mass::detail
