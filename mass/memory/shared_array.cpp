#include <mass/memory/shared_array.hpp>

#include <cstdint>
#include <utility>

namespace mass::detail {

SharedArray::SharedArray(const DeviceConfig& devices, const void* data, std::size_t bytes) {
  std::vector<Buffer> buffers;
  buffers.resize(static_cast<std::size_t>(devices.size()));
  for (const int device : devices.local()) {
    Buffer& buffer = buffers[static_cast<std::size_t>(device)];
    buffer = Buffer(devices.device(device), bytes);
    if (bytes == 0) continue;
    devices.device(device).write(buffer.data(), 1, contiguous(0, static_cast<std::int64_t>(bytes)),
                                 data);
  }
  buffers_ = std::make_shared<const std::vector<Buffer>>(std::move(buffers));
}

}  // namespace mass::detail
